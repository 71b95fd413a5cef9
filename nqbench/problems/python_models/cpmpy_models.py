"""Models of CPMpy as rows, by its own linearisation and encoding of integers.

T. Guns, "Increasing modeling language convenience with a universal n-dimensional array, CPpy as
Python-embedded example", ModRef 2019; CPMpy 1.1, `cpmpy.transformations.to_opb`.
"""

import re
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Final

from nqbench.common.errors import InputError, UnavailableError
from nqbench.plugins import install
from nqbench.problems.python_models.statement import Stated, Statement

_FALSE: Final = "Cannot transform"
"""How CPMpy refuses a model that has `False` as a constraint."""


def is_cpmpy(model: Any) -> bool:
    """Whether this is a model of CPMpy."""
    return type(model).__module__.startswith("cpmpy.") and hasattr(model, "constraints")


def of_cpmpy(model: Any) -> Stated:
    """A model of CPMpy. Raises `InputError` if CPMpy cannot state it as rows, and
    `UnavailableError` if this CPMpy is too old.
    """
    try:
        from cpmpy.transformations import to_opb
    except ImportError:
        raise UnavailableError(
            f"the installed CPMpy has no linearisation to rows: {install.command('cpmpy>=1.1')}"
        ) from None
    assert to_opb
    return _Reading(model).stated()


class _StatedModel(Stated):
    """A model of CPMpy as rows. `terms` are, for each variable of the model, literals with weights
    and a constant, which add up to its value.
    """

    has_names = True

    def __init__(self, statement: Statement, num_shown: int, variables: "_Terms") -> None:
        super().__init__(statement.formula(), num_shown)
        self._variables = variables

    def values(self, literals: Sequence[int]) -> Mapping[Any, Any]:
        true = set(literals)
        values = {}
        for variable, terms, constant in self._variables:
            value = constant + sum(weight for weight, literal in terms if literal in true)
            values[variable] = bool(value) if variable.is_bool() else value
        return values

    def assign(self, literals: Sequence[int]) -> None:
        for variable, value in self.values(literals).items():
            variable._value = value


_Terms = list[tuple[Any, list[tuple[int, int]], int]]


class _Reading:
    """Reads one model: `numbers` has the number of each Boolean variable by its name."""

    def __init__(self, model: Any) -> None:
        from cpmpy.transformations.cse import CSEMap

        self.model = model
        self.csemap, self.encoded = CSEMap(), dict[str, Any]()
        self.numbers: dict[str, int] = {}

    def stated(self) -> Stated:
        try:
            variables, rows, objective = self._linearised()
        except (NotImplementedError, AssertionError, AttributeError, TypeError, ValueError) as e:
            # All of these are how CPMpy refuses a model.
            raise InputError(f"CPMpy cannot state this model as rows: {e or type(e)}") from e
        # Those of the model get the first numbers.
        terms = [(variable, *self._terms(variable)) for variable in variables]
        num_shown = len(self.numbers)
        statement = Statement()
        if objective is not None:
            self._state_objective(statement, objective)
        for row in rows:
            weighted_sum, bound = row.args
            weights, operands = weighted_sum.args
            statement.row(map(self._literal, operands), weights, ">=", bound)
        statement.num_variables = len(self.numbers)
        return _StatedModel(statement, num_shown, terms)

    def _linearised(self) -> tuple[list[Any], list[Any], list[tuple[int, Any]] | None]:
        """The variables of the model, its rows, and its objective if it has one."""
        from cpmpy.transformations.get_variables import get_variables

        asked = [] if self.model.objective_ is None else [self.model.objective_]
        variables = get_variables([*self.model.constraints, *asked])
        variables.sort(key=_by_name)
        rows = self._rows(self.model.constraints)
        objective = self._objective(rows) if asked else None
        for variable in (*variables, *(operand for _, operand in objective or ())):
            if not _is_number(variable) and not variable.is_bool():
                rows += self._encode(variable)
        return variables, rows, objective

    def _rows(self, constraints: Any) -> list[Any]:
        """CPMpy's rows: sums with weights, at least a bound."""
        from cpmpy import boolvar
        from cpmpy.transformations.to_opb import to_opb

        try:
            return list(to_opb(constraints, self.csemap, self.encoded))
        except NotImplementedError as error:
            if not str(error).startswith(_FALSE):
                raise
            never = boolvar()
            return list(to_opb([never, ~never], self.csemap, self.encoded))

    def _encode(self, variable: Any) -> list[Any]:
        """Encode an integer variable, and return the rows that say what its values are."""
        from cpmpy.expressions.core import Operator
        from cpmpy.transformations.int2bool import int2bool

        if variable.name in self.encoded:
            return []
        trivial = Operator("sum", [variable]) >= variable.lb
        return self._rows(int2bool([trivial], self.encoded))

    def _objective(self, rows: list[Any]) -> list[tuple[int, Any]]:
        """The weights and variables of the objective. What it needs besides is added to the rows.

        `cpmpy.transformations.to_opb_objective` leaves out the constants of integers and the rows
        that say what their values are, as of CPMpy 1.1.
        """
        from cpmpy.transformations.flatten_model import flatten_objective
        from cpmpy.transformations.linearize import (
            decompose_linear_objective,
            only_positive_bv_wsum,
        )
        from cpmpy.transformations.safening import safen_objective

        objective, safe = safen_objective(self.model.objective_)
        objective, decomposed = decompose_linear_objective(
            objective, supported=frozenset(), supported_reified=frozenset(), csemap=self.csemap
        )
        objective, flat = flatten_objective(objective, csemap=self.csemap)
        objective = only_positive_bv_wsum(objective)
        rows += self._rows([*safe, *decomposed, *flat])
        name = getattr(objective, "name", None)
        if name == "sum":
            return [(1, operand) for operand in objective.args]
        if name == "wsum":
            return list(zip(*objective.args, strict=True))
        return [(1, objective)]

    def _state_objective(self, statement: Statement, objective: list[tuple[int, Any]]) -> None:
        literals: list[int] = []
        weights: list[int] = []
        total = 0
        for factor, operand in objective:
            terms, constant = self._terms(operand)
            total += factor * constant
            literals += [literal for _, literal in terms]
            weights += [factor * weight for weight, _ in terms]
        is_maximised = not self.model.objective_is_min
        statement.objective(literals, weights, total, is_maximised=is_maximised)

    def _terms(self, operand: Any) -> tuple[list[tuple[int, int]], int]:
        """The weights and literals, and the constant, that add up to the operand's value."""
        if _is_number(operand):
            return [], int(operand)
        if operand.is_bool():
            return [(1, self._literal(operand))], 0
        terms, constant = self.encoded[operand.name].encode_term()
        return [(int(weight), self._literal(bit)) for weight, bit in terms], int(constant)

    def _literal(self, operand: Any) -> int:
        from cpmpy.expressions.variables import NegBoolView

        if isinstance(operand, NegBoolView):
            return -self._literal(operand._bv)
        return self.numbers.setdefault(operand.name, len(self.numbers) + 1)


def _by_name(variable: Any) -> list[tuple[str, int]]:
    """The name, whose numbers are ordered as numbers: x[2] is before x[10]."""
    parts = re.findall(r"(\D*)(\d*)", variable.name)
    return [(text, int(number or -1)) for text, number in parts]


def _is_number(operand: Any) -> bool:
    return isinstance(operand, Integral)
