"""Prints how to use the encoding and backend that won, and how to see why they did."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nqbench.records.sources import RESULTS

if TYPE_CHECKING:
    import polars as pl

    from nqbench.show.use import Use

_MARK: Final = "use it:  "
_OR: Final = "or:      "
_NOTE: Final = "note:    "
_WHY: Final = "why:     "


def print_use(use: "Use | None", why: str | None = None) -> None:
    """Print the command that installs the solver, the one that prints a program for it, for what
    another combination is better, what to note, and the command that shows why it won.
    """
    from nqbench.cli.printing.findings import print_wrapped

    lines = [] if use is None else use.lines()
    if use is not None and use.is_foreign:
        print_wrapped(f"{use.name}", "best:    ")
    for place, line in enumerate(lines):
        click.echo(f"{' ' * len(_MARK) if place else _MARK}{line}")
    for text in () if use is None else use.others:
        print_wrapped(text, _OR)
    if use is not None and use.note:
        print_wrapped(use.note, _NOTE)
    if why is not None:
        click.echo(f"{_WHY}{why}")
    if lines or why is not None:
        click.echo()


def command_for_why(records: "pl.DataFrame", results: Path, where: str | None = None) -> str | None:
    """The command that shows what solvers did in these records; None unless conflicts of two
    combinations were counted.
    """
    import polars as pl

    counted = records.filter(pl.col("conflicts").is_not_null())
    if counted.select(pl.struct("encoding", "backend").n_unique()).item() < 2:
        return None
    from_folder = [] if results == Path(RESULTS) else ["--results", str(results)]
    condition = [] if where is None else ["--where", where]
    return shlex.join(["nqbench", "summary", "--work", *from_folder, *condition])
