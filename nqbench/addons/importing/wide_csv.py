"""Reads a CSV with a row for each problem and a column for each solver, which has the time."""

import warnings
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import polars as pl

from nqbench.addons.importing import cells, status_words
from nqbench.addons.importing.base import Format, ResultFile
from nqbench.addons.importing.csv_columns import find_separator
from nqbench.addons.importing.statements import FIELDS
from nqbench.common.errors import InputError, Place
from nqbench.common.printable import as_word
from nqbench.common.spelling import suggestion
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.records.formats import rows_of_csv

_PROBLEM: Final = ("instance", "n", "family")
_UNSOLVED: Final = (
    *("inf", "x", *cells.ABSENT),
    *(word for word, answer in status_words.ANSWERS.items() if answer == Answer.UNKNOWN),
)
"""Texts in lower case in place of a time, which do not say why there is none."""

_ANSWERS: Final = ("sat", "satisfiable", "unsat", "unsatisfiable")


class WideCSV(Format):
    """A row for each problem. A time means solved, a word such as `timeout` says why not."""

    meaning = "CSV with a row for each problem and a column with times for each solver"
    suffixes = (".csv",)
    maps_columns = True

    def recognises(self, file: ResultFile) -> bool:  # noqa: ARG002
        """False: nothing tells the names of solvers from those of other columns."""
        return False

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each cell states: the problems in the order of the rows, for one solver after
        another. Columns that `mapped` uses, and those with the name of a field, are no solvers.
        Raises `InputError` for a cell that is neither a time nor a known word.
        """
        rows = rows_of_csv(file.text, find_separator(file.first_line))
        names = [name.strip() for name in next(rows, [])]
        if not names:
            raise InputError("it is empty")
        if "" in names:
            raise InputError(f"column {names.index('') + 1} has no name")
        mapped = file.mapped
        names = _numbered(names, {*FIELDS, *mapped.used(names), *mapped.ignored})
        table = cells.table(names, rows, names)
        common = {
            name: table[name]
            for name in table.columns
            if name in FIELDS and name not in mapped.ignored
        }
        common |= file.fields(table)
        if not {"instance", "n"} & set(common):
            raise InputError(
                "nothing states instance or n, which name the problem: choose the column with "
                "--map instance=COLUMN"
            )
        for name in mapped.ignored:
            if name not in names:
                raise InputError(f"there is no column '{name}': {suggestion(name, names)}")
        no_solvers = {*common, *mapped.used(names), *mapped.ignored}
        solvers = [name for name in table.columns if name not in no_solvers]
        if not solvers:
            raise InputError("it has no column with the times of a solver")
        of_solvers = {name: _of_solver(table[name], mapped.meanings) for name in solvers}
        _warn_of_virtual({name: columns["solve_s"] for name, columns in of_solvers.items()})
        tables = [
            pl.DataFrame(common | columns).with_columns(backend=pl.lit(name))
            for name, columns in of_solvers.items()
        ]
        return pl.concat(tables)


def _numbered(names: Sequence[str], kept: Collection[str]) -> list[str]:
    """The names of columns, of which the second solver of one name gets a number, as `NAME (2)`.
    Those that are `kept` are no solvers.
    """
    times: Counter[str] = Counter()
    numbered = []
    for name in names:
        times[name] += 1
        again = times[name] > 1 and name not in kept
        numbered.append(f"{name} ({times[name]})" if again else name)
    for name in dict.fromkeys(name for name in names if name in times and times[name] > 1):
        if name not in kept:
            warnings.warn(
                f"{times[name]} columns are named {name!r:.60}: the second one is the solver "
                f"{f'{name} (2)'!r:.64}",
                stacklevel=2,
            )
    return numbered


def _warn_of_virtual(times: Mapping[str, pl.Series]) -> None:
    """Warn of a column that has the least time of all others in each row: no solver, but the
    virtual best one.
    """
    for name, column in times.items():
        others = {other: time for other, time in times.items() if other != name}
        if not others or column.null_count() == len(column):
            continue
        least = pl.DataFrame(others).select(pl.min_horizontal(pl.all())).to_series()
        is_twin = any(column.eq_missing(time).all() for time in others.values())
        if column.eq_missing(least).all() and not is_twin:
            warnings.warn(
                f"{name!r:.60} has the least time of each row, as a virtual best solver has: "
                f"leave it out with --ignore {as_word(name)}",
                stacklevel=2,
            )


def _of_solver(column: pl.Series, meanings: Mapping[str, str]) -> dict[str, pl.Series]:
    """Times, answers and outcomes of a column, in which words have these meanings."""
    column = status_words.replaced(column, meanings) if meanings else column
    times = cells.numbers_among(column)
    below = times < 0
    if below.any():
        raise _error_about(column, below, "which is no time")
    word = _plain(column.set(times.is_not_null(), None))
    meaning_of = {**dict.fromkeys(_UNSOLVED, str(Outcome.CRASHED)), **status_words.FAILURES}
    outcome_of = dict(zip(_plain(pl.Series(list(meaning_of))), meaning_of.values(), strict=True))
    outcome = word.replace_strict(
        list(outcome_of), list(map(str, outcome_of.values())), default=None, return_dtype=pl.String
    )
    lost = outcome.is_null() & word.is_not_null()
    if lost.any():
        has_answers = word.is_in(_ANSWERS).any()
        raise _error_about(
            column,
            lost,
            "which is no time: if it is the right answer, write --map "
            f"{as_word(f'expected={column.name}')}, or leave out the column with --ignore"
            if has_answers
            else "which is neither a time nor a known word: say what it means with --word "
            "WORD=crashed or WORD=wrong, or leave out the column with --ignore",
        )
    outcome = outcome.set(column.is_null(), str(Outcome.CRASHED))
    answer = pl.select(pl.when(times.is_not_null()).then(pl.lit(str(Answer.UNSTATED)))).to_series()
    return {"solve_s": times.alias("solve_s"), "answer": answer, "outcome": outcome}


def _plain(texts: pl.Series) -> pl.Series:
    """Words in lower case, with spaces between them."""
    return texts.str.to_lowercase().str.replace_all(r"(\w)[-_](\w)", "$1 $2")


def _error_about(column: pl.Series, lost: pl.Series, why: str) -> InputError:
    row = int(lost.arg_max() or 0)
    reason = f"{column.name} is {column[row]!r:.60}, {why}"
    return InputError(reason, place=Place(row=row + 1))
