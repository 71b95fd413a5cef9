"""Chooses the columns of a table that fit on a line, and their widths."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nqbench.show.tables.columns import ESSENTIAL

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
