"""What a page shows under the pointer: texts of lines, bars and cells, and of points on them.

Files of figures do not have them. They are kept beside the artists of Matplotlib, for a page.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

from matplotlib.artist import Artist


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
