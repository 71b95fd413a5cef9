"""A shuffled formula is equivalent to the original."""

import itertools
from functools import partial

import numpy as np
import pytest

from nqbench.backends.base import Backend
from nqbench.encodings.base import Encoding
from nqbench.measure.search import Search
from nqbench.measure.shuffle import shuffled
from nqbench.problems.queens import Queens
from nqbench.testing import solutions


def clauses(cnf):
    return [tuple(clause) for clause in cnf.clauses()]


@pytest.mark.parametrize("name", ["pairwise", "product", "pyeda-onehot", "log"])
def test_it_is_the_same_formula_but_for_names_and_order(name):
    cnf = Encoding.named(name).clauses(Queens(8))
    other = shuffled(cnf, 7)
    other.formula.check()
    renamed = sorted(tuple(sorted(other.renamed(clause))) for clause in cnf.clauses())
    assert sorted(tuple(sorted(clause)) for clause in clauses(other.formula)) == renamed
    assert clauses(other.formula) != clauses(cnf)
    assert sorted(other.names.tolist()) == list(range(1, cnf.num_variables + 1))
    assert (np.sort(other.names[: cnf.num_main]) == np.arange(1, cnf.num_main + 1)).all()


def test_clauses_of_different_width_are_mixed():
    cnf = Encoding.named("product").clauses(Queens(12))
    widths = [len(clause) for clause in clauses(shuffled(cnf, 1).formula)]
    changes = sum(a != b for a, b in itertools.pairwise(widths))
    assert changes > 20


def test_a_seed_decides_it():
    cnf = Encoding.named("pairwise").clauses(Queens(8))
    assert shuffled(cnf, (1, 0)).formula.digest() == shuffled(cnf, (1, 0)).formula.digest()
    digests = {shuffled(cnf, seed).formula.digest() for seed in ((1, 0), (1, 1), (2, 0))}
    assert len(digests) == 3


@pytest.mark.parametrize("encoding", ["pairwise", "level2", "product", "order"])
@pytest.mark.parametrize("backend", ["minisat22", "pyeda"])
def test_all_solutions_come_back_under_their_own_names(encoding, backend):
    problem, chosen = Queens(6), Encoding.named(encoding)
    cnf = chosen.clauses(problem)
    lazy = chosen.lazy_clauses(problem)
    search = Search(problem, chosen, Backend.named(backend), cnf, lazy, partial(shuffled, seed=3))
    found = list(search.all())
    assert sorted(one.solution for one in found) == sorted(solutions(problem))
    assert all(cnf.falsified(one.model) is None for one in found)
