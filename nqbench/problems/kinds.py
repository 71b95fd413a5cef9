"""Which kind of problem one is: the only module that asks for its class."""

from collections.abc import Iterable
from numbers import Integral
from typing import Any

from nqbench.errors import InputError
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.options import Solution
from nqbench.problems.queens import Placement, Queens


def is_board(problem: Problem) -> bool:
    """Whether it is a board of queens."""
    return isinstance(problem, Queens)


def board(problem: Problem, what: str) -> Queens:
    """The problem as a board of queens. Raises `InputError` for any other, since `what` is for
    boards only.
    """
    if not isinstance(problem, Queens):
        raise InputError(f"{what} is for boards of queens, not for {problem}")
    return problem


def placement(solution: Solution) -> Placement:
    """The options of a board as squares."""
    return tuple((row, column) for row, column in solution)


def formula(problem: Problem) -> Clausal:
    """The problem as a formula. Raises `InputError` for any other."""
    if not isinstance(problem, Clausal):
        raise InputError(f"{problem} is not a formula: choose an encoding")
    return problem


def listed(given: Any) -> list[Problem]:
    """One or several problems as a list; a number n is the empty n x n board.

    Raises `InputError` for anything else.
    """
    one = isinstance(given, Integral | Problem)
    if not one and (isinstance(given, str | bytes) or not isinstance(given, Iterable)):
        raise InputError(f"no problems: {given!r:.40} is not a number or a problem")
    problems: list[Problem] = []
    for each in [given] if one else given:
        if not isinstance(each, Integral | Problem):
            raise InputError(f"{each!r:.40} is not a problem: give numbers of rows, or problems")
        problems.append(Queens(int(each)) if isinstance(each, Integral) else each)
    if not problems:
        raise InputError("no problems: give numbers of rows, or problems")
    return problems
