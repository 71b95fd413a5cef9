"""What happens inside the process that makes an instance, and what is told of it."""

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
    """What it cost to encode, and the digest of what was made, None of a problem as it is; or what
    is wrong with the file that was to be read.
    """

    spent: PhaseTime = field(default_factory=PhaseTime)
    digest: str | None = None
    flaw: str = ""


def encode(
    encoding: Encoding | None, problem: Problem | Formula, write: Callable[[memoryview], object]
) -> bytes:
    """Encode, write the packed instance, and return the packed `EncodeReport`. A formula needs no
    encoding: it is read.
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
    """Raise `SolverError` if `decode` finds a solution where the model has none in it: what it
    returns must come from the model, and not from a search of its own.
    """
    if problem.n == 1:
        return  # here nothing can be read wrongly
    size = model_size(instance)
    for value in (False, True):
        try:
            placement = decoded(encoding, problem, np.full(size, value))
        except (IndexError, ValueError):
            continue  # it may object to what is no model
        if problem.violation(placement) is None:
            raise SolverError(
                f"decode() of {encoding.name} finds a solution where all of {size} values are "
                f"{str(value).lower()}"
            )
