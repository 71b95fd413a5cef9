"""The widths of figures and tables in a paper, with the size of their text."""

import re
from dataclasses import dataclass
from typing import Any, Final

from nqbench.common.errors import InputError

_CHARACTER: Final = 0.56
"""The mean width of a character, as a share of the font size."""

_SMALL: Final = ("axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize")

_USUAL_POINTS: Final = 8.5
"""The text size for which the lines of the style are as wide as they are."""


@dataclass(frozen=True, slots=True)
class Paper:
    """The width of a figure in inches, its text size in points, and its resolution as a PNG. A
    `wide` one has up to four panels in a row, others two. One that `spans` has the width of both
    columns of a page with two.
    """

    inches: float
    points: float
    dpi: int
    wide: bool
    spans: bool = False

    @property
    def points_of_latex(self) -> float:
        """The width in the points of LaTeX."""
        return self.inches / _INCHES["pt"]

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
        scale = self.points / _USUAL_POINTS
        lines = {"lines.linewidth": 1.2 * scale, "lines.markersize": 3.8 * scale}
        return {"font.size": self.points, "axes.titlesize": self.points, **small, **lines}


_INCHES: Final = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
"""The units of LaTeX, whose pt is a little smaller than that of PostScript."""

# What \the\columnwidth and \the\textwidth print in these classes.
CLASSES: Final = {
    "llncs": "12.2cm",  # Springer LNCS, 2.21
    "lipics": "140mm",  # LIPIcs v2021
    "easychair": "145mm",  # EPiC, 3.4
    "elsarticle": "345pt",  # 3.3, one column
    "acmsmall": "395.8225pt",  # acmart[acmsmall]
    "sigconf": "241.1475pt",  # acmart[sigconf], a column
    "sigconf-page": "506.295pt",
    "ieeetran": "252pt",  # IEEEtran[conference] on letter paper, a column
    "ieeetran-page": "516pt",
    "aaai": "3.3125in",  # AAAI 2024, a column
    "aaai-page": "7in",
}
"""The widths of the classes of common venues: of a column, and with `-page` of two."""

_OF_A_PAGE: Final = "-page"

_OF_CLASSES: Final = 8.0
"""The size of text in figures where that of the paper is 9 or 10 points."""

_NARROWEST: Final = 3.0
_WIDEST: Final = 20.0
_WIDE: Final = 6.0
"""Widths in inches: the limits, and that from which four panels fit a row."""

WIDTHS: Final = {
    "one": Paper(3.4, 7, 300, wide=False),
    "two": Paper(7.0, _USUAL_POINTS, 160, wide=True, spans=True),
}
"""One and two columns of a paper."""


def paper(width: str) -> Paper:
    """The paper with this width: one of `WIDTHS` or of `CLASSES`, or a length such as '12.2cm',
    '85mm', '3.3in' or '345pt'. Raises `InputError` for anything else.

    >>> round(paper("llncs").inches, 2), round(paper("345pt").inches, 2)
    (4.8, 4.77)
    """
    name = width.strip().lower()
    if name in WIDTHS:
        return WIDTHS[name]
    match = re.fullmatch(r"(\d{1,4}(?:\.\d{1,6})?)\s*(in|cm|mm|pt)", CLASSES.get(name, name))
    if match is None:
        choices = ", ".join([*WIDTHS, *CLASSES])
        raise InputError(
            f"unknown width '{width}': choose from {choices}, or write a length such as 12.2cm"
        )
    inches = float(match[1]) * _INCHES[match[2]]
    if not _NARROWEST <= inches <= _WIDEST:
        raise InputError(
            f"width {width} is not from {_NARROWEST:g} to {_WIDEST:g} inches: write for instance "
            "12.2cm"
        )
    spans = name.endswith(_OF_A_PAGE)
    return Paper(inches, _OF_CLASSES, 300, wide=inches >= _WIDE, spans=spans)
