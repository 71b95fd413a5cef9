"""Boards as text pictures, one row per line."""

import re
from typing import Final

from nqbench.errors import InputError
from nqbench.problems import board_text
from nqbench.problems.place import at
from nqbench.problems.queens import Queens, Square

_QUEENS: Final = "Q♛1"
_EMPTY: Final = ".·0"
_BLOCKED: Final = "#▒"


def parse(text: str, source: str, name: str = "") -> Queens:
    """Parse a picture: Q or 1 for a queen, . or 0 for an empty square, # for a blocked one. Spaces
    between squares and empty lines are ignored. Raises `InputError`.
    """
    if wrong := re.search(rf"[^\s{_QUEENS}{_EMPTY}{_BLOCKED}]", text):
        place = at(text, wrong.start())
        raise InputError(f"{source}, {place}: {wrong[0]!r} is not a square: expected Q . # or 1 0")
    rows = board_text.rows(text, source)
    problem = _problem(rows, name)
    if attack := problem.attack(problem.placed):
        place = board_text.place(text, rows[attack.second[0]][0], attack.second[1])
        raise InputError(f"{source}, {place}: {attack}")
    return problem


def _problem(rows: list[tuple[int, str]], name: str) -> Queens:
    placed, blocked = _squares(rows, _QUEENS), _squares(rows, _BLOCKED)
    family = "blocked" if blocked else "completion" if placed else "queens"
    return Queens(len(rows), family, placed, blocked, "" if family == "queens" else name)


def _squares(rows: list[tuple[int, str]], symbols: str) -> tuple[Square, ...]:
    return tuple(
        (row, found.start())
        for row, (_, line) in enumerate(rows)
        for found in re.finditer(f"[{symbols}]", line)
    )
