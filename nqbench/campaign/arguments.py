"""Reads the arguments of the functions for notebooks that are no settings."""

import re
from collections.abc import Iterable
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nqbench.campaign.ranges import parse_densities, parse_range
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits, ProofLimits
from nqbench.common.parsing import Kind, byte_count, duration, name_list, path, whole_number
from nqbench.common.spelling import ComponentName
from nqbench.problems.base import Problem
from nqbench.problems.families.cnf import formulas
from nqbench.problems.queens import Queens

if TYPE_CHECKING:
    import polars as pl

_LIKE_A_PATH: Final = r"[/.\\]\w*[a-z]"
_LIKE_A_RANGE: Final = r"\w+\.\.\w"


def problems(argument: Any) -> list[Problem]:
    """Problems, numbers n, a range as text as on the command line, or paths of formulas and of
    folders with them. Raises `InputError`.
    """
    if _is_path(argument):
        return list(formulas(argument))
    if isinstance(argument, str):
        return _list_problems(parse_range(argument))
    return _list_problems(argument)


def _is_path(argument: Any) -> bool:
    """Whether it is the path of a formula, and no range such as '4..30'."""
    return isinstance(argument, PathLike) or (
        isinstance(argument, str)
        and re.search(_LIKE_A_PATH, argument) is not None
        and re.match(_LIKE_A_RANGE, argument) is None
    )


def is_file(argument: str) -> bool:
    """Whether it is the path of a formula, and no name of a family, which may be in a file."""
    return _is_path(argument) and not ComponentName.parse(argument).is_from_file


def _list_problems(argument: Any) -> list[Problem]:
    """One or several problems as a list; a number n is the empty n x n board.

    Raises `InputError` for anything else.
    """
    is_one = isinstance(argument, Integral | Problem)
    is_several = isinstance(argument, Iterable) and not isinstance(argument, str | bytes)
    if not is_one and (not is_several or _is_model(argument)):
        raise InputError(f"no problems: {_no_problem(argument)}")
    problems: list[Problem] = []
    for entry in [argument] if is_one else argument:
        if _is_path(entry):
            problems += formulas(entry)
        elif isinstance(entry, Integral | Problem):
            problems.append(Queens(int(entry)) if isinstance(entry, Integral) else entry)
        else:
            raise InputError(_no_problem(entry))
    if not problems:
        raise InputError("no problems: give numbers of rows, or problems")
    return problems


def _no_problem(argument: object) -> str:
    """Why it is no problem, in a line."""
    if _is_model(argument):
        library = type(argument).__module__.partition(".")[0]
        return f"write nqbench.constraints(model) for a model of {library}"
    shown = " ".join(f"{argument!r:.40}".split())
    return f"{shown} is not a problem: give numbers of rows, or problems"


def _is_model(argument: object) -> bool:
    from nqbench.problems.python_models import cpmpy_models, pysat_formulas

    return cpmpy_models.is_cpmpy(argument) or pysat_formulas.is_pysat(argument)


def sizes(argument: Any) -> list[int]:
    """Numbers n: one, several, or a range as text. Raises `InputError`."""
    if isinstance(argument, str):
        return parse_range(argument)
    return [
        whole_number("n", n) for n in (argument if isinstance(argument, Iterable) else [argument])
    ]


SIZES: Final = Kind("range", lambda _, value: sizes(value), parse_range)
"""Numbers n."""


def densities(argument: Any) -> list[float]:
    """Densities: one, several, or a range as text. Raises `InputError`."""
    if isinstance(argument, str):
        return parse_densities(argument)
    numbers = list(argument) if isinstance(argument, Iterable) else [argument]
    if not all(isinstance(number, Real) for number in numbers):
        raise InputError(f"density is {argument!r:.40}: give numbers, or '0.5..1..0.1'")
    return [float(number) for number in numbers]


def paths(argument: Any) -> list[Path]:
    """One path or several. Raises `InputError`."""
    several = isinstance(argument, Iterable) and not isinstance(argument, str | PathLike)
    return [path(entry) for entry in (argument if several else [argument])]


def problem(argument: Any, command: str) -> Problem:
    """One problem, or the formula at a path, for what takes only one. Raises `InputError`."""
    if _is_path(argument) and path(argument).is_dir():
        raise InputError(f"{argument} is a folder: {command} takes one formula")
    listed = problems(argument)
    if len(listed) > 1:
        raise InputError(f"{command} takes one problem, not {len(listed)}")
    return listed[0]


def columns(argument: Any) -> list[str]:
    """Columns to group by, given like `names`; none for None or 'none'. Raises `InputError`."""
    names = [] if argument is None else name_list("by", argument)
    return [] if names == ["none"] else names


def limits(time_limit: Any, memory_limit: Any) -> Limits:
    """The limits of a process. Raises `InputError`."""
    return Limits(duration("time_limit", time_limit), byte_count("memory_limit", memory_limit))


def proofs(time_limit: Any, size_limit: Any) -> ProofLimits:
    """The limits of a proof; None stands for the default of each. Raises `InputError`."""
    usual = ProofLimits()
    return ProofLimits(
        usual.time_s if time_limit is None else duration("proof_time", time_limit),
        usual.size_bytes if size_limit is None else byte_count("proof_size", size_limit),
    )


def metric(records: "pl.DataFrame", name: Any) -> str:
    """The metric of these records with this name. Raises `InputError` if there is none."""
    from nqbench import summary

    return summary.metric(records, str(name))


def records(argument: Any, command: str) -> "pl.DataFrame":
    """Records in a table of Polars, or of pandas. Raises `InputError` for anything else."""
    import polars as pl

    from nqbench.records import sources

    if isinstance(argument, pl.DataFrame):
        return sources.as_polars(argument)
    if not sources.is_table(argument):
        raise InputError(f"{command} takes a table of records, as returned by run or read")
    return sources.of_table(argument)
