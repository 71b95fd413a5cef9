"""Plugins that use the names which nqbench 0.3 had for constraints."""

from dataclasses import dataclass

import numpy as np
import pytest
from pysat.solvers import Solver as PySATSolver

from nqbench.backends.base import Backend
from nqbench.encodings.base import Encoding
from nqbench.plugin import AtMost, Bounded, Box, CNFPlus, Counted, Cover, Family, Problem, Rules
from nqbench.plugin import numbers as numbers_of
from nqbench.testing import check_family
from nqbench.testing.encodings import check_instances


@dataclass(frozen=True)
class Old(Problem):
    """One of the first two options; one or two of all others and the second."""

    n: int
    family: str = "old"
    has_choices = False
    has_bounds = True

    @property
    def options(self):
        return Box(self.n)

    def cover(self):
        options = np.arange(1, self.n + 1, dtype=np.int32)
        bounded = Bounded(options[np.newaxis, 1:], 1, 2)
        return Cover(self.n, primary=(options[np.newaxis, :2],), bounded=(bounded,))

    def rules(self):
        (number,) = numbers_of(self.options, 1)
        return Rules(
            self.options,
            lambda one, other: (one[0] < 2) & (other[0] < 2),
            [number < 2],
            counted=[Counted(number >= 1, 1, 2)],
        )


@pytest.mark.parametrize("name", ["sequential", "totalizer:one=product", "native"])
def test_a_problem_may_state_a_cover(name):
    check_instances(Encoding.named(name), [Old(n) for n in (3, 4, 6)])


def test_its_family_conforms():
    class Olds(Family):
        meaning = reference = "old"
        problem = Old

    assert Old(4).constraints().num_rows == 2
    assert len(Old(4).cover().bounded) == 1
    check_family(Olds("old"), [Old(n) for n in (3, 4, 6)])


def test_a_backend_may_read_what_native_writes_by_the_old_names():
    formula = Encoding.named("native").encode(Old(6))
    assert isinstance(formula, CNFPlus)
    with PySATSolver("minicard", bootstrap_with=formula.cnf.clauses()) as solver:
        for constraint in formula.constraints:
            assert constraint.least <= 0
            for row in constraint.rows.tolist():
                solver.add_atmost(row, constraint.most)
        models = {tuple(np.sign(model[:6])) for model in solver.enum_models()}
    # 1 and one or two of 3..6; or 2 and none or one of them.
    assert len(models) == (4 + 6) + (1 + 4)


def test_and_be_given_at_most_k():
    rows = AtMost(np.array([[1, 2, 3]], np.int32), 1)
    assert (rows.least, rows.most) == (0, 1)
    (clauses,) = rows.as_clauses()
    assert clauses.tolist() == [[-1, -2], [-1, -3], [-2, -3]]
    loaded = Backend.named("minicard").load(CNFPlus(Old(3).constraints().cnf, (rows,)))
    assert loaded.solve() == "sat"
    assert loaded.model()[:3].sum() <= 1
