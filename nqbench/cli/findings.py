"""Prints the findings in sentences, after the table of a campaign."""

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    import polars as pl

_WIDEST: Final = 100
"""Longer lines are hard to read, even on a wide terminal."""


def print_findings(records: "pl.DataFrame", metric: str) -> None:
    """Print the findings on standard output, as wide as the terminal allows."""
    from nqbench.api import findings

    columns = shutil.get_terminal_size((_WIDEST, 0)).columns
    for sentence in findings(records, metric):
        lines = textwrap.fill(
            sentence,
            min(columns, _WIDEST),
            initial_indent="- ",
            subsequent_indent="  ",
            break_on_hyphens=False,
        )
        click.echo(_writable(lines))
    click.echo()


def _writable(text: str) -> str:
    """The text, in ASCII if standard output cannot represent it."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return text.replace("\N{MICRO SIGN}", "u").encode("ascii", "replace").decode()
    return text
