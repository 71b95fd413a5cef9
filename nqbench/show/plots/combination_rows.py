"""Figures with a row for each combination of encoding and solver."""

from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes

from nqbench.common import metrics
from nqbench.show.plots import labels
from nqbench.show.plots.layout import Sheet

MOST: Final = 40
"""More rows do not fit a page, so only the best are shown."""

_INCHES: Final = 0.18
_AXIS_INCHES: Final = 0.45


def height(count: int) -> float:
    """The height of `count` rows and their axis, in inches."""
    return _AXIS_INCHES + _INCHES * max(3, count)


def name(axes: Axes, pairs: Sequence[tuple[str, str]], sheet: Sheet) -> None:
    """Name the rows, the first on top, without space above or below them."""
    most = 40 if sheet.paper.wide else 28
    names = [labels.shortened(sheet.looks.label(*pair), most) for pair in pairs]
    axes.set_yticks(range(len(names)), names)
    for pair, label in zip(pairs, axes.get_yticklabels(), strict=True):
        if pair in sheet.looks.highlighted:
            label.set(weight="bold", color=sheet.looks.combination(*pair)["color"])
    axes.set_ylim(max(len(names), 1) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def notes(count: int, time: str = metrics.USUAL, most: int = MOST) -> list[str]:
    """The note for the caption if not all combinations are shown, but only the best by `time`."""
    return [f"The {most} {labels.best(time)} of {count} combinations"] if count > most else []
