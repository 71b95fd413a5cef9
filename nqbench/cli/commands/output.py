"""`output`: print the log of a run."""

import re
import sys
from pathlib import Path
from typing import Final

import click

from nqbench.cli.options.shared_options import store_option
from nqbench.cli.printing.tables import print_table
from nqbench.common.errors import InputError
from nqbench.problems.base import title
from nqbench.records import sources
from nqbench.records.store import Store
from nqbench.show.tables.columns import Column, name_column

_START: Final = 12
"""Digits of a run id that are shown; as many are enough to name a run."""


@click.command
@click.argument("run_id", required=False)
@store_option
def output(run_id: str | None, results: Path) -> None:
    """Print the log of a run that was measured with --keep-output.

    RUN_ID is the run's id or the start of it. Without it, list the runs that have a log. A log
    holds the first and the last 512 KiB of what the run printed. On a terminal, control characters
    are shown as escapes.

    \b
    Examples:
      nqbench run --n 16 --backend kissat --keep-output
      nqbench output
      nqbench output 1f3a > kissat.log
    """
    with Store(sources.store(results), read_only=True) as store:
        if run_id is None:
            _list(store)
            return
        log = store.log(run_id.strip().lower())
    if not log:
        click.echo("the run printed nothing", err=True)
    sys.stdout.buffer.write(_escaped(log) if sys.stdout.isatty() else log)


def _list(store: Store) -> None:
    """Print a table of the runs that have a log."""
    records = sorted(store.records(store.logs()), key=lambda record: record.started_at)
    if not records:
        raise InputError("no run has a log: measure with --keep-output --fresh")
    rows = [
        {
            "run_id": record.run_id[:_START],
            "problem": title(record.family, record.n, record.instance),
            "encoding": record.encoding,
            "backend": record.backend,
            "repeat": record.repeat + 1,
            "outcome": record.outcome,
        }
        for record in records
    ]
    columns = [Column("run_id"), name_column("problem"), name_column("encoding")]
    columns += [name_column("backend"), Column("repeat", 2), Column("outcome", 1)]
    print_table(columns, rows, "nqbench export")


def _escaped(log: bytes) -> bytes:
    """The log as text whose control characters cannot change the terminal."""
    text = log.decode(errors="replace").replace("\r\n", "\n")
    return re.sub(r"[^\n\t]", _shown, text).encode(errors="replace")


def _shown(character: re.Match[str]) -> str:
    return character[0] if character[0].isprintable() else ascii(character[0])[1:-1]
