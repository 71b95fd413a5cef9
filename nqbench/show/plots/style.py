"""Colours, markers and dashes, which have the same meaning in all figures of a campaign.

Colour and marker show the encoding, the dash shows the solver. If there is only one encoding, it
needs no colour, so colour and marker show the solver. If combinations are highlighted, each of them
has a colour, and all others are grey.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self, TypeVar

import numpy as np
import polars as pl
from matplotlib import rcParams
from matplotlib.colors import to_hex, to_rgb

from nqbench.common.errors import InputError
from nqbench.common.spelling import suggestion
from nqbench.common.vocabulary import AS_IT_IS, as_combination, combination
from nqbench.summary import PAIR

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

_STRONG: Final = ("#D55E00", "#0072B2", "#009E73", "#661144", "#000000")
"""The colours of highlighted combinations, unless there are more of them."""

_DARKER: Final = 0.6

Name = TypeVar("Name", bound=Hashable)

Look = dict[str, Any]
"""The arguments of `Axes.plot` for one line."""

PALE_LOOK: Final[Look] = {
    "color": PALE, "marker": "o", "markerfacecolor": "white", "linestyle": "-", "linewidth": 0.8,
    "zorder": 1.5,
}  # fmt: skip
"""The look of what is not highlighted."""

Pair = tuple[str, str]
"""An encoding and a backend."""

DASHED: Final[Look] = {"color": GREY, "lw": 0.9, "ls": (0, (4, 3))}
"""The look of a line at a limit."""


def coloured(position: int) -> Look:
    """The colour and marker of the name at a position. After ten names the colours repeat, but
    darker, and after twenty lighter: where more lines are drawn, only some are coloured.
    """
    round_, place = divmod(position, len(COLOURS))
    colour = _SHADES[round_ % len(_SHADES)](COLOURS[place])
    filled = (place + round_) % 2 == 0
    return {
        "color": colour,
        "marker": MARKERS[(place + round_) % len(MARKERS)],
        "markerfacecolor": colour if filled else "white",
    }


def show_equal(lines: Mapping[Name, Hashable]) -> dict[Name, Look]:
    """What is added to the looks of lines that have the same points, given for each line in the
    order of drawing: those below are thicker, so that those on top do not hide them.
    """
    equal: dict[Hashable, list[Name]] = {}
    for name, points in lines.items():
        equal.setdefault(points, []).append(name)
    width, size = rcParams["lines.linewidth"], rcParams["lines.markersize"]
    return {
        name: {"linewidth": width * (1 + 1.8 * below), "markersize": size * (1 + 0.8 * below)}
        for names in equal.values()
        if len(names) > 1
        for name, below in zip(names, np.linspace(1, 0, len(names)), strict=True)
    }


def darker(colour: str, share: float) -> str:
    """The colour with this share of its light."""
    red, green, blue = to_rgb(colour)
    return to_hex((share * red, share * green, share * blue))


def lighter(colour: str, share: float) -> str:
    """The colour with this share of what it lacks of white."""
    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour))
    return to_hex((red, green, blue))


_SHADES: Final[Sequence[Callable[[str], str]]] = (
    lambda colour: colour,
    lambda colour: darker(colour, _DARKER),
    lambda colour: lighter(colour, _DARKER),
)


def _positions(names: Collection[str], order: Sequence[str]) -> dict[str, int]:
    """Different positions for some of the names in an order: that of the name, as far as colours
    go, or the next one that is free. So a name mostly has one colour in all figures.
    """
    count = len(COLOURS)
    free = list(range(count * -(-len(names) // count)))
    positions = {}
    for name in sorted(names):
        home = order.index(name) % count
        positions[name] = min(
            free, key=lambda position: (position // count, (position - home) % count)
        )
        free.remove(positions[name])
    return positions


@dataclass(frozen=True, slots=True)
class Looks:
    """The looks of the encodings and solvers of a campaign. `by_colour` is the column of records
    shown by colours, `by_dash` the column shown by dashes. `highlighted` are combinations.
    `positions` are those of the colours of some names, in place of those in `colours`, and `own`
    are the looks of some combinations: see `among`.
    """

    by_colour: str
    by_dash: str
    colours: Sequence[str]
    dashes: Sequence[str]
    highlighted: Sequence[Pair] = ()
    positions: Mapping[str, int] = field(default_factory=dict)
    own: Mapping[Pair, Look] = field(default_factory=dict)

    @classmethod
    def of(cls, records: pl.DataFrame, highlight: Sequence[str] = ()) -> Self:
        """The looks for these records. What to `highlight` is named as by `combination`; an
        encoding or a backend alone means all its combinations. Raises `InputError` if no record is
        of it.
        """
        names = {column: records[column].unique().sort().to_list() for column in PAIR}
        by_colour, by_dash = PAIR if len(names["encoding"]) > 1 else reversed(PAIR)
        pairs = {combination(*pair): pair for pair in records.select(PAIR).unique().rows()}
        highlighted: dict[Pair, None] = {}
        for name in map(as_combination, highlight):
            own = [pairs[full] for full in sorted(pairs) if name in {full, *pairs[full]}]
            if not own:
                raise InputError(f"no runs of '{name}': {suggestion(name, sorted(pairs))}")
            highlighted |= dict.fromkeys(own)
        return cls(by_colour, by_dash, names[by_colour], names[by_dash], list(highlighted))

    def named(self, name: str) -> Look:
        """The look of a name that has a colour, for all its combinations."""
        for pair in self.highlighted:
            if combination(*pair) == name:
                return self.combination(*pair)
        return coloured(self.positions.get(name, self.colours.index(name)))

    def among_names(self, names: Collection[str]) -> Self:
        """The looks for a figure in which only these names have colours, which then differ."""
        if self.highlighted or len(self.colours) <= len(COLOURS):
            return self
        return replace(self, positions=_positions(names, self.colours))

    def among(self, pairs: Sequence[Pair], *, lines: bool = True) -> Self:
        """The looks for a figure in which only these combinations have colours, which then differ
        in colour, marker or, if it has `lines`, dash. As many dashes as there are in one colour are
        hard to tell apart: the combinations get colours then.
        """
        if self.highlighted:
            return self
        column = PAIR.index(self.by_colour)
        looks = self.among_names({pair[column] for pair in pairs})
        solid: Look = {"linestyle": "-"}
        drawn = [looks.combination(*pair) | ({} if lines else solid) for pair in set(pairs)]
        are_different = len({str(sorted(look.items())) for look in drawn}) == len(drawn)
        of_colours = Counter(look["color"] for look in drawn)
        if are_different and max(of_colours.values(), default=0) < len(DASHES):
            return looks
        return replace(self, own={p: coloured(at) | solid for at, p in enumerate(sorted(pairs))})

    def encoding(self, name: str) -> Look:
        """The look of an encoding: black if it is the only one."""
        if self.highlighted:
            own = [pair for pair in self.highlighted if pair[0] == name]
            return self.combination(*own[0]) if own else PALE_LOOK
        return (
            self.named(name) if self.by_colour == "encoding" else {"color": "black", "marker": "o"}
        )

    def combination(self, encoding: str, backend: str) -> Look:
        """The look of an encoding with a solver."""
        if (encoding, backend) in self.own:
            return self.own[encoding, backend]
        if self.highlighted:
            return self._highlight((encoding, backend))
        names = {"encoding": encoding, "backend": backend}
        dash = DASHES[self.dashes.index(names[self.by_dash]) % len(DASHES)]
        return self.named(names[self.by_colour]) | {"linestyle": dash}

    def _highlight(self, pair: Pair) -> Look:
        if pair not in self.highlighted:
            return PALE_LOOK
        place = self.highlighted.index(pair)
        strong: Look = {"zorder": 3, "linestyle": "-", "linewidth": 2.0}
        if len(self.highlighted) > len(_STRONG):
            return coloured(place) | strong
        colour = _STRONG[place]
        return strong | {"color": colour, "marker": MARKERS[place], "markerfacecolor": colour}

    def label(self, encoding: str, backend: str) -> str:
        """The name of a combination, without the part that is equal for all."""
        if encoding == AS_IT_IS:  # a formula in a file was encoded by somebody else
            return backend
        if len(self.dashes) > 1:
            return combination(encoding, backend)
        return encoding if self.by_colour == "encoding" else backend
