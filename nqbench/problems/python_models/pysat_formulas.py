"""Lists of clauses and rows, and PySAT's `CNF`, `CNFPlus`, `WCNF` and `WCNFPlus`.

PySAT is not imported: its formulas are recognised by their fields.

A. Ignatiev, A. Morgado, J. Marques-Silva, "PySAT: a Python toolkit for prototyping with SAT
oracles", SAT 2018.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from nqbench.common.errors import InputError
from nqbench.problems.python_models.statement import Stated, Statement

_ROW: Final = 4


def is_pysat(model: Any) -> bool:
    """Whether this is a formula of PySAT."""
    return type(model).__module__.startswith("pysat.") and (
        hasattr(model, "clauses") or hasattr(model, "hard")
    )


def of_pysat(formula: Any) -> Stated:
    """A formula of PySAT. Raises `InputError` for weights that are not whole numbers, and for one
    that has no clauses yet, such as `And`.
    """
    if not hasattr(formula, "nv"):
        kind = type(formula).__name__
        raise InputError(
            f"{kind} of PySAT has no clauses yet: give "
            "pysat.formula.CNF(from_clauses=list(model)), which has auxiliary variables as well"
        )
    statement = Statement()
    is_weighted = hasattr(formula, "hard")
    for clause in formula.hard if is_weighted else formula.clauses:
        statement.clause(clause)
    at_most = getattr(formula, "atms" if is_weighted else "atmosts", ())
    for literals, bound, *weights in at_most:
        statement.row(literals, weights[0] if weights else None, "<=", bound)
    if is_weighted:
        for clause, weight in zip(formula.soft, formula.wght, strict=True):
            statement.soft(clause, weight)
    statement.num_variables = max(statement.num_variables, int(formula.nv))
    return Stated(statement.formula(), statement.num_variables, may_have_more=True)


def of_lists(
    lines: Iterable[Any],
    minimize: tuple[Sequence[int], Sequence[int]] | None,
    maximize: tuple[Sequence[int], Sequence[int]] | None,
) -> Stated:
    """Clauses `[1, -2]`, and rows `([1, 2, 3], [2, 1, 1], ">=", 2)`: literals, weights, comparison
    and bound. Raises `InputError` for anything else.
    """
    statement = Statement()
    for line in lines:
        if isinstance(line, tuple) and any(isinstance(part, str) for part in line):
            if len(line) != _ROW:
                raise InputError(
                    f"the row {line!r:.60} has {len(line)} parts: give literals, weights, "
                    "comparison and bound"
                )
            statement.row(*line)
        else:
            statement.clause(line)
    for objective, is_maximised in ((minimize, False), (maximize, True)):
        if objective is None:
            continue
        if not isinstance(objective, tuple) or len(objective) != 2:
            raise InputError(f"{objective!r:.40} is no objective: give (literals, weights)")
        statement.objective(*objective, is_maximised=is_maximised)
    return Stated(statement.formula(), statement.num_variables)
