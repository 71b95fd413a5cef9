"""Prints how to use the encoding and backend that won, and how to see why they did."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nqbench.common.quoting import as_command
from nqbench.records.sources import RESULTS

if TYPE_CHECKING:
    import polars as pl

    from nqbench.show.use import Use

_MARK: Final = "use it:  "
_OR: Final = "or:      "
_NOTE: Final = "note:    "
_WHY: Final = "why"
_MORE: Final = "more"


def print_use(use: "Use | None", hints: Mapping[str, str] | None = None) -> None:
    """Print the command that installs the solver, the one that prints a program for it, for what
    another combination is better, what to note, and the commands that show more, by a word each.
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
