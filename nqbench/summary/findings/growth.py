"""How the time grows with n, and how far the combinations came."""

from collections.abc import Iterator
from typing import Final

import polars as pl

from nqbench.summary.findings.wording import MOST_NAMED, counted, fitted, listed, names
from nqbench.summary.over_instances import OF_BOARDS
from nqbench.summary.overview import overview
from nqbench.summary.scaling import scaling

_FEWEST_SIZES: Final = 5
"""With fewer, `scaling` decides nothing."""

_MODELS: Final = {"exponential": "an exponential", "polynomial": "a power of n"}


def growth(records: pl.DataFrame, time: str) -> Iterator[str]:
    """Whether the time grows as a power of n or exponentially: for which combinations the records
    decide that, and for which they do not.
    """
    boards = records.filter(OF_BOARDS)
    # Boards of one size differ in more than their size where there are several.
    comparable = boards["family"].n_unique() == 1 and boards["density"].is_null().all()
    if not comparable or boards["n"].n_unique() < _FEWEST_SIZES:
        return
    fits = scaling(records, time).filter(model="polynomial")
    found = {verdict: names(fits.filter(verdict=verdict)) for verdict in (*_MODELS, "undecided")}
    undecided = found.pop("undecided")
    if not any(found.values()):
        yield "These sizes do not show whether the time grows as a power of n or exponentially."
        return

    def sentence(shown: int) -> str:
        better = " and ".join(
            f"{_MODELS[verdict]} better for {_which(of, shown)}"
            for verdict, of in found.items()
            if of
        )
        others = _which(undecided, shown) if len(undecided) <= shown else f"{len(undecided)} others"
        rest = f"; it is undecided for {others}" if undecided else ""
        return f"The growth with n fits {better}{rest}."

    yield fitted(sentence)


def _which(of: list[str], shown: int) -> str:
    return listed(of, len(of)) if len(of) <= shown else counted(len(of), "combination")


def largest(records: pl.DataFrame) -> Iterator[str]:
    """The largest n of which every run was solved, and by whom, if not by all."""
    table = overview(records)
    most = table["largest_n"].drop_nulls().sort().to_list()[-1:]
    best = names(table.filter(pl.col("largest_n").is_in(most)))
    if not best or len(best) == len(table):
        return
    by = f"{len(best)} of {len(table)} combinations"

    def sentence(shown: int) -> str:
        by_names = listed(best, len(best)) if len(best) <= min(shown, MOST_NAMED) else by
        return f"The largest n of which every run was solved is {most[0]}, by {by_names}."

    yield fitted(sentence)
