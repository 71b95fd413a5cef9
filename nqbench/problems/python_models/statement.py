"""A formula as it is stated from Python, and what its variables are to the caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Final

import numpy as np

from nqbench.clauses.cnf import CNF
from nqbench.clauses.comment_lines import NO_ANNOTATIONS, Annotations
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.definitions import SoftClauses
from nqbench.clauses.rows import AT_LEAST, AT_MOST, CLAUSE, EXACTLY, Objective, whole_numbers
from nqbench.clauses.stated_rows import StatedRows
from nqbench.common.errors import InputError

_LARGEST_VARIABLE: Final = 2**31 - 1

_RELATIONS: Final = {
    ">=": (AT_LEAST, 0),
    ">": (AT_LEAST, 1),
    "<=": (AT_MOST, 0),
    "<": (AT_MOST, -1),
    "=": (EXACTLY, 0),
    "==": (EXACTLY, 0),
}
"""For each comparison the relation, and what to add to the bound."""


class Stated:
    """A formula and the variables that count: the first so many, or those that the caller names.
    Its variables are numbers.
    """

    has_names = False

    def __init__(self, formula: Formula, num_shown: int, *, may_have_more: bool = False) -> None:
        """With `may_have_more`, nobody says which of the first so many are auxiliary."""
        self.formula = formula
        self.num_shown = num_shown
        self._may_have_more = may_have_more
        self._named: Sequence[int] | None = None

    @property
    def doubt(self) -> str:
        """Why the number of models may not be what the caller means; empty if it is."""
        if not self._may_have_more or self._named is not None:
            return ""
        return (
            f"all {self.num_shown} variables count, also those that CardEnc, PBEnc or others have "
            "added: name those that count, as in nqbench.constraints(formula, shown=range(1, 5))"
        )

    def show(self, variables: Iterable[Any]) -> None:
        """Let these variables count and no others. Raises `InputError` for what is none."""
        literals = Statement().checked(variables)
        for literal in literals:
            if not 0 < literal <= self.num_shown:
                count = self.num_shown
                raise InputError(f"{literal} is no variable of the model, which has {count}")
        if not literals:
            raise InputError("shown is empty: name the variables that count")
        self._named = sorted(set(literals))

    @property
    def is_clauses(self) -> bool:
        """Whether it has neither rows nor an objective."""
        return isinstance(self.formula, CNF)

    @property
    def annotations(self) -> Annotations:
        """The line that says which variables count, unless all do."""
        variables = self._named or range(1, self.num_shown + 1)
        if not 0 < len(variables) < self.formula.num_variables:
            return NO_ANNOTATIONS
        shown = " ".join(map(str, variables))
        return Annotations(after=(f"c p show {shown} 0".encode(),))

    def values(self, literals: Sequence[int]) -> Mapping[Any, Any]:
        """The values of the caller's variables, by the literals that are true."""
        return {abs(literal): literal > 0 for literal in literals}

    def assign(self, literals: Sequence[int]) -> None:
        """Set the values of the caller's variables, if they can hold values."""


@dataclass
class Statement:
    """Clauses, rows, soft clauses and an objective as a caller states them, one after another. Each
    is checked when it is stated: `InputError` says what is wrong.
    """

    num_variables: int = 0
    _literals: list[int] = field(default_factory=list)
    _weights: list[int] = field(default_factory=list)
    _lengths: list[int] = field(default_factory=list)
    _relations: list[int] = field(default_factory=list)
    _bounds: list[int] = field(default_factory=list)
    _soft: list[tuple[list[int], int]] = field(default_factory=list)
    _objective: tuple[list[int], list[int], int, bool] | None = None

    def clause(self, literals: Iterable[Any]) -> None:
        """At least one of these literals is true."""
        clause = self.checked(literals)
        self._add(clause, [1] * len(clause), CLAUSE, 1)

    def row(
        self, literals: Iterable[Any], weights: Iterable[Any] | None, comparison: str, bound: Any
    ) -> None:
        """The weights of the true literals add up to what comparison and bound say. Without
        weights, all are 1.
        """
        row = self.checked(literals)
        factors = [1] * len(row) if weights is None else _weights_of(weights)
        if len(factors) != len(row):
            raise InputError(
                f"a row has {len(row)} literals and {len(factors)} weights: give one for each"
            )
        if not isinstance(comparison, str) or comparison not in _RELATIONS:
            raise InputError(f"{comparison!r:.20} is no comparison: write {' '.join(_RELATIONS)}")
        relation, shift = _RELATIONS[comparison]
        self._add(row, factors, relation, _whole(bound) + shift)

    def soft(self, literals: Iterable[Any], weight: Any) -> None:
        """A model that makes this clause false costs its weight."""
        cost = _whole(weight)
        if cost <= 0:
            raise InputError(f"the weight {cost} of a soft clause is not positive")
        self._soft.append((self.checked(literals), cost))

    def objective(
        self,
        literals: Iterable[Any],
        weights: Iterable[Any],
        constant: int = 0,
        *,
        is_maximised: bool,
    ) -> None:
        """The weights of the true literals and the constant are as small or large as possible."""
        terms, factors = self.checked(literals), _weights_of(weights)
        if len(factors) != len(terms):
            raise InputError(
                f"the objective has {len(terms)} literals and {len(factors)} weights: give one "
                "for each"
            )
        self._objective = terms, factors, _whole(constant), is_maximised

    def formula(self) -> Formula:
        """All of it."""
        num_stated = self.num_variables
        soft, objective = self._with_constants()
        stated = StatedRows(
            np.array(self._literals, np.int32),
            None if all(weight == 1 for weight in self._weights) else whole_numbers(self._weights),
            np.array(self._lengths, np.int64),
            np.array(self._relations, np.uint8),
            whole_numbers(self._bounds),
        )
        formula = stated.formula(self.num_variables)
        self.num_variables = num_stated
        if soft:
            flat = [literal for literals, _ in soft for literal in literals]
            return SoftClauses(
                np.array(flat, np.int32),
                np.array([len(literals) for literals, _ in soft], np.int64),
                whole_numbers([weight for _, weight in soft]),
            ).relaxed(formula)
        if objective is None:
            return formula
        constraints = Constraints(formula) if isinstance(formula, CNF) else formula
        return Constraints(constraints.cnf, constraints.rows, objective)

    def _with_constants(self) -> tuple[list[tuple[list[int], int]], Objective | None]:
        """Soft clauses and objective. No format has constants: they become the weight of a new
        variable, which has to be true.
        """
        if self._soft and self._objective:
            raise InputError("soft clauses are an objective: give no other")
        empty = sum(weight for literals, weight in self._soft if not literals)
        soft = [(literals, weight) for literals, weight in self._soft if literals]
        if empty:
            soft.append(([-self._always()], empty))
        if self._objective is None:
            return soft, None
        literals, weights, constant, is_maximised = self._objective
        if constant:
            literals, weights = [*literals, self._always()], [*weights, constant]
        return soft, Objective.of(literals, weights, is_maximised=is_maximised)

    def _always(self) -> int:
        """A new variable that has to be true."""
        self.clause([self.num_variables + 1])
        return self.num_variables

    def _add(self, literals: list[int], weights: list[int], relation: int, bound: int) -> None:
        self._literals += literals
        self._weights += weights
        self._lengths.append(len(literals))
        self._relations.append(relation)
        self._bounds.append(bound)

    def checked(self, literals: Iterable[Any]) -> list[int]:
        """The literals as integers. Raises `InputError` for anything else."""
        if isinstance(literals, str) or not isinstance(literals, Iterable):
            raise InputError(f"{literals!r:.40} is no list of literals")
        checked = list(map(_literal, literals))
        self.num_variables = max(self.num_variables, *map(abs, checked), 0)
        return checked


def _literal(value: Any) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise InputError(f"{value!r:.40} is no literal: write a variable's number v, or -v")
    literal = int(value)
    if not 0 < abs(literal) <= _LARGEST_VARIABLE:
        raise InputError(f"{literal} is no literal: variables are 1 to 2147483647")
    return literal


def _weights_of(weights: Iterable[Any]) -> list[int]:
    if isinstance(weights, str) or not isinstance(weights, Iterable):
        raise InputError(f"{weights!r:.40} is no list of weights")
    return list(map(_whole, weights))


def _whole(value: Any) -> int:
    if not isinstance(value, Integral):
        raise InputError(f"{value!r:.40} is not a whole number")
    return int(value)
