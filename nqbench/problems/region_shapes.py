"""The shapes of regions of a board: which squares belong together, and whether they are connected.

Regions are a sequence of rows, each with a value for every square that names its region.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from nqbench.problems.queens import Square


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with regions, and a square that shows it."""

    square: Square
    what: str


def squares(regions: Sequence[Sequence[object]]) -> list[list[Square]]:
    """The squares of each region, in the order of their first squares."""
    found: dict[object, list[Square]] = {}
    for row, symbols in enumerate(regions):
        for column, symbol in enumerate(symbols):
            found.setdefault(symbol, []).append((row, column))
    return list(found.values())


def flaw(regions: Sequence[str]) -> Flaw | None:
    """What is wrong with regions of a square board; None if there are n, and all are connected."""
    n, found = len(regions), squares(regions)
    if len(found) != n:
        shown = found[n][0] if len(found) > n else (n - 1, n - 1)
        return Flaw(shown, f"{len(found)} regions in a board of {n} rows: expected {n}")
    for region in found:
        if apart := set(region) - connected(region):
            row, column = square = min(apart)
            return Flaw(square, f"region '{regions[row][column]}' is not connected")
    return None


def connected(region: Sequence[Square]) -> set[Square]:
    """The squares that steps between squares with a common edge reach from the first square."""
    left = set(region)
    waiting = [region[0]]
    reached = set(waiting)
    while waiting:
        new = left.intersection(edge_neighbours(waiting.pop())) - reached
        reached |= new
        waiting += new
    return reached


def edge_neighbours(square: Square) -> list[Square]:
    """The four squares that have an edge in common with a square; some may be outside the board."""
    row, column = square
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
