"""The table of problems and combinations: what each combination answered on each problem, and what
that took.
"""

import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import polars as pl

from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.common.metrics import PAR
from nqbench.common.spelling import find_name, suggestion
from nqbench.common.units import is_time, time_unit
from nqbench.common.vocabulary import Task, as_combination
from nqbench.records.derived import TOTAL, TOTAL_TIME
from nqbench.summary.measured import Measured, Records
from nqbench.summary.objectives import best_known, best_values
from nqbench.summary.observed import (
    BOARD,
    NAMED,
    PROBLEM,
    SOLVED,
    TITLE,
    par_column,
)
from nqbench.summary.observed import metric as metric_of

WRONG: Final = "wrong"
"""The answer of a run whose answer was refuted."""

ANSWER: Final = "answer"
OBJECTIVE: Final = "objective"
_RIGHT: Final = ("sat", "unsat", "unstated")
_WORDS: Final = (*_RIGHT, WRONG)
"""The answers. Any other word in the place of an answer says why there is none."""

_NOT_TRIED: Final = ("unavailable", "invalid", "capped")
NEITHER: Final = (*_RIGHT, *_NOT_TRIED)
"""Where one of these words is the whole answer, and there is no value, the problem is not unsolved:
its value is not known.
"""

_PAIR: Final = "pair"
USUAL_ORDER: Final = "problem"
_KINDS: Final = (USUAL_ORDER, "n", "spread")
"""What rows can be sorted by, apart from the value of a combination."""

_FIXED: Final = ("problem", *BOARD, ANSWER, "fastest", "spread", "spread_is_least")
OF_FILES: Final = ("best", "state", "by")
"""The columns about the objective of files, if files were asked for their best value."""


def by_problem(
    records: Records,
    time: str = "solve_s",
    sort: str = USUAL_ORDER,
    *,
    descending: bool = False,
) -> pl.DataFrame:
    """Return a row for each problem, with two columns for each combination, the least PAR-2 first:
    `COMBINATION: answer` and `COMBINATION: METRIC`, such as `pairwise x minisat22: solve_s`.

    The answer of a combination is that of its runs: sat, unsat, unstated, or `wrong` if it was
    refuted. A run without an answer has its outcome instead, or `unknown`. If the repeats differ,
    each word has its number: "2 sat, 1 timeout". Null: not measured. The metric is the median over
    the repeats, null unless more than half of them are solved.

    Before them are the columns problem (its name), family, instance, n, task, answer (of all
    combinations, wrong ones left out; null if there is none), fastest (the combination of the least
    value, or several), spread (the greatest value divided by the least), and spread_is_least
    (whether the spread may be greater, since an unsolved run counts as its limit in it).

    If files were asked for the best value of their objective, there are also best (the best value
    with a verified model), state (a word of `State`) and by (the combinations that showed most
    about that value), and for each combination `COMBINATION: objective`, the best value that it
    found. The steps of a search are one run, whose metric is their sum.

    `sort` is `problem` (its name, with numbers in their order), `n`, `spread` or a combination,
    which sorts by its value: an unsolved problem is greater than any other. Problems without a
    value are last. By a combination that was not measured here, rows are in the order of their
    names.

    Raises `InputError` for an unknown metric.
    """
    measured = Measured.of(records)
    time = metric_of(measured.records, time)
    cells = _cells(measured.records, time)
    pairs = _rank_combinations(measured, cells, time)
    index = ["problem", *BOARD]
    wide = cells.select(*index).unique(maintain_order=True)
    of_rows = _of_rows(cells, is_count=_is_count(measured.records, time))
    wide = wide.join(of_rows, on=index, how="left", nulls_equal=True)
    for pair in pairs:
        own = cells.filter(pl.col(_PAIR) == pair).select(
            *index, pl.col(ANSWER).alias(answer_of(pair)), pl.col("value").alias(f"{pair}: {time}")
        )
        wide = wide.join(own, on=index, how="left", nulls_equal=True)
    fixed, of_pair = list(_FIXED), [ANSWER, time]
    of_files = best_values(measured)
    if not of_files.is_empty():
        fixed += OF_FILES
        of_pair.append(OBJECTIVE)
        wide = _with_values(wide, of_files, pairs)
    columns = [f"{pair}: {name}" for pair in pairs for name in of_pair]
    return _in_order(wide.select(*fixed, *columns), sort, descending=descending)


def _with_values(wide: pl.DataFrame, values: pl.DataFrame, pairs: Iterable[str]) -> pl.DataFrame:
    """The table with what is known of the best value of each file, and what each combination
    found.
    """
    keys = [*PROBLEM, "task"]
    is_best = pl.lit(Task.BEST.value).alias("task")
    found = best_known(values).with_columns(is_best)
    wide = wide.join(found, on=keys, how="left", nulls_equal=True)
    for pair in pairs:
        own = values.filter(pl.col(_PAIR) == pair).select(
            *PROBLEM, is_best, pl.col("value").alias(f"{pair}: {OBJECTIVE}")
        )
        wide = wide.join(own, on=keys, how="left", nulls_equal=True)
    return wide


def answer_of(pair: str) -> str:
    """The column with the answers of a combination."""
    return f"{pair}: {ANSWER}"


@dataclass(frozen=True, slots=True)
class PairColumns:
    """A combination in the table of `by_problem`: its name, and its columns."""

    pair: str
    answer: str
    value: str

    @property
    def objective(self) -> str:
        """The column with the best value that it found, which is only there for files."""
        return f"{self.pair}: {OBJECTIVE}"


def combinations_of(table: pl.DataFrame) -> list[PairColumns]:
    """The combinations of a table of `by_problem`, in its order."""
    columns = [name for name in table.columns if name not in {*_FIXED, *OF_FILES}]
    ends = f": {ANSWER}"
    return [
        PairColumns(name.removesuffix(ends), name, value)
        for name, value in itertools.pairwise(columns)
        if name.endswith(ends)
    ]


def order(sort: str, records: pl.DataFrame) -> str:
    """The order of rows that is meant: one of `_KINDS`, or a combination of these records. Raises
    `InputError` with a suggestion.
    """
    every = [*_KINDS, *records.select(NAMED.unique().sort()).to_series()]
    name = find_name(as_combination(sort), every)
    if name is None:
        raise InputError(f"cannot sort by '{sort}': {suggestion(sort, every)}")
    return name


def unit(table: pl.DataFrame, time: str) -> tuple[str, float]:
    """The unit of the values of a table of `by_problem`, and how many of it are in a second: for a
    counter or a measure its name, and 1.
    """
    if not is_time(time):
        return time, 1.0
    return time_unit(value for columns in combinations_of(table) for value in table[columns.value])


def _in_order(table: pl.DataFrame, by: str, *, descending: bool) -> pl.DataFrame:
    places = sorted(range(len(table)), key=_place_of(table))
    by_name = table[places]
    columns_of = {columns.pair: columns for columns in combinations_of(table)}
    if by in columns_of:
        answer, value = pl.col(columns_of[by].answer), pl.col(columns_of[by].value)
        # What was tried and not solved is longer than anything.
        unsolved = value.is_null() & ~answer.is_in(NEITHER)
        key = pl.when(unsolved).then(float("inf")).otherwise(value)
    elif by in _KINDS[1:]:
        key = pl.col(by)
    else:
        return by_name.reverse() if descending else by_name
    return by_name.sort(key, descending=descending, nulls_last=True, maintain_order=True)


def _place_of(table: pl.DataFrame) -> Callable[[int], tuple[object, ...]]:
    """The place of a row among the names of problems, in which 9 comes before 10."""
    rows = table.select(BOARD).rows()

    def place(row: int) -> tuple[object, ...]:
        family, instance, n, task = rows[row]
        return family, _natural(instance), n is None, n or 0, task

    return place


def _natural(name: str) -> list[tuple[bool, int, str]]:
    tokens = re.findall(r"\d+|\D+", name)
    return [(not p.isdecimal(), int(p) if p.isdecimal() else 0, p.casefold()) for p in tokens]


def _cells(records: pl.DataFrame, time: str) -> pl.DataFrame:
    """A row for each problem and combination: problem, those of BOARD, pair, answer, value, solved,
    limit.
    """
    limit_of = "time_limit_s" if is_time(time) else metrics.limit_of(time)
    value = TOTAL_TIME if time == TOTAL else pl.col(time)
    word = (
        pl.when(pl.col("verdict") == "refuted")
        .then(pl.lit(WRONG))
        .when(pl.col("outcome") == "finished")
        .then("answer")
        .otherwise("outcome")
    )
    several = records["task"].n_unique() > 1
    runs = records.select(
        (pl.format("{} ({})", TITLE, "task") if several else TITLE).alias("problem"),
        *BOARD,
        NAMED,
        SOLVED,
        word=word,
        value=pl.when(SOLVED).then(value).otherwise(float("inf")).cast(pl.Float64),
        limit=pl.col(limit_of).cast(pl.Float64) if limit_of in records.columns else None,
    )
    index = ["problem", *BOARD, _PAIR]
    place = pl.col("word").replace_strict(dict.fromkeys(_WORDS, 0), default=1)
    answers = (
        runs.group_by([*index, "word"])
        .len("number")
        .sort(place, pl.col("number"), "word", descending=[False, True, False])
        .group_by(index, maintain_order=True)
        .agg(
            pl.when(pl.len() == 1)
            .then(pl.col("word").first())
            .otherwise(pl.format("{} {}", "number", "word").str.join(", "))
            .alias(ANSWER),
            answers=pl.col("word").filter(pl.col("word").is_in(_RIGHT)),
        )
    )
    is_solved = pl.col("solved").mean() > 0.5
    # A solved run without a value does not count here, so the median may be that of unsolved ones.
    middle = pl.col("value").median()
    values = runs.group_by(index).agg(
        value=pl.when(is_solved & middle.is_finite()).then(middle),
        solved=is_solved,
        limit=pl.col("limit").max(),
        possible=(~pl.col("word").is_in(_NOT_TRIED)).any(),
    )
    return answers.join(values, on=index, nulls_equal=True)


def _is_count(records: pl.DataFrame, time: str) -> bool:
    """Whether the metric is a count, of which 0 counts as 1 in a ratio."""
    return time != TOTAL and records.schema[time].is_integer()


def _of_rows(cells: pl.DataFrame, *, is_count: bool) -> pl.DataFrame:
    """What combinations have in common on each problem: answer, fastest, spread."""
    value, bound = pl.col("value"), pl.col("bound")
    floor = 1.0 if is_count else None
    least = value.min()
    most = pl.max_horizontal(value.max(), bound.max()).clip(floor) / least.clip(floor)
    unsolved = ~pl.col("solved") & pl.col("possible")
    return (
        cells.with_columns(bound=pl.when(unsolved).then("limit"))
        .group_by(["problem", *BOARD])
        .agg(
            pl.col("answers").explode().drop_nulls().unique().sort().str.join(", ").alias(ANSWER),
            fastest=pl.col(_PAIR).filter(value == least).sort().str.join(", "),
            spread=pl.when(most.is_finite() & (value.count() + bound.count() > 1)).then(most),
            spread_is_least=unsolved.any(),
        )
        .with_columns(pl.col("spread_is_least") & pl.col("spread").is_not_null())
        .with_columns(pl.when(pl.col(ANSWER, "fastest") != "").then(pl.col(ANSWER, "fastest")))
    )


def _rank_combinations(measured: Measured, cells: pl.DataFrame, time: str) -> list[str]:
    """The combinations, the least PAR-2 first; by their names if problems in common are missing."""
    measure = time if is_time(time) else metrics.USUAL
    par = pl.col(par_column(PAR)).mean()
    costs = measured.not_capped.common(measure).group_by(NAMED).agg(par)
    ranked = costs.sort(par_column(PAR), _PAIR).drop_nulls()[_PAIR]
    return list(dict.fromkeys([*ranked, *sorted(cells[_PAIR].unique())]))
