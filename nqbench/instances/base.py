"""What an encoding makes and a backend takes: clauses, a CSP, or the problem as it is."""

from dataclasses import dataclass
from typing import assert_never

from nqbench.instances.cnf import CNF, Assignment
from nqbench.instances.csp import CSP
from nqbench.problems.base import Problem

Instance = CNF | CSP | Problem


def model_size(instance: Instance) -> int:
    """How many truth values a model has: one for each variable of a CNF, for each variable and
    value of a CSP, for each square of a problem.
    """
    match instance:
        case CNF():
            return instance.num_variables
        case CSP():
            return instance.model_size
        case Problem():
            return instance.n * instance.n
        case _:
            assert_never(instance)


@dataclass(frozen=True, slots=True)
class Size:
    """What can be counted of an instance; nothing of a problem as it is."""

    variables: int | None = None
    clauses: int | None = None
    literals: int | None = None
    constraints: int | None = None


def size(instance: Instance) -> Size:
    """Count what the instance is made of."""
    match instance:
        case CNF():
            return Size(instance.num_variables, instance.num_clauses, instance.num_literals)
        case CSP():
            return Size(instance.num_variables, constraints=instance.num_constraints)
        case Problem():
            return Size()
        case _:
            assert_never(instance)


def broken_by(instance: Instance, model: Assignment) -> str | None:
    """What a model of the right size breaks of an instance, in words; None if nothing.

    Of a problem nothing is said here: its rules are those of the board.
    """
    match instance:
        case CNF():
            clause = instance.falsified(model)
            if clause is None:
                return None
            return f"the model falsifies the clause {' '.join(map(str, clause)) or '(empty)'}"
        case CSP():
            return instance.broken_by(model)
        case Problem():
            return None
        case _:
            assert_never(instance)
