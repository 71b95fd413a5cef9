"""Colours and shapes of boards, in one place for SVG and figures."""

from typing import Final

LIGHT: Final = "#f2e6d0"
DARK: Final = "#c9a77c"
BLOCKED: Final = "#5b5b5b"
ATTACKED: Final = "#d55e00"
ATTACKED_OPACITY: Final = 0.4
ATTACKED_GROUND: Final = ("#f08c58", "#c8652f")
"""What a light and a dark square are on a terminal instead: of under that veil a terminal with 256
colours makes what it makes of other squares.
"""
LINE: Final = "#0072b2"
DOT: Final = "#009e73"
GIVEN: Final = "#111111"
"""A queen that was there before: black."""
FOUND: Final = "#ffffff"
"""One that was put there: white, with a black outline."""
LABEL: Final = "#808080"
"""Readable on white and on black."""

CROWN: Final = (
    (-0.32, 0.30), (-0.40, -0.20), (-0.19, 0.04), (-0.15, -0.32), (0.0, 0.02),
    (0.15, -0.32), (0.19, 0.04), (0.40, -0.20), (0.32, 0.30),
)  # fmt: skip
"""Outline of a queen around the middle of a square of side 1, y downwards."""

LARGEST_LABELLED: Final = 26
"""Beyond so many rows the letters run out, and the squares are too small for them."""
