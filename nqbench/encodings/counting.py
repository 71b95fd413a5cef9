"""Encodings whose scheme counts or weighs the true literals of a row, for any bound.

At least k of n are true if and only if at most n - k of their negations are.
"""

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
from nqbench.common.spelling import OTHER
from nqbench.encodings.base import Encoding
from nqbench.encodings.lines import LineEncoding
from nqbench.plugins.parameters import NameOr, canonical_name
from nqbench.problems.base import Problem

MOST_CLAUSES: Final = 20_000_000
"""Clauses of one constraint, or of all weighted rows together: about 1 GB while they are written.
"""

ONE: Final = NameOr("same")
"""The scheme for rows with bound 1: at most one, exactly one, and at least all but one."""


class CountingEncoding(LineEncoding):
    """A scheme for at most k, which at most one is a case of. The parameter `one` names another
    scheme for that case.
    """

    parameters = {**LineEncoding.parameters, OTHER: ONE}
    states_bounds = True

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._one: LineEncoding | None = None
        one = str(self.values.get(OTHER, ONE.default))
        if one == ONE.default:
            return
        scheme = _scheme_for_one(self.name, one)
        of_lines = {key: p.default for key, p in CountingEncoding.parameters.items()}
        own = canonical_name(self.base_name, {**self.values, **of_lines}, self.parameters)
        self._one = scheme if scheme.name != own else None
        self.values = {**self.values, OTHER: scheme.name if self._one else ONE.default}
        self.name = canonical_name(self.base_name, self.values, self.parameters)
        # The auxiliary variables of two schemes do not mean the same.
        self.tightens = self.tightens and self._one is None

    @property
    def scheme_for_one(self) -> LineEncoding:
        return self._one or self

    @property
    def distributions(self) -> list[str]:
        if self._one is None:
            return super().distributions
        both = dict.fromkeys([*super().distributions, *self._one.distributions])
        return [name for name in both if name != "nqbench"] or ["nqbench"]

    def prepare(self) -> None:
        super().prepare()
        if self._one:
            self._one.prepare()

    def probe(self) -> None:
        super().probe()
        if self._one:
            self._one.probe()

    @abstractmethod
    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        """Add the scheme for at most `most` of the variables x, shape (n,), with
        1 <= most <= n - 2. Raises `InputError` if that needs too many clauses.
        """

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        self.limit(cnf, x, 1)

    def check_size(self, clauses: int, most: int, n: int) -> None:
        """Raise `InputError` if these are too many clauses for at most so many of n variables."""
        if clauses > MOST_CLAUSES:
            raise InputError(
                f"encoding '{self.name}' has {clauses} clauses for at most {most} of {n}: "
                "choose another one, for instance sequential"
            )


def _scheme_for_one(name: str, one: str) -> LineEncoding:
    """The encoding that the parameter `one` of the encoding `name` names. Raises `InputError` if it
    is no scheme, or has parameters that do not belong to its scheme.
    """
    scheme = Encoding.named(one)
    if not isinstance(scheme, LineEncoding):
        raise InputError(
            f"'{name}': '{one}' has no at-most-one scheme: choose for instance product"
        )
    for key, parameter in CountingEncoding.parameters.items():
        if scheme.values.get(key, parameter.default) != parameter.default:
            raise InputError(f"'{name}': {key} is no parameter of a scheme: leave it out of 'one'")
    return scheme


def fill_up(cnf: CNFBuilder, x: Block, length: int) -> Block:
    """The variables x and, up to this length, one new variable that is false, for networks that
    need so many inputs.
    """
    if len(x) == length:
        return x
    never = cnf.fresh_array(1)
    cnf.add_each(-never)
    return np.concatenate([x, np.repeat(never, length - len(x))])


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
