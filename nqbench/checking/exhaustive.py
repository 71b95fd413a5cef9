"""Counts the solutions of any problem exactly and without clauses.

Boards are counted row by row, see `oracle`. Other problems are counted by algorithm X (D. Knuth,
TAOCP 4B, section 7.2.2.1): choose the uncovered primary item with the fewest options left, and try
each of them. Here arrays hold many partial solutions, which advance by one option together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.checking import oracle
from nqbench.checking.oracle import OutOfBudget
from nqbench.errors import InputError
from nqbench.problems import kinds
from nqbench.problems.base import Problem
from nqbench.problems.cover import Cover

LARGEST: Final = 5000
"""The largest number of options, of which each two are compared."""

_CHUNK: Final = 1 << 10

Flags = NDArray[np.bool_]


def is_possible(problem: Problem) -> bool:
    """Whether the problem has a cover that is small enough."""
    if kinds.is_board(problem):
        return kinds.board(problem, "the count").n <= oracle.LARGEST_N
    return problem.has_rules and len(problem.options) <= LARGEST


def count(problem: Problem, budget: int | None = None) -> int:
    """Return the number of solutions. Raises `OutOfBudget` if it would have to look at more than
    `budget` partial solutions, and `InputError` if the problem is too large.
    """
    if kinds.is_board(problem):
        return oracle.count(kinds.board(problem, "the count"), budget)
    return sum(len(chosen) for chosen in _found(problem, budget))


def has_solution(problem: Problem, budget: int | None = None) -> bool:
    """Return whether there is a solution; raises as `count` does."""
    if kinds.is_board(problem):
        return oracle.has_solution(kinds.board(problem, "the search"), budget)
    return next(_found(problem, budget), None) is not None


def solutions(problem: Problem) -> Iterator[list[int]]:
    """Yield the variables of the options of each solution; raises as `count` does. Not for boards,
    for which `oracle.solutions` is faster.
    """
    for chosen in _found(problem, None):
        for flags in chosen:
            yield (np.flatnonzero(flags) + 1).tolist()


@dataclass(frozen=True, slots=True)
class _Rules:
    """`covers`, shape (options, primary items): which options cover which item. `together`, shape
    (options, options): which two options share no item.
    """

    covers: Flags
    together: Flags

    @classmethod
    def of(cls, cover: Cover) -> "_Rules":
        incidence = np.zeros((cover.num_options, cover.num_items), dtype=np.float32)
        primary = 0
        for number, (is_primary, item) in enumerate(cover.items()):
            incidence[item - 1, number] = 1
            primary += is_primary
        together = incidence @ incidence.T == 0
        np.fill_diagonal(together, False)  # an option without items is not chosen twice
        return cls(incidence[:, :primary] > 0, together)


@dataclass(frozen=True, slots=True)
class _Front:
    """Partial solutions: the options chosen and those still possible, shape (solutions, options),
    and the items still to cover, shape (solutions, items).
    """

    chosen: Flags
    possible: Flags
    uncovered: Flags

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, part: "slice | NDArray[np.intp]") -> "_Front":
        return _Front(self.chosen[part], self.possible[part], self.uncovered[part])

    def with_options(self, options: NDArray[np.intp], rules: _Rules) -> "_Front":
        """Each partial solution with one more option; `options` has shape (solutions,)."""
        chosen = self.chosen.copy()
        chosen[np.arange(len(options)), options] = True
        return _Front(
            chosen,
            self.possible & rules.together[options],
            self.uncovered & ~rules.covers[options],
        )


def _found(problem: Problem, budget: int | None) -> Iterator[Flags]:
    """Yield all solutions in chunks, shape (solutions, options); chunks are searched depth first.

    Options that cover no primary item may be added freely, so they are tried last, one by one.
    """
    if not is_possible(problem):
        raise InputError(f"{problem} is too large to count: at most {LARGEST} options")
    cover = problem.cover()
    rules = _Rules.of(cover)
    start = _start(cover, rules)
    waiting = [start] if start is not None else []
    seen = 0
    while waiting:
        front = waiting.pop()
        if len(front) > _CHUNK:
            waiting.append(front[_CHUNK:])
            front = front[:_CHUNK]
        seen += len(front)
        if budget is not None and seen > budget:
            raise OutOfBudget
        is_done = ~front.uncovered.any(axis=1)
        if is_done.any():
            yield from _with_free_options(front[np.flatnonzero(is_done)], rules)
        if not is_done.all():
            below = _next(front[np.flatnonzero(~is_done)], rules)
            waiting.extend([below] if len(below) else [])


def _start(cover: Cover, rules: _Rules) -> _Front | None:
    """What is left to choose; None if the given options exclude each other."""
    options, items = rules.covers.shape
    possible = np.ones((1, options), dtype=np.bool_)
    possible[0, -cover.given[cover.given < 0] - 1] = False
    front = _Front(np.zeros((1, options), np.bool_), possible, np.ones((1, items), np.bool_))
    for option in np.unique(cover.given[cover.given > 0] - 1).tolist():
        if not front.possible[0, option]:
            return None
        front = front.with_options(np.array([option]), rules)
    return front


def _next(front: _Front, rules: _Rules) -> _Front:
    """The partial solutions with one more option, which covers the item with the fewest left."""
    left = front.possible.astype(np.float32) @ rules.covers.astype(np.float32)
    item = np.where(front.uncovered, left, np.inf).argmin(axis=1)
    parent, option = np.nonzero(front.possible & rules.covers.T[item])
    return front[parent].with_options(option, rules)


def _with_free_options(front: _Front, rules: _Rules) -> Iterator[Flags]:
    """Yield complete solutions, with every choice of options that cover no primary item."""
    for option in np.flatnonzero(~rules.covers.any(axis=1)):
        can = np.flatnonzero(front.possible[:, option])
        more = front[can].with_options(np.full(len(can), option), rules)
        front = _Front(
            *(np.concatenate(parts) for parts in zip(_parts(front), _parts(more), strict=True))
        )
    yield front.chosen


def _parts(front: _Front) -> tuple[Flags, Flags, Flags]:
    return front.chosen, front.possible, front.uncovered
