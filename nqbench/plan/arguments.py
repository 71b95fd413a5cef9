"""Reads the arguments of calls from Python. Each function raises `InputError` for anything else."""

from collections.abc import Iterable
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

from nqbench.errors import InputError
from nqbench.limits import ProofLimits, parse_duration, parse_size
from nqbench.vocabulary import Task, When


def names(what: str, given: Any) -> list[str] | None:
    """A list of names, given as one or as a text with commas; None stays None."""
    if given is None:
        return None
    if isinstance(given, str):
        return [name.strip() for name in given.split(",")]
    names = list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"{what} is {given!r:.40}: give a list of names")
    return names


def task(given: Any) -> Task:
    """The task with this name."""
    if given not in set(Task):
        raise InputError(f"unknown task '{given}': choose from {', '.join(Task)}")
    return Task(given)


def whole(what: str, given: Any, least: int = 1) -> int | None:
    """A whole number; None stays None."""
    return None if given is None else count(what, given, least)


def count(what: str, given: Any, least: int = 1) -> int:
    """A whole number from `least`."""
    if not isinstance(given, Integral) or isinstance(given, bool) or int(given) < least:
        raise InputError(f"{what} is {given!r:.40}: give a whole number from {least}")
    return int(given)


def duration(given: Any) -> float | None:
    """Seconds, given as a number or as text with a unit."""
    if isinstance(given, Real) and not isinstance(given, bool):
        return parse_duration(f"{float(given):f}s")
    return None if given is None else parse_duration(str(given))


def size(given: Any) -> int | None:
    """Bytes, given as a number or as text with a unit."""
    if isinstance(given, Integral) and not isinstance(given, bool):
        return parse_size(f"{int(given)}B")
    return None if given is None else parse_size(str(given))


def path(given: Any) -> Path:
    """A path, given as text or as one."""
    if not isinstance(given, str | PathLike):
        raise InputError(f"{given!r:.40} is not a path")
    return Path(given)


def when(given: Any) -> When:
    """When answers are checked."""
    if given not in set(When):
        raise InputError(f"unknown time to check '{given}': choose from {', '.join(When)}")
    return When(given)


def proofs(time: Any, size_: Any) -> ProofLimits:
    """The limits of a proof; None is the default of each."""
    default = ProofLimits()
    return ProofLimits(duration(time), size(size_) or default.size_bytes)
