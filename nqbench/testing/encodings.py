"""Checks encodings."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, Assignment, CNFBuilder
from nqbench.clauses.constraints import Constraints, as_clauses
from nqbench.clauses.csp import CSP
from nqbench.clauses.rows import RowForm
from nqbench.common.vocabulary import Form
from nqbench.encodings.base import Encoding, decoded
from nqbench.encodings.counting import CountingEncoding, WeighingEncoding
from nqbench.encodings.lines import LineEncoding
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution
from nqbench.testing.brute_force import BOUNDED_COVERS, SMALL_BOARDS, solutions

LINES: Final = range(1, 41)
"""Numbers of literals. The known schemes change their form at smaller numbers than the largest."""

FORMS: Final = (
    RowForm((2, 1, 1), 2),
    RowForm((3, 2, 2, 1), 4),
    RowForm((7, 5, 3, 2, 2), 10),
    RowForm((8, 8, 4, 4, 2, 1), 15),
    RowForm((30, 29, 17, 11, 5, 3, 2, 1), 50),
    RowForm((900, 899, 512, 511, 257, 64, 63, 1), 1601),
)
"""Rows with weights, of which every choice is tried: small ones, powers of two, and sums that
differ by one.
"""

MOST_COUNTED: Final = 8
"""The largest number of literals of which every set is tried for at most k."""


def full_placements(encoding: Encoding, problem: Problem) -> list[Solution]:
    """Return every solution that the encoding's formula allows, once for each model of the first
    variables that satisfies the encoding's lazy clauses.
    """
    cnf = as_clauses(encoding.formula(problem))
    lazy = CNF(cnf.num_variables, cnf.num_main, (encoding.lazy_clauses(problem),))
    allowed = (model for model in models(cnf) if lazy.falsified(model) is None)
    return [decoded(encoding, problem, model) for model in allowed]


def models(cnf: CNF) -> Iterator[Assignment]:
    """Yield one model for each assignment of the first variables that has one."""
    from pysat.solvers import Solver

    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        while solver.solve():
            values = np.isin(np.arange(1, cnf.num_variables + 1), solver.get_model())
            yield values
            if not cnf.num_main:
                return
            main = np.arange(1, cnf.num_main + 1)
            solver.add_clause(np.where(values[: cnf.num_main], -main, main).tolist())


def check_encoding(
    encoding: Encoding,
    problems: Iterable[Problem] = SMALL_BOARDS,
    known: Callable[[Problem], Iterable[Solution]] | None = None,
) -> None:
    """Check that instances are well formed, always the same, and allow exactly the solutions, which
    `known` returns, by default `solutions`. Problems that it cannot encode are left out.

    The at-most-one scheme of a `LineEncoding` is checked for each number of literals in `LINES`.
    That of a `CountingEncoding` that states bounds is also checked for at most k of up to
    `MOST_COUNTED`, and with the clauses for a smaller k added if it says that it `tightens`.
    That of a `WeighingEncoding` is checked for rows with the weights of `FORMS`. Encodings that
    state bounds are checked on covers with bounds. With symmetry breaking, instances
    may leave out solutions, but have to allow each solution or one of its images.
    """
    if isinstance(encoding, LineEncoding):
        for k in LINES:
            check_at_most_one(encoding, k)
    if isinstance(encoding, CountingEncoding) and encoding.states_bounds:
        for n in range(1, MOST_COUNTED + 1):
            for most in range(n + 1):
                check_at_most(encoding, n, most)
                if encoding.tightens:
                    check_tightening(encoding, n, most)
    if isinstance(encoding, WeighingEncoding) and encoding.states_weights:
        for form in FORMS:
            check_weights(encoding, form)
    if encoding.states_bounds:
        check_instances(encoding, BOUNDED_COVERS)
    check_instances(encoding, problems, known)


def check_instances(
    encoding: Encoding,
    problems: Iterable[Problem],
    known: Callable[[Problem], Iterable[Solution]] | None = None,
) -> None:
    """As `check_encoding`, without the scheme on literals, which does not depend on problems."""
    for problem in problems:
        if encoding.why_not(problem):
            continue
        subject = f"{encoding.name} on {problem!r}"
        first, second = encoding.encode(problem), encoding.encode(problem)
        if encoding.makes is Form.PROBLEM:
            assert first == second == problem, f"{subject}: encode() returns another problem"
            continue
        assert not isinstance(first, Problem), f"{subject}: encode() returns a problem"
        assert not isinstance(second, Problem), f"{subject}: encode() returns a problem"
        first.check()
        assert first.digest() == second.digest(), (
            f"{subject}: encode() returns another instance each time"
        )
        known = known or solutions
        placements = [tuple(sorted(solution)) for solution in _allowed(encoding, problem)]
        allowed = set(placements)
        expected = {tuple(sorted(solution)) for solution in known(problem)}
        assert len(allowed) == len(placements), (
            f"{subject}: models that differ on the main variables give one solution"
        )
        wrong = allowed - expected
        assert not wrong, f"{subject}: allows {min(wrong)}, which is not a solution"
        if encoding.breaks_symmetry(problem):
            expected = {
                solution for solution in expected if allowed.isdisjoint(problem.images(solution))
            }
        missing = expected - allowed
        assert not missing, f"{subject}: forbids the solution {min(missing)}"


def check_at_most(encoding: CountingEncoding, n: int, most: int) -> None:
    """Check that exactly the sets of at most so many of n literals can be true."""
    cnf = encoding.at_most(n, most)
    cnf.check()
    assert cnf.num_main == n
    _check_sets(cnf, most, f"{encoding.name}, at most {most} of {n}")


def check_weights(encoding: WeighingEncoding, form: RowForm) -> None:
    """Check that exactly the choices can be made whose weights add up to the bound, and that the
    number of clauses is no more than was said before, if it was.
    """
    from pysat.solvers import Solver

    cnf = encoding.weighing(form)
    cnf.check()
    subject = f"{encoding.name} on a row of weights {form.weights} and at least {form.least}"
    stated = encoding.num_clauses(form, cnf.num_clauses)
    assert not stated or stated >= cnf.num_clauses, (
        f"{subject}: num_clauses() is {stated}, but there are {cnf.num_clauses}"
    )
    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        for truth in itertools.product((True, False), repeat=len(form.weights)):
            total = sum(itertools.compress(form.weights, truth))
            is_allowed = solver.solve([v if true else -v for v, true in enumerate(truth, 1)])
            assert is_allowed == (total >= form.least), (
                f"{subject}: {'allows' if is_allowed else 'forbids'} a sum of {total}"
            )


def check_tightening(encoding: CountingEncoding, n: int, most: int) -> None:
    """Check that the clauses for a smaller number can be added to those for at most so many of n
    literals, unless they have other variables.
    """
    loose = encoding.at_most(n, most)
    for fewer in range(most):
        tight = encoding.at_most(n, fewer)
        if tight.num_variables == loose.num_variables:
            tightened = CNF(loose.num_variables, n, (*loose.blocks, *tight.blocks))
            subject = f"{encoding.name}, at most {most} of {n}, tightened to {fewer}"
            _check_sets(tightened, fewer, subject)


def _check_sets(cnf: CNF, most: int, subject: str) -> None:
    """Check that exactly the sets of at most so many main variables can be true."""
    from pysat.solvers import Solver

    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        for signs in itertools.product((1, -1), repeat=cnf.num_main):
            literals = [sign * v for v, sign in enumerate(signs, 1)]
            count = signs.count(1)
            is_allowed = solver.solve(assumptions=literals)
            assert is_allowed == (count <= most), (
                f"{subject}: {'allows' if is_allowed else 'forbids'} {count}"
            )


def check_at_most_one(encoding: LineEncoding, k: int) -> None:
    """Check that no two of k literals can be true, and that each alone can, or none at all."""
    from pysat.solvers import Solver

    cnf = encoding.at_most_one(k)
    cnf.check()
    assert cnf.num_main == k
    subject = f"{encoding.name} on {k} literals"
    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        for literal, other_literal in itertools.combinations(range(1, k + 1), 2):
            is_allowed = solver.solve(assumptions=[literal, other_literal])
            assert not is_allowed, f"{subject}: allows {literal} and {other_literal} to be true"
        variables = np.arange(1, k + 1)
        for only in range(k + 1):
            literals = np.where(variables == only, variables, -variables).tolist()
            which = f"{only} alone" if only else "none"
            assert solver.solve(assumptions=literals), f"{subject}: forbids that {which} is true"


def _allowed(encoding: Encoding, problem: Problem) -> list[Solution]:
    """What an encoding allows."""
    instance = encoding.encode(problem)
    match instance:
        case CSP():
            assignments = [instance.assignment(values) for values in _consistent(instance)]
            good = [model for model in assignments if instance.broken_by(model) is None]
            return [decoded(encoding, problem, model) for model in good]
        case Constraints() if encoding.makes is Form.COVER:
            return [decoded(encoding, problem, model) for model in models(clauses_of(instance))]
    return full_placements(encoding, problem)


def clauses_of(constraints: Constraints) -> CNF:
    """Constraints as the clauses of their definition."""
    cnf = CNFBuilder(constraints.num_variables)
    for block in constraints.cnf.blocks:
        cnf.require(block)
    for rows in constraints.counted:
        for row in rows.literals.tolist():
            for some in itertools.combinations(row, max(0, len(row) - rows.least + 1)):
                cnf.require(np.array([some], dtype=np.int32))
            for some in itertools.combinations(row, rows.most + 1):
                cnf.require(-np.array([some], dtype=np.int32))
    return cnf.build()


def _consistent(csp: CSP) -> NDArray[np.int64]:
    """All assignments that break no constraint, shape (assignments, variables), found variable by
    variable.
    """
    assignments = np.zeros((1, 0), dtype=np.int64)
    for variable, domain in enumerate(csp.domains):
        values = np.flatnonzero(domain)
        repeated = np.repeat(assignments, len(values), axis=0)
        assignments = np.column_stack([repeated, np.tile(values, len(assignments))])
        for i, j, distance in csp.constraints.tolist():
            if max(i, j) == variable:
                assignments = assignments[np.abs(assignments[:, i] - assignments[:, j]) != distance]
        for i, a, j, b in csp.excluded.tolist():
            if max(i, j) == variable:
                assignments = assignments[(assignments[:, i] != a) | (assignments[:, j] != b)]
    return assignments
