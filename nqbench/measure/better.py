"""The problem that asks for the next better k, for runs that look for the best one."""

from nqbench.families.base import Family
from nqbench.plugins import load_family
from nqbench.problems.base import Problem
from nqbench.problems.bounded import ProblemOfK


def better(problem: Problem) -> ProblemOfK | None:
    """The same problem with the next better k; None if its family has no k, or this one is best."""
    family: Family = load_family(problem.family)
    if family.better is None or not isinstance(problem, ProblemOfK):
        return None
    k = problem.k + family.better.step
    return with_k(problem, k) if 0 <= k <= problem.largest_k else None


def with_k(problem: ProblemOfK, k: int) -> ProblemOfK:
    """The same problem with another k. Raises `InputError` if there is none."""
    family: Family = load_family(problem.family)
    found = family.with_k(k).of_size(problem.n)
    assert isinstance(found, ProblemOfK), "see Family.better"
    return found
