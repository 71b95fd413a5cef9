"""What happens inside the process that makes an instance, and what is told of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from nqbench.encodings.base import Encoding
from nqbench.errors import InputError
from nqbench.formula import Formula
from nqbench.instance import Instance
from nqbench.measure.timing import PhaseTime
from nqbench.problem import Problem


@dataclass(slots=True)
class EncodeReport:
    """What it cost to encode, or what is wrong with the file that was to be read."""

    spent: PhaseTime = field(default_factory=PhaseTime)
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
    if not isinstance(instance, Problem):
        instance.check()
        for piece in instance.pack():
            write(piece)
    return msgspec.msgpack.encode(report)


def _instance(encoding: Encoding | None, problem: Problem | Formula) -> Instance:
    if isinstance(problem, Formula):
        return problem.read()
    assert encoding is not None
    return encoding.encode(problem)
