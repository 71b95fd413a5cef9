"""Boards in files: a picture in text, or an instance of CSPLib problem 079."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nqbench.errors import InputError
from nqbench.problem import Problem, Square

_MEANING: Final = {
    "Q": "queen", "♛": "queen", "1": "queen",
    ".": "empty", "·": "empty", "0": "empty",
    "#": "blocked", "▒": "blocked",
}  # fmt: skip


def read(path: Path, diagonals: int | None = None) -> Problem:
    """The problem in a file, of whichever kind.

    `diagonals` is how many of a CSPLib instance's diagonals are excluded, counted from the first;
    None: all. Raises `InputError` that names the file, the place, and what was expected.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text file") from error
    if re.search(r"^\s*n\s*=", text, re.MULTILINE):
        return parse_csplib(text, str(path), path.stem, diagonals)
    if diagonals is not None:
        raise InputError(f"{path}: --diagonals is for CSPLib instances, this is a picture")
    return parse_picture(text, str(path), path.stem)


def parse_picture(text: str, source: str, name: str = "") -> Problem:
    """The board of a picture: a row a line, Q or 1 for a queen, . or 0 for an empty square, # for a
    blocked one; blanks between squares and empty lines do not matter.

    Raises `InputError`.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    squares: dict[str, list[Square]] = {"queen": [], "empty": [], "blocked": []}
    for row, (number, line) in enumerate(lines):
        symbols = [(at, symbol) for at, symbol in enumerate(line, 1) if not symbol.isspace()]
        for column, (at, symbol) in enumerate(symbols):
            if symbol not in _MEANING:
                raise InputError(
                    f"{source}, line {number}, column {at}: '{symbol}' is no square: "
                    "expected Q . # or 1 0"
                )
            squares[_MEANING[symbol]].append((row, column))
        if len(symbols) != len(lines):
            raise InputError(
                f"{source}, line {number}: {len(symbols)} squares in a board of {len(lines)} rows"
            )
    if not lines:
        raise InputError(f"{source}: no board: expected a row of squares a line")
    placed, blocked = tuple(squares["queen"]), tuple(squares["blocked"])
    family = "blocked" if blocked else "completion" if placed else "queens"
    instance = "" if family == "queens" else name
    return Problem(len(lines), family, placed, blocked, instance)


def parse_csplib(text: str, source: str, name: str = "", diagonals: int | None = None) -> Problem:
    """The board of a CSPLib 079 instance: `n = 8`, `numdiags = 2`, `diags = [[3, 0], [11, 1]]`.

    The pair [k, 1] excludes the squares with row + column = k, and [k, 0] those with
    row - column = k - (n - 1) (I. Gent, C. Jefferson, P. Nightingale, "Complexity of n-queens
    completion", JAIR 59, 2017). Raises `InputError`.
    """
    n = _number(text, source, "n")
    stated = _number(text, source, "numdiags")
    line, listed = _value(text, source, "diags")
    if not re.fullmatch(r"\[\s*(\[\s*\d+\s*,\s*[01]\s*\]\s*,?\s*)*\]", listed):
        expected = "[[k, 0], [k, 1], ...]"
        raise InputError(f"{source}, line {line}: diags is no list of pairs: expected {expected}")
    pairs = [(int(k), int(kind)) for k, kind in re.findall(r"(\d+)\s*,\s*([01])", listed)]
    if len(pairs) != stated:
        raise InputError(f"{source}, line {line}: {len(pairs)} pairs, but numdiags is {stated}")
    if wrong := next((k for k, _ in pairs if k > 2 * n - 2), None):
        raise InputError(f"{source}, line {line}: no diagonal {wrong}: they go up to {2 * n - 2}")
    if diagonals is None:
        diagonals = stated
    if not 0 <= diagonals <= stated:
        raise InputError(f"{source}: {diagonals} diagonals asked for, but it lists {stated}")
    blocked = tuple(square for pair in pairs[:diagonals] for square in _diagonal(n, *pair))
    return Problem(n, "excluded-diagonals", (), blocked, f"{name} d={diagonals}".strip())


def _diagonal(n: int, k: int, kind: int) -> Iterator[Square]:
    for row in range(n):
        column = k - row if kind else row - (k - (n - 1))
        if 0 <= column < n:
            yield row, column


def _number(text: str, source: str, name: str) -> int:
    line, value = _value(text, source, name)
    if not re.fullmatch(r"\d{1,6}", value):
        raise InputError(f"{source}, line {line}: {name} is '{value[:20]}', not a whole number")
    return int(value)


def _value(text: str, source: str, name: str) -> tuple[int, str]:
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.fullmatch(rf"\s*{name}\s*=\s*(.*?)\s*", line):
            return number, match[1]
    raise InputError(f"{source}: no line '{name} = ...'")
