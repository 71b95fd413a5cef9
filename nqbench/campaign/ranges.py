"""Parses ranges of n, densities and squares as users write them."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final, Literal

from nqbench.common.errors import InputError
from nqbench.problems.queens import LARGEST_N

_MOST_DIAGONALS: Final = 2 * (2 * LARGEST_N - 1)
_MOST_DENSITIES: Final = 10_000
_DECIMAL: Final = r"\d{1,6}(?:\.\d{1,6})?"


def parse_range(text: str, least: int = 1, most: int = LARGEST_N) -> list[int]:
    """The whole numbers in '8', '4..30', '4..30..2' (step) or several of these with commas, sorted.

    '4-30' and '4 8 16' work as well. Raises `InputError` for another form, a descending range, or
    numbers beyond `least` or `most`.
    """
    numbers: set[int] = set()
    for part in re.split(r"\s*,\s*|\s+", re.sub(r"\s*\.\.\s*", "..", text.strip())):
        numbers.update(_parse_part(part, least))
    if max(numbers) > most:
        raise InputError(f"'{text}' goes up to {max(numbers)}: the maximum is {most}")
    return sorted(numbers)


def parse_diagonals(text: str) -> list[int] | Literal["n"]:
    """A range from 0, or 'n' for as many diagonals as rows. Raises `InputError`."""
    return "n" if text == "n" else parse_range(text, least=0, most=_MOST_DIAGONALS)


def parse_densities(text: str) -> list[float]:
    """The decimal numbers in '0.5', '0.5..1.5..0.1' or several of these with commas, sorted.

    Raises `InputError`.
    """
    numbers: set[Decimal] = set()
    for part in text.split(","):
        match = re.fullmatch(rf"({_DECIMAL})(?:\.\.({_DECIMAL})\.\.({_DECIMAL}))?", part.strip())
        if match is None:
            raise InputError(f"'{part}' is not a density: write for instance 0.9 or 0.5..1.5..0.1")
        first, last, step = (Decimal(number or match[1]) for number in match.groups())
        if step <= 0 < last - first or last < first:
            raise InputError(f"'{part}' is an empty range: write FIRST..LAST..STEP, ascending")
        count = int((last - first) / (step or 1)) + 1
        if count > _MOST_DENSITIES:
            raise InputError(f"'{part}' has {count} densities: the maximum is {_MOST_DENSITIES}")
        numbers.update(first + i * step for i in range(count))
    return [float(number) for number in sorted(numbers)]


def parse_square(text: str) -> tuple[int, int]:
    """The row and column in '3,4', both from 0. Raises `InputError`."""
    match = re.fullmatch(r"(\d{1,6}),(\d{1,6})", text)
    if match is None:
        raise InputError(f"'{text}' is not a square: write row and column from 0, for instance 3,4")
    return int(match[1]), int(match[2])


def _parse_part(part: str, least: int) -> Iterable[int]:
    match = re.fullmatch(r"(\d{1,6})(?:(?:-|\.\.)(\d{1,6})(?:\.\.(\d{1,6}))?)?", part)
    if match is None:
        raise InputError(f"'{part}' is not a range: write {_likely_range(part)}")
    first = int(match[1])
    last = int(match[2] or first)
    step = int(match[3] or 1)
    if first < least:
        raise InputError(f"'{part}' starts at {first}: the minimum is {least}")
    if last < first:
        raise InputError(f"'{part}' is empty: write {last}..{first}")
    if step < 1:
        raise InputError(f"'{part}' has a step of {step}: it must be at least 1")
    return range(first, last + 1, step)


def _likely_range(part: str) -> str:
    """What to write instead. With a colon, the last number may be meant or not."""
    match = re.fullmatch(r"(\d{1,6})(?::|\.{3,})(\d{1,6})(?::(\d{1,6}))?", part)
    if match is None:
        return "for instance 8, 4..30, 4..30..2 or 4,8,16"
    return "..".join(filter(None, match.groups()))
