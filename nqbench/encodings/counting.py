"""Encodings whose scheme states that at most k of some variables are true, for any k.

At least k of n are true if and only if at most n - k of their negations are.
"""

from abc import abstractmethod

import numpy as np

from nqbench.encodings.lines import LineEncoding
from nqbench.instances.cnf import CNF, Block, CNFBuilder
from nqbench.instances.literal_order import arranged
from nqbench.instances.stamp import stamp
from nqbench.problems.base import Problem
from nqbench.problems.cover import Cover, Items


class CountingEncoding(LineEncoding):
    """A scheme for at most k on each bounded item, and for at most one on all others."""

    states_bounds = True

    @abstractmethod
    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        """Add the scheme for at most `most` of the variables x, shape (n,), with
        1 <= most <= n - 2.
        """

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        self.limit(cnf, x, 1)

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

    def add_cover(self, cnf: CNFBuilder, problem: Problem, cover: Cover) -> None:
        super().add_cover(cnf, problem, cover)
        places = self.positions(cover.arrays, cover.num_options)
        for each in cover.bounded:
            items = arranged(each.items, places)
            n = items.shape[1]
            if each.least > n:
                cnf.require(items[:, :0])
            elif each.least:
                self._limit_items(cnf, -items, n - each.least)
            self._limit_items(cnf, items, each.most)

    def _limit_items(self, cnf: CNFBuilder, items: Items, most: int) -> None:
        """Add the scheme for each item, shape (items, n); its literals may be negative."""
        if most < items.shape[1]:
            stamp(cnf, self.at_most(items.shape[1], most), items)
