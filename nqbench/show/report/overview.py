"""The table of encodings and backends as texts, without the columns that are equal in each row."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from nqbench import summary
from nqbench.common.units import percents, thousands
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.show.report.runs import Unit


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table. With `always` it is shown even if its rows are equal, but not if they
    are empty.
    """

    name: str
    title: str
    number: bool = True
    always: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The shown columns, the rows with a text for each column, their combinations, and the columns
    left out with the text that is the same in all rows.
    """

    columns: Sequence[Column]
    rows: Sequence[Mapping[str, str]]
    pairs: Sequence[tuple[str, str]]
    same: Mapping[str, str]

    @property
    def ranked(self) -> bool:
        """Whether the first row is the best of several."""
        return len(self.rows) > 1 and self.rows[0]["par2_s"] != _DASH


_DASH: Final = "\N{EN DASH}"

_TIMES: Final = {
    "encode_s": "encode", "load_s": "load", "solve_s": "solve", "total_s": "total",
    "par2_s": "PAR-2",
}  # fmt: skip
"""The columns of times, with their titles: what a user pays, and PAR-2."""


def _columns(unit: Unit) -> list[Column]:
    """The columns of the table with their titles, in the order shown."""
    return [
        Column("encoding", "encoding", number=False, always=True),
        Column("backend", "backend", number=False, always=True),
        Column("solved", "solved"),
        Column("solved_share", "solved (%)"),
        *(Column(name, f"{title} ({unit.name})", always=True) for name, title in _TIMES.items()),
        Column("largest_n", "largest n"),
        Column("wrong", "wrong"),
        Column("unsolved", "unsolved", number=False),
    ]


def table(records: pl.DataFrame, unit: Unit) -> Table:
    """The overview of these records, with times in this unit."""
    compared = summary.overview(records)
    rows = [_texts(row, unit) for row in compared.iter_rows(named=True)]
    shown, same = [], {}
    for column in _columns(unit):
        texts = {row[column.name] for row in rows}
        said = texts - {"", _DASH}
        if said and (column.always or len(texts) > 1 or len(rows) == 1):
            shown.append(column)
        elif said:
            same[column.title] = said.pop()
    return Table(shown, rows, compared.select(summary.PAIR).rows(), same)


def _texts(row: Mapping[str, Any], unit: Unit) -> dict[str, str]:
    return {name: number(row[name], unit.size) for name in _TIMES} | {
        "encoding": "" if row["encoding"] == AS_IT_IS else row["encoding"],
        "backend": row["backend"],
        "solved": f"{thousands(row['solved'])}/{thousands(row['runs'])}",
        "solved_share": percents(row["solved_share"]),
        "largest_n": _DASH if row["largest_n"] is None else str(row["largest_n"]),
        "wrong": thousands(row["wrong"]),
        "unsolved": row["unsolved"],
    }


def number(seconds: float | None, size: float) -> str:
    """A time in a unit of that size in seconds: three significant digits, as in a terminal, but no
    exponent; a dash for None.
    """
    if seconds is None:
        return _DASH
    value = seconds / size
    digits = 2 - math.floor(math.log10(value)) if value > 0 else 0
    return f"{round(value, digits):.{max(0, digits)}f}"
