"""Reads boards from files: a text picture, JSON, or an instance of CSPLib problem 079."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from nqbench import files
from nqbench.errors import InputError
from nqbench.printable import printable
from nqbench.problems import csplib, json_board, picture
from nqbench.problems.queens import Queens

SUFFIXES: Final = (".txt", ".json", ".param")
"""The suffixes of board files in a folder."""

Diagonals = Sequence[int] | Literal["n"] | None
"""How many diagonals of a CSPLib instance to exclude: see `read_each`."""


def read(path: Path, diagonals: int | None = None) -> Queens:
    """Read the problem in a file of any kind. For a CSPLib instance, the first `diagonals` of its
    list are excluded; None: all. Raises an `InputError` that names the file, the place, and what
    was expected.
    """
    return read_each(path, None if diagonals is None else [diagonals])[0]


def read_each(path: Path, diagonals: Diagonals = None, clip: bool = False) -> list[Queens]:
    """Read the problem in a file, or for a CSPLib instance one problem for each number of excluded
    diagonals. "n" means as many as there are rows, or all if the list is shorter. Numbers greater
    than the length of the list are left out with `clip`, and otherwise an error.

    Raises `InputError` as `read` does.
    """
    text = files.text(path)
    source, name = str(path), printable(path.stem)
    # Only spaces and tabs: \s would match newlines and rescan all empty lines from each of them.
    if not re.search(r"^[ \t]*n[ \t]*=", text, re.MULTILINE):
        if diagonals is not None:
            raise InputError(
                f"{path}: `diagonals` needs a CSPLib instance, with a line that starts 'n ='"
            )
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


def _counts(asked: Diagonals, n: int, listed: int) -> Sequence[int]:
    """The numbers of diagonals to exclude, for an instance that lists `listed` diagonals."""
    if asked is None:
        return [listed]
    return [min(n, listed)] if asked == "n" else asked
