"""Reads the arguments of the functions for notebooks."""

import re
from collections.abc import Iterable
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

from nqbench.campaign.ranges import parse_densities, parse_range
from nqbench.errors import InputError
from nqbench.limits import ProofLimits, parse_count, parse_duration, parse_size
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens
from nqbench.vocabulary import Task, When


def names(what: str, given: Any) -> list[str] | None:
    """Names from a list, or from one text that separates them by commas. Raises `InputError`."""
    if given is None:
        return None
    if isinstance(given, str):
        return [name.strip() for name in given.split(",")]
    names = list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"{what} is {given!r:.40}: give a list of names")
    return names


def problems(given: Any) -> list[Problem]:
    """Problems, numbers n, or a range as text, as on the command line. Raises `InputError`."""
    if not isinstance(given, str):
        return _listed(given)
    try:
        return _listed(parse_range(given))
    except InputError as error:
        if re.search(r"[/.\\]\w*[a-z]", given):
            raise InputError(
                f"'{given}' is not a range: read formulas with nqbench.formulas, and other files "
                "with nqbench.problems_of"
            ) from error
        raise


def _listed(given: Any) -> list[Problem]:
    """One or several problems as a list; a number n is the empty n x n board.

    Raises `InputError` for anything else.
    """
    one = isinstance(given, Integral | Problem)
    if not one and (isinstance(given, str | bytes) or not isinstance(given, Iterable)):
        raise InputError(f"no problems: {given!r:.40} is not a number or a problem")
    problems: list[Problem] = []
    for each in [given] if one else given:
        if not isinstance(each, Integral | Problem):
            raise InputError(f"{each!r:.40} is not a problem: give numbers of rows, or problems")
        problems.append(Queens(int(each)) if isinstance(each, Integral) else each)
    if not problems:
        raise InputError("no problems: give numbers of rows, or problems")
    return problems


def sizes(given: Any) -> list[int]:
    """Numbers n: one, several, or a range as text. Raises `InputError`."""
    if isinstance(given, str):
        return parse_range(given)
    return [count("n", each) for each in (given if isinstance(given, Iterable) else [given])]


def densities(given: Any) -> list[float]:
    """Densities: one, several, or a range as text. Raises `InputError`."""
    if isinstance(given, str):
        return parse_densities(given)
    each = list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(one, Real) for one in each):
        raise InputError(f"density is {given!r:.40}: give numbers, or '0.5..1..0.1'")
    return [float(one) for one in each]


def paths(given: Any) -> list[Path]:
    """One path or several. Raises `InputError`."""
    several = isinstance(given, Iterable) and not isinstance(given, str | PathLike)
    return [path(each) for each in (given if several else [given])]


def problem(given: Any, what: str) -> Problem:
    """One problem, for what takes only one. Raises `InputError`."""
    found = problems(given)
    if len(found) > 1:
        raise InputError(f"{what} takes one problem, not {len(found)}")
    return found[0]


def columns(given: Any) -> list[str]:
    """Columns to group by, given like `names`; none for None or 'none'. Raises `InputError`."""
    chosen = names("by", given) or []
    return [] if chosen == ["none"] else chosen


def task(given: Any) -> Task:
    """The task with this name. Raises `InputError`."""
    if given not in set(Task):
        raise InputError(f"unknown task '{given}': choose from {', '.join(Task)}")
    return Task(given)


def whole(what: str, given: Any, least: int = 1) -> int | None:
    """A whole number from `least`, or None. Raises `InputError`."""
    return None if given is None else count(what, given, least)


def count(what: str, given: Any, least: int = 1) -> int:
    """A whole number from `least`, which may be a float such as 1e6. Raises `InputError`."""
    is_number = isinstance(given, Real) and not isinstance(given, bool)
    if not is_number or given % 1 or given < least:
        raise InputError(f"{what} is {given!r:.40}: give a whole number from {least}")
    return int(given)


def work(what: str, given: Any) -> int | None:
    """A limit of conflicts or propagations, as a number or as text such as '1e6', or None. Raises
    `InputError`.
    """
    return parse_count(given) if isinstance(given, str) else whole(what, given)


def yes_or_no(what: str, given: Any) -> bool | None:
    """True, False or None. Raises `InputError` for anything else."""
    if given is not None and not isinstance(given, bool):
        raise InputError(f"{what} is {given!r:.40}: give True or False")
    return given


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
    """A path. Raises `InputError` for what is not one."""
    if not isinstance(given, str | PathLike):
        raise InputError(f"{given!r:.40} is not a path")
    return Path(given)


def when(given: Any) -> When:
    """When answers are checked. Raises `InputError`."""
    if given not in set(When):
        raise InputError(f"check is {given!r:.40}: choose from {', '.join(When)}")
    return When(given)


def proofs(time_limit: Any, size_limit: Any) -> ProofLimits:
    """The limits of a proof; None stands for the default of each. Raises `InputError`."""
    usual = ProofLimits()
    return ProofLimits(duration(time_limit), size(size_limit) or usual.size_bytes)


def metric(records: Any, name: Any, what: str) -> str:
    """The metric of these records with this name. Raises `InputError` if there is none, or if these
    are no records.
    """
    import polars as pl

    from nqbench import summary

    if not isinstance(records, pl.DataFrame):
        raise InputError(f"{what} takes a table of records, as returned by run or read")
    return summary.metric(records, str(name))
