"""Reports how the time grows with n, and the largest n that was solved."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import polars as pl

from nqbench.common.metrics import noun
from nqbench.common.units import is_time, number_and_noun
from nqbench.summary.findings.wording import MOST_NAMED, combination_names, fit_names, joined
from nqbench.summary.measured import Measured
from nqbench.summary.observed import POSSIBLE, SOLVED
from nqbench.summary.over_instances import SIZED, has_sizes
from nqbench.summary.overview import overview
from nqbench.summary.scaling import scaling

_LINE: Final = 98
"""Characters of a sentence in one line."""

_FEWEST_SIZES: Final = 5
"""`scaling` is undecided with fewer sizes."""

_UNDECIDED: Final = "These sizes do not show whether the {} grows as a power of n or exponentially."
_MODELS: Final = {"exponential": "an exponential", "polynomial": "a power of n"}


def growth(records: pl.DataFrame, time: str) -> Iterator[str]:
    """Report for which combinations the time grows as a power of n, for which exponentially, and
    for which the records do not decide that.
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
    if decided:
        yield _fit(lambda max_names: _fits(decided, undecided, max_names), undecided)
    else:
        yield _UNDECIDED.format("time" if is_time(time) else f"number of {noun(time)}")


def _fit(sentence: Callable[[int], str], undecided: Sequence[str]) -> str:
    """The sentence with all names, or else in one line with as many as fit, if any do."""
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


def largest(measured: Measured) -> Iterator[str]:
    """Name the largest n with every run solved, and its combinations unless all reach it. Without
    an unsolved run, it only shows which problems were measured.
    """
    records = measured.records
    if not has_sizes(records) or records.filter(POSSIBLE & ~SOLVED).is_empty():
        return
    table = overview(measured)
    most = pl.col("largest_n").max()
    best = table.filter(pl.col("largest_n") == most)
    if 0 < len(best) < len(table):
        every = f"{len(best)} of {number_and_noun(len(table), 'combination')}"
        yield fit_names(lambda max_names: _farthest(best, every, max_names))


def _farthest(best: pl.DataFrame, every: str, max_names: int) -> str:
    by = joined(combination_names(best)) if len(best) <= max_names else every
    return f"The largest n of which every run was solved is {best['largest_n'][0]}, by {by}."
