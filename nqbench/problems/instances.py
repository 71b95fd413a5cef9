"""Instances, which encodings make and backends take: clauses, constraints, a CSP, or problems."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from nqbench.clauses.cnf import CNF, Assignment
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.csp import CSP
from nqbench.common.vocabulary import Form
from nqbench.problems.base import Problem

Instance = Formula | CSP | Problem


def model_size(instance: Instance) -> int:
    """The number of truth values in a model: one for each variable of a CNF, for each variable and
    value of a CSP, or for each option of a problem.
    """
    match instance:
        case CNF() | Constraints():
            return instance.num_variables
        case CSP():
            return instance.model_size
        case Problem():
            return len(instance.options)
        case _:
            assert_never(instance)


@dataclass(frozen=True, slots=True)
class Size:
    """The counts of an instance; None for what it does not have."""

    variables: int | None = None
    clauses: int | None = None
    literals: int | None = None
    constraints: int | None = None


def instance_size(instance: Instance) -> Size:
    """Count the parts of an instance."""
    match instance:
        case CNF():
            return Size(instance.num_variables, instance.num_clauses, instance.num_literals)
        case Constraints():
            return Size(
                instance.num_variables,
                instance.cnf.num_clauses,
                instance.num_literals,
                instance.num_rows,
            )
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
        case CNF() | Constraints() | CSP():
            return instance.broken_by(model)
        case Problem():
            return None
        case _:
            assert_never(instance)


def check_instance(instance: Instance) -> None:
    """Raise `ValueError` if an instance is not well formed. A problem always is."""
    if not isinstance(instance, Problem):
        instance.check()


_KINDS: Final[Mapping[Form, type[Formula | CSP]]] = {
    Form.CNF: CNF,
    Form.CNF_PLUS: Constraints,
    Form.CSP: CSP,
    Form.COVER: Constraints,
}


def unpack_instance(form: Form, buffer: memoryview) -> Formula | CSP:
    """A view of packed bytes as an instance. Raises `ValueError` if they are not one."""
    kind = _KINDS[form]
    # A formula may have rows, as a file of constraints has them, or none.
    if kind is not CSP and not CNF.is_packed(buffer):
        kind = Constraints
    return kind.unpack(buffer)
