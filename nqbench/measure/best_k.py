"""The problem that asks for the next better k or objective, for runs that look for the best one."""

from nqbench.common.errors import InputError
from nqbench.problems.base import Problem, ProblemOfK
from nqbench.problems.clausal import Clausal
from nqbench.problems.families.base import Family


def better(problem: Problem) -> ProblemOfK | None:
    """The same problem with the next better k; None if its family has no k, or this one is best."""
    family: Family = Family.named(problem.family)
    if family.better is None or not isinstance(problem, ProblemOfK):
        return None
    k = problem.k + family.better.step
    return with_k(problem, k) if 0 <= k <= problem.largest_k else None


def better_model(problem: Clausal, value: int) -> Clausal | None:
    """The same formula with an objective better than this; None if no model can have one."""
    if value == problem.facts.ideal:
        return None
    return problem.with_worst(value + (1 if problem.facts.is_maximised else -1))


def next_better(problem: Problem, k: int | None, objective: int | None) -> Problem | None:
    """The problem that asks for a better k than this one, or of a file for a better objective; None
    if none is better, or nothing can be. Raises `InputError` for a k that there is not.
    """
    if isinstance(problem, Clausal):
        return None if objective is None else better_model(problem, objective)
    return better(with_k(problem, k or 0)) if isinstance(problem, ProblemOfK) else None


def with_k(problem: ProblemOfK, k: int) -> ProblemOfK:
    """The same problem with another k. Raises `InputError` if there is none."""
    return problem_of_k(Family.named(problem.family), problem.n, k)


def problem_of_k(family: Family, n: int, k: int | None = None) -> ProblemOfK:
    """The problem of this size and this k, by default that of the family. Raises `InputError` if
    there is none, or if it is not the one that was asked for.
    """
    family_of_k = family if k is None else family.with_k(k)
    problem = family_of_k.of_size(n)
    if not isinstance(problem, ProblemOfK) or (problem.n, problem.family) != (n, family_of_k.name):
        raise InputError(f"family '{family_of_k.name}' made another problem than that of n = {n}")
    if k not in (None, problem.k):
        raise InputError(
            f"family '{family_of_k.name}' made a problem of k = {problem.k} for k = {k}"
        )
    return problem
