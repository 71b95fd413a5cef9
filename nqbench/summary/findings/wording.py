"""Words that several findings share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import polars as pl

from nqbench.common.printable import printable
from nqbench.common.units import plural, thousands
from nqbench.common.vocabulary import combination
from nqbench.records.origin import Elsewhere
from nqbench.summary.observed import PAIR

LONGEST: Final = 186
"""Characters of a sentence: two lines of 100, less the space lost at line breaks."""

MOST_NAMED: Final = 4
_LONGEST_NAME: Final = 60


def number_and_noun(number: int, noun: str, ending: str = "s") -> str:
    """A number and its noun: 1 crash, 2 crashes."""
    return f"{thousands(number)}\N{NO-BREAK SPACE}{plural(number, noun, ending)}"


def combination_names(table: pl.DataFrame) -> list[str]:
    """The names of the combinations in a table with the columns of `PAIR`, in its order."""
    return [short(combination(*pair)) for pair in table.select(PAIR).rows()]


def short(name: str) -> str:
    """A name, cut off if it is too long for a sentence."""
    return printable(name, _LONGEST_NAME)


def joined(items: Sequence[str]) -> str:
    """The parts as a list in a sentence: a, b and c."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def listed(items: Sequence[str], max_names: int) -> str:
    """The first parts as a list, and how many more there are: a, b and 2 more."""
    hidden = len(items) - max_names
    return joined([*items[:max_names], f"{thousands(hidden)} more"] if hidden > 0 else items)


def fit_names(sentence: Callable[[int], str]) -> str:
    """The sentence with as many names as fit: at least one, at most `MOST_NAMED`."""
    candidates = (sentence(max_names) for max_names in range(MOST_NAMED, 1, -1))
    return next((text for text in candidates if len(text) <= LONGEST), sentence(1))


def counted_by_pair(runs: pl.DataFrame, subject: str) -> Iterator[str]:
    """Count these runs for each combination, most first, in one sentence; none without runs."""
    most = runs.group_by(PAIR).len().sort("len", *PAIR, descending=[True, False, False])
    whose = [
        f"{name} ({thousands(count)})"
        for name, count in zip(combination_names(most), most["len"], strict=True)
    ]
    if whose:
        yield fit_names(lambda max_names: f"{subject}: {listed(whose, max_names)}.")


def _counted_of(number: int, runs: int) -> str:
    """So many of all runs, and the verb."""
    of_all = (
        "All runs" if number == runs else f"{number_and_noun(number, 'run')} of {thousands(runs)}"
    )
    return f"{of_all} {'was' if number == 1 < runs else 'were'}"


def of_imported(sources: Mapping[str, int], runs: int) -> str:
    """What to say about imported runs, of so many runs: by source, how many there are."""
    if not sources:
        return ""
    which = _counted_of(sum(sources.values()), runs)
    return (
        f"{which} imported from {listed(list(sources), MOST_NAMED)}: not measured here, "
        "answers not checked here"
    )


def of_merged(stores: Mapping[str, int], runs: int) -> str:
    """What to say about merged runs, of so many runs: by store, how many there are."""
    if not stores:
        return ""
    which = _counted_of(sum(stores.values()), runs)
    return f"{which} merged from {listed(list(stores), MOST_NAMED)}: measured and checked there"


def from_elsewhere(origins: Elsewhere, runs: int) -> list[str]:
    """What to say about runs that were not measured for this store, of so many runs: at most two
    sentences, without full stops.
    """
    return list(
        filter(None, [of_imported(origins.imported, runs), of_merged(origins.merged, runs)])
    )


def told_elsewhere(origins: Elsewhere, runs: int) -> list[str]:
    """The same with plain spaces, for a terminal or a file."""
    return [
        sentence.replace("\N{NO-BREAK SPACE}", " ") for sentence in from_elsewhere(origins, runs)
    ]


def factor(ratio: float) -> str:
    """A ratio with two digits.

    >>> factor(0.213), factor(1.96), factor(99.7), factor(1234).split()
    ('0.21', '2.0', '100', ['1', '234'])
    """
    if ratio < 0.995:
        return f"{ratio:#.2g}"
    return f"{ratio:.1f}" if ratio < 9.95 else thousands(round(ratio))
