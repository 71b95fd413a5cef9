"""`report`: one page of a whole campaign."""

from pathlib import Path

import click

from nqbench import sources
from nqbench.cli.options import results_option
from nqbench.cli.results import store_path, where_option, with_condition
from nqbench.errors import InputError
from nqbench.store import Store


@click.command(short_help="Write one HTML page of what was measured.")
@results_option
@where_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="[RESULTS/report.html]",
)
@click.option("--title", help="[the name of the results folder]")
def report(results: Path, where: str | None, output: Path | None, title: str | None) -> None:
    """Write a self-contained page: findings, charts, every run, boards, and what to be wary of.

    It works from disk and needs no network. Its charts need the extra 'report'.

    \b
    Examples:
      nqbench report --results results
      nqbench report --where "backend <> 'pyeda'" --output without-pyeda.html
    """
    from nqbench.report.page import NEEDED, Campaign, render, to_draw

    path = store_path(results)
    # A condition may speak of any field.
    records = with_condition(sources.read(str(path), None if where else NEEDED), where)
    with Store(path, read_only=True) as store:
        environments, sessions = store.environments(), store.sessions()
        chosen = to_draw(records)
        drawn = sorted(store.records(chosen), key=lambda record: chosen.index(record.run_id))
    used = set(records["environment_id"])
    campaign = Campaign(
        title=title or f"nqbench: {results.resolve().name}",
        records=records,
        environments=[environment for environment in environments if environment.id in used],
        sessions=sessions,
        drawn=drawn,
    )
    page = render(campaign)
    written = output or results / "report.html"
    try:
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {written}: {error.strerror}") from error
    click.echo(f"report: {written} ({len(page) / 1e6:.1f} MB)", err=True)
