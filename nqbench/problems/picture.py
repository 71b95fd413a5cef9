"""Boards as text pictures, one row per line."""

import re
from typing import Final

from nqbench.errors import InputError
from nqbench.problems.base import Problem, Square
from nqbench.problems.place import at

_QUEENS: Final = "Q♛1"
_EMPTY: Final = ".·0"
_BLOCKED: Final = "#▒"


def parse(text: str, source: str, name: str = "") -> Problem:
    """Parse a picture: Q or 1 for a queen, . or 0 for an empty square, # for a blocked one. Spaces
    between squares and empty lines are ignored. Raises `InputError`.
    """
    if wrong := re.search(rf"[^\s{_QUEENS}{_EMPTY}{_BLOCKED}]", text):
        place = at(text, wrong.start())
        raise InputError(f"{source}, {place}: {wrong[0]!r} is not a square: expected Q . # or 1 0")
    lines = enumerate(("".join(line.split()) for line in text.split("\n")), 1)
    rows = [(number, line) for number, line in lines if line]
    if not rows:
        raise InputError(f"{source}: no board: expected one row of squares per line")
    for number, row in rows:
        if len(row) != len(rows):
            place = _place(text, number, min(len(row), len(rows) + 1) - 1)
            what = f"{len(row)} squares in a board of {len(rows)} rows: each row needs {len(rows)}"
            raise InputError(f"{source}, {place}: {what}")
    problem = _problem(rows, name)
    if attack := problem.attack(problem.placed):
        place = _place(text, rows[attack.second[0]][0], attack.second[1])
        raise InputError(f"{source}, {place}: {attack}")
    return problem


def _problem(rows: list[tuple[int, str]], name: str) -> Problem:
    placed, blocked = _squares(rows, _QUEENS), _squares(rows, _BLOCKED)
    family = "blocked" if blocked else "completion" if placed else "queens"
    return Problem(len(rows), family, placed, blocked, "" if family == "queens" else name)


def _squares(rows: list[tuple[int, str]], symbols: str) -> tuple[Square, ...]:
    return tuple(
        (row, found.start())
        for row, (_, line) in enumerate(rows)
        for found in re.finditer(f"[{symbols}]", line)
    )


def _place(text: str, number: int, column: int) -> str:
    """The place of a square in its line, with spaces counted."""
    line = text.split("\n")[number - 1]
    squares = [position for position, symbol in enumerate(line, 1) if not symbol.isspace()]
    return f"line {number}, column {squares[column]}"
