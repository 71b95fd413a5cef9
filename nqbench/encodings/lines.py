"""Encodings with a variable for each option and an at-most-one scheme on each item."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Final

import numpy as np

from nqbench.clauses import literal_order
from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.literal_order import Positions, arrange
from nqbench.clauses.stamp import stamp
from nqbench.encodings.boards import BoardEncoding
from nqbench.encodings.rewriting import RewritingEncoding
from nqbench.encodings.symmetry_breaking import keep_lex_leaders
from nqbench.plugins.parameters import Choice, Whole
from nqbench.problems.base import Problem
from nqbench.problems.cover import Bounded, Items

ORDER: Final = Choice("given", ("given", "occurrence", "proximity", "random"))
"""given: as the constraint has them, on a board from one end to the other
occurrence: those first that occur most, in clauses of a formula or in items of another problem
proximity: those near each other that occur together, by reverse Cuthill-McKee
random: drawn with `order-seed`
"""

ORDER_SEED: Final = Whole(default=0, least=0)
"""The seed of `order=random`."""


class LineEncoding(RewritingEncoding, BoardEncoding):
    """At least one on each primary item, and an at-most-one scheme on all items."""

    parameters = {
        **BoardEncoding.parameters,
        "order": ORDER,
        "order-seed": ORDER_SEED,
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
        order = str(self.values.get("order", ORDER.default))
        seed = int(self.values.get("order-seed", ORDER_SEED.default))
        return literal_order.positions(order, seed, together, variables)

    def encode_cover(self, problem: Problem) -> CNF:
        cover = problem.cover()
        cnf = CNFBuilder(cover.num_options)
        at_least_one, at_most_one = self.stated(problem, cover)
        for items in at_least_one:
            cnf.require(items)
        cnf.add(cover.given[:, np.newaxis])
        if self.halves(problem):
            cnf.add(-self.right_half(problem)[:, np.newaxis])
        places = self.positions(cover.arrays, cover.num_options)
        for items in (*at_most_one, *cover.secondary):
            self.constrain_items(cnf, arrange(items, places))
        self.add_bounded(cnf, cover.bounded, places)
        keep_lex_leaders(cnf, problem)
        return cnf.build()

    def add_bounded(
        self, cnf: CNFBuilder, bounded: Sequence[Bounded], places: Positions | None
    ) -> None:
        """Add the clauses of bounded items, with their literals in the order of their places. A
        scheme without `states_bounds` gets none.
        """

    def constrain_items(self, cnf: CNFBuilder, items: Items) -> None:
        """Add the scheme for every item, shape (m, k)."""
        if items.shape[1] > 1:
            stamp(cnf, self.at_most_one(items.shape[1]), items)
