"""Which columns of a table have room on a line, and how wide each of them is."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

GAP: Final = 2
"""Cells between two columns."""

ESSENTIAL: Final = math.inf
"""The importance of a column that is never left out."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How wide a column can be, in cells.

    `most`: all on one line. `folded`: the title wrapped between its words. `least`: names and text
    wrapped as well. `broken`: names broken anywhere. No column ever cuts its title.
    """

    most: int
    folded: int
    least: int
    broken: int
    importance: float


def widths(columns: Sequence[Extent], room: int) -> dict[int, int]:
    """The width of each column that fits, by its position.

    Where there is little room, first titles wrap, then names and text, the widest column first.
    Then the least important columns are left out. Only if nothing but essential columns is left,
    names are broken anywhere.
    """
    kept = dict(enumerate(columns))
    while needed([each.least for each in kept.values()]) > room:
        i, last = min(kept.items(), key=lambda item: (item[1].importance, -item[0]))
        if last.importance == ESSENTIAL:
            return _narrowed(kept, {i: each.broken for i, each in kept.items()}, room)
        del kept[i]
    whole = {i: each.most for i, each in kept.items()}
    if needed(whole.values()) <= room:
        return whole
    return _narrowed(kept, {i: each.least for i, each in kept.items()}, room)


def needed(widths: Collection[int]) -> int:
    """The width of a table with columns of these widths."""
    return sum(widths) + GAP * (len(widths) - 1)


def _narrowed(columns: Mapping[int, Extent], least: Mapping[int, int], room: int) -> dict[int, int]:
    """The columns, the widest made narrower until all fit or none can be narrower."""
    chosen = {i: each.folded for i, each in columns.items()}
    while needed(chosen.values()) > room:
        wide = [i for i in chosen if chosen[i] > least[i]]
        if not wide:
            break
        chosen[max(wide, key=chosen.__getitem__)] -= 1
    return chosen
