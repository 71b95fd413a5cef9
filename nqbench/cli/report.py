"""`report`: write a campaign as one page."""

from pathlib import Path

import click

from nqbench.cli.options import output_option, results_option
from nqbench.cli.results import beside, store_path, tell_outdated, where_option, with_condition
from nqbench.records import sources
from nqbench.units import counted


@click.command
@results_option
@where_option
@output_option("File to write. [RESULTS/report.html]")
@click.option("--title", help="Title of the page. [the name of the folder]")
def report(results: Path, where: str | None, output: Path | None, title: str | None) -> None:
    """Write the results as one HTML page: findings, warnings, charts, every run, and boards.

    The page of an export (.csv, .jsonl, .parquet) says nothing about machines and sessions, which
    only a store has.

    The page is a single file and needs no network. With the extra 'report' its charts have
    controls, and show numbers under the pointer. Without it they are pictures.

    \b
    Examples:
      nqbench report --results results
      nqbench report --where "backend <> 'pyeda'" --output without-pyeda.html
    """
    from nqbench.report.contents import Contents
    from nqbench.report.page import write

    choose = None if where is None else lambda records: with_condition(records, where)
    campaign = Contents.read(results, title or _title(results), choose)
    path = output or beside(results) / "report.html"
    write(campaign, path)
    tell_outdated(results)
    _tell(path)


def update_report(results: Path) -> None:
    """Write the page of all records in the store, unless it is up to date. They may be more than
    those of the last campaign, whose table and plots are beside it.
    """
    from nqbench.records import frame
    from nqbench.report.contents import Contents
    from nqbench.report.page import is_current, write

    store, path, title = store_path(results), results / "report.html", _title(results)
    every = sources.read(str(store), frame.IDENTIFYING)
    if not is_current(path, title, every):
        write(Contents.read(store, title), path)
    _tell(path, f"{counted(len(every), 'run')} in {results}, ")


def _title(results: Path) -> str:
    path = results.resolve()
    is_file = path.suffix in (sources.STORE, *sources.EXPORTS)
    return f"nqbench: {path.stem if is_file else path.name}"


def _tell(path: Path, what: str = "") -> None:
    click.echo(f"report: {path} ({what}{path.stat().st_size / 1e6:.1f} MB)", err=True)
