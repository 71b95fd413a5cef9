"""Colours, markers and dashes, which have the same meaning in all figures of a campaign.

Colour and marker show the encoding, the dash shows the solver. If there is only one encoding, it
needs no colour, so colour and marker show the solver.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import polars as pl
from matplotlib.colors import to_hex, to_rgb

from nqbench.summary import PAIR
from nqbench.vocabulary import combination

# From the palettes of Okabe and Ito and of Paul Tol: readers with any common colour blindness can
# distinguish them. Neighbours also differ in lightness, for black and white print.
COLOURS: Final = (
    "#0072B2", "#E69F00", "#661144", "#009E73", "#56B4E9",
    "#D55E00", "#000000", "#CC79A7", "#999933", "#332288",
)  # fmt: skip
GREY: Final = "#555555"
PALE: Final = "#bbbbbb"
# No marker is a cross, because a cross means unsolved. Every other marker is hollow.
MARKERS: Final = ("o", "s", "^", "D", "v")
DASHES: Final = ("-", (0, (5, 2)), (0, (1.2, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))

_DARKER: Final = 0.6

Look = dict[str, Any]
"""The arguments of `Axes.plot` for one line."""

DASHED: Final[Look] = {"color": GREY, "lw": 0.9, "ls": (0, (4, 3))}
"""The look of a line at a limit."""


def coloured(position: int) -> Look:
    """The colour and marker of the name at a position. After ten names the colours repeat, but
    darker.
    """
    round_, place = divmod(position, len(COLOURS))
    colour = darker(COLOURS[place], _DARKER**round_)
    filled = (place + round_) % 2 == 0
    return {
        "color": colour,
        "marker": MARKERS[(place + round_) % len(MARKERS)],
        "markerfacecolor": colour if filled else "white",
    }


def darker(colour: str, share: float) -> str:
    """The colour with this share of its light."""
    red, green, blue = to_rgb(colour)
    return to_hex((share * red, share * green, share * blue))


@dataclass(frozen=True, slots=True)
class Looks:
    """The looks of the encodings and solvers of a campaign. `by_colour` is the column of records
    shown by colours, `by_dash` the column shown by dashes.
    """

    by_colour: str
    by_dash: str
    colours: Sequence[str]
    dashes: Sequence[str]

    @classmethod
    def of(cls, records: pl.DataFrame) -> Self:
        """The looks for these records."""
        names = {column: records[column].unique().sort().to_list() for column in PAIR}
        first, second = PAIR if len(names["encoding"]) > 1 else reversed(PAIR)
        return cls(first, second, names[first], names[second])

    def named(self, name: str) -> Look:
        """The look of a name that has a colour, for all its combinations."""
        return coloured(self.colours.index(name))

    def encoding(self, name: str) -> Look:
        """The look of an encoding: black if it is the only one."""
        return (
            self.named(name) if self.by_colour == "encoding" else {"color": "black", "marker": "o"}
        )

    def combination(self, encoding: str, backend: str) -> Look:
        """The look of an encoding with a solver."""
        named = {"encoding": encoding, "backend": backend}
        dash = DASHES[self.dashes.index(named[self.by_dash]) % len(DASHES)]
        return self.named(named[self.by_colour]) | {"linestyle": dash}

    def label(self, encoding: str, backend: str) -> str:
        """The name of a combination, without the part that is equal for all."""
        if len(self.dashes) > 1:
            return combination(encoding, backend)
        return encoding if self.by_colour == "encoding" else backend
