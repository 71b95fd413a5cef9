"""Asks an encoding for the literals of the options, in a separate process."""

import msgspec
import numpy as np

from nqbench.clauses.cnf import Block
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.encodings.base import Encoding
from nqbench.isolate import Isolation
from nqbench.problems.base import Problem


def option_literals(
    encoding: Encoding, problem: Problem, values: int, caller: Isolation, limits: Limits
) -> tuple[Block | None, str]:
    """The encoding's `option_literals` for models of so many values; otherwise None, and why."""

    def packed() -> bytes:
        literals = encoding.option_literals(problem)
        if literals is None:
            return b""
        if literals.dtype != np.int32 or literals.ndim != 2:
            raise ValueError(f"option_literals() returned {literals.dtype} {literals.shape}")
        return msgspec.msgpack.encode((literals.shape, literals.tobytes()))

    ending = caller.call("reading the options", packed, limits)
    if ending.outcome is not Outcome.FINISHED:
        return None, ending.message or str(ending.outcome)
    if not ending.payload:
        return None, "the encoding has no option_literals()"
    shape, content = msgspec.msgpack.decode(ending.payload, type=tuple[tuple[int, int], bytes])
    literals = np.frombuffer(content, dtype=np.int32).reshape(shape)
    is_known = literals.all() and np.abs(literals).max(initial=0) <= values
    if len(literals) != len(problem.options) or not is_known:
        return None, "option_literals() does not fit the options and the formula"
    return literals, ""
