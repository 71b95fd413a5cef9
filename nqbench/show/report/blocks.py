"""What the page shows of one family: problems of different families are never in one chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from nqbench import summary
from nqbench.common import metrics
from nqbench.show.plots.kind import Chart
from nqbench.show.report import overview, problems, schemes
from nqbench.show.report.charts import charts
from nqbench.show.report.runs import Unit, unit_of
from nqbench.show.tables.columns import Table, interval_text, shown
from nqbench.show.use import Use
from nqbench.summary.description import family
from nqbench.summary.findings import stated

_MOST_COMPARISONS: Final = 300


@dataclass(frozen=True, slots=True)
class Block:
    """The parts of the page about one family, and what was `measured` of it. `suffix` makes the ids
    of its elements unique. The `caution` says which problems the times are of, if some combinations
    did not run on all.
    """

    family: str
    measured: summary.Measured
    name: str
    suffix: str
    noun: str
    unit: Unit
    verdict: str
    findings: Sequence[str]
    overview: Table
    is_ranked: bool
    caution: str
    comparisons: Sequence[Mapping[str, str]]
    schemes: schemes.SchemeTable
    charts: Sequence[Chart]
    problems: problems.ProblemTable
    has_sizes: bool
    use: Use | None


def blocks(records: pl.DataFrame, readers_names: Mapping[str, str]) -> list[Block]:
    """The block of each family, in the order of their names. The encodings and backends of the
    records have these names for readers.
    """
    families = summary.by_family(records)
    return [
        _block(name, own, f"-{place}" if place else "", readers_names)
        for place, (name, own) in enumerate(families.items())
    ]


def _block(
    name: str,
    records: pl.DataFrame,
    suffix: str,
    readers_names: Mapping[str, str],
) -> Block:
    # The tables and the findings are of the same costs, which this calculates once.
    measured = summary.Measured(records)
    combinations = summary.overview(measured).to_dicts()
    unit = unit_of(combinations)
    sentences = stated(measured)
    return Block(
        name,
        measured,
        family(name),
        suffix,
        summary.noun(records),
        unit,
        sentences[0] if sentences else "",
        sentences
        if len(sentences) > 1
        else [],  # a list without its first sentence would begin with "It"
        overview.table(combinations, unit),
        overview.is_ranked(combinations),
        summary.coverage(measured).caution,
        _comparisons(measured),
        schemes.table(records, unit),
        charts(records),
        problems.table(measured, unit),
        summary.has_sizes(records),
        Use.of_winner(measured, metrics.USUAL, readers_names),
    )


def _comparisons(measured: summary.Measured) -> list[dict[str, str]]:
    """The comparisons as texts, the clearest difference first."""
    table = summary.comparisons(measured, most=_MOST_COMPARISONS)
    return [
        {name: shown(value) for name, value in row.items()}
        | {
            "interval": interval_text(row["low"], row["high"]),
            "mean_interval": interval_text(row["mean_low"], row["mean_high"]),
        }
        for row in table.iter_rows(named=True)
    ]
