"""What a picture of a board shows: pieces and marks."""

from collections.abc import Iterable
from dataclasses import dataclass

from nqbench.common.errors import InputError
from nqbench.problems.queens import Placement, Queens, Square


@dataclass(frozen=True, slots=True)
class Scene:
    """A problem with queens, which may include the queens that it placed.

    `attacked` marks all attacked squares. `lines_of` draws the lines on which a queen on this
    square attacks. `dots` are squares to mark with a dot. `width` is the width of the picture in
    CSS, such as "360px" or "60%".
    """

    problem: Queens
    queens: Placement = ()
    attacked: bool = False
    lines_of: Square | None = None
    dots: tuple[Square, ...] = ()
    width: str = "360px"

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
        and blocked squares.
        """
        if not self.attacked:
            return set()
        queens = {*self.problem.placed, *self.queens}
        lines = (line for queen in queens for line in lines_of(self.problem, queen))
        return {square for line in lines for square in line}.difference(
            queens, self.problem.blocked
        )

    @property
    def attack_lines(self) -> list[list[Square]]:
        """The lines through `lines_of` in unbroken pieces, each as its squares in order."""
        # On a torus a diagonal continues at the opposite edge, in another piece.
        if self.lines_of is None:
            return []
        return [piece for line in lines_of(self.problem, self.lines_of) for piece in _pieces(line)]


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


def _pieces(line: Iterable[Square]) -> list[list[Square]]:
    pieces: list[list[Square]] = []
    for square in line:
        if pieces and max(abs(a - b) for a, b in zip(pieces[-1][-1], square, strict=True)) == 1:
            pieces[-1].append(square)
        else:
            pieces.append([square])
    return pieces
