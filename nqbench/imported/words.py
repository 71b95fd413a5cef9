"""The words that other programs use for answers and outcomes."""

from collections.abc import Mapping
from typing import Final

import polars as pl

from nqbench.errors import InputError
from nqbench.records.columns import shown
from nqbench.vocabulary import Answer, Outcome

ANSWERS: Final[dict[str, Answer]] = {
    **dict.fromkeys(("sat", "satisfiable", "s satisfiable", "10"), Answer.SAT),
    **dict.fromkeys(("unsat", "unsatisfiable", "s unsatisfiable", "20"), Answer.UNSAT),
    **dict.fromkeys(("unknown", "s unknown", "indeterminate", "?", "-", "0"), Answer.UNKNOWN),
    "unstated": Answer.UNSTATED,
}
"""By their words in lower case."""

OUTCOMES: Final[dict[str, Outcome]] = {
    **dict.fromkeys(("finished", "ok", "success", "done", "solved", "complete"), Outcome.FINISHED),
    **dict.fromkeys(("timeout", "to", "tle", "time out", "time limit"), Outcome.TIMEOUT),
    **dict.fromkeys(
        ("memout", "mo", "mle", "memory out", "out of memory", "memory limit"), Outcome.MEMOUT
    ),
    **dict.fromkeys(
        ("crashed", "crash", "error", "failed", "killed", "aborted", "other"), Outcome.CRASHED
    ),
    **dict.fromkeys(("unavailable", "not_applicable", "not applicable"), Outcome.UNAVAILABLE),
    "skipped": Outcome.SKIPPED,
    "invalid": Outcome.INVALID,
    "work-limit": Outcome.WORK_LIMIT,
}
"""The same for outcomes."""

KNOWN: Final[dict[str, Mapping[str, str]]] = {"answer": ANSWERS, "outcome": OUTCOMES}
"""The words of each column that has some."""


def read(table: pl.DataFrame, name: str, words: Mapping[str, str]) -> pl.Series:
    """The column of this name, with null for an empty text. Raises `InputError` for a word that is
    not among `words`.
    """
    given = table[name].str.strip_chars()
    given = given.set(given == "", None)
    found = given.str.to_lowercase().replace_strict(
        list(words), list(map(str, words.values())), default=None, return_dtype=pl.String
    )
    unknown = found.is_null() & given.is_not_null()
    if unknown.any():
        row = int(unknown.arg_max() or 0)
        known = ", ".join(sorted(set(map(str, words.values()))))
        raise InputError(f"row {row + 1}: {name} is {shown(given[row])}, not one of {known}")
    return found
