"""The table of problems: what each combination answered on each of them, and what it took."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from nqbench import summary
from nqbench.common.units import thousands
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.show.report.overview import number
from nqbench.show.report.runs import Unit
from nqbench.show.tables.by_problem import cells, spread
from nqbench.summary.by_problem import OF_FILES, combinations_of

_MOST_COLUMNS: Final = 24
_MOST_CELLS: Final = 12_000
_ALWAYS: Final = 200
"""Of so many problems, all are shown, whatever the number of combinations."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, the number by which the page sorts it, if it has one, and its looks: `least`, if it
    is the least of its row, `wrong`, or none.
    """

    text: str
    order: float | None = None
    look: str = ""

    @property
    def key(self) -> str:
        """The number as scripts read it; empty if there is none."""
        if self.order is None:
            return ""
        return "Infinity" if math.isinf(self.order) else f"{self.order:.6g}"


@dataclass(frozen=True, slots=True)
class Row:
    """What is in the row of a problem. `of_file`: the best value of a file, its state, and by whom;
    empty if no file was asked for it.
    """

    name: Cell
    answer: str
    of_file: Sequence[Cell]
    cells: Sequence[Cell]
    spread: Cell


@dataclass(frozen=True, slots=True)
class ProblemTable:
    """The combinations, best PAR-2 first, as encoding and backend; a row for each problem; a
    sentence on what is left out, if anything is.
    """

    combinations: Sequence[tuple[str, str]]
    rows: Sequence[Row]
    left_out: str

    @property
    def has_files(self) -> bool:
        """Whether files were asked for the best value of their objective."""
        return any(row.of_file for row in self.rows)


def _of_file(value: int | str | None) -> Cell:
    return Cell("" if value is None else str(value), value if isinstance(value, int) else None)


def table(records: summary.Records, unit: Unit) -> ProblemTable:
    """The answers and the median solve time of each combination on each problem, in this unit: the
    hardest problems if there are more than fit, by the time of the fastest combination.
    """
    measured = summary.Measured.of(records)
    frame = summary.by_problem(measured)
    every = combinations_of(frame)
    best = every[:_MOST_COLUMNS]
    of_files = set(OF_FILES) <= set(frame.columns)
    least = pl.min_horizontal(each.value for each in every).fill_null(math.inf)
    most = max(_ALWAYS, _MOST_CELLS // max(1, len(best)))
    hardest = frame.with_row_index("place").sort(least, descending=True, maintain_order=True)
    hardest_rows = hardest.head(most).sort("place")
    rows = []
    for row in hardest_rows.iter_rows(named=True):
        of_row = [
            Cell(
                cell.text,
                math.inf if cell.is_unsolved else cell.value,
                "wrong" if cell.is_wrong else "least" if cell.is_least else "",
            )
            for cell in cells(row, every, lambda seconds: number(seconds, unit.size))[
                :_MOST_COLUMNS
            ]
        ]
        name = Cell(row["problem"], row["place"])
        of_file = [_of_file(row[column]) for column in OF_FILES] if of_files else []
        spread_cell = Cell(spread(row, ""), row["spread"])
        rows.append(Row(name, row["answer"] or "", of_file, of_row, spread_cell))
    named = measured.records.select(summary.NAMED, *summary.PAIR).unique().rows()
    names = {name: (encoding, backend) for name, encoding, backend in named}
    pairs = [names[each.pair] for each in best]
    omissions = [
        f"the {thousands(len(rows))} hardest of {thousands(len(frame))} problems"
        if len(frame) > len(rows)
        else "",
        f"the {len(pairs)} best of {len(every)} combinations" if len(every) > len(pairs) else "",
    ]
    sentence = " and ".join(filter(None, omissions))
    has_encodings = {encoding for encoding, _ in pairs} != {AS_IT_IS}
    combinations = [(encoding if has_encodings else "", backend) for encoding, backend in pairs]
    return ProblemTable(
        combinations, rows, f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""
    )
