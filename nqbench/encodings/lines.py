"""Encodings with a variable for each option and an at-most-one scheme on each item."""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import groupby
from typing import Final

import numpy as np

from nqbench.clauses import literal_order
from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.constraints import Constraints
from nqbench.clauses.literal_order import Positions, arrange
from nqbench.clauses.rows import Rows
from nqbench.clauses.stamp import Copies, CopyRecorder, record_copies, stamp
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import WEIGHING_ENCODING
from nqbench.encodings.boards import BoardEncoding, keep_lex_leaders
from nqbench.encodings.rewriting import RewritingEncoding
from nqbench.plugins.parameters import Choice, Whole
from nqbench.problems.base import Problem
from nqbench.problems.cover import Items

ORDER: Final = Choice("given", ("given", "occurrence", "proximity", "random"))
"""given: as the constraint has them, on a board from one end to the other
occurrence: those first that occur most, in clauses of a formula or in items of another problem
proximity: those near each other that occur together, by reverse Cuthill-McKee
random: drawn with `order-seed`
"""

ORDER_SEED: Final = Whole(default=0, least=0)
"""The seed of `order=random`."""


class LineEncoding(RewritingEncoding, BoardEncoding):
    """At least one on each row of exactly one, and an at-most-one scheme on all rows."""

    parameters = {
        **BoardEncoding.parameters,
        "order": ORDER,
        "order-seed": ORDER_SEED,
    }

    @property
    def scheme_for_one(self) -> "LineEncoding":
        """The encoding that states rows with bound 1."""
        return self

    @property
    def counting(self) -> str:
        of_lines = LineEncoding.parameters.items()
        is_scheme = all(self.values.get(key, p.default) == p.default for key, p in of_lines)
        return f"sequential:one={self.name}" if is_scheme else ""

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
            self.scheme_for_one.constrain(cnf, np.arange(1, k + 1, dtype=np.int32))
        return cnf.build_by_width()

    def positions(self, together: Sequence[Block], variables: int) -> Positions | None:
        order = str(self.values.get("order", ORDER.default))
        seed = int(self.values.get("order-seed", ORDER_SEED.default))
        return literal_order.positions(order, seed, together, variables)

    def encode_constraints(self, problem: Problem, constraints: Constraints) -> CNF:
        cnf = CNFBuilder(constraints.num_variables)
        self.add_constraints(cnf, problem, constraints)
        return cnf.build()

    def copies(self, problem: Problem) -> Sequence[Copies]:
        constraints = problem.constraints()
        recorder = CopyRecorder(constraints.num_variables)
        self.add_constraints(recorder, problem, constraints)
        return recorder.copies

    def add_constraints(self, cnf: CNFBuilder, problem: Problem, constraints: Constraints) -> None:
        """Add the clauses of `encode_constraints`. Raises `InputError` if there are weights."""
        if constraints.weighted:
            raise InputError(f"encoding '{self.name}' states no weights: use {WEIGHING_ENCODING}")
        at_least_one, at_most_one = self.stated(problem, constraints.rows)
        for items in at_least_one:
            cnf.require(items)
        # Units first, since solvers simplify what they load after them.
        cnf.add(constraints.units[:, np.newaxis])
        if self.halves(problem):
            cnf.add(-self.right_half(problem)[:, np.newaxis])
        together = (*(rows.literals for rows in constraints.rows), *constraints.clauses)
        places = self.positions(together, constraints.num_variables)
        for items in at_most_one:
            self.scheme_for_one.constrain_items(cnf, arrange(items, places))
        for block in constraints.clauses:
            cnf.require(arrange(block, places))
        counted = [rows for rows in constraints.rows if rows.bounds not in {(1, 1), (0, 1)}]
        # Neighbours that are alike are written at once, as one scheme.
        for (_, least, most), alike in groupby(counted, _length_and_bounds):
            literals = np.concatenate([rows.literals for rows in alike])
            for upper in Rows(arrange(literals, places), least, most).upper():
                self.add_upper(cnf, upper)
        keep_lex_leaders(cnf, problem)

    def add_upper(self, cnf: CNFBuilder, rows: Rows) -> None:
        """Add the clauses of rows that have an upper bound only."""
        if rows.most < 0:
            cnf.require(rows.literals[:, :0])
        elif rows.most < rows.length:
            self.copy(cnf, self.at_most(rows.length, rows.most), rows.most, rows.literals)

    def at_most(self, n: int, most: int) -> CNF:
        """The scheme for at most so many of n variables, as a formula with main variables 1..n.

        It is n unit clauses for none, and one clause for all but one: no scheme can be simpler.
        Raises `InputError` if the scheme does not count so far, or needs too many clauses.
        """
        cnf = CNFBuilder(num_main=n)
        x = np.arange(1, n + 1, dtype=np.int32)
        if most == 0:
            cnf.add_each(-x)
        elif most == n - 1:
            cnf.add([-x])
        elif most < n:
            (self.scheme_for_one if most == 1 else self).limit(cnf, x, most)
        return cnf.build_by_width()

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        """Add the scheme for at most `most` of the variables x, shape (n,), with
        1 <= most <= n - 2. Raises `InputError` if it does not count so far.
        """
        if most > 1:
            choose = f": choose for instance {self.counting}" if self.counting else ""
            raise InputError(f"encoding '{self.name}' does not count beyond one{choose}")
        self.constrain(cnf, x)

    def constrain_items(self, cnf: CNFBuilder, items: Items) -> None:
        """Add the scheme for every item, shape (m, k)."""
        if items.shape[1] > 1:
            self.copy(cnf, self.at_most_one(items.shape[1]), 1, items)

    @staticmethod
    def copy(cnf: CNFBuilder, template: CNF, most: int, literals: Block) -> None:
        """Add a copy of the template for each row of literals, of which it allows `most`."""
        record_copies(cnf, Copies(template, most, literals, stamp(cnf, template, literals)))


def _length_and_bounds(rows: Rows) -> tuple[int, int, int]:
    return rows.length, rows.least, rows.most
