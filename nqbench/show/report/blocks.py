"""What the page shows of one family: problems of different families are never in one chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from nqbench import summary
from nqbench.common import metrics
from nqbench.show.plots import KINDS
from nqbench.show.plots.kind import Chart
from nqbench.show.report import tables
from nqbench.show.report.contents import Unit, unit_of
from nqbench.show.tables import captions
from nqbench.show.tables.columns import Row, Table, interval_text, shown
from nqbench.show.tables.revisions import in_history
from nqbench.show.use import Use
from nqbench.summary.bounded import Duel, duels
from nqbench.summary.comparisons import with_one
from nqbench.summary.description import family
from nqbench.summary.findings import stated
from nqbench.summary.findings.cautions import Output, cautions
from nqbench.summary.recommendation import recommend

_MOST_COMPARISONS: Final = 300


@dataclass(frozen=True, slots=True)
class Block:
    """The parts of the page about one family, and what was `measured` of it. `suffix` makes the ids
    of its elements unique. `combinations` are the rows of `summary.overview`. Of a race, the table
    `overview` has the order of the race. `chosen` is the combination of the row in bold: the
    recommended one, if a decision speaks for it and none against it; otherwise empty. `instead_of`
    is the first combination, if another one is recommended. The `caution` says which problems the
    times are of, if some combinations did not run on all, and whether answers contradict each
    other.
    """

    family: str
    measured: summary.Measured
    name: str
    suffix: str
    noun: str
    unit: Unit
    verdict: str
    findings: Sequence[str]
    combinations: Sequence[Row]
    overview: Table
    chosen: str
    caution: str
    comparisons: Sequence[Mapping[str, str]]
    schemes: tables.SchemeTable
    charts: Sequence[Chart]
    problems: tables.ProblemTable
    use: Use | None
    instead_of: str


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
    records = measured.records
    overview_frame = summary.overview(measured)
    combinations = overview_frame.to_dicts()
    explained = captions.explain_times(overview_frame, records, metrics.USUAL)
    is_disputed = not summary.disagreements(measured).is_empty()
    unit = unit_of(combinations)
    sentences = stated(measured)
    of_race = duels(measured, metrics.USUAL)
    found = recommend(measured, metrics.USUAL)
    problem = summary.noun(records)
    return Block(
        name,
        measured,
        family(name),
        suffix,
        problem,
        unit,
        sentences[0] if sentences else "",
        sentences
        if len(sentences) > 1
        else [],  # a list without its first sentence would begin with "It"
        combinations,
        tables.race_table(measured, of_race, unit, problem)
        if of_race
        else in_history(
            tables.overview_table(combinations, unit, explained, is_disputed=is_disputed), records
        ),
        found.name if found and _is_better(measured, found.name, of_race) else "",
        "" if of_race else " ".join(cautions(measured, Output.TABLE)),
        [] if of_race else _comparisons(measured),
        tables.scheme_table(records, unit),
        charts(records, of_race=bool(of_race)),
        tables.problem_table(measured, unit),
        Use.of_recommendation(measured, found, readers_names) if found else None,
        found.first if found and found.first != found.name else "",
    )


def _is_better(measured: summary.Measured, name: str, of_race: Sequence[Duel] | None) -> bool:
    """Whether a decision says that this combination is better than another one, and none that
    another one is better than it.
    """
    if of_race:
        sides = {duel.typical for duel in of_race}
    else:
        rows = with_one(measured, metrics.USUAL, name)
        sides = {*rows["typical"], *rows["solves_more"]}
    return -1 in sides and 1 not in sides


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


def charts(records: pl.DataFrame, *, of_race: bool = False) -> list[Chart]:
    """The charts of one family that these records have data for. Of a race, none that compares
    combinations on what all of them finished.
    """
    kinds = [kind for kind in KINDS.values() if not (of_race and kind.ranks)]
    return placed([chart for kind in kinds if (chart := kind.shown(records))])


def placed(drawable: Sequence[Chart]) -> list[Chart]:
    """The charts with wide ones first, and the last one wide if it would be alone in its row."""
    ordered = sorted(drawable, key=lambda chart: not chart.wide)
    if sum(not chart.wide for chart in ordered) % 2:
        ordered[-1] = replace(ordered[-1], wide=True)
    return ordered
