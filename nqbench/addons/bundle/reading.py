"""Reads a bundle, which may come from anybody: the gate for all that is in it.

First the archive is checked, then the records as those of any export, and then each run: its id
shows whether its problem, limits, solver and versions are those that were measured. What measured
a run is therefore as recorded, unless somebody also made a new id for it.
"""

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from nqbench.addons.bundle import archive, packed_problems
from nqbench.addons.bundle.archive import Archive
from nqbench.addons.bundle.packed_problems import formula_name
from nqbench.common.errors import InputError, Place
from nqbench.common.machine.environment import Environment
from nqbench.plugins import from_file
from nqbench.problems.families.cnf import Formula
from nqbench.records import component_files, facts, sources
from nqbench.records.record import Run

CONDITIONS: Final = "conditions.json"

KINDS: Final = ("encoding", "backend", "family")
"""The columns of records that name components."""

_LARGEST: Final = 2**30
"""The largest file in bytes that is read at once; all but formulas are."""


class _Conditions(msgspec.Struct):
    """The part of the conditions that is used: environments, each with its id."""

    environments: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Unknown:
    """The ids of runs of a family that is not installed here, and the reason in words."""

    family: str
    why: str
    runs: Sequence[str]


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is in a bundle: its records, the environments in which they were measured, by id, and
    the runs that can be measured again, by id. `unknown` are the runs whose family is not installed
    here.
    """

    path: Path
    records: pl.DataFrame
    environments: Mapping[str, Environment]
    runs: Mapping[str, Run]
    unknown: Sequence[Unknown]


@contextmanager
def opened(
    path: Path, permit: Callable[[Sequence[str]], Collection[str]] = lambda _: ()
) -> Iterator[Bundle]:
    """The bundle at this path. The files of its formulas are removed at the end of the block.
    `permit` gets the components from files that the bundle names, and returns the ones to be used.

    Raises an `InputError` with the path for a file that is no bundle, and for one that was changed.
    """
    with tempfile.TemporaryDirectory(prefix="nqbench-") as scratch:
        with archive.opened(path) as packed:
            bundle = _read(packed, Path(scratch), permit)
        yield bundle


def _read(
    packed: Archive, scratch: Path, permit: Callable[[Sequence[str]], Collection[str]]
) -> Bundle:
    records = sources.parsed(sources.RECORDS, packed.content(sources.RECORDS, _LARGEST))
    environments = _environments(packed.content(CONDITIONS, _LARGEST))
    _admit_files(packed, records, environments, permit)
    rows = {row["run_id"]: row for row in records.iter_rows(named=True)}
    runs: dict[str, Run] = {}
    unknown: list[Unknown] = []
    lines = packed.content(packed_problems.FILE, _LARGEST)
    for number, line in enumerate(packed_problems.from_lines(lines)):
        if why := line.why_unknown():
            unknown.append(Unknown(line.family, why, line.runs))
            continue
        of_line = [line.run(_row(rows, run_id)) for run_id in line.runs]
        if of_line and isinstance(formula := of_line[0].problem, Formula):
            copied = _unpack_formula(packed, formula, scratch / f"{number}")
            of_line = [replace(run, problem=copied) for run in of_line]
        runs |= {run.id: run for run in of_line}
    return Bundle(packed.path, records, environments, runs, unknown)


def _admit_files(
    packed: Archive,
    records: pl.DataFrame,
    environments: Mapping[str, Environment],
    permit: Callable[[Sequence[str]], Collection[str]],
) -> None:
    """Let this process know the components from files that are permitted."""
    named = files_of(records, environments.values())
    names = {name for kind in KINDS for name in records[kind].unique()}
    risky = sorted(name for name in names if component_files.recorded_files(name))
    if not risky or not (permitted := component_files.only(named, permit(risky))):
        return
    contents = {
        name: packed.content(name, _LARGEST)
        for name in packed.names
        if name.startswith(f"{component_files.FOLDER}/")
    }
    from_file.admit(component_files.among(contents, permitted))


def files_of(records: pl.DataFrame, environments: Iterable[Environment]) -> dict[str, str]:
    """The digests of the files of components that these records name, by the components."""
    used = [
        pair
        for kind in KINDS[:2]
        for pair in records.select(kind, f"{kind}_version").unique().sort(kind).iter_rows()
    ]
    return component_files.named_in(used, (each.sources for each in environments))


def _row(rows: Mapping[str, dict[str, Any]], run_id: str) -> dict[str, Any]:
    if run_id not in rows:
        raise InputError(f"{sources.RECORDS} lacks the run {run_id} of {packed_problems.FILE}")
    return rows[run_id]


def _unpack_formula(packed: Archive, formula: Formula, folder: Path) -> Formula:
    """The formula in a file of this folder. Raises `InputError` if its content is another one."""
    name = formula_name(formula)
    folder.mkdir()
    path = folder / Path(name).name
    packed.unpack_file(name, path)
    at_path = type(formula).at(path, "")
    copied = replace(at_path, instance=formula.instance, lenient=formula.lenient)
    if copied != formula:
        raise InputError(f"{name} was changed: it is not the formula of that digest")
    return copied


def _environments(content: bytes) -> dict[str, Environment]:
    try:
        listed = msgspec.json.decode(content, type=_Conditions).environments
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise InputError(str(error), place=Place(CONDITIONS)) from error
    by_id = {}
    for entry in listed:
        values = {key: value for key, value in entry.items() if key != "id"}
        key = entry.get("id")
        by_id[str(key)] = facts.environment(key, msgspec.json.encode(values).decode())
    return by_id
