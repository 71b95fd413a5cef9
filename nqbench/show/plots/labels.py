"""Texts in figures: names of times, notes, and what a page shows under the pointer.

Files of figures do not have the texts under the pointer. They are kept beside the artists of
Matplotlib, for a page.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

import polars as pl
from matplotlib.artist import Artist

from nqbench import summary
from nqbench.common import metrics, units
from nqbench.common.metrics import SCORE_NAME
from nqbench.common.vocabulary import AS_IT_IS, combination
from nqbench.summary.observed import repeat_noun

SINGLE: Final = "Runs on one formula share the time to encode it"
"""Explains why a bump at one n is in all panels."""


def time_label(time: str) -> str:
    """The name of a metric, without its unit."""
    return metrics.label(time)


def title(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def encodings(names: Sequence[str]) -> Sequence[str]:
    """The names of encodings. Formulas from files have none."""
    return [""] if list(names) == [AS_IT_IS] else names


def best(time: str) -> str:
    """The superlative of a combination that is best by this metric."""
    return "fastest" if units.is_time(time) else "best"


def least(time: str) -> str:
    """The least value of a metric, in words."""
    return "fastest time" if units.is_time(time) else f"least {time_label(time)}"


def par2(time: str) -> str:
    """The note on what the PAR-2 of a metric is."""
    lost = ", unsolved runs counted as twice the limit" if units.has_limit(time) else ""
    return f"{SCORE_NAME}: mean {'time' if units.is_time(time) else time_label(time)}{lost}"


def notes_on(time: str, *, counts: bool = True) -> list[str]:
    """The notes that every figure of this time needs; `counts` is whether it draws values, and not
    only their ranks.
    """
    total = "Total time: encode, load, solve and decode"
    zero = ["A count of 0 is drawn as 1"] if counts else []
    return {
        summary.TOTAL: [f"{total}. {SINGLE}"],
        "encode_s": [SINGLE],
        **dict.fromkeys(metrics.COUNTERS, zero),
    }.get(time, [])


def limits(values: Sequence[float], time: str) -> str:
    """The limits of a column of times, in words."""
    texts = " and ".join(units.amount(value, time) for value in values)
    kind = "time limit" if units.is_time(time) else "limit"
    return f"{units.plural(len(values), kind)} {texts}"


def far_limits(values: Sequence[float], time: str) -> list[str]:
    """The notes in the caption about limits that are not drawn."""
    return [f"{title(limits(values, time))}: far above the plot"] if values else []


def spread(table: pl.DataFrame, records: pl.DataFrame) -> str:
    """What the bands of a table with the columns of `summary.observed.spread` show, by what differs
    between the runs of these records.
    """
    machines = records["machine"].n_unique()
    of, same = repeat_noun(records), ""
    if machines > 1:
        of, same = "run", f" on {machines} machines"
    if (table["boards"] > 1).any():
        of, same = "run", " with the same n"
    if summary.is_middle_half(table["runs"]):
        return f"middle half of the {of}s{same}"
    return f"fastest to slowest {of}{same}"


def medians(rows: pl.DataFrame, unit: str, show: Callable[[float], str]) -> Iterator[str]:
    """The median of each row of such a table, with the spread and the unsolved runs if there are
    any. `unit` is the end of the column names, and `show` writes a value.
    """
    for row in rows.iter_rows(named=True):
        median, low, high = (show(row[f"{name}_{unit}"]) for name in ("median", "low", "high"))
        between = f" ({low} to {high})" if low != high else ""
        lost = f", {row['unsolved']} of {row['runs']} unsolved" if row.get("unsolved") else ""
        yield f"{median}{between}{lost}"


def combined(encoding: str, backend: str) -> str:
    """The name of a combination in texts under the pointer, of which there are many."""
    return shortened(combination(encoding, backend), 80)


def shortened(name: str, most: int) -> str:
    """A long name without its middle, where names of one family differ the least."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"


@dataclass(frozen=True, slots=True)
class Tooltip:
    """The text of an artist, and of `points` on it, as x and y in data coordinates and that of
    which `describe` makes the text: only of those points that a page shows. With `cells`, each
    point is the middle of a square with sides of 1.
    """

    text: str
    points: Sequence[tuple[float, float, Any]] = ()
    cells: bool = False
    describe: Callable[[Any], str] = str


TOOLTIPS: Final[WeakKeyDictionary[Artist, Tooltip]] = WeakKeyDictionary()
"""The tooltips of the artists that have one."""


COLOURED_BY_VALUE: Final[WeakSet[Artist]] = WeakSet()
"""The artists whose colours are values, or are chosen for them. A dark page leaves them as they
are.
"""


def add_tooltip(
    artist: Artist,
    text: str,
    points: Iterable[tuple[float, float, Any]] = (),
    describe: Callable[[Any], str] = str,
    *,
    cells: bool = False,
) -> None:
    """Give a tooltip to an artist."""
    TOOLTIPS[artist] = Tooltip(text, list(points), cells, describe)
