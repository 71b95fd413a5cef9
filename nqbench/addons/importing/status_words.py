"""The words that other programs use for answers and outcomes, in columns of either or in one of
both, and for yes and no.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Final

import polars as pl

from nqbench.addons.importing import cells
from nqbench.addons.importing.cells import RowsError
from nqbench.common.errors import InputError
from nqbench.common.units import counted
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.records.columns import shown

ANSWERS: Final[dict[str, Answer]] = {
    **dict.fromkeys(("sat", "satisfiable", "s satisfiable", "10"), Answer.SAT),
    **dict.fromkeys(("unsat", "unsatisfiable", "s unsatisfiable", "20"), Answer.UNSAT),
    **dict.fromkeys(
        (
            "unknown", "s unknown", "indeterminate", "starexec unknown", "unsolved", "not solved",
            "gave up", "?", "-", "--", "0",
        ),
        Answer.UNKNOWN,
    ),
    "unstated": Answer.UNSTATED,
}  # fmt: skip
"""By their words in lower case, with a space for - and _ between letters."""

OUTCOMES: Final[dict[str, Outcome]] = {
    **dict.fromkeys(
        ("finished", "ok", "success", "done", "solved", "complete", "completed"), Outcome.FINISHED
    ),
    **dict.fromkeys(
        (
            "timeout", "to", "t/o", "tle", "time out", "timed out", "time limit",
            "time limit exceeded",
        ),
        Outcome.TIMEOUT,
    ),
    **dict.fromkeys(
        (
            "memout", "mo", "m/o", "mle", "mem out", "oom", "memory out", "out of memory",
            "memory limit", "memory limit exceeded",
        ),
        Outcome.MEMOUT,
    ),
    **dict.fromkeys(
        (
            "crashed", "crash", "error", "er", "err", "failed", "failure", "killed", "aborted",
            "segfault", "other", "run script error", "post processor error",
        ),
        Outcome.CRASHED,
    ),
    **dict.fromkeys(("unavailable", "not applicable"), Outcome.UNAVAILABLE),
    "skipped": Outcome.SKIPPED,
    "invalid": Outcome.INVALID,
    "work limit": Outcome.WORK_LIMIT,
}  # fmt: skip
"""The same for outcomes."""

NOT_RUN: Final = "not run"
_NOT_RUN: Final = dict.fromkeys(
    (NOT_RUN, "not executed", "not started", "never started", "pending", "queued", "enqueued"),
    NOT_RUN,
)
"""The same for runs that did not take place."""

WRONG: Final = "wrong"
WRONGS: Final = dict.fromkeys((WRONG, "incorrect", "wrong answer", "incorrect answer"), WRONG)
"""The same for runs whose answer is wrong, whatever it is."""

_YES: Final = {
    **dict.fromkeys(("true", "1", "yes", "wrong", "incorrect", "erroneous", "invalid"), "yes"),
    **dict.fromkeys(("false", "0", "no", "right", "correct", "valid"), "no"),
}

INSTEAD_OF_TIME: Final = "word instead of a time"
"""The column, which no file has, with how runs ended whose time is a word, such as TIMEOUT."""

FAILURES: Final[Mapping[str, str]] = {
    **{word: outcome for word, outcome in OUTCOMES.items() if outcome != Outcome.FINISHED},
    **WRONGS,
    **_NOT_RUN,
}
"""The words for runs that did not end with a right answer."""

_ENDINGS: Final[Mapping[str, str]] = {**ANSWERS, **OUTCOMES, **WRONGS, **_NOT_RUN}
KNOWN: Final[Mapping[str, Mapping[str, str]]] = {
    **dict.fromkeys(("answer", "outcome", "status"), _ENDINGS),
    INSTEAD_OF_TIME: FAILURES,
    "expected": ANSWERS,
    "solved": _YES,
    "wrong": _YES,
}
"""The words of each column that has some."""

ENDINGS: Final = ("answer", "outcome", "status", INSTEAD_OF_TIME)
"""The columns that say how a run ended, any of them with answers or outcomes."""

_IN_PARENTHESES: Final = r"\s*\(.*\)$"
_MOST_SHOWN: Final = 10


def target(word: str, meaning: str) -> str:
    """What a user says that a word means, in a word of this module; empty for nothing. Raises
    `InputError` for anything else.
    """
    plain = _plain(meaning)
    if plain and not any(plain in words for words in KNOWN.values()):
        expected = ", ".join(dict.fromkeys(map(str, _ENDINGS.values())))
        raise InputError(f"{word}={meaning}: '{meaning}' is not one of {expected}")
    return plain


def replaced(column: pl.Series, meanings: Mapping[str, str]) -> pl.Series:
    """The column with the words that a user explained in place of others."""
    meaning_of = {word.strip().lower(): meaning for word, meaning in meanings.items()}
    texts = column.str.strip_chars()
    explained = texts.str.to_lowercase().replace_strict(
        list(meaning_of), list(meaning_of.values()), default=None, return_dtype=pl.String
    )
    return explained.fill_null(texts).alias(column.name)


def read(table: pl.DataFrame) -> pl.DataFrame:
    """The columns of `KNOWN` that the table has, in words of the closed vocabularies, with null for
    a text that says nothing. Raises `InputError` with all words that are unknown.
    """
    columns = [table[name] for name in table.columns if name in KNOWN]
    read_columns = [_read(column) for column in columns]
    _refuse(
        [
            (column, read_column.is_null() & ~is_nothing(column))
            for column, read_column in zip(columns, read_columns, strict=True)
        ]
    )
    return pl.DataFrame(read_columns)


def is_nothing(column: pl.Series) -> pl.Series:
    """Whether a text says nothing about how a run ended."""
    plain = column.str.strip_chars().str.to_lowercase()
    return plain.is_in(cells.ABSENT).fill_null(value=True)


def instead_of_times(column: pl.Series, meanings: Mapping[str, str] | None = None) -> pl.Series:
    """The words in a column of times that say how a run ended, with null for all other texts. A
    number is a time, whatever `meanings` say.
    """
    words = column.set(cells.numbers_among(column).is_not_null(), None)
    words = (replaced(words, meanings) if meanings else words).alias(INSTEAD_OF_TIME)
    return words.set(_read(words).is_null(), None)


def is_not_run(column: pl.Series) -> pl.Series:
    """Whether a text says that a run did not take place."""
    return (_read(column) == NOT_RUN).fill_null(value=False)


def _read(column: pl.Series) -> pl.Series:
    meaning_of = KNOWN[column.name]
    words = column.drop_nulls().unique().to_list()
    meanings = [_meaning(word, meaning_of) for word in words]
    return column.replace_strict(words, meanings, default=None, return_dtype=pl.String)


def _meaning(word: str, meaning_of: Mapping[str, str]) -> str | None:
    """What a word means; None if it says nothing, or is unknown."""
    shorter = re.sub(_IN_PARENTHESES, "", word)
    candidates = (word.strip().lower(), _plain(word), _plain(shorter))
    return next(
        (str(meaning_of[candidate]) for candidate in candidates if candidate in meaning_of), None
    )


def _plain(word: str) -> str:
    """A word in lower case, with one space for what separates its parts."""
    return re.sub(r"(?<=\w)[\s_-]+(?=\w)", " ", word.strip().lower())


def _refuse(unknown: Collection[tuple[pl.Series, pl.Series]]) -> None:
    """Raise an `InputError` about the words of these columns in these rows, if there are any."""
    lost = [(column, rows) for column, rows in unknown if rows.any()]
    if not lost:
        return
    column, rows = min(lost, key=lambda texts: int(texts[1].arg_max() or 0))
    row = int(rows.arg_max() or 0)
    counts = Counter(
        word.strip() for texts, unknown_rows in lost for word in texts.filter(unknown_rows)
    )
    expected = ", ".join(dict.fromkeys(map(str, KNOWN[column.name].values())))
    flaw = f"{column.name} is {shown(column[row].strip())}, not one of {expected}"
    is_needed = not any(texts.name in ENDINGS and texts.name != column.name for texts, _ in unknown)
    or_ignore = "" if is_needed and column.name in ENDINGS else f"; --map {column.name}= ignores it"
    raise RowsError([row], f"{flaw}: {_advice(counts)}{or_ignore}")


def _advice(counts: Counter[str]) -> str:
    """How to say what the unknown words mean, of which all are named."""
    ((most_frequent, _), *other_counts) = counts.most_common()
    example = f"--word {shown(most_frequent)}=MEANING"
    if not other_counts:
        return f"say what it means with {example}"
    listed = [f"{shown(word)} ({counted(n, 'run')})" for word, n in counts.most_common(_MOST_SHOWN)]
    if (more := len(counts) - _MOST_SHOWN) > 0:
        listed.append(f"{more} more")
    return f"say what each unknown word means, as in {example}; unknown are {', '.join(listed)}"
