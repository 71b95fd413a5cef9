"""Runs in the process that makes an instance, and reports the result."""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import numpy as np

from nqbench.encodings.base import Encoding, decoded
from nqbench.errors import InputError, SolverError
from nqbench.instances.base import Instance, broken_by, model_size
from nqbench.instances.cnf import CNF
from nqbench.instances.cnf_plus import CNFPlus
from nqbench.measure.timing import PhaseTime
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution


@dataclass(slots=True)
class EncodeReport:
    """What encoding cost, and the digest of the instance (None for an unencoded problem); or why
    the problem has none, such as the flaw of a formula's file.
    """

    spent: PhaseTime = field(default_factory=PhaseTime)
    digest: str | None = None
    flaw: str = ""


def encode(encoding: Encoding, problem: Problem, write: Callable[[memoryview], object]) -> bytes:
    """Encode, write the packed instance, and return the packed `EncodeReport`."""
    report = EncodeReport()
    try:
        with report.spent:
            instance = encoding.encode(problem)
    except InputError as error:
        report.flaw = str(error)
        return msgspec.msgpack.encode(report)
    if problem.has_rules:
        _check_decode(encoding, problem, instance)
    if not isinstance(instance, Problem):
        instance.check()
        report.digest = instance.digest()
        for piece in instance.pack():
            write(piece)
    return msgspec.msgpack.encode(report)


def _check_decode(encoding: Encoding, problem: Problem, instance: Instance) -> None:
    """Raise `SolverError` if `decode` returns a solution for values that are no model, or the same
    one for opposite values: it has to read the model, and must not search for a solution itself.
    """
    size = model_size(instance)
    found: list[Solution] = []
    for value in (False, True) if size else ():
        try:
            solution = decoded(encoding, problem, np.full(size, value))
        except (IndexError, ValueError):
            continue  # it may refuse values that are not a model
        if problem.violation(solution) is not None:
            continue
        may_be_left_out = encoding.breaks_symmetry(problem)
        if solution in found or not (may_be_left_out or _may_be_model(problem, instance, value)):
            raise SolverError(
                f"decode() of {encoding.name} finds a solution where all of {size} values are "
                f"{str(value).lower()}"
            )
        found.append(solution)


def _may_be_model(problem: Problem, instance: Instance, value: bool) -> bool:
    """Whether the instance may have a model in which all main variables have this value."""
    if instance is problem:
        return problem.violation(problem.options if value else ()) is None
    if isinstance(instance, CNF | CNFPlus):
        cnf = instance if isinstance(instance, CNF) else instance.cnf
        about_main = [block[(np.abs(block) <= cnf.num_main).all(axis=1)] for block in cnf.blocks]
        instance = CNF(cnf.num_variables, cnf.num_main, tuple(about_main))
    return broken_by(instance, np.full(model_size(instance), value)) is None
