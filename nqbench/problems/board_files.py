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
    """The problem in a file, of whichever kind. Of a CSPLib instance so many diagonals, counted
    from the first, are excluded; None: all. Raises `InputError` that names the file, the place, and
    what was expected.
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
            raise InputError(f"{path}: --diagonals needs a CSPLib instance, which this file is not")
        parse = json_board.parse if text.lstrip().startswith("{") else picture.parse
        return [parse(text, source, name)]
    instance = csplib.parse(text, source, name)
    counts = _counts(diagonals, instance.n, len(instance.diagonals))
    if not clip and any(count > len(instance.diagonals) for count in counts):
        listed = f"it lists {len(instance.diagonals)}"
        raise InputError(f"{path}: {max(counts)} diagonals were asked for, but {listed}")
    try:
        return [instance.problem(count) for count in counts if count <= len(instance.diagonals)]
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _counts(asked: Sequence[int] | Literal["n"] | None, n: int, listed: int) -> Sequence[int]:
    """How many diagonals are excluded, of an instance that lists so many."""
    if asked is None:
        return [listed]
    return [min(n, listed)] if asked == "n" else asked


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
