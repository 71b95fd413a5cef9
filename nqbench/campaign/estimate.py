"""Estimates how long runs will take from recorded runs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nqbench.common.units import counted, duration
from nqbench.records.record import Run
from nqbench.records.runs import Runs

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of runs with a precedent and the seconds that they will take one after the other;
    the number of runs without one, which take at most `at_most_s` together.
    """

    with_precedent: int
    seconds: float
    without_precedent: int
    at_most_s: float

    def sentences(self, jobs: int, budget_s: float | None = None) -> Iterator[str]:
        """Say how long the runs will take with `jobs` jobs, for known and for new runs, and whether
        they fit into the budget.
        """
        known_s, most_s = self.seconds / jobs, (self.seconds + self.at_most_s) / jobs
        if self.with_precedent:
            runs = counted(self.with_precedent, "run")
            yield f"{runs} of measured combinations: {duration(known_s)}, by recorded runs."
        if self.without_precedent:
            runs = counted(self.without_precedent, "run")
            most = duration(self.at_most_s / jobs)
            yield f"{runs} of new combinations: at most {most}, if each reaches its time limit."
        if budget_s is not None and most_s > budget_s:
            fit = "do not all fit" if known_s > budget_s else "may not all fit"
            yield (
                f"The budget ends this after {duration(budget_s)}: the runs {fit}. Runs that are "
                "under way then still finish, and drawing plots takes extra time."
            )


def estimate(runs: Iterable[Run], records: "pl.DataFrame | None") -> Estimate:
    """Estimate the time of runs. A precedent is a recorded run of the same encoding and backend;
    the estimate is the median time at the closest recorded n.
    """
    precedents: dict[tuple[str, str], dict[int | None, float]] = {}
    for encoding, backend, n, wall_s in _medians(records) if records is not None else ():
        precedents.setdefault((encoding, backend), {})[n] = wall_s
    with_precedent, seconds, unknown, at_most_s = 0, 0.0, 0, 0.0
    for run, count in Runs.of(runs).counted(lambda problem: problem.n):
        sizes = precedents.get((run.encoding, run.backend))
        if sizes is None:
            unknown += count
            at_most_s += count * run.limits.time_s
            continue
        with_precedent += count
        nearest = min(sizes, key=lambda n: abs((n or 0) - (run.problem.n or 0)))
        seconds += count * min(sizes[nearest], run.limits.time_s)
    return Estimate(with_precedent, seconds, unknown, at_most_s)


def _medians(records: "pl.DataFrame") -> Iterator[tuple[str, str, int | None, float]]:
    import polars as pl

    groups = records.drop_nulls("wall_s").group_by("encoding", "backend", "n")
    return groups.agg(pl.col("wall_s").median()).iter_rows()
