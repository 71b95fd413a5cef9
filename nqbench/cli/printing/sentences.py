"""Prints sentences, as wide as the terminal allows and without breaks between a number and its
unit; among them the findings, and how to use the combination that won.
"""

import re
import shutil
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common.printable import as_command
from nqbench.records.sources import RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from nqbench.show.use import Use
    from nqbench.summary import Records

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


_WIDEST: Final = 100
"""Longer lines are hard to read, even on a wide terminal."""


def print_findings(records: "Records", metric: str) -> None:
    """Print the findings on all these records, as wide as the terminal allows."""
    from nqbench.summary.findings import findings

    with shown_while_waiting("comparing combinations"):
        sentences = list(findings(records, metric, by=()))
    print_sentences(sentences)


def print_sentences(sentences: "Iterable[str]") -> None:
    """Print sentences as a list, as wide as the terminal allows."""
    for sentence in sentences:
        print_wrapped(sentence.replace(_JOINED, " "), "- ")
    click.echo()


def print_wrapped(text: str, mark: str = "") -> None:
    """Print a text on standard output, as wide as the terminal allows; `mark` begins its first
    line.
    """
    columns = shutil.get_terminal_size((_WIDEST, 0)).columns
    click.echo(
        _writable(filled(text, min(columns, _WIDEST), mark, " " * len(mark), within_words=True))
    )


def _writable(text: str) -> str:
    """The text, in ASCII if standard output cannot represent it."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return text.replace("\N{MICRO SIGN}", "u").encode("ascii", "replace").decode()
    return text


_MARK: Final = "use it:  "
_OR: Final = "or:      "
_NOTE: Final = "note:    "
_WHY: Final = "why"
_MORE: Final = "more"


def print_use(use: "Use | None", hints: Mapping[str, str] | None = None) -> None:
    """Print the command that installs the solver, the one that prints a program for it, for what
    another combination is better, what to note, and the commands that show more, by a word each.
    """
    lines = [] if use is None else use.lines()
    if use is not None and use.is_foreign:
        print_wrapped(f"{use.name}", "best:    ")
    for place, line in enumerate(lines):
        click.echo(f"{' ' * len(_MARK) if place else _MARK}{line}")
    for text in () if use is None else use.others:
        print_wrapped(text, _OR)
    if use is not None and use.note:
        print_wrapped(use.note, _NOTE)
    for word, command in (hints or {}).items():
        click.echo(f"{word + ':':{len(_MARK)}}{command}")
    if lines or hints:
        click.echo()


def hints_for(
    records: "pl.DataFrame", results: Path, where: str | None = None, *, is_whole: bool = False
) -> dict[str, str]:
    """The commands that show more of these records, by a word each: all findings, unless they are
    shown, and what solvers did, if conflicts of two combinations were counted.
    """
    import polars as pl

    from_folder = [] if results == Path(RESULTS) else ["--results", str(results)]
    condition = [] if where is None else ["--where", where]

    def command(option: str) -> str:
        return as_command(["nqbench", "summary", option, *from_folder, *condition])

    counted = records.filter(pl.col("conflicts").is_not_null())
    has_why = counted.select(pl.struct("encoding", "backend").n_unique()).item() > 1
    why = {_WHY: command("--work")} if has_why else {}
    return why if is_whole else {_MORE: command("--findings"), **why}
