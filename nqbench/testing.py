"""Conformance checks for encodings and backends. All built-ins pass them, and plugins should too.

    from nqbench.plugins import load_encoding
    from nqbench.testing import check_encoding

    def test_my_scheme():
        check_encoding(load_encoding("my-scheme"))

Each check returns None, or raises an `AssertionError` that says what is wrong. The expected
solutions are found by brute force in this module and share no code with any encoder.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Final

import numpy as np

from nqbench import isolate
from nqbench.backends.base import Backend, StepKind
from nqbench.encodings.base import Encoding, decoded
from nqbench.encodings.lines import LineEncoding
from nqbench.evidence import proof
from nqbench.evidence.verify import check_sat
from nqbench.instances.cnf import Assignment
from nqbench.instances.csp import CSP
from nqbench.limits import Limits
from nqbench.measure.search import Search
from nqbench.plugins import load_encoding
from nqbench.problems.base import Placement, Problem, square_of
from nqbench.vocabulary import Answer, Outcome, Task, Verdict

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
"""Empty boards and tori, boards with one or two placed queens, and boards with blocked squares."""


LINES: Final = range(1, 41)
"""Numbers of literals. The known schemes change their form at smaller numbers than the largest."""


def solutions(problem: Problem) -> Iterator[Placement]:
    """Yield all solutions, by trying every permutation of the columns."""
    for columns in itertools.permutations(range(problem.n)):
        placement = tuple(enumerate(columns))
        if problem.violation(placement) is None:
            yield placement


def full_placements(encoding: Encoding, problem: Problem) -> list[Placement]:
    """Return every placement of n queens that the encoding's formula allows, once for each model
    of the board variables.
    """
    from pysat.solvers import Solver

    cnf = encoding.clauses(problem)
    found = []
    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        while solver.solve():
            values = _values(solver.get_model(), cnf.num_variables)
            placement = decoded(encoding, problem, values)
            if len(placement) == problem.n:
                found.append(placement)
            if not cnf.board:
                break
            board = np.arange(1, cnf.board + 1)
            solver.add_clause(np.where(values[: cnf.board], -board, board).tolist())
    return found


def _values(model: list[int], num_variables: int) -> Assignment:
    values = np.zeros(num_variables, dtype=np.bool_)
    values[[literal - 1 for literal in model if literal > 0]] = True
    return values


def check_encoding(encoding: Encoding, problems: Iterable[Problem] = SMALL_BOARDS) -> None:
    """Check that instances are well formed, always the same, and allow exactly the solutions.

    The at-most-one scheme of a `LineEncoding` is checked for each number of literals in `LINES`.
    With symmetry breaking, instances may leave out solutions, but have to allow each solution or
    its mirror image.
    """
    if isinstance(encoding, LineEncoding):
        for k in LINES:
            check_at_most_one(encoding, k)
    for problem in problems:
        what = f"{encoding.name} on {problem}, placed {problem.placed}, blocked {problem.blocked}"
        first, second = encoding.encode(problem), encoding.encode(problem)
        if isinstance(first, Problem) or isinstance(second, Problem):
            assert first == second == problem, f"{what}: encode() returns another problem"
            continue
        first.check()
        assert first.digest() == second.digest(), (
            f"{what}: encode() returns another instance each time"
        )
        found = _allowed_by(first) if isinstance(first, CSP) else full_placements(encoding, problem)
        allowed, expected = set(found), set(solutions(problem))
        assert len(allowed) == len(found), (
            f"{what}: models that differ on the board give one placement"
        )
        wrong = allowed - expected
        assert not wrong, f"{what}: allows {min(wrong)}, which is not a solution"
        if encoding.breaks_symmetry(problem):
            expected = {solution for solution in expected if _mirrored(solution) not in allowed}
        missing = expected - allowed
        assert not missing, f"{what}: forbids the solution {min(missing)}"


def check_at_most_one(encoding: LineEncoding, k: int) -> None:
    """Check that no two of k literals can be true, and that each alone can, or none at all."""
    from pysat.solvers import Solver

    cnf = encoding.at_most_one(k)
    cnf.check()
    assert cnf.board == k
    what = f"{encoding.name} on {k} literals"
    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        for one, other in itertools.combinations(range(1, k + 1), 2):
            both = solver.solve(assumptions=[one, other])
            assert not both, f"{what}: allows {one} and {other} to be true"
        variables = np.arange(1, k + 1)
        for only in range(k + 1):
            literals = np.where(variables == only, variables, -variables).tolist()
            which = f"{only} alone" if only else "none"
            assert solver.solve(assumptions=literals), f"{what}: forbids that {which} is true"


def check_backend(backend: Backend, time_s: float = 120.0) -> None:
    """Check the answers and models of a backend, and each of its capabilities: that it finds every
    solution when it enumerates, is asked again, or reports its steps; that its proofs are correct;
    and that it reports counters. A backend that is not complete may answer `unknown`.

    The checks run in a separate process with a time limit of `time_s`.
    """

    def check() -> bytes:
        backend.probe()
        for each in (_answers, _enumerates, _tells_steps, _proves):
            each(backend)
        return b""

    ending = isolate.call(check, Limits(time_s=time_s))
    assert ending.outcome is Outcome.FINISHED, f"{backend.name}: {ending.message}"


def _answers(backend: Backend) -> None:
    for problem in (*SMALL_BOARDS, Problem(8)):
        what = f"on {problem}, placed {problem.placed}, blocked {problem.blocked}"
        search = _search(backend, problem)
        found = search.first()
        counted = asdict(search.counters()).values()
        if search.answer is Answer.UNKNOWN and not backend.capabilities.complete:
            continue
        if any(True for _ in solutions(problem)):
            assert found is not None, f"{what}: {search.answer}"
            checked = check_sat(problem, search.instance, found.model, found.placement)
            assert checked.verdict is Verdict.VERIFIED, f"{what}: {checked.message}"
        else:
            assert search.answer is Answer.UNSAT, f"{what}: {search.answer}"
    if backend.capabilities.counters:
        assert any(value is not None for value in counted), "counters() reports nothing"


def _enumerates(backend: Backend) -> None:
    for problem in (Problem(6), Problem(7)):
        every = sorted(solutions(problem))
        if backend.can_do(Task.ALL):
            found = [found.placement for found in _search(backend, problem).all()]
            _compare(f"on {problem}", found, every)
        if backend.capabilities.enumeration:
            encoding = _encoding(backend)
            models = backend.load(encoding.encode(problem)).models()
            _compare(f"models() on {problem}", [encoding.decode(problem, m) for m in models], every)


def _tells_steps(backend: Backend) -> None:
    for problem in SMALL_BOARDS if backend.capabilities.steps else ():
        n, steps = problem.n, backend.load(_encoding(backend).encode(problem)).steps()
        told = [step.queens for step in steps if step.kind is StepKind.SOLUTION]
        found = [tuple(square_of(variable, n) for variable in queens) for queens in told]
        _compare(f"steps() on {problem}", found, sorted(solutions(problem)))


def _proves(backend: Backend) -> None:
    for n in (2, 3) if backend.capabilities.proof else ():
        cnf = load_encoding("pairwise").clauses(Problem(n))
        flaw = proof.flaw(cnf, backend.prove(cnf))
        assert flaw is None, f"prove() on n={n}: {flaw}"


def _encoding(backend: Backend) -> Encoding:
    return load_encoding(backend.default_encoding or "pairwise")


def _search(backend: Backend, problem: Problem) -> Search:
    encoding = _encoding(backend)
    return Search(problem, encoding, backend, encoding.encode(problem))


def _compare(what: str, found: list[Placement], every: list[Placement]) -> None:
    missing, wrong = set(every).difference(found), set(found).difference(every)
    assert not wrong, f"{what}: {min(wrong)} is not a solution"
    assert not missing, f"{what}: misses {len(missing)} of {len(every)} solutions"
    assert len(found) == len(every), (
        f"{what}: {len(found)} solutions, of which {len(every)} are different"
    )


def _allowed_by(csp: CSP) -> list[Placement]:
    variables, values = csp.domains.shape
    return [
        tuple(enumerate(columns))
        for columns in itertools.product(range(values), repeat=variables)
        if csp.broken_by(csp.assignment(np.array(columns))) is None
    ]


def _mirrored(solution: Placement) -> Placement:
    return tuple((row, len(solution) - 1 - column) for row, column in solution)
