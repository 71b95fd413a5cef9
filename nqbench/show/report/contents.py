"""The contents of a page: everything in a store or an export, or some of its records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Self

import msgspec
import numpy as np
import polars as pl

from nqbench import summary
from nqbench.common.machine.environment import Environment, Session
from nqbench.common.units import thousands
from nqbench.problems.queens import FAMILIES
from nqbench.records import frame, sources
from nqbench.records import names as of_readers
from nqbench.records.derived import remember
from nqbench.records.record import COLUMNS, READ_BY, Record
from nqbench.records.store import Store
from nqbench.records.where import fulfilling
from nqbench.summary.evidence import in_groups

NEEDED: Final = tuple(name for name in COLUMNS if name in READ_BY)
"""The fields that the page needs: reading only these takes half the time."""

_MOST_RUNS: Final = 200_000
"""The most runs of a page, which then has about 8 MB. Of more, it shows some of the problems."""

_MOST_BOARDS: Final = 36
_LARGEST_BOARD: Final = 40


@dataclass(frozen=True, slots=True)
class Contents:
    """Records, where and how they were measured, and the runs whose boards are drawn."""

    title: str
    records: pl.DataFrame
    environments: Sequence[Environment]
    sessions: Sequence[Session]
    drawn: Sequence[Record] = ()
    """The records of the runs that `to_draw` chose."""

    digest: str = ""
    """The digest of all records, of which these may be a sample."""

    sample: str = ""
    """Of how many problems these records are a sample, in a sentence; empty if they are all."""

    names: Mapping[str, str] = field(default_factory=dict)
    """The names for readers that the records have, by the true names."""

    @classmethod
    def read(
        cls,
        source: Path,
        title: str,
        where: str | None = None,
        given: of_readers.Given | None = None,
        unit: str | None = None,
    ) -> Self:
        """Read a results folder, a store or an export; of the records, only those that fulfil the
        condition. They get the names for readers that are given, and those of the folder. `unit` is
        a column whose values are the units of evidence. An export has no environments and no
        sessions.

        Raises `InputError` if there are no records, or for a wrong name, `StoreError` for a bad
        store.
        """
        # A condition may use any field, and of an export the boards are drawn from these records.
        reads_all = where is not None or unit is not None or not sources.is_store(source)
        every = sources.read(source, None if reads_all else NEEDED)
        folder = of_readers.folder_of(source)
        names = of_readers.of(every, given, folder)
        selection = fulfilling(
            every if where is None else remember(every),
            of_readers.in_condition(where, names, of_readers.known(every)),
        )
        folder_names = of_readers.in_folder(folder) if folder else {}
        of_all = frame.records_digest(selection) + of_readers.names_digest(
            folder_names | (names if given else {})
        )
        if unit is not None:  # an update makes the page without units
            of_all += f" {unit}"
            selection = in_groups(selection, unit)
        part, sample = _sampled(selection)
        run_ids = to_draw(part)
        records = of_readers.named(part, names)
        if not sources.is_store(source):
            drawn = _of_rows(records, run_ids)
            return cls(title, records, (), (), drawn, of_all, sample, names)
        with Store(sources.store(source), read_only=True) as opened:
            environments, sessions = opened.environments(), opened.sessions()
            drawn = sorted(opened.records(run_ids), key=lambda record: run_ids.index(record.run_id))
        drawn = [_renamed(record, names) for record in drawn]
        environment_ids = set(records["environment_id"].unique())
        own_environments = [
            environment for environment in environments if environment.id in environment_ids
        ]
        return cls(title, records, own_environments, sessions, drawn, of_all, sample, names)

    @classmethod
    def of_table(cls, records: pl.DataFrame, title: str, names: Mapping[str, str]) -> Self:
        """The contents of a table with all fields and these names for readers. It has no
        environments and no sessions.
        """
        part, sample = _sampled(records)
        return cls(title, part, (), (), _of_rows(part, to_draw(part)), "", sample, names)


def _renamed(record: Record, names: Mapping[str, str]) -> Record:
    return replace(
        record,
        encoding=names.get(record.encoding, record.encoding),
        backend=names.get(record.backend, record.backend),
    )


def _sampled(records: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """All runs of some problems, drawn at random if a page cannot show all, and what it says then.
    The same records give the same sample.
    """
    if len(records) <= _MOST_RUNS:
        return records, ""
    problem = records.select(pl.struct(summary.PROBLEM).rank("dense")).to_series().to_numpy()
    problem_count = int(problem.max())
    size = max(1, problem_count * _MOST_RUNS // len(records))
    drawn = np.random.default_rng(0).permutation(problem_count)[:size] + 1
    noun = summary.noun(records)
    sentence = (
        f"This page shows {thousands(size)} of the {thousands(problem_count)} {noun}s, with all "
        "their runs. They were drawn at random; `nqbench summary` is about all of them."
    )
    return records.filter(pl.Series(np.isin(problem, drawn))), sentence


def _of_rows(records: pl.DataFrame, run_ids: Sequence[str]) -> list[Record]:
    """The records of these runs, in this order, from a table with all fields."""
    rows = {
        row["run_id"]: row
        for row in records.select(COLUMNS)
        .filter(pl.col("run_id").is_in(run_ids))
        .iter_rows(named=True)
    }
    return [msgspec.convert(rows[run_id], Record) for run_id in run_ids]


def to_draw(records: pl.DataFrame) -> list[str]:
    """The runs whose solutions the page draws: the first of each board that is not too large."""
    boards = (
        records.filter(
            (pl.col("verdict") == "verified")
            & (pl.col("answer") == "sat")
            & pl.col("family").is_in(FAMILIES)
            & pl.col("n").is_between(1, _LARGEST_BOARD)
        )
        .unique(summary.PROBLEM, keep="first", maintain_order=True)
        .sort(summary.PROBLEM)
    )
    return boards.head(_MOST_BOARDS)["run_id"].to_list()
