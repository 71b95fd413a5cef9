"""The sheet of a figure: its width, the looks of its campaign, and the campaign's description."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nqbench.plots.looks import Looks

if TYPE_CHECKING:
    from nqbench.plots.layout import Stack


@dataclass(frozen=True, slots=True)
class Paper:
    """The width of a figure in inches, its text size in points, and its resolution as a PNG."""

    inches: float
    points: float
    dpi: int
    wide: bool

    @property
    def small(self) -> float:
        """The text size at the axes, in the key and in the caption."""
        return 0.9 * self.points

    def characters(self, points: float) -> int:
        """Approximate number of characters of this size that fit the width."""
        return int(72 * self.inches / (_CHARACTER * points))

    def share(self, characters: int) -> float:
        """Approximate share of the width that this number of small characters takes."""
        return min(0.45, characters / self.characters(self.small))

    def settings(self) -> dict[str, Any]:
        """The settings of Matplotlib for this paper."""
        small = dict.fromkeys(_SMALL, self.small)
        scale = self.points / WIDTHS["two"].points
        lines = {"lines.linewidth": 1.2 * scale, "lines.markersize": 3.8 * scale}
        return {"font.size": self.points, "axes.titlesize": self.points, **small, **lines}


_CHARACTER: Final = 0.56
"""The mean width of a character, as a share of the font size."""

_SMALL: Final = ("axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize")

WIDTHS: Final = {
    "one": Paper(3.4, 7, 300, wide=False),
    "two": Paper(7.0, 8.5, 160, wide=True),
}
"""One and two columns of a paper."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Settings that the figures of one campaign share. Without `titled`, title and campaign are
    left out. `notes` are added to each caption. With a `stack`, the figure becomes one part of it.
    """

    paper: Paper
    looks: Looks
    campaign: str
    titled: bool = True
    notes: Sequence[str] = ()
    stack: "Stack | None" = None
