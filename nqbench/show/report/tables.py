"""The tables of the page: overview, problems, races and at-most-one schemes.

A race has a table of its own: its leader, and each other combination where both ran. The overview
compares on the problems that all combinations finished, which may be few in a race, and are those
on which the others were close.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from nqbench import summary
from nqbench.common.metrics import SCORE, SCORE_NAME
from nqbench.common.units import counted, factor, percents, thousands
from nqbench.common.vocabulary import AS_IT_IS, combination
from nqbench.records.derived import FORMULA_FAMILY, KNOWN, with_derived
from nqbench.show.report.contents import Unit
from nqbench.show.tables.by_problem import cells, spread
from nqbench.show.tables.columns import (
    ESSENTIAL,
    Column,
    Row,
    Sentence,
    Table,
    interval_text,
    pair_columns,
    shown,
)
from nqbench.show.tables.overview import EXPLAINED_SCORES, PAID, files_columns
from nqbench.summary import PAIR, Measured
from nqbench.summary.bounded import Duel
from nqbench.summary.by_problem import OF_FILES, combinations_of
from nqbench.summary.formulas import left_alone

_DASH: Final = "\N{EN DASH}"


def overview_table(
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
class ProblemRow:
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
    rows: Sequence[ProblemRow]
    left_out: str

    @property
    def has_files(self) -> bool:
        """Whether files were asked for the best value of their objective."""
        return any(row.of_file for row in self.rows)


def _of_file(value: int | str | None) -> Cell:
    return Cell("" if value is None else str(value), value if isinstance(value, int) else None)


def problem_table(records: summary.Records, unit: Unit) -> ProblemTable:
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
        rows.append(ProblemRow(name, row["answer"] or "", of_file, of_row, spread_cell))
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


_VERDICTS: Final = {-1: "typically slower", 0: "undecided", 1: "typically faster"}


def race_table(measured: Measured, duels: Sequence[Duel], unit: Unit, problem: str) -> Table:
    """The leader first, then the others by their averages as multiples of the leader's."""
    pairs = {combination(*pair): pair for pair in measured.records.select(PAIR).unique().rows()}
    first = duels[0]
    rows = [_row(pairs[first.leader], first.leader_units, number(first.leader_cost, unit.size))]
    for duel in sorted(duels, key=lambda duel: duel.ratio):
        at_least = "> " if duel.capped else ""
        row = _row(
            pairs[duel.other],
            len(duel.costs),
            at_least + number(float(duel.costs[:, 1].mean()), unit.size),
        )
        row |= {"capped": thousands(duel.capped), "ratio": at_least + factor(duel.ratio)}
        rows.append(row | {"verdict": _VERDICTS[duel.typical]})
    below = (
        "",
        f"Average: {SCORE_NAME} on the {problem}s that a combination ran and the leader finished; "
        "> where runs were stopped, of which only a lower bound is known. Times as long: as the "
        f"leader on the same {problem}s. The leader finished "
        f"{counted(first.leader_units, problem)}.",
    )
    return Table(_race_columns(unit, problem, rows), rows, below=[below])


def _row(pair: tuple[str, str], problems: int, average: str) -> dict[str, Any]:
    return {
        **dict(zip(PAIR, pair, strict=True)),
        "average": average,
        "problems": thousands(problems),
        "capped": "0",
        "ratio": "",
        "verdict": "leads",
    }


def _race_columns(unit: Unit, problem: str, rows: Sequence[Row]) -> list[Column]:
    return [
        *pair_columns(row["encoding"] for row in rows),
        Column("average", title=f"average ({unit.name})", show=str, right=True),
        Column("ratio", title="times as long", show=str, right=True),
        Column("verdict", show=str),
        Column("problems", title=f"{problem}s", show=str, right=True),
        Column("capped", title="stopped", show=str, right=True),
    ]


@dataclass(frozen=True, slots=True)
class SchemeTable:
    """Rows of texts: of all formulas, and of each family of formulas if there are several.
    Satisfiable and unsatisfiable formulas are in separate rows. `unchanged` are the names of the
    formulas without a constraint.
    """

    of_all: Sequence[Mapping[str, str]]
    of_each: Sequence[Mapping[str, str]]
    unchanged: Sequence[str]


def scheme_table(records: pl.DataFrame, unit: Unit) -> SchemeTable:
    """The table of the records of one family; without rows if they are in one scheme only."""
    families = with_derived(records, [FORMULA_FAMILY])[FORMULA_FAMILY].n_unique()
    return SchemeTable(
        _rows(records, [KNOWN], unit),
        _rows(records, [FORMULA_FAMILY, KNOWN], unit) if families > 1 else (),
        left_alone(records)[0],
    )


def _rows(records: pl.DataFrame, by: Sequence[str], unit: Unit) -> list[dict[str, str]]:
    return [
        {"of": str(group.values.get(FORMULA_FAMILY, "all")), **_texts(row, unit)}
        | {"answer": str(group.values.get(KNOWN) or "unknown")}
        for group in summary.groups(records, by)
        for row in summary.schemes(group.records).iter_rows(named=True)
    ]


def _texts(row: Mapping[str, Any], unit: Unit) -> dict[str, str]:
    more = row["more_encode_s"]
    sign = "\N{MINUS SIGN}" if more < 0 else ""
    return {
        "scheme": row["encoding"],
        "formulas": str(row["formulas"]),
        "changed": "" if row["encoding"].startswith(AS_IT_IS) else str(row["changed"]),
        "solved": f"{row['solved']}/{row['runs']}",
        "as_it_is": f"{row['solved_as_it_is']}/{row['runs']}",
        "typical_ratio": shown(row["typical_ratio"]),
        "interval": interval_text(row["low"], row["high"]),
        "p": shown(row["p"]),
        "mean_ratio": shown(row["mean_ratio"]),
        "mean_interval": interval_text(row["mean_low"], row["mean_high"]),
        "more": f"{sign}{number(abs(more), unit.size)}",
    }
