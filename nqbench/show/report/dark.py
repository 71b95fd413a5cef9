"""The colours of charts on a dark page, each made from that on a white one.

Charts are drawn once, for white paper. Every colour in them is a variable of CSS, which a dark page
sets to another one.
"""

import re
from collections.abc import Iterable
from typing import Final

from matplotlib.colors import to_hex, to_rgb

from nqbench.show.plots.style import lighter

_PAGE: Final = to_rgb("#161616")
_INK: Final = to_rgb("#e8e8e8")
_CONTRAST: Final = 4.5
"""The least contrast of texts that WCAG 2 asks for, in its criterion 1.4.3."""

_COLOUR: Final = re.compile("#([0-9a-f]{6})")


def with_variables(style: str) -> str:
    """The declarations of CSS with a variable in place of each colour.

    >>> with_variables("fill: none; stroke: #0072b2")
    'fill: none; stroke: var(--c0072b2,#0072b2)'
    """
    return _COLOUR.sub(r"var(--c\1,#\1)", style)


def rule(styles: Iterable[str]) -> str:
    """The rule of CSS that sets the variables in these styles on a dark page. Paper is white."""
    colours = {colour for style in styles for colour in re.findall(r"--c([0-9a-f]{6})", style)}
    pairs = " ".join(f"--c{colour}:{dark(f'#{colour}')};" for colour in sorted(colours))
    return f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {pairs} }} }}"


def dark(colour: str) -> str:
    """The colour in place of this one on a dark page: greys change sides, and other colours get as
    much lighter as they need to be seen.

    >>> dark("#ffffff"), dark("#000000"), dark("#e69f00"), dark("#661144")
    ('#161616', '#e8e8e8', '#e69f00', '#a3708f')
    """
    red, green, blue = to_rgb(colour)
    if red == green == blue:
        page, ink = _PAGE[0], _INK[0]
        grey = page + (ink - page) * (1 - red)
        return to_hex((grey, grey, grey))
    steps = (lighter(colour, 1 - step / 100) for step in range(100))
    return next(c for c in steps if _light(c) + 0.05 >= _CONTRAST * (_light(to_hex(_PAGE)) + 0.05))


def _light(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(colour)
    )
    return sum(part * share for part, share in zip(parts, (0.2126, 0.7152, 0.0722), strict=True))
