"""Boards in files: a picture in text, JSON, or an instance of CSPLib problem 079."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from nqbench import files
from nqbench.errors import InputError
from nqbench.printable import printable
from nqbench.problems import csplib, json_board, picture
from nqbench.problems.base import Problem

SUFFIXES: Final = (".txt", ".json", ".param")
"""The files of a folder that are boards."""

LARGEST_FILE: Final = 32 * 2**20
"""Bytes: the picture of a board of 4000 rows with blanks between the squares fits."""


def read(path: Path, diagonals: int | None = None) -> Problem:
    """The problem in a file, of whichever kind.

    `diagonals` is how many of a CSPLib instance's diagonals are excluded, counted from the first;
    None: all. Raises `InputError` that names the file, the place, and what was expected.
    """
    return read_each(path, None if diagonals is None else [diagonals])[0]


def read_each(
    path: Path, diagonals: Sequence[int] | Literal["n"] | None = None, clip: bool = False
) -> list[Problem]:
    """The problem in a file; of a CSPLib instance one for each number of excluded diagonals. "n"
    stands for as many as there are rows, or all of a shorter list. With `clip` numbers that are
    greater than the list is long are left out, else they are an error.

    Raises `InputError` as `read` does.
    """
    text = _text(path)
    source, name = str(path), printable(path.stem)
    # Blanks only: an expression for any white space would look at all empty lines from each.
    if not re.search(r"^[ \t]*n[ \t]*=", text, re.MULTILINE):
        if diagonals is not None:
            raise InputError(f"{path}: --diagonals is for CSPLib instances, this is another board")
        parse = json_board.parse if text.lstrip().startswith("{") else picture.parse
        return [parse(text, source, name)]
    instance = csplib.parse(text, source, name)
    listed = len(instance.diagonals)
    if diagonals is None or diagonals == "n":
        counts = [listed if diagonals is None else min(instance.n, listed)]
    else:
        counts = [count for count in diagonals if count <= listed]
        if not clip and len(counts) < len(diagonals):
            raise InputError(f"{path}: {max(diagonals)} diagonals asked for, but it lists {listed}")
    try:
        return [instance.problem(count) for count in counts]
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def in_folder(path: Path) -> list[Path]:
    """The file itself, or the boards of a folder, by name with numbers in their order.

    Raises `InputError` if there is none.
    """
    if not path.is_dir():
        return [path]
    try:
        found = sorted((p for p in path.iterdir() if p.suffix in SUFFIXES), key=_natural)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if not found:
        raise InputError(f"no boards in {path}: expected files that end in {' '.join(SUFFIXES)}")
    return found


def _natural(path: Path) -> list[tuple[int, str]]:
    return [
        (int(part or 0), "") if part.isdigit() else (-1, part)
        for part in re.split(r"(\d+)", path.name)
    ]


def _text(path: Path) -> str:
    try:
        text = files.content(path, LARGEST_FILE).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text file") from error
    if "\0" in text:
        raise InputError(f"{path} is not a text file")
    return text
