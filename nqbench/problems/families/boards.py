"""Shared code of the families of boards."""

import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from nqbench.common.errors import InputError, Place
from nqbench.problems import board_files
from nqbench.problems.base import Problem
from nqbench.problems.board_files import Diagonals
from nqbench.problems.families.base import Family, FilledFamily
from nqbench.problems.queens import Queens, Square


class BoardFamily(Family):
    """Boards by size, or from files, which say their family themselves."""

    problem = Queens
    suffixes = board_files.SUFFIXES

    def read(self, path: Path) -> list[Problem]:
        return list(board_files.read_each(path))


class FilledBoards(FilledFamily, BoardFamily):
    """Random boards from empty to as full as possible, or from files."""


def read(family: Family, path: Path, diagonals: Diagonals, clip: bool = False) -> list[Problem]:
    """The problems in a file of any family. With `diagonals` and `clip`, they are boards: see
    `board_files.read_each`. Raises `InputError`.
    """
    if diagonals is None:
        return family.read(path)
    if not isinstance(family, BoardFamily):
        raise InputError(
            f"`diagonals` is for boards, not for family '{family.name}'", place=Place(str(path))
        )
    return list(board_files.read_each(path, diagonals, clip))


def shuffled_squares(n: int, source: random.Random) -> Sequence[Square]:
    """All squares of an n x n board, in random order."""
    squares = list(product(range(n), range(n)))
    source.shuffle(squares)
    return squares
