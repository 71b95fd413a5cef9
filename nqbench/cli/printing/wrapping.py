"""Wraps text to lines of a given width, without breaks inside words."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from rich.cells import cell_len, chop_cells

_BREAKS: Final = (r"(?<=[,;] )", r"(?<= )", r"(?<=[-:/])(?!/)")
"""Places where a line may end, the best first: between the items of a list, between words, and in a
name after a hyphen, a colon or a slash.
"""


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines that are at most `width` cells wide.

    A word is broken only if it is wider than a line, at its hyphens if it has any.

    >>> wrapped("A. Frisch, T. Peugniez, JAR 35", 16)
    ['A. Frisch,', 'T. Peugniez,', 'JAR 35']
    >>> wrapped("cardinality-network x minisat22", 14)
    ['cardinality-', 'network x', 'minisat22']
    """
    lines = [""]
    for piece in _pieces(text, width, _BREAKS):
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def widest_part(text: str) -> int:
    """The width of the narrowest column that holds a text without a break inside a word.

    >>> widest_part("cardinality-network x minisat22")
    12
    """
    return max(cell_len(part.rstrip()) for part in _split(text, "|".join(_BREAKS)))


def _pieces(text: str, width: int, breaks: Sequence[str]) -> Iterator[str]:
    if cell_len(text.rstrip()) <= width:
        yield text
    elif not breaks:
        yield from chop_cells(text, width)
    else:
        for part in _split(text, breaks[0]):
            yield from _pieces(part, width, breaks[1:])


def _split(text: str, at: str) -> list[str]:
    places = [0, *(match.start() for match in re.finditer(at, text)), len(text)]
    return [text[start:end] for start, end in pairwise(places)]
