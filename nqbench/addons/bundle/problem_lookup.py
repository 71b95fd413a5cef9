"""Finds the problems of records again: those that a family makes, and those that somebody names.

A record has the name and the digest of its problem and the id of its run, so none is mistaken for
another.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import msgspec

from nqbench.addons.bundle.packed_problems import Row, run_of
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.vocabulary import Outcome
from nqbench.problems.base import Problem, title
from nqbench.problems.families.base import Family, LeftOut
from nqbench.problems.families.cnf import Formula
from nqbench.problems.families.cnfgen import Generated, cnfgen

_UNTRIED: Final = {
    Outcome.CAPPED: "a race stopped them",
    Outcome.SKIPPED: "they were skipped",
    Outcome.UNAVAILABLE: "their solver or encoding was not available",
    Outcome.INVALID: "their file is not valid",
    Outcome.CRASHED: "they crashed",
}
"""Why runs that ended like this are not measured again."""

_DRAWN: Final = re.compile(r"(-?\d{1,19})-([1-9]\d{0,5})(?: .*)?")
"""The name of a random problem: its seed, its number, and what a family adds."""

_OLDER: Final = "another version of nqbench gave them an id that cannot be made again"


class _Series(NamedTuple):
    """Random problems that are drawn together."""

    family: str
    n: int
    density: float | None
    seed: int


@dataclass(frozen=True, slots=True)
class Found:
    """The runs of records that can be measured again: the problems, and for each the ids of its
    runs. `carried` are the ids of those that nothing can measure again, by the reason. `missing`
    are those of runs whose problem has to be named, by its name.
    """

    problems: list[tuple[Problem, list[str]]]
    carried: dict[str, list[str]]
    missing: dict[str, list[str]]


def find_problems(rows: Sequence[Row], given_problems: Iterable[Problem] = ()) -> Found:
    """Find the problems of these records. Those that no family makes from a size or a seed, as
    formulas in files, have to be among the `given_problems`.
    """
    search = _Search(rows, given_problems)
    runs: dict[Problem, list[str]] = defaultdict(list)
    carried: dict[str, list[str]] = defaultdict(list)
    missing: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if why := _why_carried(row):
            carried[why].append(row["run_id"])
        elif problem := search.problem(row):
            runs[problem].append(row["run_id"])
        elif search.candidates(row):
            carried[_OLDER].append(row["run_id"])
        else:
            missing[title(row["family"], row["n"], row["instance"])].append(row["run_id"])
    return Found(list(runs.items()), dict(carried), dict(missing))


def _why_carried(row: Row) -> str | None:
    if source := row.get("imported_from"):
        return f"they were imported from {source}"
    return _UNTRIED.get(row["outcome"])


class _Search:
    """Finds problems, and keeps what it found."""

    def __init__(self, rows: Iterable[Row], given_problems: Iterable[Problem]) -> None:
        self._known: dict[tuple[object, ...], list[Problem]] = defaultdict(list)
        for problem in given_problems:
            same = self._known[problem.family, problem.n, problem.instance, problem.digest]
            same.append(problem)
            if isinstance(problem, Formula):  # only the ids of runs show how its header was read
                same.append(replace(problem, lenient=not problem.lenient))
        self._most: dict[_Series, int] = defaultdict(int)
        for row in rows:
            if (name := _drawn_name(row)) is not None:
                series, number = name
                self._most[series] = max(self._most[series], number)
        self._drawn: dict[_Series, list[Problem]] = {}

    def problem(self, row: Row) -> Problem | None:
        """The problem of a record; None if it is not known."""
        for candidate in self.candidates(row):
            if run_of(row, candidate.family, msgspec.to_builtins(candidate)) is not None:
                return candidate
        return None

    def candidates(self, row: Row) -> list[Problem]:
        """The problems with the name of that of a record, and with its digest if it is recorded."""
        name = row["family"], row["n"], row["instance"]
        key = *name, row["problem_digest"]
        if key not in self._known:
            self._known[key] = [
                problem
                for problem in self._make_problems(row)
                if (problem.family, problem.n, problem.instance) == name
                and row["problem_digest"] in (None, problem.digest)
            ]
        return self._known[key]

    def _make_problems(self, row: Row) -> list[Problem]:
        """The problems that its family makes by size, by seed or by command."""
        with suppress(InputError, UnavailableError):
            if row["family"] == Generated.family:
                return list[Problem](cnfgen(row["instance"]))
            family = Family.recorded(row["family"])
            if family.is_random and (name := _drawn_name(row)) is not None:
                return self._draw_series(name[0])
            if family.has_sizes and row["n"] is not None and not row["instance"]:
                return [family.of_size(row["n"])]
        return []

    def _draw_series(self, series: _Series) -> list[Problem]:
        if series not in self._drawn:
            densities = [] if series.density is None else [series.density]
            drawn = Family.named(series.family).drawn(
                [series.n], densities, self._most[series], series.seed
            )
            self._drawn[series] = [problem for problem in drawn if not isinstance(problem, LeftOut)]
        return self._drawn[series]


def _drawn_name(row: Row) -> tuple[_Series, int] | None:
    """Which random problem this is, if its name is that of one: its series and its number."""
    name = _DRAWN.fullmatch(row["instance"])
    if name is None or row["n"] is None:
        return None
    return _Series(row["family"], row["n"], row["density"], int(name[1])), int(name[2])
