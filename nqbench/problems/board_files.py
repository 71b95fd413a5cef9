"""Reads boards from files: a text picture, JSON, or an instance of CSPLib problem 079."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from nqbench.common import files
from nqbench.common.errors import InputError, Place, at
from nqbench.common.printable import printable
from nqbench.problems import board_text, excluded_diagonals
from nqbench.problems.board_text import place_at
from nqbench.problems.queens import LARGEST_N, Queens, Square

SUFFIXES: Final = (".txt", ".json", ".param")
"""The suffixes of board files in a folder."""

_QUEENS: Final = "Q♛1"
_EMPTY: Final = ".·0"
_BLOCKED: Final = "#▒"

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
                "`diagonals` needs a CSPLib instance, with a line that starts 'n ='",
                place=Place(str(path)),
            )
        parse = of_json if text.lstrip().startswith("{") else of_picture
        return [parse(text, source, name)]
    instance = excluded_diagonals.parse(text, source, name)
    counts = _counts(diagonals, instance.n, len(instance.diagonals))
    if not clip and any(count > len(instance.diagonals) for count in counts):
        listed = f"it lists {len(instance.diagonals)}"
        raise InputError(
            f"{max(counts)} diagonals were asked for, but {listed}", place=Place(str(path))
        )
    with at(path):
        return [instance.problem(count) for count in counts if count <= len(instance.diagonals)]


def _counts(selection: Diagonals, n: int, listed: int) -> Sequence[int]:
    """The numbers of diagonals to exclude, for an instance that lists `listed` diagonals."""
    if selection is None:
        return [listed]
    return [min(n, listed)] if selection == "n" else selection


def of_picture(text: str, source: str, name: str = "") -> Queens:
    """Parse a text picture: Q or 1 for a queen, . or 0 for an empty square, # for a blocked one.
    Spaces between squares and empty lines are ignored. Raises `InputError`.
    """
    if wrong := re.search(rf"[^\s{_QUEENS}{_EMPTY}{_BLOCKED}]", text):
        reason = f"{wrong[0]!r} is not a square: expected Q . # or 1 0"
        raise InputError(reason, place=place_at(text, source, wrong.start()))
    rows = board_text.rows(text, source)
    problem = _board_of_picture(rows, name)
    if attack := problem.attack(problem.placed):
        row, column = attack.second
        raise InputError(str(attack), place=board_text.place(text, source, rows[row][0], column))
    return problem


def _board_of_picture(rows: list[tuple[int, str]], name: str) -> Queens:
    placed, blocked = _squares(rows, _QUEENS), _squares(rows, _BLOCKED)
    family = "blocked" if blocked else "completion" if placed else "queens"
    return Queens(len(rows), family, placed, blocked, "" if family == "queens" else name)


def _squares(rows: list[tuple[int, str]], symbols: str) -> tuple[Square, ...]:
    return tuple(
        (row, match.start())
        for row, (_, line) in enumerate(rows)
        for match in re.finditer(f"[{symbols}]", line)
    )


class _Board(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    n: int
    family: str = ""
    name: str = ""
    placed: list[Square] = []
    blocked: list[Square] = []
    density: float | None = None


def of_json(text: str, source: str, name: str = "") -> Queens:
    """Parse `{"n": 8, "family": "torus", "placed": [[4, 1]], "blocked": [[0, 0]]}`.

    Squares are [row, column], both from 0. Only `n` is required. `name` distinguishes boards, and
    `density` is how full the board is, for plots over the density. Raises `InputError`.
    """
    try:
        board = msgspec.convert(json.loads(text), _Board)
    except json.JSONDecodeError as error:
        place = Place(source, error.lineno, error.colno)
        raise InputError(f"not JSON: {error.msg}", place=place) from error
    except RecursionError as error:
        raise InputError("not a board: nested too deeply", place=Place(source)) from error
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at ")
        unknown = re.search(r"unknown field `(\w+)`", message)
        place = place_at(text, source, _offset(text, f"$.{unknown[1]}" if unknown else path))
        raise InputError(f"{message} in {path.strip('`') or '$'}", place=place) from error
    except ValueError as error:  # a number with thousands of digits
        raise InputError(f"not a board: {error}", place=Place(source)) from error
    return _board_of_json(board, text, source, name)


def _board_of_json(board: _Board, text: str, source: str, name: str) -> Queens:
    family = "blocked" if board.blocked else "completion" if board.placed else "queens"
    shown_name = printable(board.name) or (name if board.placed or board.blocked else "")
    placed, blocked = tuple(board.placed), tuple(board.blocked)
    try:
        problem = Queens(
            board.n, board.family or family, placed, blocked, shown_name, board.density
        )
    except InputError as error:
        error.place = place_at(text, source, _offset(text, _culprit(board)))
        raise
    if attack := problem.attack(placed):
        offset = _offset(text, f"$.placed[{placed.index(attack.second)}]")
        raise InputError(str(attack), place=place_at(text, source, offset))
    return problem


def _culprit(board: _Board) -> str:
    """The path of the value that `Queens` refuses."""
    if not 1 <= board.n <= LARGEST_N:
        return "$.n"
    for key, squares in (("placed", board.placed), ("blocked", board.blocked)):
        for position, square in enumerate(squares):
            outside = not all(0 <= coordinate < board.n for coordinate in square)
            if outside or (key == "blocked" and square in board.placed):
                return f"$.{key}[{position}]"
    return "$.family"


def _offset(text: str, path: str) -> int:
    """The offset of the value at a path such as `$.placed[2]`, or of the closest value known."""
    step = re.search(r"\$\.(\w+)(?:\[(\d+)\])?", path)
    key = step and re.search(rf'"{step[1]}"\s*:\s*', text)
    if not step or not key:
        return 0
    squares = list(re.compile(r"\[[^\[\]]*\]").finditer(text, key.end() + 1))
    if step[2] and int(step[2]) < len(squares):
        return squares[int(step[2])].start()
    return key.end()


def as_picture(problem: Queens) -> str:
    """The board as a picture, from which `of_picture` returns the same squares. It does not say
    whether the board wraps.
    """
    squares = [["."] * problem.n for _ in range(problem.n)]
    for symbol, places in (("Q", problem.placed), ("#", problem.blocked)):
        for row, column in places:
            squares[row][column] = symbol
    return "".join("".join(row) + "\n" for row in squares)


def as_json(problem: Queens) -> str:
    """The board as one line of JSON, from which `of_json` returns the same problem."""
    board = _Board(
        problem.n,
        problem.family,
        problem.instance,
        list(problem.placed),
        list(problem.blocked),
        problem.density,
    )
    return msgspec.json.encode(board).decode() + "\n"
