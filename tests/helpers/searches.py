"""Searches by backends that take no clauses: which there are, and what they find."""

import itertools

import numpy as np

from nqbench.backends.base import Backend
from nqbench.common.vocabulary import Answer
from nqbench.encodings.base import Encoding
from nqbench.measure.search import Search
from nqbench.problems.instances import broken_by

COVER_BACKENDS = ["cp-sat-cover", "xcover"]


def models_of(name, constraints):
    """All models, as sets of options, each as often as it is found."""
    models = Backend.named(name).load(constraints).models()
    return sorted(tuple(np.flatnonzero(model) + 1) for model in models)


def assert_solved(name, problem, expected):
    constraints = problem.constraints()
    solver = Backend.named(name).load(constraints)
    assert solver.solve() is (Answer.SAT if expected else Answer.UNSAT)
    if expected:
        assert solver.model().shape == (constraints.num_variables,)
        assert broken_by(constraints, solver.model()) is None
    assert models_of(name, constraints) == expected


BACKTRACKING = [
    "backtracking",
    "backtracking:forward=on",
    "backtracking:order=mrv",
    "backtracking:forward=on:order=mrv",
]
CSP_BACKENDS = [*BACKTRACKING, "constraint2"]
OTHER_BACKENDS = [*CSP_BACKENDS, "cp-sat", "cp-sat:threads=2", "pycosat"]
"""CSP backends, those whose libraries search as well, and one that takes clauses."""


def search(backend, problem):
    loaded = Backend.named(backend)
    encoding = Encoding.named(loaded.default_encoding or "pairwise")
    return Search(problem, encoding, loaded, encoding.encode(problem))


ASTARS = [
    f"astar:heuristic={heuristic}:branch={branch}"
    for heuristic, branch in itertools.product(["queens", "free"], ["line", "all"])
]


def enumerated(name, problem, encoding="level2"):
    """All placements that A* finds, and the counters at the end."""
    backend, encoding = Backend.named(name), Encoding.named(encoding)
    assert backend.accepts(encoding)
    solver = backend.load(encoding.encode(problem))
    placements = [encoding.decode(problem, model) for model in solver.models()]
    return placements, solver.counters()
