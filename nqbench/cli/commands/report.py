"""`report`: write a campaign as one page."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from nqbench.campaign.executors.interpreter import command
from nqbench.cli.options.results_folder import (
    name_option,
    store_path,
    tell_outdated,
    unit_option,
    where_option,
)
from nqbench.cli.options.shared_options import output_option, results_option
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common.errors import InputError
from nqbench.common.units import counted
from nqbench.isolate import processes
from nqbench.records import sources
from nqbench.results import Results


@click.command
@results_option
@where_option
@unit_option
@name_option
@output_option("File to write. [RESULTS/report.html]")
@click.option("--title", help="Title of the page. [the name of the folder]")
def report(
    results: Path,
    where: str | None,
    unit: str | None,
    shown: tuple[str, ...],
    output: Path | None,
    title: str | None,
) -> None:
    """Write the results as one HTML page: findings, warnings, charts, every run, and boards.

    The page of an export (.csv, .jsonl, .parquet) says nothing about machines and sessions, which
    only a store has.

    The page is a single file and needs no network. Its charts show the problem and the value
    under the pointer.

    \b
    Examples:
      nqbench report --results results
      nqbench report --where "backend <> 'pyeda'" --output without-pyeda.html
      nqbench report --unit formula_family
      nqbench report --name 'exe:/opt/solver --fast=MySolver'
    """
    _check_name(output)
    result_set = Results(results, where=where, names=shown, unit=unit)
    with shown_while_waiting(f"writing the page of {results}"):
        path = result_set.report(output, title=title)
    tell_outdated(result_set)
    _tell(path)


def _check_name(output: Path | None) -> None:
    """Raise `InputError` if the name says that the page is something else than HTML."""
    suffix = output.suffix if output else ""
    if output and suffix[1:].isalpha() and suffix.lower() not in {".html", ".htm", ".xhtml"}:
        raise InputError(
            f"cannot write {suffix}: the report is an HTML page, so name it {output.stem}.html; a "
            "browser prints it as PDF, and `nqbench plot` and `nqbench summary --format` write "
            "pictures and tables"
        )


@contextmanager
def updating_report(results: Path, *, aside: bool) -> Iterator[None]:
    """Update the page of a results folder, and name it at the end. With `aside`, another process
    does that while the body is executed, if there is a CPU for it.
    """
    process = _start(results) if aside and len(os.sched_getaffinity(0)) > 1 else None
    try:
        yield
    finally:
        line = _wait_for(process) if process else None
    if line is None:
        update_report(results)
    else:
        click.echo(line, err=True, nl=False)


def _wait_for(process: "subprocess.Popen[str]") -> str | None:
    """What the process printed; None if it failed: to do the same here shows why."""
    _, line = process.communicate()
    return None if process.returncode else line


def _start(results: Path) -> "subprocess.Popen[str] | None":
    try:
        return subprocess.Popen(
            command(__name__, str(results), str(os.getpid())),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
    except OSError:  # too many processes, or no memory
        return None


def update_report(results: Path) -> None:
    """Write the page of all records in the store, unless it is up to date. They may be more than
    those of the last campaign.
    """
    from nqbench.records import frame, names
    from nqbench.show.report.currency import is_current

    store, path = store_path(results), results / "report.html"
    title = Results(results).title
    every = sources.read(str(store), frame.IDENTIFYING)
    if not is_current(path, title, every, names.in_folder(results)):
        from nqbench.show.report.contents import Contents
        from nqbench.show.report.page import write_page

        write_page(Contents.read(store, title), path)
    _tell(path, f"{counted(len(every), 'run')} in {results}, ")


def _tell(path: Path, contents: str = "") -> None:
    click.echo(f"report: {path} ({contents}{path.stat().st_size / 1e6:.1f} MB)", err=True)


if __name__ == "__main__":
    processes.die_with_parent()
    if os.getppid() != int(sys.argv[2]):  # which has ended before that
        sys.exit()
    update_report(Path(sys.argv[1]))
