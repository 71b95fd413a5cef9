"""`trends`: show results over revisions, versions or days, with the steps in them."""

from pathlib import Path
from typing import Any

import click

from nqbench.addons.trends.functions import trends as find_trends
from nqbench.cli.face import (
    calling,
    format_option,
    metric_option,
    output_option,
    print_table,
    shown_while_waiting,
    where_option,
)
from nqbench.common import units
from nqbench.common.csv_text import to_csv
from nqbench.common.errors import InputError
from nqbench.common.units import counted
from nqbench.show.tables.columns import Column
from nqbench.show.tables.formats import to_json

_PICTURES = (".png", ".svg", ".pdf")
_PAGES = (".html", ".htm")


@click.command
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@calling(find_trends)
@metric_option("What to show")
@where_option
@format_option
@output_option("File for the page (.html) or the plot (.png, .svg, .pdf).")
def trends(
    sources: tuple[str, ...],
    kind: str,
    width: str,  # noqa: ARG001 - for tables in LaTeX only
    output: Path | None,
    **settings: Any,
) -> None:
    """Show results over revisions, versions or days, and find the steps in them.

    SOURCE is a results folder, a store (.db), an export (.csv, .jsonl, .parquet), an export in a
    git revision, or a file of pytest-benchmark (.json), which is a commit of what it measured.

    Each line is a formula with a combination of encoding and backend. The steps are printed, the
    largest increase first. They are found by E-divisive, a test that needs no distribution and no
    threshold. A step needs two points on each side. For the newest commit alone, use `nqbench
    compare`.

    \b
    Examples:
      nqbench trends results --metric conflicts --output trends.html
      nqbench trends results --over version --per family
      nqbench trends v1.csv v2.csv v3.csv --per combination --output trends.svg
      nqbench trends .benchmarks/*/*.json --output benchmarks.html
    """
    if output and output.suffix.lower() not in (*_PAGES, *_PICTURES):
        raise InputError(f"cannot write {output.name}: name it .html, .png, .svg or .pdf")
    if kind not in ("table", "csv", "json"):
        raise InputError(f"trends has no format {kind}: choose table, csv or json")
    with shown_while_waiting(f"reading {counted(len(sources), 'source')}"):
        found = find_trends(*sources, **settings)
    table = found.table()
    if kind == "csv":
        click.echo(to_csv(table.columns, table.to_dicts()), nl=False)
    elif kind == "json":
        click.echo(to_json(table.to_dicts()), nl=False)
    elif len(table):
        columns = [
            Column("line", wraps=20),
            Column("before_point", title="between"),
            Column("at_point", title="and"),
            Column("date", 1.0),
            *([Column("subject", 1.5, wraps=20)] if table["subject"].count() else []),
            *(
                Column(name, 2.0, show=lambda v: units.amount(v, found.metric), right=True)
                for name in ("before", "after")
            ),
            Column("ratio", show=units.ratio, right=True),
        ]
        print_table(columns, table.to_dicts())
    for note in found.notes:
        click.echo(f"nqbench: {note}", err=True)
    if output:
        if output.suffix.lower() in _PAGES:
            found.write_page(output)
        else:
            found.write_plot(output)
        lines = counted(len(found.lines), "line")
        click.echo(
            f"trends: {output} ({lines} over {counted(len(found.points), found.axis)})", err=True
        )
