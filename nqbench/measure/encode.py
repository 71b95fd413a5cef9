"""Runs in the process that makes an instance, and reports the result."""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import numpy as np

from nqbench.encodings.base import Encoding, decoded
from nqbench.errors import InputError, SolverError
from nqbench.instances.base import Instance, model_size
from nqbench.instances.formula import Formula
from nqbench.measure.timing import PhaseTime
from nqbench.problems.base import Problem


@dataclass(slots=True)
class EncodeReport:
    """What encoding cost, and the digest of the instance (None for an unencoded problem); or the
    flaw of the formula's file.
    """

    spent: PhaseTime = field(default_factory=PhaseTime)
    digest: str | None = None
    flaw: str = ""


def encode(
    encoding: Encoding | None, problem: Problem | Formula, write: Callable[[memoryview], object]
) -> bytes:
    """Encode, write the packed instance, and return the packed `EncodeReport`. A formula is read
    instead of encoded.
    """
    report = EncodeReport()
    try:
        with report.spent:
            instance = _instance(encoding, problem)
    except InputError as error:
        if not isinstance(problem, Formula):
            raise
        report.flaw = str(error)
        return msgspec.msgpack.encode(report)
    if encoding and isinstance(problem, Problem):
        _check_decode(encoding, problem, instance)
    if not isinstance(instance, Problem):
        instance.check()
        report.digest = instance.digest()
        for piece in instance.pack():
            write(piece)
    return msgspec.msgpack.encode(report)


def _instance(encoding: Encoding | None, problem: Problem | Formula) -> Instance:
    if isinstance(problem, Formula):
        return problem.read()
    assert encoding is not None
    return encoding.encode(problem)


def _check_decode(encoding: Encoding, problem: Problem, instance: Instance) -> None:
    """Raise `SolverError` if `decode` returns a solution for values that contain none: it has to
    read the model, and must not search for a solution itself.
    """
    if problem.n == 1:
        return  # the only placement is always a solution
    size = model_size(instance)
    for value in (False, True):
        try:
            placement = decoded(encoding, problem, np.full(size, value))
        except (IndexError, ValueError):
            continue  # it may refuse values that are not a model
        if problem.violation(placement) is None:
            raise SolverError(
                f"decode() of {encoding.name} finds a solution where all of {size} values are "
                f"{str(value).lower()}"
            )
