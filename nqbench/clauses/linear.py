"""Clauses and rows as linear inequalities, for solvers of integer programs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.rows import Objective
from nqbench.common.errors import InputError


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum of 0-1 variables with these coefficients, which may be negative: at least `least` and
    at most `most`, None without such a bound.
    """

    variables: list[int]
    coefficients: list[int]
    least: int | None
    most: int | None


def linear_rows(formula: Formula) -> Iterator[Linear]:
    """Yield each clause and row in terms of its variables: w ~x is w - w x.

    >>> next(linear_rows(CNF(2, 2, (np.array([[1, -2]], np.int32),))))
    Linear(variables=[1, 2], coefficients=[1, -1], least=0, most=None)
    """
    constraints = formula if isinstance(formula, Constraints) else Constraints(formula)
    for clause in constraints.cnf.clauses():
        # A literal that is there twice is one, and a clause with x and ~x says nothing.
        literals = list(dict.fromkeys(clause))
        if not any(-literal in literals for literal in literals):
            yield _in_variables(literals, [1] * len(literals), 1, None)
    for rows in constraints.rows:
        for literals, weights, least, most in rows.one_by_one():
            bounds = least if least > 0 else None, most if most < sum(weights) else None
            yield _in_variables(literals, weights, *bounds)


def clauses_of(clauses: Sequence[Sequence[int]], num_variables: int) -> CNF:
    """These clauses as a formula, without any others."""
    blocks = tuple(np.array([clause], np.int32).reshape(1, -1) for clause in clauses)
    return CNF(num_variables, num_variables, blocks)


def linear_objective(objective: Objective) -> Linear:
    """The objective in terms of its variables, without its constant part and bounds."""
    literals, weights = objective.literals.tolist(), objective.weights.tolist()
    return _in_variables(literals, weights, None, None)


def check_sums(formula: Formula, largest: int, solver: str) -> None:
    """Raise `InputError` if the weights of a row or of the objective add up to more than this."""
    if not isinstance(formula, Constraints):
        return
    sums = [int(rows.totals.max(initial=0)) for rows in formula.weighted]
    sums += [] if formula.objective is None else [formula.objective.total]
    if reason := why_too_large(max(sums, default=0), largest, solver):
        raise InputError(reason)


def why_too_large(total: int, largest: int, solver: str) -> str | None:
    """Why a solver does not take weights that add up to this, in words; None if it does."""
    if total <= largest:
        return None
    return (
        f"backend '{solver}' takes weights that add up to at most {largest:,}, not {total:,}: "
        "choose for instance exact, or an encoding"
    )


def _in_variables(
    literals: list[int], weights: list[int], least: int | None, most: int | None
) -> Linear:
    pairs = list(zip(literals, weights, strict=True))
    negated = sum(weight for literal, weight in pairs if literal < 0)
    return Linear(
        [abs(literal) for literal in literals],
        [weight if literal > 0 else -weight for literal, weight in pairs],
        None if least is None else least - negated,
        None if most is None else most - negated,
    )
