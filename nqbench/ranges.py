"""Ranges of n and squares as they are written on the command line."""

import re
from collections.abc import Iterable

from nqbench.errors import InputError


def parse_range(text: str) -> list[int]:
    """The whole numbers of '8', '4..30', '4..30..2' (step) or a mix of these by comma, sorted.

    Raises `InputError` if a part is none of these, or goes down, or is below 1.
    """
    numbers: set[int] = set()
    for part in text.split(","):
        numbers.update(_parse_part(part.strip()))
    return sorted(numbers)


def parse_square(text: str) -> tuple[int, int]:
    """The row and column of '3,4', both from 0. Raises `InputError`."""
    match = re.fullmatch(r"(\d{1,6}),(\d{1,6})", text)
    if match is None:
        raise InputError(f"'{text}' is not a square: write row and column from 0, for instance 3,4")
    return int(match[1]), int(match[2])


def _parse_part(part: str) -> Iterable[int]:
    match = re.fullmatch(r"(\d{1,6})(?:\.\.(\d{1,6})(?:\.\.(\d{1,6}))?)?", part)
    if match is None:
        raise InputError(
            f"'{part}' is not a range: write for instance 8, 4..30, 4..30..2 or 4,8,16"
        )
    first = int(match[1])
    last = int(match[2] or first)
    step = int(match[3] or 1)
    if first < 1:
        raise InputError(f"'{part}' starts at {first}: a board has at least 1 row")
    if last < first:
        raise InputError(f"'{part}' goes down: write {last}..{first}")
    if step < 1:
        raise InputError(f"'{part}' has a step of {step}: it must be at least 1")
    return range(first, last + 1, step)
