"""The option that allows programs and options of solvers which only a file names, and the question
on a terminal.
"""

import sys
from typing import Final

import click

from nqbench.backends.permission import Ask
from nqbench.common.printable import printable

_LONGEST: Final = 2000
"""Characters; a longer question would hide what is started."""

allow_option = click.option(
    "--allow-program",
    "allowed",
    multiple=True,
    metavar="BACKEND",
    help="Start this program or library, or this solver with options, which only a file names: the "
    "same words as there, such as 'exe:/opt/solver --fast' and 'cadical:opt.elim=0', or a pattern: "
    "'cadical:opt.*'. For a component from a file, its path: './mine.py'. Repeatable.",
)


def on_terminal() -> Ask | None:
    """What asks the user; None if nobody is there to answer."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        return _confirmed
    return None


def _confirmed(question: str) -> bool:
    text = printable(question, _LONGEST)
    return len(question) <= _LONGEST and click.confirm(text, err=True)
