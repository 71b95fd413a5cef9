"""The problems of a bundle, with the runs that measured them.

A record identifies its problem by name and digest, which is not enough to measure it again: the
squares of a board or the clauses of a formula are missing. So a bundle has a file with a line for
each problem. What else a run was is in its record, and the id of the run shows that the two belong
together: it is a hash of both. If limits, versions or problem were changed, it is another one.
"""

from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import PurePath
from typing import Any, Final

import msgspec

from nqbench.campaign.grid import ANY_MACHINE
from nqbench.common.errors import InputError, Place, UnavailableError
from nqbench.common.vocabulary import LEFT
from nqbench.measure.wire import Order
from nqbench.problems.base import Problem
from nqbench.problems.families.base import Family
from nqbench.problems.families.cnf import SUFFIXES, Formula
from nqbench.records.record import FROM_RUN, IDENTITY, Record, Run

FILE: Final = "problems.jsonl"

FORMULAS: Final = "formulas"
"""The folder of the formulas that were in files."""

Row = Mapping[str, Any]
"""A record, by column."""

_NO_FACT: Final = {"keep_output": False, "measures": [], "cap_s": None}
"""The fields of a run that are in no record, since its id does not depend on them."""


class Packed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the file: the family of the problem, its fields, and the ids of its runs."""

    family: str
    problem: dict[str, Any]
    runs: list[str]

    @classmethod
    def of(cls, problem: Problem, run_ids: Iterable[str]) -> "Packed":
        """The line of a problem. A formula in a file is in the bundle by its `formula_name`."""
        values = msgspec.to_builtins(problem, order="deterministic")
        if isinstance(problem, Formula):
            values["path"] = ""
        return cls(problem.family, values, sorted(run_ids))

    def why_unknown(self) -> str | None:
        """Why the family of the problem cannot be used here, in words; None if it can."""
        try:
            Family.recorded(self.family)
        except (InputError, UnavailableError) as error:
            return str(error)
        return None

    def run(self, row: Row) -> Run:
        """The run of a record. Raises `InputError` if it is not one of this problem."""
        try:
            recorded_run = run_of(row, self.family, self.problem)
        except Exception as error:  # classes of problems, of which some are plugins, see any value
            raise InputError(f"the problem of run {row['run_id']} is broken: {error}") from error
        if recorded_run is None:
            raise InputError(
                f"run {row['run_id']} was changed: its problem, limits, solver or versions are not "
                "those that its id was made of"
            )
        return recorded_run


def run_of(row: Row, family: str, problem: Mapping[str, Any]) -> Run | None:
    """The run of a record whose problem has these fields; None if its id is that of another one.

    Whether a run was pinned, and that it was planned for any machine, is only in its id.
    """
    values: dict[str, Any] = dict(_NO_FACT)
    limits: dict[str, Any] = {}
    for column, path in FROM_RUN.items():
        whose, _, field = path.rpartition(".")
        if whose == "limits":
            limits[field] = row[column]
        elif not whose and field != "id":
            values[field] = row[column]
    pinned = row["cpus"].removeprefix(LEFT)
    cores = dict.fromkeys([len(pinned.split(",")) if pinned else 0, 0, 1])
    for machine, number in product([row["machine"], ANY_MACHINE], cores):
        planned = values | {"limits": limits, "machine": machine, "cores": number}
        run = Order(family, dict(problem), planned).run
        expected = Record.of(run, row["environment_id"])
        if all(getattr(expected, name) == row[name] for name in IDENTITY):
            return run
    return None


def formula_name(formula: Formula) -> str:
    """The name of a formula's file in a bundle: its digest, and the suffix that it had."""
    name = PurePath(formula.instance).name.lower()
    suffix = max((ending for ending in SUFFIXES if name.endswith(ending)), key=len, default="")
    return f"{FORMULAS}/{formula.file_digest}{suffix}"


def to_lines(problems: Iterable[Packed]) -> bytes:
    """The content of the file."""
    return msgspec.json.Encoder(order="deterministic").encode_lines(list(problems))


def from_lines(content: bytes) -> list[Packed]:
    """The lines of the file. Raises `InputError` for any other content."""
    try:
        return msgspec.json.Decoder(Packed).decode_lines(content)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise InputError(str(error), place=Place(FILE)) from error
