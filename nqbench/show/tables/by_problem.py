"""The table of problems and combinations: the text of each cell, on the terminal, in a paper and on
the page.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nqbench.common.units import is_time, three_digits
from nqbench.show.tables import captions
from nqbench.show.tables.columns import UNKNOWN, Column, Sentence, Table
from nqbench.show.tables.kind import Asked, kind

if TYPE_CHECKING:
    import polars as pl

    from nqbench.summary.by_problem import PairColumns

_ENOUGH_TO_SEE: Final = 3
"""Of so many combinations, a mark shows which is the fastest; of more, a column names it too."""

_NAME: Final = 20
"""A name is not wrapped to less: rows in one line are easier to compare."""

_BY: Final = Column("by", 1001, wraps=_NAME)
"""Who showed most about the best value of a file."""

_LEAST: Final = "*"
"""The mark of the least value of a problem."""

_ANSWERS: Final = re.compile(r"(?:\d+ )?(?:sat|unsat|unstated)(?:, )?")


@dataclass(frozen=True, slots=True)
class Cell:
    """What a combination did on a problem: its value, or else its answer or outcome, as text. A
    value comes with the answer if not all combinations agree, and with the repeats that have none.
    `is_least`: no other combination has a smaller value.
    """

    text: str
    value: float | None = None
    is_least: bool = False
    is_wrong: bool = False
    is_unsolved: bool = False


def cells(
    row: Mapping[str, Any], pairs: "Sequence[PairColumns]", show: Callable[[float], str]
) -> list[Cell]:
    """The cells of these combinations in a row of `summary.by_problem`; `show` returns a value as
    text.
    """
    least = min(
        (row[columns.value] for columns in pairs if row[columns.value] is not None), default=None
    )
    return [_cell(row, columns, least, show) for columns in pairs]


def _cell(
    row: Mapping[str, Any],
    columns: "PairColumns",
    least: float | None,
    show: Callable[[float], str],
) -> Cell:
    from nqbench.summary.by_problem import NEITHER, WRONG

    answer, value = row[columns.answer] or "", row[columns.value]
    is_wrong = WRONG in answer
    found = _found(row, columns)
    if value is None:
        return Cell(f"{answer}{found}", is_wrong=is_wrong, is_unsolved=answer not in {"", *NEITHER})
    answers = "".join(_ANSWERS.findall(answer)).removesuffix(", ")
    unsolved = _ANSWERS.sub("", answer)
    agree = ", " not in (row["answer"] or "")
    number = show(value) if agree else f"{answers} {show(value)}"
    text = f"{number}, {unsolved}" if unsolved else number
    return Cell(f"{text}{found}", value, is_least=value == least, is_wrong=is_wrong)


def _found(row: Mapping[str, Any], columns: "PairColumns") -> str:
    """The value that was found of a file, in brackets, unless it is the best by a search that
    ended.
    """
    objective = row.get(columns.objective)
    is_best = objective == row.get("best") and row[columns.value] is not None
    return "" if objective is None or is_best else f" ({objective})"


def _value_formatter(frame: "pl.DataFrame", metric: str) -> Callable[[float], str]:
    """How values of this metric are shown: times in one unit, whole counts in full."""
    from nqbench.summary.by_problem import unit

    _, per_second = unit(frame, metric)

    def show(value: float) -> str:
        is_whole = not is_time(metric) and value.is_integer()
        return str(int(value)) if is_whole else three_digits(per_second * value)

    return show


def spread(row: Mapping[str, Any], unknown: str = UNKNOWN) -> str:
    """The spread of a row of `summary.by_problem` as text."""
    if row["spread"] is None:
        return unknown
    return f"{'> ' if row['spread_is_least'] else ''}{three_digits(row['spread'])}"


def _legend(frame: "pl.DataFrame", metric: str) -> list[Sentence]:
    """What the values of the table are, and its marks and columns."""
    from nqbench.summary.by_problem import combinations_of, unit

    in_unit = f" in {unit(frame, metric)[0]}" if is_time(metric) else ""
    marked = "" if len(combinations_of(frame)) == 1 else "; * marks the least of a problem"
    values = f"Values are medians of the {captions.name_metric(metric)}{in_unit} over the repeats"
    return [
        ("", f"{values}{marked}."),
        (
            "spread",
            "Spread is the greatest divided by the least; with >, an unsolved run counts as its "
            "limit.",
        ),
        ("best", "Best is the best value of which a model was verified."),
        ("best by", "By is who showed most about it."),
        (
            "best",
            "In brackets is what a combination found, if a better value is known or its search did "
            "not end.",
        ),
    ]


def _caption(frame: "pl.DataFrame", request: Asked) -> tuple[str, list[Sentence]]:
    shows = f"Answers and {captions.name_metric(request.metric)} on each problem"
    return shows, _legend(frame, request.metric)


@kind(
    "by-problem",
    place=9,
    help="What each combination answered on each problem, and its time.",
    computes="nqbench.summary.by_problem:by_problem",
    nothing="nothing to show: there are no runs",
    caption=_caption,
    elsewhere="--format csv",
)
def by_problem(frame: "pl.DataFrame", request: Asked) -> Table:
    """A row for each problem: the columns of the combination to sort by and of the best ones are
    the most important.
    """
    from nqbench.summary.by_problem import OF_FILES, combinations_of

    combinations = combinations_of(frame)
    show = _value_formatter(frame, request.metric)
    several, of_files = len(combinations) > 1, "best" in frame.columns
    # After the two best combinations, the columns about all of them are more important than others.
    importance = {pair.pair: 900 - i for i, pair in enumerate(combinations)} | {request.sort: 999}
    columns = [
        Column("problem", wraps=_NAME),
        *([] if of_files and frame["state"].null_count() == 0 else [Column("answer", 1000)]),
        *([Column("best", 1003), Column("state", 1002), _BY] if of_files else []),
        *(
            Column(pair.value, importance[pair.pair], title=pair.pair, right=True)
            for pair in combinations
        ),
        *([Column("fastest", 898.7, wraps=_NAME)] if len(combinations) > _ENOUGH_TO_SEE else []),
        *([Column("spread", 898.5, right=True)] if several else []),
    ]
    rows = [
        {
            "problem": row["problem"],
            "answer": row["answer"] or UNKNOWN,
            "fastest": row["fastest"] or UNKNOWN,
            "spread": spread(row),
            **{name: row[name] for name in OF_FILES if of_files},
        }
        | {
            pair.value: _mark_least(cell, several)
            for pair, cell in zip(combinations, cells(row, combinations, show), strict=True)
        }
        for row in frame.iter_rows(named=True)
    ]
    return Table(columns, rows, below=_legend(frame, request.metric))


def _mark_least(cell: Cell, several: bool) -> str:
    return f"{_LEAST if cell.is_least and several else ''}{cell.text}" or UNKNOWN
