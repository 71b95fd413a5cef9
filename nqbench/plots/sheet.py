"""What a figure is drawn on: its width, the looks of its campaign, and what that campaign is."""

from dataclasses import dataclass
from typing import Any, Final, Self

import polars as pl

from nqbench.plots import words
from nqbench.plots.looks import Looks


@dataclass(frozen=True, slots=True)
class Paper:
    """How wide a figure is, in inches, how large its text, in points, and how fine as a PNG."""

    inches: float
    points: float
    dpi: int
    wide: bool

    @property
    def small(self) -> float:
        """The size of text at the axes, in the key and in the caption."""
        return 0.9 * self.points

    def characters(self, points: float) -> int:
        """About how many characters of that size fit into the width."""
        return int(72 * self.inches / (_CHARACTER * points))

    def share(self, characters: int) -> float:
        """About which share of the width so many small characters take."""
        return min(0.45, characters / self.characters(self.small))

    def settings(self) -> dict[str, Any]:
        """The settings of Matplotlib that depend on it."""
        small = dict.fromkeys(_SMALL, self.small)
        scale = self.points / WIDTHS["two"].points
        lines = {"lines.linewidth": 1.2 * scale, "lines.markersize": 3.8 * scale}
        return {"font.size": self.points, "axes.titlesize": self.points, **small, **lines}


_CHARACTER: Final = 0.56
"""The mean width of a character, as a share of the size of its font."""

_SMALL: Final = ("axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize")

WIDTHS: Final = {
    "one": Paper(3.4, 7, 300, wide=False),
    "two": Paper(7.0, 8.5, 160, wide=True),
}
"""One column of a paper, and two."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the figures of one campaign share."""

    paper: Paper
    looks: Looks
    campaign: str

    @classmethod
    def of(cls, records: pl.DataFrame, width: str = "two") -> Self:
        """The sheet for figures of these records; `width` is one of `WIDTHS`."""
        return cls(WIDTHS[width], Looks.of(records), words.campaign(records))
