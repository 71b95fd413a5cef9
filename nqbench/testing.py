"""Conformance checks for encodings and backends: what built-ins pass, a plugin should pass too.

    from nqbench.plugins import load_encoding
    from nqbench.testing import check_encoding

    def test_my_scheme():
        check_encoding(load_encoding("my-scheme"))

Each check returns nothing, or raises `AssertionError` that says what is wrong. The truths that they
check against are found by brute force here and share nothing with any encoder.
"""

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from nqbench.backends.base import Backend, StepKind
from nqbench.csp import CSP
from nqbench.encodings.base import Encoding
from nqbench.encodings.lines import LineEncoding
from nqbench.plugins import load_encoding
from nqbench.problem import Placement, Problem
from nqbench.search import Search
from nqbench.verify import check_sat
from nqbench.vocabulary import Answer, Task, Verdict

SMALL_BOARDS: Final = (
    *(Problem(n) for n in range(1, 7)),
    *(Problem(n, "torus") for n in range(1, 7)),
    Problem(5, "torus", placed=((1, 3),), blocked=((0, 0),)),
    Problem(1, "blocked", blocked=((0, 0),)),
    Problem(4, "completion", placed=((0, 1),)),
    Problem(4, "completion", placed=((0, 0),)),
    Problem(5, "blocked", blocked=((0, 0), (0, 1), (2, 2), (4, 4))),
    Problem(6, "blocked", blocked=((0, 1), (0, 4))),
    Problem(6, "completion", placed=((1, 3), (4, 2)), blocked=((0, 0),)),
)
"""Empty boards and tori, boards with a queen or two, and boards with squares that must stay
empty.
"""


def solutions(problem: Problem) -> Iterator[Placement]:
    """All solutions by brute force: every permutation of the columns is looked at."""
    for columns in itertools.permutations(range(problem.n)):
        placement = tuple(enumerate(columns))
        if problem.violation(placement) is None:
            yield placement


def full_placements(encoding: Encoding, problem: Problem) -> list[Placement]:
    """Every placement of n queens that the encoding's formula allows, each once for each model of
    its board variables.
    """
    from pysat.solvers import Solver

    cnf = encoding.clauses(problem)
    found = []
    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        while solver.solve():
            values = np.zeros(cnf.num_variables, dtype=np.bool_)
            model = np.array(solver.get_model(), dtype=np.int64)
            values[model[model > 0] - 1] = True
            placement = encoding.decode(problem, values)
            if len(placement) == problem.n:
                found.append(placement)
            if not cnf.board:
                break
            board = np.arange(1, cnf.board + 1)
            solver.add_clause(np.where(values[: cnf.board], -board, board).tolist())
    return found


def check_encoding(encoding: Encoding, problems: Iterable[Problem] = SMALL_BOARDS) -> None:
    """Its instances are well formed, always the same, and allow exactly the solutions.

    Under symmetry breaking they allow some of the solutions, and of each and its mirror image at
    least one.
    """
    for problem in problems:
        what = f"{encoding.name} on {problem}, placed {problem.placed}, blocked {problem.blocked}"
        first, second = encoding.encode(problem), encoding.encode(problem)
        if isinstance(first, Problem) or isinstance(second, Problem):
            assert first == second == problem, f"{what}: another problem"
            continue
        first.check()
        assert first.digest() == second.digest(), f"{what}: another one each time"
        found = _allowed_by(first) if isinstance(first, CSP) else full_placements(encoding, problem)
        allowed, expected = set(found), set(solutions(problem))
        assert len(allowed) == len(found), f"{what}: board variables that make no difference"
        wrong = allowed - expected
        assert not wrong, f"{what}: allows {min(wrong)}, which is no solution"
        if encoding.breaks_symmetry(problem):
            expected = {solution for solution in expected if _mirrored(solution) not in allowed}
        missing = expected - allowed
        assert not missing, f"{what}: forbids the solution {min(missing)}"


def check_at_most_one(encoding: LineEncoding, k: int) -> None:
    """Of all 2^k assignments to k literals, exactly those with at most one true are allowed."""
    from pysat.solvers import Solver

    cnf = encoding.at_most_one(k)
    cnf.check()
    assert cnf.board == k
    variables = np.arange(1, k + 1)
    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        for assignment in itertools.product([False, True], repeat=k):
            literals = np.where(assignment, variables, -variables).tolist()
            allowed = solver.solve(assumptions=literals)
            assert allowed == (sum(assignment) <= 1), f"{encoding.name}, k={k}: {literals}"


def check_backend(backend: Backend[Any]) -> None:
    """It tells boards with a solution from others, and its models are models; it finds every
    solution if it can enumerate, and while it tells its steps. A backend that is not complete may
    say `unknown` instead.
    """
    backend.probe()
    encoding = load_encoding(backend.default_encoding or "pairwise")
    for problem in (*SMALL_BOARDS, Problem(8)):
        what = f"{backend.name} on {problem}, placed {problem.placed}, blocked {problem.blocked}"
        search = Search(problem, encoding, backend, encoding.encode(problem))
        found = search.first()
        if search.answer is Answer.UNKNOWN and not backend.capabilities.complete:
            continue
        if any(True for _ in solutions(problem)):
            assert found is not None, f"{what}: {search.answer}"
            checked = check_sat(problem, search.instance, found.model, found.placement)
            assert checked.verdict is Verdict.VERIFIED, f"{what}: {checked.message}"
        else:
            assert search.answer is Answer.UNSAT, f"{what}: {search.answer}"
    if backend.can_do(Task.ALL):
        for problem in (Problem(6), Problem(7)):
            search = Search(problem, encoding, backend, encoding.encode(problem))
            placements = [found.placement for found in search.all()]
            assert sorted(placements) == sorted(solutions(problem)), f"{backend.name} on {problem}"
    if backend.capabilities.steps:
        for problem in SMALL_BOARDS:
            n, steps = problem.n, backend.load(encoding.encode(problem)).steps()
            told = [step.queens for step in steps if step.kind is StepKind.SOLUTION]
            placements = [tuple(divmod(square - 1, n) for square in queens) for queens in told]
            assert sorted(placements) == sorted(solutions(problem)), f"{backend.name} on {problem}"


def _allowed_by(csp: CSP) -> list[Placement]:
    variables, values = csp.domains.shape
    return [
        tuple(enumerate(columns))
        for columns in itertools.product(range(values), repeat=variables)
        if csp.broken_by(csp.assignment(np.array(columns))) is None
    ]


def _mirrored(solution: Placement) -> Placement:
    return tuple((row, len(solution) - 1 - column) for row, column in solution)
