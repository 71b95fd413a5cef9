"""Dancing cells of the package xcover (J. Rudge).

D. Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1, algorithm C. It covers the
primary item with the fewest options left first. numba compiles it when xcover is imported for the
first time, which takes about ten seconds, and keeps the machine code on disk.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.clauses.cnf import Assignment
from nqbench.clauses.constraints import Constraints
from nqbench.common.vocabulary import Answer, Form
from nqbench.problems.cover import CoverView

Cells = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], int, int]
"""The arguments of algorithm C: the items of all options, one option after the other; where each
option begins and ends; the color of each item in each option; the number of items; and the number
of secondary items, which are the last.
"""


def _library() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba warns of a cast when it compiles
        import xcover
    return xcover


class XCover(Backend):
    """Algorithm C on options and items.

    The import compiles it, before the process of a run starts. `load` solves a cover of one option,
    and writes options and items as arrays. `solve` includes what algorithm C makes of these arrays
    before its search.
    """

    takes = Form.COVER
    default_encoding = "cover"
    distribution = "xcover"
    modules = ("xcover",)
    probe_s = 120.0
    capabilities = Capabilities(enumeration=True)

    def probe(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            super().probe()

    def load(self, constraints: Constraints) -> Solver:
        cover = CoverView.of(constraints)
        if cover.bounded:
            raise ValueError("algorithm C takes no clauses, bounds or negative literals")
        algorithm = _library().algorithm_c
        # The first solve in a process takes a millisecond more, whatever the cover.
        next(algorithm(*_cells(CoverView(1, (np.ones((1, 1), np.int32),)))))
        return _XCoverSolver(algorithm, _cells(cover), cover.num_options)


class _XCoverSolver(Solver):
    def __init__(self, algorithm: Any, cells: Cells, num_options: int) -> None:
        self._algorithm = algorithm
        self._cells = cells
        self._num_options = num_options
        self._model = np.zeros(num_options, dtype=np.bool_)

    def solve(self) -> Answer:
        model = next(self.models(), None)
        if model is None:
            return Answer.UNSAT
        self._model = model
        return Answer.SAT

    def model(self) -> Assignment:
        return self._model

    def models(self) -> Iterator[Assignment]:
        for options in self._algorithm(*self._cells):
            model = np.zeros(self._num_options, dtype=np.bool_)
            model[[option for option in options if option < self._num_options]] = True
            yield model


def _cells(cover: CoverView) -> Cells:
    adapted = _adapt_cover(cover)
    options = np.concatenate([array.ravel() for array in adapted.arrays])
    lengths = [np.full(len(array), array.shape[1]) for array in adapted.arrays]
    items = np.repeat(np.arange(adapted.num_items), np.concatenate(lengths))
    # An excluded option loses its items, so it is never chosen.
    is_included = ~np.isin(options, -cover.given)
    options, items = options[is_included], items[is_included]
    ends = np.bincount(options, minlength=adapted.num_options + 1).cumsum()
    return (
        items[np.argsort(options, kind="stable")].astype(np.uint32),
        ends.astype(np.uint32),
        np.zeros(items.size, dtype=np.uint32),
        adapted.num_items,
        sum(map(len, adapted.secondary)),
    )


def _adapt_cover(cover: CoverView) -> CoverView:
    """The cover as algorithm C needs it, which chooses only options that cover a primary item.

    Each given option gets a primary item that no other covers. An option without a primary item
    gets one, which a new option covers as well; the new option means that the other is left out.
    One more new option, the only one of two items, is in every solution: xcover 0.2.6 fails if no
    option is needed, or if all options have one item, the same.
    """
    given = cover.given[cover.given > 0]
    every = np.arange(1, cover.num_options + 1, dtype=np.int32)
    free = every[~np.isin(every, np.concatenate([given, *map(np.ravel, cover.primary)]))]
    new = np.arange(len(free) + 1, dtype=np.int32) + cover.num_options + 1
    always = new[[-1, -1]]
    primary = (given[:, np.newaxis], np.stack([free, new[:-1]], axis=1), always[:, np.newaxis])
    return CoverView(int(new[-1]), (*cover.primary, *primary), cover.secondary)
