"""Reads the arguments of the functions for notebooks that are no settings."""

import re
from collections.abc import Iterable
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

from nqbench.campaign.ranges import parse_densities, parse_range
from nqbench.common.errors import InputError
from nqbench.common.limits import ProofLimits
from nqbench.common.parsing import byte_count, duration, name_list, path, whole_number
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens


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
    return [whole_number("n", each) for each in (given if isinstance(given, Iterable) else [given])]


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
    chosen = [] if given is None else name_list("by", given)
    return [] if chosen == ["none"] else chosen


def proofs(time_limit: Any, size_limit: Any) -> ProofLimits:
    """The limits of a proof; None stands for the default of each. Raises `InputError`."""
    usual = ProofLimits()
    return ProofLimits(
        usual.time_s if time_limit is None else duration("proof_time", time_limit),
        usual.size_bytes if size_limit is None else byte_count("proof_size", size_limit),
    )


def metric(records: Any, name: Any, what: str) -> str:
    """The metric of these records with this name. Raises `InputError` if there is none, or if these
    are no records.
    """
    import polars as pl

    from nqbench import summary

    if not isinstance(records, pl.DataFrame):
        raise InputError(f"{what} takes a table of records, as returned by run or read")
    return summary.metric(records, str(name))
