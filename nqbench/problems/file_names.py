"""The files of a folder that hold problems."""

import re
from collections.abc import Sequence
from pathlib import Path

from nqbench.errors import InputError


def in_folder(path: Path, suffixes: Sequence[str]) -> list[Path]:
    """The file itself, or the files of a folder with these suffixes, sorted by name with numbers in
    numeric order. Raises `InputError` if there are none.
    """
    if not path.is_dir():
        return [path]
    try:
        found = sorted((p for p in path.iterdir() if p.suffix in suffixes), key=_natural)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if not found:
        expected = f"files that end in {' '.join(suffixes)}"
        raise InputError(f"no problems in {path}: expected {expected}")
    return found


def _natural(path: Path) -> list[tuple[int, str]]:
    return [
        (int(part or 0), "") if part.isdigit() else (-1, part)
        for part in re.split(r"(\d+)", path.name)
    ]
