"""The table of encodings and backends, without the columns that are equal in each row."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from nqbench.common.metrics import SCORE, SCORE_NAME
from nqbench.common.units import percents, thousands
from nqbench.show.report.runs import Unit
from nqbench.show.tables.columns import ESSENTIAL, Column, Row, Sentence, Table, pair_columns
from nqbench.show.tables.overview import EXPLAINED_SCORES, PAID, files_columns

_DASH: Final = "\N{EN DASH}"


def table(
    combinations: Iterable[Row],
    unit: Unit,
    explained: Iterable[Sentence] = (),
    *,
    is_disputed: bool = False,
) -> Table:
    """The table with these rows of `summary.overview`, with times in this unit, which are
    `explained` below it. Of the columns, those of no importance are left out if they are the same
    in all rows, which a sentence below says, and the others if they are empty. `is_disputed`:
    answers contradict each other, so that nobody knows that none is wrong.
    """
    rows = [
        {
            **row,
            "of_runs": _of_runs(row),
            "wrong": (row["wrong"] or None) if is_disputed else row["wrong"],
        }
        for row in combinations
    ]
    columns, same = [], []
    for column in _columns(unit, rows):
        texts = {column.show(row[column.name]) for row in rows}
        values = texts - {"", _DASH}
        if values and (column.importance == ESSENTIAL or len(texts) > 1 or len(rows) == 1):
            columns.append(column)
        elif values:
            same.append(f"{column.heading} {values.pop()}")
    below = [
        *([("", f"The same in every row: {', '.join(same)}.")] if same else []),
        *explained,
        ("largest_n", "Largest n: all runs of that size were solved."),
        ("beats", "Beats: typically faster than so many others."),
        ("beaten_by", "Beaten by: typically slower than so many."),
        *EXPLAINED_SCORES,
    ]
    return Table(columns, rows, below=below)


def _of_runs(row: Row) -> str:
    return f"{thousands(row['solved'])}/{thousands(row['runs'])}"


def _columns(unit: Unit, rows: Sequence[Row]) -> list[Column]:
    """The columns of the table, in the order shown."""

    def time(seconds: float | None) -> str:
        return number(seconds, unit.size)

    return [
        *pair_columns(row["encoding"] for row in rows),
        # Next to the names, where a narrow window shows it: the rows are sorted by it.
        Column(SCORE, title=f"{SCORE_NAME} ({unit.name})", show=time, right=True),
        # As text: not as a measured number, of which `shown` has three digits.
        Column("of_runs", 0, title="solved", show=str, right=True),
        *files_columns(rows[0], _count, number),
        Column("solved_share", 0, title="solved (%)", show=percents, right=True),
        *(
            Column(name, title=f"{title} ({unit.name})", show=time, right=True)
            for name, title in PAID.items()
        ),
        *(Column(name, 0, show=_count, right=True) for name in ("beats", "beaten_by")),
        Column("largest_n", 0, show=lambda n: _DASH if n is None else str(n), right=True),
        Column("wrong", 0, show=_count, right=True),
        Column("unsolved", 0),
    ]


def _count(number: int | None) -> str:
    """A count; a dash for None."""
    return _DASH if number is None else thousands(number)


def number(seconds: float | None, size: float) -> str:
    """A time in a unit of that size in seconds: three digits, as in a terminal, but no
    exponent; a dash for None.
    """
    if seconds is None:
        return _DASH
    value = seconds / size
    digits = 2 - math.floor(math.log10(value)) if value > 0 else 0
    return f"{round(value, digits):.{max(0, digits)}f}"
