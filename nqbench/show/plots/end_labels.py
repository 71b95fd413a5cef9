"""Names at the ends of lines, used where a key would be too far away."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, TypeVar

import polars as pl
from matplotlib.axes import Axes

from nqbench.show.plots import labels, style
from nqbench.show.plots.layout import Page
from nqbench.summary import PAIR

MOST_LINES: Final = 10
"""With more lines than this, only the best ones have colours."""

BEST: Final = 8
"""Number of lines that have colours then."""

T = TypeVar("T")

_GAP: Final = 1.15
_TEXT: Final = 0.7
"""Share of the light of a line's colour. Letters are thin and must be darker than lines."""

# Light dots: a line in the colour of the data would look like more data.
_LEADER: Final = {
    "arrowstyle": "-", "lw": 0.7, "ls": (0, (1, 2.5)), "color": "#888888", "shrinkA": 1,
    "shrinkB": 3, "relpos": (0, 0.5),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class End:
    """The end of a line, with its name and its colour."""

    name: str
    x: float
    y: float
    colour: str


def order(table: pl.DataFrame) -> list[tuple[str, str]]:
    """The combinations of a table with a row for each solved run or problem: most solved first,
    then least time.
    """
    judged = table.group_by(PAIR).agg(solved=pl.len(), cost=pl.col("time_s").sum())
    ordered = judged.sort("solved", "cost", *PAIR, descending=[True, False, False, False])
    return ordered.select(PAIR).rows()


def best(names: Sequence[T], highlighted: Sequence[T] = ()) -> Sequence[T]:
    """The names that have colours, from names sorted best first: the highlighted ones, if any."""
    if highlighted:
        return [name for name in names if name in highlighted]
    return names if len(names) <= MOST_LINES else names[:BEST]


def label(page: Page, axes: Axes, ends: Sequence[End]) -> None:
    """Write the names to the right of the axes, each at or near the end of its line.

    The limits of the axes must be final.
    """
    size = page.sheet.paper.small
    to_share = axes.transScale + axes.transLimits
    ordered = sorted(ends, key=lambda end: (end.y, end.name))
    shares = [float(to_share.transform((end.x, end.y))[1]) for end in ordered]
    for end, share in zip(
        ordered, _move_apart(shares, _GAP * size / page.panel_points), strict=True
    ):
        axes.annotate(
            labels.shortened(end.name, 34 if page.sheet.paper.wide else 28),
            (end.x, end.y),
            xytext=(1.03, share),
            textcoords="axes fraction",
            arrowprops=_LEADER,
            annotation_clip=False,
            va="center",
            fontsize=size,
            color=style.darker(end.colour, _TEXT),
        )


def _move_apart(places: Sequence[float], gap: float) -> list[float]:
    """Move sorted places as little as possible, so that neighbours are a gap apart and, if there is
    room, all lie between 0 and 1.
    """
    blocks: list[list[float]] = []
    for position, place in enumerate(places):
        blocks.append([place - gap * position])
        # A block moves as a whole. It absorbs the block before it if they would overlap.
        while len(blocks) > 1 and fmean(blocks[-2]) > fmean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    lowest = [fmean(block) for block in blocks for _ in block]
    highest = max(0.0, 1 - gap * (len(places) - 1))
    return [min(max(low, 0.0), highest) + gap * position for position, low in enumerate(lowest)]
