"""Reports how the time grows with n, and the largest n that was solved."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import polars as pl

from nqbench.common.metrics import noun
from nqbench.common.units import is_time, number_and_noun
from nqbench.summary.findings.wording import MOST_NAMED, Fact, combination_names, fit_names, joined
from nqbench.summary.measured import Measured
from nqbench.summary.observed import POSSIBLE, SOLVED
from nqbench.summary.overview import overview
from nqbench.summary.scaling import scaling
from nqbench.summary.series import SIZED, has_sizes

_LINE: Final = 98
"""Characters of a sentence in one line."""

_FEWEST_SIZES: Final = 5
"""`scaling` is undecided with fewer sizes."""

_UNDECIDED: Final = "These sizes do not show whether the {} grows as a power of n or exponentially."
_MODELS: Final = {"exponential": "an exponential", "polynomial": "a power of n"}


def growth(records: pl.DataFrame, time: str) -> Iterator[Fact]:
    """For which combinations the time grows as a power of n, for which exponentially, and for
    which the records do not decide that.
    """
    if not _comparable(records.filter(SIZED & SOLVED)):
        return
    fits = scaling(records, time).filter(model="polynomial")
    decided = {
        model: names
        for model in _MODELS
        if (names := combination_names(fits.filter(verdict=model)))
    }
    undecided = combination_names(fits.filter(verdict="undecided"))
    yield Fact(laws_of_growth, decided, undecided, time)


def laws_of_growth(
    decided: Mapping[str, Sequence[str]], undecided: Sequence[str], metric: str
) -> str:
    """Name the combinations of each law: all, or else in one line as many as fit, if any do."""
    if not decided:
        return _UNDECIDED.format("time" if is_time(metric) else f"number of {noun(metric)}")
    sentence = partial(_fits, decided, undecided)
    lines = [sentence(max_names) for max_names in range(MOST_NAMED, -1, -1)]
    line = next((text for text in lines if len(text) <= _LINE), None)
    return line if line and len(undecided) > MOST_NAMED else fit_names(sentence)


def _comparable(boards: pl.DataFrame) -> bool:
    """Whether solved boards differ only in size, and have enough sizes."""
    plain = boards["family"].n_unique() == 1 and bool(boards["density"].is_null().all())
    return plain and boards["n"].n_unique() >= _FEWEST_SIZES


def _fits(decided: Mapping[str, Sequence[str]], undecided: Sequence[str], max_names: int) -> str:
    fits = [
        f"{_MODELS[model]} better for {_which(names, max_names)}"
        for model, names in decided.items()
    ]
    undecided_names = _which(undecided, max_names, "other")
    ending = f"; it is undecided for {undecided_names}" if undecided else ""
    return f"The growth with n fits {joined(fits)}{ending}."


def _which(names: Sequence[str], max_names: int, word: str = "combination") -> str:
    return joined(names) if 0 < len(names) <= max_names else number_and_noun(len(names), word)


def largest(measured: Measured) -> Iterator[Fact]:
    """The largest n with every run solved, unless all combinations reach it. Without an unsolved
    run, it only shows which problems were measured.
    """
    records = measured.records
    if not has_sizes(records) or records.filter(POSSIBLE & ~SOLVED).is_empty():
        return
    table = overview(measured)
    most = pl.col("largest_n").max()
    best = table.filter(pl.col("largest_n") == most)
    if 0 < len(best) < len(table):
        yield Fact(largest_n, best["largest_n"][0], combination_names(best), len(table))


def largest_n(n: int, by: Sequence[str], combinations: int) -> str:
    """Name those that solved every run of this n, or their number."""
    number = f"{len(by)} of {number_and_noun(combinations, 'combination')}"
    head = f"The largest n of which every run was solved is {n}, by"
    return fit_names(lambda names: f"{head} {joined(by) if len(by) <= names else number}.")
