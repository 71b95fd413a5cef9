"""Encodings whose scheme states that the weights of the true literals are at least some number."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

import numpy as np

from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import RowForm, Rows, SimpleRows
from nqbench.clauses.stamp import stamp
from nqbench.common.errors import InputError
from nqbench.encodings.counting import CountingEncoding
from nqbench.problems.base import Problem

MOST_CLAUSES: Final = 20_000_000
"""Clauses of all weighted rows together, about 1 GB while they are written."""

WeighedRow = tuple[RowForm, Block]
"""A row's form, and its literals, shape (n,), in the order of the weights."""


class WeighingEncoding(CountingEncoding):
    """A scheme for rows with weights, of which those that count literals are a case.

    A scheme gets what is left of each row as a `RowForm`: the literals that have to be true are
    unit clauses already, and rows that never or always hold are gone. A row with two bounds is two
    rows.
    """

    states_weights = True

    knows_sizes = True
    """Whether `num_clauses` is quick enough to be asked for all rows first."""

    @abstractmethod
    def num_clauses(self, form: RowForm, most: int) -> int:
        """The number of clauses of `weigh`, found without making them: it is asked for all rows
        first. If it is larger than `most`, any number above that will do.
        """

    @abstractmethod
    def weigh(self, cnf: CNFBuilder, x: Block, form: RowForm) -> None:
        """Add the scheme for the literals x, shape (n,), in the order of the weights of the form.

        Weights are whole numbers of Python, the largest first, each from 1 to `form.least`, without
        a common factor. `form.least` is at least 2, and so small that no single literal has to be
        true: the sum of the weights less `form.least` is at least the largest weight.
        """

    def weigh_rows(self, cnf: CNFBuilder, rows: Sequence[WeighedRow]) -> None:
        """Add the scheme for rows of different forms, by default one after another. A scheme that
        can state many rows at once overrides it.
        """
        for form, x in rows:
            stamp(cnf, self.weighing(form), x[np.newaxis])

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        """Add the scheme with weights of 1, unless a scheme has its own for these."""
        self.weigh(cnf, -x, RowForm((1,) * len(x), len(x) - most))

    def weighing(self, form: RowForm) -> CNF:
        """The scheme for a row of this form, as a formula with main variables 1..n."""
        cnf = CNFBuilder(num_main=len(form.weights))
        self.weigh(cnf, cnf_variables(cnf), form)
        return cnf.build_by_width()

    def add_constraints(self, cnf: CNFBuilder, problem: Problem, constraints: Constraints) -> None:
        simple = SimpleRows.of(constraints.weighted)
        self.check_sizes(simple)
        super().add_constraints(cnf, problem, replace(constraints, rows=constraints.counted))
        cnf.add(simple.forced.reshape(-1, 1))
        if simple.is_impossible:
            cnf.require(simple.forced.reshape(1, -1)[:, :0])
        for is_single, alike in groupby(simple.by_form.items(), _is_single):
            if is_single:
                self.weigh_rows(cnf, [(form, literals[0]) for form, literals in alike])
                continue
            for form, literals in alike:
                if form.is_counted:
                    n = len(form.weights)
                    self.add_upper(cnf, Rows.at_most(-literals, n - form.least))
                else:
                    stamp(cnf, self.weighing(form), literals)

    def check_sizes(self, simple: SimpleRows) -> None:
        """Raise `InputError` with the number if all weighted rows need too many clauses, and that
        is known.
        """
        clauses = 0
        for form, literals in simple.by_form.items():
            if self.knows_sizes and not form.is_counted:
                clauses += self.num_clauses(form, MOST_CLAUSES) * len(literals)
                self.check_number(clauses)

    def check_number(self, clauses: int) -> None:
        """Raise `InputError` if these are too many clauses."""
        if clauses > MOST_CLAUSES:
            raise InputError(
                f"encoding '{self.name}' has {clauses} clauses or more for the rows with "
                "weights: choose another one, for instance adder"
            )


def _is_single(of_form: tuple[RowForm, Block]) -> bool:
    """Whether one row only has this form, and weights."""
    form, literals = of_form
    return len(literals) == 1 and not form.is_counted


def cnf_variables(cnf: CNFBuilder) -> Block:
    """The main variables, shape (num_main,)."""
    return CNFBuilder(0).fresh_array(cnf.num_main)
