"""Colours and shapes of boards, in one place for SVG and figures."""

from typing import Final

LIGHT: Final = "#f2e6d0"
DARK: Final = "#c9a77c"
BLOCKED: Final = "#5b5b5b"
ATTACKED: Final = "#d55e00"
ATTACKED_OPACITY: Final = 0.4
ATTACKED_GROUND: Final = ("#f08c58", "#c8652f")
"""Colours of attacked light and dark squares on a terminal. With transparency, a terminal with 256
colours would show them like other squares.
"""
LINE: Final = "#0072b2"
DOT: Final = "#009e73"
GIVEN: Final = "#111111"
"""A queen that the problem placed: black."""
FOUND: Final = "#ffffff"
"""A queen that a search placed: white, with a black outline."""
LABEL: Final = "#808080"
"""Readable on white and on black."""

EMPTY: Final = "#fffdf7"
"""The ground of a cell of a picture without chequers."""

PALETTE: Final = (
    "#9fd0f0", "#f5c26b", "#8fd3b6", "#f6ee9c", "#dfb3cf", "#eda37a", "#c9cdd2", "#b5b8ee",
)  # fmt: skip
"""Grounds for black text: the colours of M. Okabe and K. Ito for all kinds of sight, made lighter.
There may be more groups, so the text says which it is.
"""

CROWN: Final = (
    (-0.32, 0.30), (-0.40, -0.20), (-0.19, 0.04), (-0.15, -0.32), (0.0, 0.02),
    (0.15, -0.32), (0.19, 0.04), (0.40, -0.20), (0.32, 0.30),
)  # fmt: skip
"""Outline of a queen, relative to the centre of a square with side 1; y points down."""

LARGEST_LABELLED: Final = 26
"""The largest labelled board: beyond it the letters run out and squares are too small for them."""
