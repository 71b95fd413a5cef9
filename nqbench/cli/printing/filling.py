"""Fills lines with sentences, without breaks between a number and its unit."""

import re
import shutil
import sys
import textwrap
from typing import Final

import click

_JOINED: Final = "\N{NO-BREAK SPACE}"
_BEFORE_UNIT: Final = re.compile(r"(?<=\d) (?=(?:[mµ]?s|min|h|%|[KMG]i?B)(?!\w))")
"""The space between a number and its unit."""


def filled(
    text: str, width: int, mark: str = "", indent: str = "", *, within_words: bool = False
) -> str:
    """A text in lines of at most this width, broken between words, but not before a unit. `mark`
    begins the first line, and `indent` the others. A word that is longer than a line is broken only
    if lines may end `within_words`: it may be a path to be pasted.

    >>> filled("12 timed out at 2 s", 18)
    '12 timed out at\\n2 s'
    """
    lines = textwrap.fill(
        _BEFORE_UNIT.sub(_JOINED, text),
        width,
        initial_indent=mark,
        subsequent_indent=indent,
        break_long_words=within_words,
        break_on_hyphens=False,
    )
    return lines.replace(_JOINED, " ")


def echo_status(line: str) -> None:
    """Print a line on standard error: on a terminal it is broken between words. One with a command
    in backticks is not, since that is to be pasted.
    """
    if "`" not in line and sys.stderr.isatty():
        line = filled(line, shutil.get_terminal_size().columns)
    click.echo(line, err=True)
