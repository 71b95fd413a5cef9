"""What a picture of a board shows: pieces and marks."""

from collections.abc import Iterable
from dataclasses import dataclass

from nqbench.common.errors import InputError
from nqbench.problems.queens import Placement, Queens, Square


@dataclass(frozen=True, slots=True)
class Scene:
    """A problem with queens, which may include the queens that it placed.

    `attacked` marks all attacked squares. `lines_of` draws the lines on which a queen on this
    square attacks, `conflict` the line between two queens that attack each other. `dots` are
    squares to mark with a dot. `width` is the width of the picture in CSS, such as "360px" or
    "60%".
    """

    problem: Queens
    queens: Placement = ()
    attacked: bool = False
    lines_of: Square | None = None
    dots: tuple[Square, ...] = ()
    width: str = "360px"
    conflict: tuple[Square, Square] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Queens):
            raise InputError(
                f"{self.problem!r:.40} is not a board of queens: give Queens(8), for instance, or "
                "a problem of nqbench.problems_of, which reads files too"
            )

    @property
    def found(self) -> set[Square]:
        """The queens that the problem did not place."""
        return set(self.queens).difference(self.problem.placed)

    @property
    def attacked_squares(self) -> set[Square]:
        """The squares to mark as attacked: those on a line with a queen, except squares with queens
        and blocked squares; and those of the two queens of the conflict.
        """
        if not self.attacked:
            return set(self.conflict or ())
        queens = {*self.problem.placed, *self.queens}
        lines = (line for queen in queens for line in lines_of(self.problem, queen))
        free = {square for line in lines for square in line}.difference(
            queens, self.problem.blocked
        )
        return free.union(self.conflict or ())

    @property
    def attack_lines(self) -> list[list[Square]]:
        """The lines through `lines_of`, and the one of the conflict, in unbroken pieces, each as
        its squares in order.
        """
        # On a torus a diagonal continues at the opposite edge, in another piece.
        lines = [] if self.lines_of is None else lines_of(self.problem, self.lines_of)
        if self.conflict is not None:
            lines += _between(self.problem, *self.conflict)
        return [piece for line in lines for piece in _pieces(line)]


def lines_of(problem: Queens, square: Square) -> list[list[Square]]:
    """The row, column, falling and rising diagonal through a square, each as squares sorted by
    column; the column is sorted by row.
    """
    n, (row, column) = problem.n, square
    diagonals = [[(row + direction * (c - column), c) for c in range(n)] for direction in (1, -1)]
    if problem.wraps:
        diagonals = [[(r % n, c) for r, c in diagonal] for diagonal in diagonals]
    return [
        [(row, c) for c in range(n)],
        [(r, column) for r in range(n)],
        *([(r, c) for r, c in diagonal if 0 <= r < n] for diagonal in diagonals),
    ]


def _between(problem: Queens, one: Square, other: Square) -> list[list[Square]]:
    """The squares from one to the other, on the lines that they share."""
    shared = [line for line in lines_of(problem, one) if other in line]
    return [line[slice(*_range(line.index(one), line.index(other)))] for line in shared]


def _range(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other) + 1


def _pieces(line: Iterable[Square]) -> list[list[Square]]:
    pieces: list[list[Square]] = []
    for square in line:
        if pieces and max(abs(a - b) for a, b in zip(pieces[-1][-1], square, strict=True)) == 1:
            pieces[-1].append(square)
        else:
            pieces.append([square])
    return pieces
