"""Checks backends, also with small sequences of queries for the capability `assumptions`."""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from typing import Final

import numpy as np

from nqbench import isolate
from nqbench.backends.base import Backend, Solver, StepKind
from nqbench.backends.fit import why_not
from nqbench.checking import proof
from nqbench.checking.verify import BY_FIRST_VALUES, DECODED, Readout, check_sat
from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.clauses.constraints import as_clauses
from nqbench.common.limits import PatientLimits
from nqbench.common.vocabulary import USUAL_ENCODING, Answer, Form, Outcome, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.measure.search import Search
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution
from nqbench.problems.queens import Queens, square_of
from nqbench.testing.brute_force import BOUNDED_COVERS, SMALL_BOARDS, SMALL_COVERS, solutions

Clauses = list[list[int]]
Steps = list[tuple[Clauses, list[int]]]

SEQUENCES: Final[dict[str, Steps]] = {
    "an assumption and its negation": [([[1, 2]], [1]), ([], [-1]), ([], [])],
    "an unknown variable assumed": [([[1, 2]], [4, -3]), ([[-4, 3]], [4, -3])],
    "a literal assumed twice": [([[1, 2], [-1, 2]], [-2, -2]), ([], [2, 2])],
    "both literals of a variable": [([[1, 2]], [1, -1]), ([], [])],
    "against a unit clause": [([[1], [2, 3]], [-1, 2]), ([], [2])],
    "an empty clause at the end": [([[1, 2]], [1]), ([[1], [-1]], [2]), ([], [])],
    "a clause after unsat": [([[1, 2], [1, -2]], [-1]), ([[3]], [-1, 3]), ([], [3])],
    "a new variable later": [([[1, 2]], [-1]), ([[-2, 5], [-5, 6]], [-1, -6]), ([], [-6])],
    "no clause": [([], [1, -2]), ([], [])],
    "a tautology, and forty queries": [
        ([[1, -1], [1, 2, 3], [-1, -2, -3]], [(-1) ** n * (1 + n % 3), 4]) for n in range(40)
    ],
}
"""What each tests: the clauses that are added, and then the assumptions."""


def check_assumptions(backend: Backend) -> None:
    """Check each answer, model and core against all assignments."""
    for name, steps in SEQUENCES.items():
        variables = max(abs(v) for added, some in steps for c in [*added, some] for v in c)
        solver, so_far = None, Clauses()
        for number, (added, assumed) in enumerate(steps, 1):
            so_far += added
            if solver is None:
                solver = backend.load(_cnf(variables, added))
            else:
                for clause in added:
                    solver.add_all(np.array([clause], np.int32))
            _check_query(solver, f"{name}, query {number}", variables, so_far, assumed)


def _check_query(
    solver: Solver, name: str, variables: int, clauses: Clauses, assumed: list[int]
) -> None:
    solver.assume(assumed)
    answer = solver.solve()
    expected = _is_satisfiable(variables, [*clauses, *([v] for v in assumed)])
    assert answer is (Answer.SAT if expected else Answer.UNSAT), f"{name}: {answer}"
    if answer is Answer.SAT:
        values = solver.model()
        assert values.shape == (variables,), f"{name}: a model of {values.size} values"
        held = [*clauses, *([v] for v in assumed)]
        broken = [c for c in held if not any(values[abs(v) - 1] == (v > 0) for v in c)]
        assert not broken, f"{name}: the model breaks {broken[0]}"
        return
    core = list(solver.core())
    assert {*core} <= {*assumed}, f"{name}: the core {core} has what was not assumed"
    is_enough = not _is_satisfiable(variables, [*clauses, *([v] for v in core)])
    assert is_enough, f"{name}: the core {core} is not enough"


def _is_satisfiable(variables: int, clauses: Clauses) -> bool:
    return any(
        all(any(values[abs(v) - 1] == (v > 0) for v in clause) for clause in clauses)
        for values in product((False, True), repeat=variables)
    )


def _cnf(variables: int, clauses: Clauses) -> CNF:
    formula = CNFBuilder(0)
    formula.fresh(variables)
    for clause in clauses:
        formula.add([clause])
    return formula.build()


def check_backend(backend: Backend, time_s: float = 120.0) -> None:
    """Check the answers and models of a backend, and each of its capabilities: that it finds every
    solution when it enumerates, is asked again, or reports its steps; that its proofs are correct;
    that it keeps to assumptions and gives cores; and that it reports counters. A backend that is
    not complete may answer `unknown`. A backend that is not for boards only gets other covers as
    well, with bounds if it can solve them, and one that takes at-most-k constraints gets all
    problems with them, too.

    The checks run in a separate process with a time limit of `time_s`.
    """

    def check() -> bytes:
        backend.probe()
        for encoding in _encodings(backend):
            for check_capability in (_check_answers, _check_enumeration, _check_proofs):
                check_capability(backend, encoding)
        _check_steps(backend)
        if backend.capabilities.assumptions:
            check_assumptions(backend)
        return b""

    ending = isolate.call(check, PatientLimits(time_s))
    assert ending.outcome is Outcome.FINISHED, f"{backend.name}: {ending.message}"


def _check_answers(backend: Backend, encoding: Encoding) -> None:
    for problem in (*SMALL_BOARDS, Queens(8), *_covers(backend, encoding)):
        subject = f"on {problem!r}"
        search = _search(backend, encoding, problem)
        result = search.first()
        counts = asdict(search.counters()).values()
        if search.answer is Answer.UNKNOWN and not backend.capabilities.complete:
            continue
        if any(True for _ in solutions(problem)):
            assert result is not None, f"{subject}: {search.answer}"
            shown_by = _how_shown(encoding, problem)
            checked = check_sat(problem, search.instance, result.model, result.solution, shown_by)
            assert checked.verdict is Verdict.VERIFIED, f"{subject}: {checked.message}"
        else:
            assert search.answer is Answer.UNSAT, f"{subject}: {search.answer}"
    if backend.capabilities.counters:
        assert any(value is not None for value in counts), "counters() reports nothing"


def _how_shown(encoding: Encoding, problem: Problem) -> Readout:
    if encoding.shows_options(problem):
        return BY_FIRST_VALUES
    literals = encoding.option_literals(problem)
    return DECODED if literals is None else Readout(literals)


def _check_enumeration(backend: Backend, encoding: Encoding) -> None:
    for problem in (Queens(6), Queens(7), *_covers(backend, encoding)):
        every = sorted(solutions(problem))
        if backend.can_do(Task.ALL):
            placements = [result.solution for result in _search(backend, encoding, problem).all()]
            _compare(f"on {problem}", placements, every)
        if backend.capabilities.enumeration:
            models = backend.load(encoding.encode(problem)).models()
            _compare(f"models() on {problem}", [encoding.decode(problem, m) for m in models], every)


def _check_steps(backend: Backend) -> None:
    for problem in SMALL_BOARDS if backend.capabilities.steps else ():
        n, steps = problem.n, backend.load(_encodings(backend)[0].encode(problem)).steps()
        queens_found = [step.chosen for step in steps if step.kind is StepKind.SOLUTION]
        placements = [
            tuple(square_of(variable, n) for variable in queens) for queens in queens_found
        ]
        _compare(f"steps() on {problem}", placements, sorted(solutions(problem)))


def _check_proofs(backend: Backend, encoding: Encoding) -> None:
    if not backend.capabilities.proof:
        return
    formula_encoding = encoding if encoding.makes is Form.CNF_PLUS else Encoding.named("pairwise")
    for problem in (Queens(2), Queens(3), *_covers(backend, formula_encoding)):
        if any(True for _ in solutions(problem)):
            continue
        formula = formula_encoding.formula(problem)
        with tempfile.TemporaryFile() as file:
            backend.prove(formula, file)
            file.seek(0)
            flaw = proof.flaw(as_clauses(formula), file)
        assert flaw is None, f"prove() on {problem}: {flaw}"


def _covers(backend: Backend, encoding: Encoding) -> list[Problem]:
    """Problems other than boards that the backend can solve with the encoding."""
    every = (*SMALL_COVERS, *BOUNDED_COVERS)
    return [problem for problem in every if not why_not(encoding, backend, Task.FIRST, [problem])]


def _encodings(backend: Backend) -> list[Encoding]:
    """The encodings to check the backend with, its default first."""
    names = [backend.default_encoding or USUAL_ENCODING]
    names += ["native"] if backend.capabilities.at_most_k else []
    return [Encoding.named(name) for name in dict.fromkeys(names)]


def _search(backend: Backend, encoding: Encoding, problem: Problem) -> Search:
    lazy = encoding.lazy_clauses(problem)
    return Search(problem, encoding, backend, encoding.encode(problem), lazy)


def _compare(subject: str, placements: Sequence[Solution], every: Sequence[Solution]) -> None:
    missing, wrong = set(every).difference(placements), set(placements).difference(every)
    assert not wrong, f"{subject}: {min(wrong)} is not a solution"
    assert not missing, f"{subject}: misses {len(missing)} of {len(every)} solutions"
    assert len(placements) == len(every), (
        f"{subject}: {len(placements)} solutions, of which {len(every)} are different"
    )
