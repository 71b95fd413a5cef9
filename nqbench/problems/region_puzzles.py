"""Random puzzles of queens in regions with exactly one solution.

Queens that do not touch are placed at random, and regions grow from them at random until the board
is full. As long as there is another solution, a square with one of its queens moves to a region
next to it, with what it cuts off from the first queen of its region. The other solution then has
two queens in one region, and the first solution remains.
"""

import random
from itertools import pairwise
from string import ascii_lowercase
from typing import Final

from nqbench.errors import InputError
from nqbench.problems.queens import Square
from nqbench.problems.region_search import Columns, solutions
from nqbench.problems.region_shapes import connected, edge_neighbours, squares
from nqbench.problems.regions import SIZES_WITHOUT

LARGEST_DRAWN: Final = 13
"""The largest n of a random puzzle. Most take about 1 s; at n = 14, some take a minute."""

_MOST_MOVES: Final = 100
"""Moves of squares before new regions are drawn."""

Board = list[list[int]]
"""The number of the region of each square, row by row."""


def puzzle(n: int, source: random.Random) -> tuple[Board, Columns]:
    """Return the regions of a puzzle and the columns of its only solution. Raises `InputError` if
    there is no puzzle of this size, or if it would take too long to find one.
    """
    if n in SIZES_WITHOUT:
        raise InputError(f"n is {n}: two queens in different rows and columns always touch")
    if not 1 <= n <= LARGEST_DRAWN:
        raise InputError(f"n is {n}: random puzzles have 1 to {LARGEST_DRAWN} rows")
    while True:
        queens = _placement(n, source)
        board = _grown(queens, source)
        if _made_unique(board, queens, source):
            return board, queens


def rows(board: Board) -> tuple[str, ...]:
    """The regions as letters, a string for each row."""
    return tuple("".join(ascii_lowercase[region] for region in row) for row in board)


def _placement(n: int, source: random.Random) -> Columns:
    """Columns of queens that do not touch: about one permutation in eight."""
    columns = list(range(n))
    while True:
        source.shuffle(columns)
        if all(abs(a - b) > 1 for a, b in pairwise(columns)):
            return tuple(columns)


def _grown(queens: Columns, source: random.Random) -> Board:
    """Regions that contain one queen each. The one in row k has the number k."""
    n = len(queens)
    board = [[-1] * n for _ in range(n)]
    edge: list[tuple[int, Square]] = [(row, (row, column)) for row, column in enumerate(queens)]
    for region, (row, column) in edge:
        board[row][column] = region
    while edge:
        region, square = edge.pop(source.randrange(len(edge)))
        free = [(r, c) for r, c in _neighbours(square, n) if board[r][c] < 0]
        if free:
            row, column = source.choice(free)
            board[row][column] = region
            edge += [(region, square), (region, (row, column))]
    return board


def _neighbours(square: Square, n: int) -> list[Square]:
    return [(r, c) for r, c in edge_neighbours(square) if 0 <= r < n and 0 <= c < n]


def _made_unique(board: Board, queens: Columns, source: random.Random) -> bool:
    """Move squares between regions until there is no other solution; False if that fails."""
    for _ in range(_MOST_MOVES):
        other = next((found for found in solutions(board) if found != queens), None)
        if other is None:
            return True
        row = source.choice([row for row, column in enumerate(other) if column != queens[row]])
        _move(board, queens, (row, other[row]), source)
    return False


def _move(board: Board, queens: Columns, square: Square, source: random.Random) -> None:
    """Move a square, and what it cuts off from the queen of its region, to a region next to it."""
    old = board[square[0]][square[1]]
    around = {board[r][c] for r, c in _neighbours(square, len(board))} - {old}
    if around:
        new = source.choice(sorted(around))
        region = next(each for each in squares(board) if square in each)
        kept = connected([(old, queens[old]), *(each for each in region if each != square)])
        for row, column in set(region) - kept:
            board[row][column] = new
