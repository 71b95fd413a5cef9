"""Instances, which encodings make and backends take: clauses, a CSP, or the unencoded problem."""

from dataclasses import dataclass
from typing import assert_never

from nqbench.instances.cnf import CNF, Assignment
from nqbench.instances.csp import CSP
from nqbench.problems.base import Problem

Instance = CNF | CSP | Problem


def model_size(instance: Instance) -> int:
    """The number of truth values in a model: one for each variable of a CNF, for each variable and
    value of a CSP, or for each square of a problem.
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
    """The counts of an instance; None for what it does not have."""

    variables: int | None = None
    clauses: int | None = None
    literals: int | None = None
    constraints: int | None = None


def size(instance: Instance) -> Size:
    """Count the parts of an instance."""
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
    """The part of an instance that a model of the right size breaks, in words; None if nothing.

    Always None for a problem, whose rules `Problem.violation` checks.
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
