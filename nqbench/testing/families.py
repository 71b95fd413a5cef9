"""Checks families."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from nqbench.checking import exhaustive
from nqbench.clauses.cnf import Block
from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.vocabulary import Form
from nqbench.encodings.base import Encoding, complete_encoding_names
from nqbench.plugins.component import Component
from nqbench.problems.base import Problem
from nqbench.problems.families.base import Family, LeftOut
from nqbench.problems.options import Solution, variables
from nqbench.problems.queens import Queens
from nqbench.problems.rules import Rules
from nqbench.testing import brute_force
from nqbench.testing.encodings import check_instances, clauses_of, models

_SIZES = range(1, 5)
_MOST_SOLUTIONS = 1000
_MOST_OPTIONS = 100
_MOST_COMPARED = 20


def check_family(family: Family, problems: Iterable[Problem] | None = None) -> None:
    """Check that problems state rules, that `constraints`, `rules` and `violation` accept the same
    solutions, that theory agrees, that equal problems are equal and different ones differ, and that
    every installed encoding that fits allows exactly these solutions.

    By default the problems are the smallest, of n = 1 to 4, or random ones. With 16 options or
    fewer, all sets of options are tried; with more, solutions of the rules and of the cover, and
    all sets that differ from one of them by an option.
    """
    problem_list = list(_smallest(family) if problems is None else problems)
    assert problem_list, f"{family.name}: no small problems: give some"
    for problem in problem_list:
        _check_problem(family, problem)
    few = [problem for problem in problem_list if _is_small(problem)]
    for name in complete_encoding_names():
        encoding = Encoding.named(name)
        if encoding.makes not in {Form.PROBLEM, Form.COVER} and _works(encoding):
            check_instances(encoding, few, _solutions)


def _works(component: Component) -> bool:
    try:
        component.probe()
    except UnavailableError:
        return False
    return True


def _smallest(family: Family) -> Iterable[Problem]:
    if family.is_random:
        densities = [0.5] if family.measure else []
        drawn = family.drawn(_SIZES, densities, instances=2, seed=0)
        return [problem for problem in drawn if not isinstance(problem, LeftOut)]
    problems = []
    for n in _SIZES if family.has_sizes else ():
        try:
            problems.append(family.of_size(n))
        except InputError:
            continue  # a family may begin with a larger n
    return problems


def _is_small(problem: Problem) -> bool:
    if brute_force.is_small(problem):
        return True
    return len(problem.options) <= _MOST_OPTIONS and exhaustive.count(problem) <= _MOST_SOLUTIONS


@lru_cache
def _solutions(problem: Problem) -> tuple[Solution, ...]:
    """The solutions by `violation` if there are few options, and otherwise by `rules`."""
    if brute_force.is_small(problem):
        return tuple(brute_force.solutions(problem))
    options = problem.options
    return tuple(tuple(options[v - 1] for v in model) for model in exhaustive.solutions(problem))


def _check_problem(family: Family, problem: Problem) -> None:
    subject = f"{family.name}: {problem}"
    assert isinstance(problem, family.problem), f"{subject}: not a {family.problem.__name__}"
    assert problem.family == family.name or family.problem.__name__ == "Queens", (
        f"{subject}: its family is {problem.family}"
    )
    # Problems are keys of caches.
    assert hash(problem) == hash(problem), f"{subject}: not hashable"
    constraints, options = problem.constraints(), problem.options
    constraints.check()
    assert constraints.num_main == len(options), (
        f"{subject}: {len(options)} options, another number in constraints()"
    )
    assert len(set(options)) == len(options), f"{subject}: an option is there twice"
    rules = problem.rules()
    assert rules is not None, f"{subject}: no rules(), so `unsat` and counts cannot be judged"
    _check_form(subject, rules, len(options))
    if not _is_small(problem):
        return
    solutions = _solutions(problem)
    of_constraints = sorted(islice(_solutions_of(problem, constraints), _MOST_SOLUTIONS))
    compared = list(dict.fromkeys((*_sample(sorted(solutions)), *_sample(of_constraints))))
    for solution in compared:
        _check_agreement(subject, problem, constraints, rules, solution)
        for rows in _neighbours(problem, solution):
            _check_agreement_of_rows(subject, problem, constraints, rules, rows)
    for solution in compared[:1]:
        for row in (row for rows in _neighbours(problem, solution) for row in rows.tolist()):
            _check_agreement(subject, problem, constraints, rules, tuple(options[at] for at in row))
    if len(options) <= brute_force.MOST_SUBSETS:
        # `violation` has judged every set for the solutions, except those of a board.
        known = None if isinstance(problem, Queens) else frozenset(solutions)
        for size in range(len(options) + 1):
            every = np.array(list(combinations(range(len(options)), size)), dtype=np.int64)
            _check_agreement_of_rows(subject, problem, constraints, rules, every, known=known)
    _check_theory(subject, problem, len(solutions))


def _solutions_of(problem: Problem, constraints: Constraints) -> Iterator[Solution]:
    """The solutions of the constraints, which may be wrong."""
    options = problem.options
    for model in models(clauses_of(constraints)):
        yield tuple(options[at] for at in np.flatnonzero(model[: len(options)]).tolist())


def _sample(solutions: Sequence[Solution]) -> Sequence[Solution]:
    return solutions[:: max(1, len(solutions) // _MOST_COMPARED)]


def _check_form(subject: str, rules: Rules, options: int) -> None:
    assert len(rules.options) == options, f"{subject}: {options} options, another number in rules"
    for given in rules.needed:
        group = np.asarray(given)
        if group.dtype == np.bool_:
            is_right = group.shape == (options,)
        else:
            is_right = group.ndim == 1 and bool(np.isin(np.abs(group), range(1, options + 1)).all())
        form = f"{group.dtype} {group.shape}, neither literals nor flags for {options} options"
        assert is_right, f"{subject}: needed has {form}"


def _check_agreement(
    subject: str, problem: Problem, constraints: Constraints, rules: Rules, solution: Solution
) -> None:
    model = np.zeros(len(problem.options), dtype=np.bool_)
    model[np.array(variables(problem.options, solution), dtype=int) - 1] = True
    broken = {
        "constraints()": constraints.broken_by(model),
        "rules()": rules.violation(solution),
        "violation()": problem.violation(solution),
    }
    reasons = ", ".join(f"by {name} {why or 'a solution'}" for name, why in broken.items())
    assert len({why is None for why in broken.values()}) == 1, f"{subject}: {solution}: {reasons}"


def _check_agreement_of_rows(
    subject: str,
    problem: Problem,
    constraints: Constraints,
    rules: Rules,
    rows: NDArray[np.int64],
    *,
    known: Collection[Solution] | None = None,
) -> None:
    """As `_check_agreement` for each row of positions, but constraints and rules judge all of
    them at once. `known` are all solutions by `violation`, which is not asked again.
    """
    options = problem.options
    models = np.zeros((len(rows), len(options)), dtype=np.bool_)
    np.put_along_axis(models, rows, True, axis=1)
    by_constraints, by_rules = _satisfied(constraints, models), rules.allowed(rows)
    for row, *verdicts in zip(rows.tolist(), by_constraints, by_rules, strict=True):
        subset = tuple(options[at] for at in row)
        is_solution = problem.violation(subset) is None if known is None else subset in known
        if {*verdicts, is_solution} != {verdicts[0]}:
            _check_agreement(subject, problem, constraints, rules, subset)
            raise AssertionError(f"{subject}: {subset}: allowed() and violation() of rules differ")


def _neighbours(problem: Problem, solution: Solution) -> Iterator[NDArray[np.int64]]:
    """Every choice of options that differs from this one by one or by two, as arrays of positions:
    one more, one in place of another, and one less.
    """
    positions = np.array(variables(problem.options, solution), dtype=np.int64) - 1
    other_positions = np.setdiff1d(np.arange(len(problem.options)), positions)
    less = np.array([np.delete(positions, at) for at in range(positions.size)], dtype=np.int64)
    less = less.reshape(positions.size, max(0, positions.size - 1))
    for rows in (positions[np.newaxis], less):
        added = np.repeat(rows, other_positions.size, axis=0)
        yield np.sort(np.column_stack([added, np.tile(other_positions, len(rows))]), axis=1)
    yield less


def _satisfied(constraints: Constraints, models: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each choice of options, shape (choices, options), satisfies the constraints."""
    good = np.ones(len(models), np.bool_)
    for rows in (*map(_as_rows, constraints.cnf.blocks), *constraints.counted):
        is_true = models[:, np.abs(rows.literals) - 1] == (rows.literals > 0)
        times = is_true.sum(axis=2)
        good &= ((times >= rows.least) & (times <= rows.most)).all(axis=1)
    return good


def _as_rows(clauses: Block) -> Rows:
    return Rows.at_least(clauses, 1)


def _check_theory(subject: str, problem: Problem, count: int) -> None:
    satisfiable, number = problem.satisfiable, problem.num_solutions
    assert satisfiable is None or satisfiable == bool(count), (
        f"{subject}: {count} solutions, not {satisfiable}"
    )
    assert number is None or number == count, f"{subject}: {count} solutions, theory says {number}"
    size = problem.solution_size
    if size is not None:
        wrong = [solution for solution in _solutions(problem) if len(solution) != size]
        assert not wrong, f"{subject}: a solution of {len(wrong[:1][0])} options, not {size}"
