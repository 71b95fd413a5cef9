"""Clauses with rows, and perhaps an objective, as a model of CP-SAT: see `cp_sat`."""

from collections.abc import Sequence
from typing import Any, Final

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.linear import check_sums, linear_objective
from nqbench.clauses.rows import Objective, Rows

LARGEST_SUM: Final = 2**62 - 1
"""What the weights of a row or objective add up to at most."""

SOURCE: Final = """\
count, clauses, rows = read(path)
variables = [model.new_bool_var("") for _ in range(count)]
literals = [None, *variables, *(~x for x in reversed(variables))]  # literals[-v] is not v
for clause in clauses:
    model.add_bool_or([literals[v] for v in clause])
for row, most in rows:
    if most == 1:
        model.add_at_most_one([literals[v] for v in row])
    else:
        model.add_linear_constraint(sum(literals[v] for v in row), 0, most)
"""
"""What `model` does, as source text for a file."""


def model(formula: Constraints) -> tuple[Any, list[Any]]:
    """A `CpModel` with a BoolOr for each clause, an AtMostOne or a linear constraint for each row,
    the objective to minimise, and a Boolean for each variable. Raises `InputError` for sums beyond
    what CP-SAT takes: it computes with 64 bits, and does not refuse all numbers beyond those.
    """
    from ortools.sat.python import cp_model

    check_sums(formula, LARGEST_SUM, "cp-sat")
    cp_sat_model = cp_model.CpModel()
    variables = [cp_sat_model.new_bool_var("") for _ in range(formula.num_variables)]
    # Indexed by literal: positive from the start, negative from the end.
    literals = [None, *variables, *(~variable for variable in reversed(variables))]
    for clause in formula.cnf.clauses():
        cp_sat_model.add_bool_or([literals[v] for v in clause])
    for most, rows in formula.by_bound():
        for row in rows.clauses():
            constrained = [literals[v] for v in row]
            if most == 1:
                cp_sat_model.add_at_most_one(constrained)
            else:
                cp_sat_model.add_linear_constraint(sum(constrained), 0, most)
    for weighted in formula.weighted:
        add_weighted(cp_sat_model, literals, weighted)
    if formula.objective is not None:
        minimise(cp_sat_model, variables, formula.objective)
    return cp_sat_model, variables


def add_weighted(cp_sat_model: Any, literals: Sequence[Any], rows: Rows) -> None:
    """Add a linear constraint for each row. `literals` are indexed by literal."""
    for row, weights, least, most in rows.one_by_one():
        total = sum(w * literals[v] for v, w in zip(row, weights, strict=True))
        cp_sat_model.add_linear_constraint(total, least, min(most, sum(weights)))


def minimise(cp_sat_model: Any, variables: Sequence[Any], objective: Objective) -> None:
    """Ask for the least value of the objective, but for its constant part."""
    terms = linear_objective(objective)
    cp_sat_model.minimize(
        sum(c * variables[v - 1] for v, c in zip(terms.variables, terms.coefficients, strict=True))
    )
