"""The data of a page: all or some records of a store or an export, and its runs for scripts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

import msgspec
import numpy as np
import polars as pl

from nqbench import summary
from nqbench.common.machine.environment import Environment, Session
from nqbench.common.units import thousands, time_unit
from nqbench.common.vocabulary import NOT_YET
from nqbench.problems.queens import FAMILIES
from nqbench.records import frame, sources
from nqbench.records import names as of_readers
from nqbench.records.derived import remember
from nqbench.records.record import COLUMNS, READ_BY, Record
from nqbench.records.store import Store
from nqbench.records.where import fulfilling
from nqbench.show.tables.columns import Row
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


LISTED: Final = (
    "family", "instance", "n", "encoding", "backend", "outcome", "solve_s", "total_s", "repeat",
    "answer", "verdict", "encode_s", "load_s", "wall_s", "peak_rss_bytes", "conflicts", "clauses",
    "checked_by", "message",
)  # fmt: skip
"""The columns of the table of runs: the problem, the combination, and what came out, most
interesting first. A narrow window shows those up to the solve time.
"""

_SORTED: Final = ("family", "n", "instance", "encoding", "backend", "repeat")

_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of time, and its length in seconds."""

    name: str
    size: float


def unit_of(rows: Iterable[Row]) -> Unit:
    """The unit of times on the page: that in which the command line prints these rows of
    `summary.overview`. If they are of several families, it suits all of them together.
    """
    times = (row[name] for row in rows for name in summary.TIMES)
    name, per_second = time_unit(times)
    return Unit(name, 1 / per_second)


def encoded(records: pl.DataFrame, unit: Unit) -> dict[str, dict[str, Any]]:
    """The runs as `columns`, by problem, combination and repeat. Times are in this unit."""
    ordered = records.sort(_SORTED, nulls_last=True, maintain_order=True)
    runs = summary.observed(ordered).with_columns(n=pl.when(summary.SIZED).then("n"))
    times = pl.selectors.ends_with("_s").cast(pl.Float64) / unit.size
    message = pl.when(pl.col("message") != NOT_YET).then("message")  # the verdict says that already
    from_one = pl.col("repeat") + 1  # a reader counts from 1
    listing = runs.with_columns(message=message, repeat=from_one).select(LISTED)
    return columns(listing.with_columns(times))


def columns(table: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """Encode each column as `constant`, as `codes` of its different `values`, or as `numbers`."""
    return {column.name: _encoded(column) for column in table}


def _encoded(column: pl.Series) -> dict[str, Any]:
    if column.dtype == pl.Float64:
        column = column.round_sig_figs(_DIGITS)
    if len(column) > 1 and column.n_unique() == 1:
        return {"constant": column[0]}
    if column.dtype != pl.String:
        return {"numbers": _array(column)}
    values = column.unique(maintain_order=True)
    codes = column.to_frame("value").join(
        values.to_frame("value").with_row_index("code"), on="value", nulls_equal=True,
        how="left", maintain_order="left",
    )  # fmt: skip
    return {"values": values.to_list(), "codes": _array(codes["code"])}


def _array(numbers: pl.Series) -> msgspec.Raw:
    """A JSON array, made without a Python object for each number."""
    texts = numbers.cast(pl.String).str.strip_suffix(".0").fill_null("null")
    return msgspec.Raw(f"[{texts.str.join(',').item()}]".encode())
