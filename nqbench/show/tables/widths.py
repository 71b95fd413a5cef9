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
    kept = _that_fit(columns, room, gap)
    if needed([each.most for each in kept.values()], gap) <= room:
        return {i: each.most for i, each in kept.items()}
    least = {i: each.least for i, each in kept.items()}
    if needed(least.values(), gap) > room:
        least = {i: each.broken for i, each in kept.items()}
    return _narrowed({i: each.folded for i, each in kept.items()}, least, room, gap)


def _that_fit(columns: Sequence[Extent], room: int, gap: int) -> dict[int, Extent]:
    """The essential columns and as many others as fit, by their positions."""
    kept: dict[int, Extent] = {}
    for i, each in sorted(enumerate(columns), key=lambda item: -item[1].importance):
        least = [other.least for other in (*kept.values(), each)]
        if each.importance == ESSENTIAL or needed(least, gap) <= room:
            kept[i] = each
    return dict(sorted(kept.items()))


def needed(widths: Collection[int], gap: int = GAP) -> int:
    """The width of a table with columns of these widths."""
    return sum(widths) + gap * (len(widths) - 1)


def _narrowed(
    wide: Mapping[int, int], least: Mapping[int, int], room: int, gap: int
) -> dict[int, int]:
    """Reduce the largest widths until all columns fit or no width can be reduced."""
    chosen = dict(wide)
    while needed(chosen.values(), gap) > room:
        wider = [i for i in chosen if chosen[i] > least[i]]
        if not wider:
            break
        chosen[max(wider, key=chosen.__getitem__)] -= 1
    return chosen
