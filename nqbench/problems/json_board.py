"""Boards as JSON: `{"n": 8, "family": "torus", "placed": [[4, 1]], "blocked": [[0, 0]]}`.

Squares are [row, column], both from 0. Only `n` is required. `name` distinguishes boards; `density`
is how full the board is, for plots over the density.
"""

import json
import re

import msgspec

from nqbench.errors import InputError
from nqbench.printable import printable
from nqbench.problems.place import at
from nqbench.problems.queens import LARGEST_N, Queens, Square


class _Board(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    n: int
    family: str = ""
    name: str = ""
    placed: list[Square] = []
    blocked: list[Square] = []
    density: float | None = None


def parse(text: str, source: str, name: str = "") -> Queens:
    """Parse the text of a file. Raises `InputError`."""
    try:
        board = msgspec.convert(json.loads(text), _Board)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{source}, {place}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise InputError(f"{source}: not a board: nested too deeply") from error
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at ")
        unknown = re.search(r"unknown field `(\w+)`", message)
        place = at(text, _offset(text, f"$.{unknown[1]}" if unknown else path))
        raise InputError(f"{source}, {place}: {message} in {path.strip('`') or '$'}") from error
    except ValueError as error:  # a number with thousands of digits
        raise InputError(f"{source}: not a board: {error}") from error
    return _problem(board, text, source, name)


def _problem(board: _Board, text: str, source: str, name: str) -> Queens:
    family = "blocked" if board.blocked else "completion" if board.placed else "queens"
    named = printable(board.name) or (name if board.placed or board.blocked else "")
    placed, blocked = tuple(board.placed), tuple(board.blocked)
    try:
        problem = Queens(board.n, board.family or family, placed, blocked, named, board.density)
    except InputError as error:
        place = at(text, _offset(text, _culprit(board)))
        raise InputError(f"{source}, {place}: {error}") from error
    if attack := problem.attack(placed):
        place = at(text, _offset(text, f"$.placed[{placed.index(attack.second)}]"))
        raise InputError(f"{source}, {place}: {attack}")
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


def write(problem: Queens) -> str:
    """The board as one line of JSON, from which `parse` returns the same problem."""
    board = _Board(
        problem.n,
        problem.family,
        problem.instance,
        list(problem.placed),
        list(problem.blocked),
        problem.density,
    )
    return msgspec.json.encode(board).decode() + "\n"
