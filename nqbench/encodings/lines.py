"""Encodings with a variable for each option and an at-most-one scheme on each item."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from nqbench.encodings import literal_order
from nqbench.encodings.boards import BoardEncoding
from nqbench.encodings.literal_order import Positions, arranged
from nqbench.encodings.rewriting import RewritingEncoding
from nqbench.encodings.stamp import stamp
from nqbench.instances.cnf import CNF, Block, CNFBuilder
from nqbench.problems.base import Problem
from nqbench.problems.cover import Items


class LineEncoding(RewritingEncoding, BoardEncoding):
    """At least one on each primary item, and an at-most-one scheme on all items."""

    parameters = {
        **BoardEncoding.parameters,
        "order": literal_order.ORDER,
        "order-seed": literal_order.SEED,
    }

    @abstractmethod
    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        """Add the scheme for the variables x, shape (k,) with k > 2."""

    def at_most_one(self, k: int) -> CNF:
        """The scheme on k literals, as a formula with main variables 1..k.

        For two literals it is one clause in every scheme: no scheme can be simpler.
        """
        cnf = CNFBuilder(num_main=k)
        if k == 2:
            cnf.add([[-1, -2]])
        elif k > 2:
            self.constrain(cnf, np.arange(1, k + 1, dtype=np.int32))
        return cnf.build_by_width()

    def positions(self, together: Sequence[Block], variables: int) -> Positions | None:
        order = str(self.values.get("order", literal_order.ORDER.default))
        seed = int(self.values.get("order-seed", literal_order.SEED.default))
        return literal_order.positions(order, seed, together, variables)

    def encode_cover(self, problem: Problem) -> CNF:
        cover = problem.cover()
        at_least_one, at_most_one = self.stated(problem, cover)
        cnf = CNFBuilder(cover.num_options)
        for items in at_least_one:
            cnf.require(items)
        cnf.add(cover.given[:, np.newaxis])
        if self.breaks_symmetry(problem):
            cnf.add(-self.right_half(problem)[:, np.newaxis])
        places = self.positions(cover.arrays, cover.num_options)
        for items in (*at_most_one, *cover.secondary):
            self.constrain_items(cnf, arranged(items, places))
        return cnf.build()

    def constrain_items(self, cnf: CNFBuilder, items: Items) -> None:
        """Add the scheme for every item, shape (m, k)."""
        if items.shape[1] > 1:
            stamp(cnf, self.at_most_one(items.shape[1]), items)
