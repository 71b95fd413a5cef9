"""The board that refutes a formula: what is wrong with it, in words and as a picture."""

from nqbench.addons.grading.verdict import Placement
from nqbench.problems.queens import Queens, Square
from nqbench.show.boards.scene import Scene
from nqbench.show.boards.text import algebraic


def describe(n: int, placement: Placement) -> str:
    """Why the rules forbid a placement, with squares as on the picture and as in a program."""
    if attack := Queens(n).attack(placement):
        queens = " and ".join(_name(square, n) for square in (attack.first, attack.second))
        return f"queens on {queens} share a {attack.line}"
    empty = _empty_rows(n, placement)
    return f"row {min(empty)}, counted from 0, has no queen" if empty else ""


def scene(n: int, placement: Placement, *, is_allowed: bool) -> Scene:
    """The board. If the formula allows what the rules forbid, it shows the line on which two queens
    attack each other, or a row without a queen.
    """
    problem = Queens(n)
    attack = problem.attack(placement) if is_allowed else None
    conflict = (attack.first, attack.second) if attack else None
    empty = _empty_rows(n, placement) if is_allowed and not attack else set()
    dots = tuple((min(empty), column) for column in range(n)) if empty else ()
    return Scene(problem, placement, conflict=conflict, dots=dots, width="100%")


def _empty_rows(n: int, placement: Placement) -> set[int]:
    return set(range(n)).difference(row for row, _ in placement)


def _name(square: Square, n: int) -> str:
    row, column = square
    return f"{algebraic(square, n)} (row {row}, column {column})"
