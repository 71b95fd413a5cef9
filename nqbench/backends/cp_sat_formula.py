"""Clauses with at-most-k constraints as a model of CP-SAT: see `cp_sat`."""

from typing import Any, Final

from nqbench.clauses.constraints import Constraints

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
    """A `CpModel` with a BoolOr for each clause, an AtMostOne or a linear constraint for each
    constraint, and a Boolean for each variable.
    """
    from ortools.sat.python import cp_model

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
    return cp_sat_model, variables
