"""Checks encodings."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, Assignment, CNFBuilder
from nqbench.clauses.cnf_plus import as_clauses
from nqbench.clauses.csp import CSP
from nqbench.common.vocabulary import Form
from nqbench.encodings.base import Encoding, decoded
from nqbench.encodings.counting import CountingEncoding
from nqbench.encodings.lines import LineEncoding
from nqbench.problems.base import Problem
from nqbench.problems.cover import Cover
from nqbench.problems.options import Solution
from nqbench.testing.brute_force import BOUNDED_COVERS, SMALL_BOARDS, solutions

LINES: Final = range(1, 41)
"""Numbers of literals. The known schemes change their form at smaller numbers than the largest."""

MOST_COUNTED: Final = 8
"""The largest number of literals of which every set is tried for at most k."""


def full_placements(encoding: Encoding, problem: Problem) -> list[Solution]:
    """Return every solution that the encoding's formula allows, once for each model of the first
    variables that satisfies the encoding's lazy clauses.
    """
    cnf = as_clauses(encoding.formula(problem))
    lazy = CNF(cnf.num_variables, cnf.num_main, (encoding.lazy_clauses(problem),))
    kept = (model for model in models(cnf) if lazy.falsified(model) is None)
    return [decoded(encoding, problem, model) for model in kept]


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
    Encodings that state bounds are checked on covers with bounds. With symmetry breaking, instances
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
        what = f"{encoding.name} on {problem!r}"
        first, second = encoding.encode(problem), encoding.encode(problem)
        if encoding.makes is Form.PROBLEM:
            assert first == second == problem, f"{what}: encode() returns another problem"
            continue
        assert not isinstance(first, Problem), f"{what}: encode() returns a problem"
        assert not isinstance(second, Problem), f"{what}: encode() returns a problem"
        first.check()
        assert first.digest() == second.digest(), (
            f"{what}: encode() returns another instance each time"
        )
        known = known or solutions
        found = [tuple(sorted(each)) for each in _allowed(encoding, problem)]
        allowed, expected = set(found), {tuple(sorted(each)) for each in known(problem)}
        assert len(allowed) == len(found), (
            f"{what}: models that differ on the main variables give one solution"
        )
        wrong = allowed - expected
        assert not wrong, f"{what}: allows {min(wrong)}, which is not a solution"
        if encoding.breaks_symmetry(problem):
            expected = {each for each in expected if allowed.isdisjoint(problem.images(each))}
        missing = expected - allowed
        assert not missing, f"{what}: forbids the solution {min(missing)}"


def check_at_most(encoding: CountingEncoding, n: int, most: int) -> None:
    """Check that exactly the sets of at most so many of n literals can be true."""
    cnf = encoding.at_most(n, most)
    cnf.check()
    assert cnf.num_main == n
    _check_sets(cnf, most, f"{encoding.name}, at most {most} of {n}")


def check_tightening(encoding: CountingEncoding, n: int, most: int) -> None:
    """Check that the clauses for a smaller number can be added to those for at most so many of n
    literals, unless they have other variables.
    """
    loose = encoding.at_most(n, most)
    for fewer in range(most):
        tight = encoding.at_most(n, fewer)
        if tight.num_variables == loose.num_variables:
            both = CNF(loose.num_variables, n, (*loose.blocks, *tight.blocks))
            what = f"{encoding.name}, at most {most} of {n}, tightened to {fewer}"
            _check_sets(both, fewer, what)


def _check_sets(cnf: CNF, most: int, what: str) -> None:
    """Check that exactly the sets of at most so many main variables can be true."""
    from pysat.solvers import Solver

    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        for signs in itertools.product((1, -1), repeat=cnf.num_main):
            literals = [sign * v for v, sign in enumerate(signs, 1)]
            count = signs.count(1)
            said = solver.solve(assumptions=literals)
            assert said == (count <= most), f"{what}: {'allows' if said else 'forbids'} {count}"


def check_at_most_one(encoding: LineEncoding, k: int) -> None:
    """Check that no two of k literals can be true, and that each alone can, or none at all."""
    from pysat.solvers import Solver

    cnf = encoding.at_most_one(k)
    cnf.check()
    assert cnf.num_main == k
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


def _allowed(encoding: Encoding, problem: Problem) -> list[Solution]:
    """What an encoding allows."""
    made = encoding.encode(problem)
    match made:
        case CSP():
            tried = [made.assignment(values) for values in _consistent(made)]
            good = [model for model in tried if made.broken_by(model) is None]
            return [decoded(encoding, problem, model) for model in good]
        case Cover():
            return [decoded(encoding, problem, model) for model in models(clauses_of(made))]
    return full_placements(encoding, problem)


def clauses_of(cover: Cover) -> CNF:
    """A cover as the clauses of its definition."""
    cnf = CNFBuilder(cover.num_options)
    cnf.add(cover.given[:, np.newaxis])
    for least, most, item in cover.items():
        for some in itertools.combinations(item.tolist(), len(item) - least + 1):
            cnf.require(np.array([some], dtype=np.int32))
        for some in itertools.combinations(item.tolist(), most + 1):
            cnf.add(-np.array([some]))
    return cnf.build()


def _consistent(made: CSP) -> NDArray[np.int64]:
    """All assignments that break no constraint, shape (assignments, variables), found variable by
    variable.
    """
    found = np.zeros((1, 0), dtype=np.int64)
    for variable, domain in enumerate(made.domains):
        values = np.flatnonzero(domain)
        repeated = np.repeat(found, len(values), axis=0)
        found = np.column_stack([repeated, np.tile(values, len(found))])
        for i, j, distance in made.constraints.tolist():
            if max(i, j) == variable:
                found = found[np.abs(found[:, i] - found[:, j]) != distance]
        for i, a, j, b in made.excluded.tolist():
            if max(i, j) == variable:
                found = found[(found[:, i] != a) | (found[:, j] != b)]
    return found
