"""All models of clauses, counted with their auxiliary variables."""

import pycosat
import pytest

import nqbench as library
from nqbench.common.errors import InputError, SolverError
from nqbench.common.limits import Limits
from nqbench.encodings.base import Encoding
from nqbench.measure import models

KEEPING = (
    "pairwise", "sequential", "bitwise", "ladder", "modulo-totalizer", "k-modulo-totalizer",
    "bimander", "commander", "product", "parallel-counter",
)  # fmt: skip
"""With one model for each solution, where each constraint is "exactly one"."""


def count(problem, name, **limits):
    return models.count(problem, Encoding.named(name), Limits(**limits))


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize("name", [*KEEPING, "totalizer"])
def test_another_solver_finds_as_many_models(name):
    (problem,) = library.problems_of("langford", 3)
    cnf = Encoding.named(name).clauses(problem)
    theirs = pycosat.itersolve(list(cnf.clauses()), vars=cnf.num_variables)
    assert count(problem, name) == sum(1 for _ in theirs)
    assert (count(problem, name) == 1) == (name in KEEPING)


def test_a_limit_and_what_makes_no_clauses_are_named():
    (problem,) = library.problems_of("queens", 6)
    with pytest.raises(SolverError, match="stopped at the time limit"):
        count(problem, "sorting-network", time_s=0.05)
    with pytest.raises(InputError, match="makes a csp, not clauses"):
        count(problem, "csp")
