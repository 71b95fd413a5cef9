"""Counts the solutions of any problem exactly and without clauses.

Boards are counted row by row, see `oracle`. Other problems are counted from their rules, as
algorithm X does it (D. Knuth, TAOCP 4B, section 7.2.2.1): of the groups that need an option, take
the one with the fewest options left, and try each of them. Here arrays hold many partial solutions,
which advance by one option together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.checking import oracle, reference
from nqbench.checking.oracle import OutOfBudget
from nqbench.common.errors import InputError
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens
from nqbench.problems.rules import Counted, Rules

_CHUNK: Final = 1 << 10
_QUICK: Final = 1 << 25

_OF_GROUPS: Final = 16
"""To compare a partial solution with so many groups takes as long as everything else."""

Flags = NDArray[np.bool_]


def is_possible(problem: Problem) -> bool:
    """Whether the problem states its rules and is small enough."""
    if isinstance(problem, Queens):
        return problem.n <= oracle.LARGEST_N
    return reference.rules(problem) is not None and len(problem.options) <= reference.LARGEST


def quick_budget(problem: Problem) -> int:
    """The partial solutions that are looked at in well under a second.

    Where options are counted, groups do not tell which option is next, and each partial solution is
    compared with all groups: of a problem of some size, few are looked at.
    """
    options = max(1, len(problem.options))
    rules = None if isinstance(problem, Queens) else reference.rules(problem)
    if rules is None or not rules.counted:
        return _QUICK // options
    return _QUICK // (options * (_OF_GROUPS + len(rules.needed) + len(rules.counted)) // _OF_GROUPS)


def count(problem: Problem, budget: int | None = None) -> int:
    """Return the number of solutions. Raises `OutOfBudget` if it would have to look at more than
    `budget` partial solutions, and `InputError` unless `is_possible`.
    """
    if isinstance(problem, Queens):
        return oracle.count(problem, budget)
    return sum(len(chunk) for chunk in _search(problem, budget))


def solution_counts(problem: Problem, observe: oracle.Observe | None = None) -> Iterator[int]:
    """Yield numbers that add up to the number of solutions, as they are found. Raises `InputError`
    unless `is_possible`.
    """
    yield from map(len, _search(problem, None, observe))


def has_solution(problem: Problem, budget: int | None = None) -> bool:
    """Return whether there is a solution; raises as `count` does."""
    if isinstance(problem, Queens):
        return oracle.has_solution(problem, budget)
    return next(_search(problem, budget), None) is not None


def solutions(problem: Problem) -> Iterator[list[int]]:
    """Yield the variables of the options of each solution; raises as `count` does."""
    if isinstance(problem, Queens):
        row_starts = np.arange(problem.n) * problem.n + 1
        for columns in oracle.solutions(problem):
            yield from (row_starts + columns).tolist()
        return
    for chunk in _search(problem, None):
        for flags in chunk:
            yield (np.flatnonzero(flags) + 1).tolist()


@dataclass(frozen=True, slots=True)
class _Tables:
    """`gives`, shape (options, groups): which options are in which group of which one is needed.
    `together`, shape (options, options): which two options do not clash. `has_free_groups`: whether
    more than one option of a group can be chosen. `counts`, shape (options, groups), float32: what
    each option, if it is chosen, adds to the true literals of each group that is counted; `least`
    and `most`, shape (groups,), are its bounds, without the literals that are true of no option.
    """

    gives: Flags
    together: Flags
    has_free_groups: bool
    counts: NDArray[np.float32]
    least: NDArray[np.int64]
    most: NDArray[np.int64]

    @classmethod
    def of(cls, rules: Rules) -> "_Tables":
        count = len(rules.options)
        together = ~np.eye(count, dtype=np.bool_)  # no option is chosen twice
        for clashing in rules.clashing():
            one, other = clashing.T - 1
            together[one, other] = together[other, one] = False
        needed = rules.needed_literals()
        plain = [group for group in needed if (group > 0).all()]
        mixed = [Counted(group, 1, len(group)) for group in needed if not (group > 0).all()]
        counted_groups = [*rules.counted, *mixed]
        groups = np.zeros((len(plain), count), dtype=np.bool_)
        for flags, group in zip(groups, plain, strict=True):
            flags[group - 1] = True
        free = any(together[np.ix_(group, group)].any() for group in groups)
        counts = np.zeros((len(counted_groups), count), np.float32)
        for row, counted in zip(counts, counted_groups, strict=True):
            np.add.at(row, np.abs(counted.literals) - 1, np.sign(counted.literals))
        negative = [int((counted.literals < 0).sum()) for counted in counted_groups]
        least = np.array([counted.least for counted in counted_groups], np.int64)
        most = np.array([counted.most for counted in counted_groups], np.int64)
        return cls(groups.T, together, free, counts.T, least - negative, most - negative)

    def prune(self, front: "_Front") -> "_Front":
        """The partial solutions that can still have as many true literals of each group as they
        need. Of a group that has as many as it may, no more options are possible.
        """
        if not len(self.least) or not len(front):
            return front
        gains, losses = np.maximum(self.counts, 0), np.minimum(self.counts, 0)
        number, left = front.chosen.astype(np.float32), front.possible.astype(np.float32)
        fewest = number @ self.counts + left @ losses
        full = (fewest == self.most).astype(np.float32) @ gains.T > 0
        possible = front.possible & ~full
        most = number @ self.counts + possible.astype(np.float32) @ gains
        good = ((fewest <= self.most) & (most >= self.least)).all(axis=1)
        return _Front(front.chosen, possible, front.lacking)[np.flatnonzero(good)]

    def are_enough(self, chosen: Flags) -> Flags:
        """Whether as many literals of each group are true as it needs, shape (choices,)."""
        number = chosen.astype(np.float32) @ self.counts
        is_enough: Flags = np.all((number >= self.least) & (number <= self.most), axis=1)
        return is_enough


@dataclass(frozen=True, slots=True)
class _Front:
    """Partial solutions: the options chosen and those still possible, shape (solutions, options),
    and the groups of which an option is still needed, shape (solutions, groups).
    """

    chosen: Flags
    possible: Flags
    lacking: Flags

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, part: "slice | NDArray[np.intp]") -> "_Front":
        return _Front(self.chosen[part], self.possible[part], self.lacking[part])

    def with_options(self, options: NDArray[np.intp], tables: _Tables) -> "_Front":
        """Each partial solution with one more option; `options` has shape (solutions,)."""
        chosen = self.chosen.copy()
        chosen[np.arange(len(options)), options] = True
        return _Front(
            chosen,
            self.possible & tables.together[options],
            self.lacking & ~tables.gives[options],
        )


def _search(
    problem: Problem, budget: int | None, observe: oracle.Observe | None = None
) -> Iterator[Flags]:
    """Yield all solutions in chunks, shape (solutions, options); chunks are searched depth first.

    Options that may be added when nothing is needed any more are tried last, one by one.
    """
    rules = reference.rules(problem)
    if rules is None:
        raise InputError(
            f"{problem} cannot be counted without a solver: {reference.why_none(problem)}"
        )
    tables = _Tables.of(rules)
    start = _start(rules, tables)
    waiting = [tables.prune(start)] if start is not None else []
    num_visited = 0
    while waiting:
        front = waiting.pop()
        if len(front) > _CHUNK:
            waiting.append(front[_CHUNK:])
            front = front[:_CHUNK]
        num_visited += len(front)
        if budget is not None and num_visited > budget:
            raise OutOfBudget
        if observe:
            observe(len(front))
        is_done = ~front.lacking.any(axis=1)
        if is_done.any():
            yield from _with_free_options(front[np.flatnonzero(is_done)], tables, budget)
        if not is_done.all():
            below = tables.prune(_choose_next(front[np.flatnonzero(~is_done)], tables))
            waiting.extend([below] if len(below) else [])


def _start(rules: Rules, tables: _Tables) -> _Front | None:
    """What is left to choose; None if the given options exclude each other."""
    options, groups = tables.gives.shape
    given = np.array(rules.given(), dtype=np.int64)
    possible = np.ones((1, options), dtype=np.bool_)
    possible[0, -given[given < 0] - 1] = False
    front = _Front(np.zeros((1, options), np.bool_), possible, np.ones((1, groups), np.bool_))
    for option in np.unique(given[given > 0] - 1).tolist():
        if not front.possible[0, option]:
            return None
        front = front.with_options(np.array([option]), tables)
    return front


def _choose_next(front: _Front, tables: _Tables) -> _Front:
    """The partial solutions with one more option, of the group with the fewest left. It is the
    first of its group that is chosen: later ones need not clash with it.
    """
    num_left = front.possible.astype(np.float32) @ tables.gives.astype(np.float32)
    group = np.where(front.lacking, num_left, np.inf).argmin(axis=1)
    parent, option = np.nonzero(front.possible & tables.gives.T[group])
    below = front[parent].with_options(option, tables)
    if not tables.has_free_groups:
        return below
    is_earlier = np.arange(front.possible.shape[1]) < option[:, np.newaxis]
    possible = below.possible & ~(is_earlier & tables.gives.T[group[parent]])
    return _Front(below.chosen, possible, below.lacking)


def _with_free_options(front: _Front, tables: _Tables, budget: int | None) -> Iterator[Flags]:
    """Yield complete solutions, with every choice of the options that are still possible. Raises
    `OutOfBudget` if it would have to look at more than `budget` choices.
    """
    num_visited = 0
    for option in np.flatnonzero(front.possible.any(axis=0)):
        can = np.flatnonzero(front.possible[:, option])
        more = front[can].with_options(np.full(len(can), option), tables)
        # Of those that leave it out, it is not possible any more.
        front.possible[:, option] = False
        front = tables.prune(
            _Front(
                *(
                    np.concatenate(arrays)
                    for arrays in zip(_parts(front), _parts(more), strict=True)
                )
            )
        )
        num_visited += len(front)
        if budget is not None and num_visited > budget:
            raise OutOfBudget
    chosen = front.chosen[tables.are_enough(front.chosen)]
    if len(chosen):
        yield chosen


def _parts(front: _Front) -> tuple[Flags, Flags, Flags]:
    return front.chosen, front.possible, front.lacking
