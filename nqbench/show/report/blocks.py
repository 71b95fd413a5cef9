"""What the page shows of one family: problems of different families are never in one chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from nqbench import summary
from nqbench.show.plots.kind import Chart
from nqbench.show.report import overview, problems, schemes
from nqbench.show.report.charts import charts
from nqbench.show.report.runs import Unit, unit_of
from nqbench.summary.description import family
from nqbench.summary.findings import stated

_MOST_COMPARISONS: Final = 300


@dataclass(frozen=True, slots=True)
class Block:
    """The parts of the page about one family. `suffix` makes the ids of its elements unique. The
    `caution` says which problems the times are of, if some combinations did not run on all.
    """

    family: str
    name: str
    suffix: str
    noun: str
    unit: Unit
    verdict: str
    findings: Sequence[str]
    overview: overview.Table
    caution: str
    comparisons: Sequence[Mapping[str, Any]]
    schemes: schemes.SchemeTable
    charts: Sequence[Chart]
    problems: problems.ProblemTable
    has_sizes: bool


def blocks(records: pl.DataFrame) -> list[Block]:
    """The block of each family, in the order of their names."""
    families = summary.by_family(records)
    return [
        _block(name, own, f"-{place}" if place else "", summary.has_sizes(records))
        for place, (name, own) in enumerate(families.items())
    ]


def _block(name: str, records: pl.DataFrame, suffix: str, with_n: bool) -> Block:
    unit = unit_of(records)
    measured = summary.Measured(records)
    said = stated(measured)
    return Block(
        name,
        family(name),
        suffix,
        summary.noun(records),
        unit,
        said[0] if said else "",
        said if len(said) > 1 else [],  # a list without its first sentence would begin with "It"
        overview.table(records, unit),
        summary.coverage(records).caution,
        _comparisons(measured),
        schemes.table(records, unit),
        charts(records, with_n=with_n),
        problems.table(records, unit),
        summary.has_sizes(records),
    )


def _comparisons(measured: summary.Measured) -> list[dict[str, Any]]:
    """The comparisons, most significant difference first."""
    table = summary.comparisons(measured).sort("p_corrected", "first", "second")
    return table.head(_MOST_COMPARISONS).to_dicts()
