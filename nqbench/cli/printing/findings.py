"""Prints the findings in sentences, and other texts, as wide as the terminal allows."""

import shutil
import sys
from typing import TYPE_CHECKING, Final

import click

from nqbench.cli.printing.filling import filled
from nqbench.cli.printing.waiting import shown_while_waiting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nqbench.summary import Records

_WIDEST: Final = 100
"""Longer lines are hard to read, even on a wide terminal."""

_JOINED: Final = "\N{NO-BREAK SPACE}"


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
    click.echo(_writable(filled(text, min(columns, _WIDEST), mark, " " * len(mark))))


def _writable(text: str) -> str:
    """The text, in ASCII if standard output cannot represent it."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return text.replace("\N{MICRO SIGN}", "u").encode("ascii", "replace").decode()
    return text
