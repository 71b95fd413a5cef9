"""Encodings whose scheme states that at most k of some variables are true, for any k.

At least k of n are true if and only if at most n - k of their negations are.
"""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import groupby
from typing import Final

import numpy as np

from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.literal_order import Positions, arrange
from nqbench.clauses.stamp import stamp
from nqbench.common.errors import InputError
from nqbench.encodings.lines import LineEncoding
from nqbench.problems.cover import Bounded, Items

_MOST_CLAUSES: Final = 20_000_000
"""Clauses of one constraint, about 1 GB while they are written."""


class CountingEncoding(LineEncoding):
    """A scheme for at most k on each bounded item, and for at most one on all others."""

    states_bounds = True

    @abstractmethod
    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        """Add the scheme for at most `most` of the variables x, shape (n,), with
        1 <= most <= n - 2. Raises `InputError` if that needs too many clauses.
        """

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        self.limit(cnf, x, 1)

    def check_size(self, clauses: int, most: int, n: int) -> None:
        """Raise `InputError` if these are too many clauses for at most so many of n variables."""
        if clauses > _MOST_CLAUSES:
            raise InputError(
                f"encoding '{self.name}' has {clauses} clauses for at most {most} of {n}: "
                "choose another one, for instance sequential"
            )

    def at_most(self, n: int, most: int) -> CNF:
        """The scheme for at most so many of n variables, as a formula with main variables 1..n.

        It is n unit clauses for none, and one clause for all but one: no scheme can be simpler.
        """
        cnf = CNFBuilder(num_main=n)
        x = np.arange(1, n + 1, dtype=np.int32)
        if most == 0:
            cnf.add_each(-x)
        elif most == n - 1:
            cnf.add([-x])
        elif most < n:
            self.limit(cnf, x, most)
        return cnf.build_by_width()

    def add_bounded(
        self, cnf: CNFBuilder, bounded: Sequence[Bounded], places: Positions | None
    ) -> None:
        # Neighbours that are alike are written at once, as one scheme.
        for (n, least, most), alike in groupby(bounded, _size_and_bounds):
            items = arrange(np.concatenate([constraint.items for constraint in alike]), places)
            if least > n:
                cnf.require(items[:, :0])
            elif least:
                self._limit_items(cnf, -items, n - least)
            self._limit_items(cnf, items, most)

    def _limit_items(self, cnf: CNFBuilder, items: Items, most: int) -> None:
        """Add the scheme for each item, shape (items, n); its literals may be negative."""
        if most < items.shape[1]:
            stamp(cnf, self.at_most(items.shape[1], most), items)


def _size_and_bounds(bounded: Bounded) -> tuple[int, int, int]:
    return bounded.items.shape[1], bounded.least, bounded.most


def fill_up(cnf: CNFBuilder, x: Block, length: int) -> Block:
    """The variables x and, up to this length, one new variable that is false, for networks that
    need so many inputs.
    """
    if len(x) == length:
        return x
    never = cnf.fresh_array(1)
    cnf.add_each(-never)
    return np.concatenate([x, np.repeat(never, length - len(x))])
