"""The columns of a table, wherever it is shown, and which of them fit on a line."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nqbench.common.printable import printable
from nqbench.common.units import three_digits, with_digits
from nqbench.common.vocabulary import AS_IT_IS

ESSENTIAL: Final = math.inf
"""The importance of a column that is never left out."""

UNKNOWN: Final = "-"
"""The text of a value that is not known."""

Row = Mapping[str, Any]
"""The values of a row, by the names of their columns."""


def shown(value: object) -> str:
    """The text of a value in a cell: measured numbers have three digits, counts are in
    full, and texts contain no control characters.
    """
    if value is None:
        return UNKNOWN
    return three_digits(value) if isinstance(value, float) else printable(str(value))


def interval_text(low: float | None, high: float | None) -> str:
    """The ends of an interval; empty if neither is known."""
    return "" if low is None and high is None else f"{shown(low)} to {shown(high)}"


def in_unit(per_second: float, digits: int = 3) -> Callable[[float | None], str]:
    """How times are shown in a unit, of which so many are in a second."""
    return lambda seconds: UNKNOWN if seconds is None else with_digits(per_second * seconds, digits)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `name` is the key of its values in the rows, and the default title. A terminal that is too
    narrow leaves out the columns with the least `importance` first. `wraps` is the least width to
    which text wraps; None if it does not wrap. `show` returns a value as text. `right`: its texts
    are right-aligned as numbers are.
    """

    name: str
    importance: float = ESSENTIAL
    wraps: int | None = None
    title: str = ""
    show: Callable[[Any], str] = shown
    right: bool = False

    @property
    def heading(self) -> str:
        """The given title, or the name with spaces."""
        return self.title or self.name.replace("_", " ")

    def has_numbers(self, rows: Iterable[Row]) -> bool:
        """Whether its values are right-aligned, as numbers are."""
        return self.right or all(isinstance(row[self.name], int | float | None) for row in rows)


Sentence = tuple[str, str]
"""The names of the columns that a sentence explains, separated by spaces, and the sentence. Without
names, it is about the whole table.
"""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with what a paper says about it: a `caption`, sentences `about` it, and a `label` to
    refer to it; and with what a terminal or a page says: a line `above` it, and sentences `below`.
    A sentence that explains columns is left out with any of them.
    """

    columns: Sequence[Column]
    rows: Sequence[Row]
    caption: str = ""
    label: str = "tab:nqbench"
    above: str = ""
    below: Sequence[Sentence] = ()
    about: Sequence[Sentence] = ()

    def caption_of(self, columns: Iterable[Column]) -> str:
        """The caption of a table that has only these columns."""
        return _join([("", self.caption), *self.about], columns)

    def below_of(self, columns: Iterable[Column]) -> str:
        """What is below a table that has only these columns."""
        return _join(self.below, columns)


def _join(sentences: Iterable[Sentence], columns: Iterable[Column]) -> str:
    """Those of the sentences that do not explain another column than these."""
    shown_names = {column.name for column in columns}
    return " ".join(text for names, text in sentences if shown_names.issuperset(names.split()))


def name_column(name: str, importance: float = ESSENTIAL, title: str = "") -> Column:
    """A column of names, which wrap at their hyphens."""
    return Column(name, importance, wraps=1, title=title)


def pair_columns(encodings: Iterable[str]) -> list[Column]:
    """The columns of encoding and backend. Formulas from files have no encoding to show."""
    names = ["backend"] if set(encodings) == {AS_IT_IS} else ["encoding", "backend"]
    return [name_column(name) for name in names]


GAP: Final = 2
"""Gap between two columns on a terminal, in cells."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The possible widths of a column: on a terminal in cells, in a paper in points.

    `most`: all on one line. `folded`: the title wrapped between its words. `least`: names and text
    wrapped as well. `broken`: names broken anywhere. No column ever cuts its title.
    """

    most: int
    folded: int
    least: int
    broken: int
    importance: float


def widths(columns: Sequence[Extent], room: int, gap: int = GAP) -> dict[int, int]:
    """The width of each column that fits, by its position.

    If there is little room, titles wrap first, then names and text, the widest column first. If
    that is not enough, columns are left out: the more important ones are placed first. Names are
    broken anywhere only if the essential columns alone are too wide.
    """
    visible = _choose_columns(columns, room, gap)
    if needed([extent.most for extent in visible.values()], gap) <= room:
        return {i: extent.most for i, extent in visible.items()}
    least = {i: extent.least for i, extent in visible.items()}
    if needed(least.values(), gap) > room:
        least = {i: extent.broken for i, extent in visible.items()}
    return _narrow_widths({i: extent.folded for i, extent in visible.items()}, least, room, gap)


def _choose_columns(columns: Sequence[Extent], room: int, gap: int) -> dict[int, Extent]:
    """The essential columns and as many others as fit, by their positions."""
    visible: dict[int, Extent] = {}
    for i, extent in sorted(enumerate(columns), key=lambda item: -item[1].importance):
        least = [other.least for other in (*visible.values(), extent)]
        if extent.importance == ESSENTIAL or needed(least, gap) <= room:
            visible[i] = extent
    return dict(sorted(visible.items()))


def needed(widths: Collection[int], gap: int = GAP) -> int:
    """The width of a table with columns of these widths."""
    return sum(widths) + gap * (len(widths) - 1)


def _narrow_widths(
    wide: Mapping[int, int], least: Mapping[int, int], room: int, gap: int
) -> dict[int, int]:
    """Reduce the largest widths until all columns fit or no width can be reduced."""
    narrowed = dict(wide)
    while needed(narrowed.values(), gap) > room:
        wider = [i for i in narrowed if narrowed[i] > least[i]]
        if not wider:
            break
        narrowed[max(wider, key=narrowed.__getitem__)] -= 1
    return narrowed
