"""The lines of a trend: what each formula, family or combination takes at each point."""

import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import polars as pl

from nqbench.addons.trends.change_points import steps
from nqbench.addons.trends.points import POINT
from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.records.notebook_table import NotebookTable
from nqbench.summary.observed import BOARD, NAMED, PAIR, TITLE, is_measured_time, observed

PER: Final = ("formula", "family", "combination")
"""What a line is of: a formula with a combination of encoding and backend; the geometric mean over
the formulas of a family; or that over all formulas.
"""

_NAME: Final = "line"
_VALUE: Final = "value"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a line: `since` is the place of the last point before it, and `at` that of the
    first one after it. `before` and `after` are the medians of the points between it and the steps
    beside it.
    """

    since: int
    at: int
    before: float
    after: float

    @property
    def ratio(self) -> float:
        """How many times as large the values are after it."""
        return self.after / self.before


@dataclass(frozen=True, slots=True)
class Line:
    """The values of a line, `places` of which are those of its points in all points, in order. If
    the values are exact, `changes` are the places at which one differs from the one before. Steps
    and changes are looked for among the `searched` values, whose order is known.
    """

    name: str
    places: Sequence[int]
    values: Sequence[float]
    steps: Sequence[Step]
    changes: Sequence[int]
    searched: int

    @property
    def levels(self) -> Iterator[tuple[int, int, float]]:
        """The first and the last place of each part between steps, and its median."""
        bounds = [0, *(self.places.index(step.at) for step in self.steps), len(self.places)]
        for start, end in itertools.pairwise(bounds):
            yield self.places[start], self.places[end - 1], _middle(self.values[start:end])

    @property
    def size(self) -> float:
        """The largest step, as the logarithm of its ratio, whether up or down; 0 without one."""
        return max((abs(math.log(step.ratio)) for step in self.steps), default=0.0)


@dataclass(frozen=True, slots=True)
class Trends:
    """Lines over points: `points` are their names in order, and `dates` those of them that have
    one. `axis` says what they are. `left_out` counts the formulas that lack a point, and so are not
    in a mean. `unordered` are the points of which the order is not known, `subjects` those of
    commits.
    """

    axis: str
    metric: str
    per: str
    level: float
    points: Sequence[str]
    dates: Mapping[str, str]
    lines: Sequence[Line]
    left_out: int = 0
    unordered: Collection[str] = ()
    subjects: Mapping[str, str] = field(default_factory=dict)

    @property
    def stepping(self) -> list[tuple[Line, Step]]:
        """Every step, the largest increase first."""
        every = [(line, step) for line in self.lines for step in line.steps]
        return sorted(every, key=lambda pair: -pair[1].ratio)

    @property
    def changing(self) -> dict[int, list[Line]]:
        """The lines whose exact values change at a place, for each such place in order."""
        places = sorted({at for line in self.lines for at in line.changes})
        return {at: [line for line in self.lines if at in line.changes] for at in places}

    def table(self) -> pl.DataFrame:
        """The steps as a table, the largest increase first: line, before_point and at_point (the
        points between which it is), date and subject (of the latter), before, after, ratio.
        """
        rows = [
            {
                "line": line.name,
                "before_point": self.points[step.since],
                "at_point": self.points[step.at],
                "date": self.dates.get(self.points[step.at]),
                "subject": self.subjects.get(self.points[step.at]),
                "before": step.before,
                "after": step.after,
                "ratio": step.ratio,
            }
            for line, step in self.stepping
        ]
        texts = ("line", "before_point", "at_point", "date", "subject")
        numbers = ("before", "after", "ratio")
        schema = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64)
        return NotebookTable(rows, schema=schema)


def of_records(
    records: pl.DataFrame,
    points: Sequence[str],
    metric: str,
    per: str,
    level: float,
    *,
    unordered: Collection[str] = (),
) -> tuple[list[Line], int]:
    """The lines of records with points, and how many formulas lack a point and are in no mean. A
    value is the median of the repeats; an unsolved run counts at its limit. Times are compared on
    one machine. Raises `InputError` for an unknown metric, or if no run has a value of it.
    """
    if per not in PER:
        raise InputError(f"lines are per {', '.join(PER)}: not per '{per}'")
    has_machines = is_measured_time(metric) and records["machine"].n_unique() > 1
    name = pl.concat_str(NAMED, pl.format(" on {}", "machine")) if has_machines else NAMED
    keys = [*PAIR, *BOARD, *(["machine"] if has_machines else []), POINT]
    values = (
        observed(records, metric)
        .with_columns(name.alias("pair"), TITLE)
        .drop_nulls("time_s")
        .group_by(keys)
        .agg(pl.col("time_s").median().alias(_VALUE), pl.col("pair", "title").first())
    )
    if values.is_empty():
        raise InputError(f"no run has a {metrics.noun(metric)}: choose another metric")
    if per == "formula":
        named = values.with_columns(pl.format("{}: {}", "pair", "title").alias(_NAME))
        exact = metric in metrics.COUNTERS
        return of_values(named, points, level, exact=exact, unordered=unordered), 0
    board = [key for key in keys if key != POINT]
    everywhere = values.filter(pl.col(POINT).n_unique().over(board) == len(points))
    lacking = values.select(BOARD).n_unique() - everywhere.select(BOARD).n_unique()
    if everywhere.is_empty():
        raise InputError("no formula was measured at every point: draw a line per formula")
    label = pl.format("{}: {}", "pair", "family") if per == "family" else pl.col("pair")
    log = pl.col(_VALUE).clip(1e-9).log()
    means = (
        everywhere.with_columns(label.alias(_NAME))
        .group_by(_NAME, POINT)
        .agg(log.mean().exp().alias(_VALUE))
    )
    return of_values(means, points, level, exact=False, unordered=unordered), lacking


def of_values(
    table: pl.DataFrame,
    points: Sequence[str],
    level: float,
    *,
    exact: bool,
    unordered: Collection[str] = (),
) -> list[Line]:
    """The lines of a table with the columns line, point and value, by name. The logarithms of the
    values are searched for steps, as a step is a ratio. Points that are `unordered` are not.
    """
    place_of = {point: place for place, point in enumerate(points)}
    without = {place_of[point] for point in unordered}
    groups = table.sort(_NAME).group_by(_NAME, maintain_order=True)
    return [
        _line(
            str(name),
            {place_of[p]: v for p, v in rows.select(POINT, _VALUE).rows()},
            without,
            level,
            exact,
        )
        for (name,), rows in groups
    ]


def _line(
    name: str, value_of: Mapping[int, float], without: Set[int], level: float, exact: bool
) -> Line:
    places = sorted(value_of)
    searched = [place for place in places if place not in without]
    values = [value_of[place] for place in searched]
    floor = min((value for value in value_of.values() if value > 0), default=1.0)
    found = steps(np.log(np.maximum(values, floor)), level)
    bounds = [0, *found, len(values)]
    medians = [_middle(values[a:b]) for a, b in itertools.pairwise(bounds)] if values else []
    steps_found = [
        Step(searched[at - 1], searched[at], max(before, floor), max(after, floor))
        for at, (before, after) in zip(found, itertools.pairwise(medians), strict=True)
    ]
    changed = [
        place
        for place, before, after in zip(searched[1:], values, values[1:], strict=False)
        if exact and before != after
    ]
    every = [value_of[place] for place in places]
    return Line(name, places, every, steps_found, changed, len(searched))


def _middle(values: Sequence[float]) -> float:
    return float(np.median(values))
