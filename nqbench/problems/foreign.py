"""Problems of plugins: their code is not called where answers are judged, only in processes under
limits, and what they say of themselves identifies neither evidence nor runs.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any, Final

import msgspec

from nqbench.problems.base import Problem, digest_of

_PACKAGE: Final = __name__.partition(".")[0] + "."


def is_foreign(problem: Problem) -> bool:
    """Whether the class of the problem does not come with nqbench, whatever it calls itself."""
    kind = type(problem)
    module = sys.modules.get(kind.__module__) if kind.__module__.startswith(_PACKAGE) else None
    return getattr(module, kind.__qualname__, None) is not kind


def problem_key(problem: Problem) -> Hashable:
    """Equal for equal problems of one class. For those of plugins it is made from the fields, since
    a class can define its own equality.
    """
    if is_foreign(problem):
        return id(type(problem)), msgspec.msgpack.encode(msgspec.to_builtins(problem))
    return problem


def problem_identity(problem: Problem) -> dict[str, Any]:
    """See `Problem.identity`. Of a problem of a plugin, it is made from the fields."""
    if not is_foreign(problem):
        return problem.identity
    identity: property = vars(Problem)["identity"]
    facts: dict[str, Any] = identity.__get__(problem)
    return facts


def problem_digest(problem: Problem) -> str:
    """See `Problem.digest`. Of a problem of a plugin, it is made from the fields."""
    return digest_of(problem_identity(problem)) if is_foreign(problem) else problem.digest
