"""The solver's own call for each encoding x backend, in groups by backend.

tox -e bench -- benchmarks/test_solving.py
"""

from dataclasses import asdict

import pytest

from nqbench.plugins import load_backend, load_encoding
from nqbench.problem import Problem
from nqbench.search import Search

PROBLEM = Problem(16)
ENCODINGS = ["pairwise", "alo-row", "product", "sequential", "commander"]
BACKENDS = ["glucose4", "minisat22", "cadical195", "cryptominisat", "pyeda"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_solve(benchmark, backend, encoding):
    benchmark.group = f"n = {PROBLEM.n}, {backend}"
    written, solver = load_encoding(encoding), load_backend(backend)
    cnf = written.encode(PROBLEM)
    loaded = []

    def fresh():
        loaded.append(solver.load(cnf))
        return (loaded[-1],), {}

    benchmark.pedantic(lambda holding: holding.solve(), setup=fresh, rounds=7)
    found = Search(PROBLEM, written, solver, cnf).first()
    assert PROBLEM.violation(found.placement) is None
    counted = {k: v for k, v in asdict(loaded[-1].counters()).items() if v is not None}
    benchmark.extra_info |= {
        "variables": cnf.num_variables,
        "clauses": cnf.num_clauses,
        "literals": cnf.num_literals,
        "verdict": "verified",
        **counted,
    }
