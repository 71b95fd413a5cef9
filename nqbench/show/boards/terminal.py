"""Boards in colour on a terminal."""

from typing import Final

from rich.style import Style
from rich.text import Text

from nqbench.problems.queens import Square
from nqbench.show.boards import scene
from nqbench.show.boards.scene import Scene

_SYMBOLS: Final = {
    "given": ("♛", Style(color=scene.GIVEN, bold=True)),
    "found": ("♛", Style(color=scene.LINE, bold=True)),
    "dot": ("•", Style(color=scene.DOT)),
    "line": ("·", Style(color=scene.LINE)),
    "blocked": ("✕", Style(color="white", bgcolor=scene.BLOCKED)),
}


def text(board: Scene) -> Text:
    """The board with two characters per square. Placed queens are black, others blue."""
    n = board.problem.n
    marks = _marks(board)
    attacked = board.attacked_squares
    drawn = Text(no_wrap=True)
    for row in range(n):
        for column in range(n):
            symbol, style = _SYMBOLS.get(marks.get((row, column), ""), (" ", Style()))
            ground = scene.DARK if (row + column) % 2 else scene.LIGHT
            if (row, column) in attacked:
                ground = scene.ATTACKED_GROUND[(row + column) % 2]
            drawn.append(f"{symbol} ", Style(bgcolor=ground) + style)
        drawn.append("\n")
    return drawn[:-1]


def _marks(board: Scene) -> dict[Square, str]:
    """The mark of each square that is not empty."""
    layers = {
        "line": [square for piece in board.attack_lines for square in piece],
        "dot": board.dots,
        "blocked": board.problem.blocked,
        "found": board.found,
        "given": board.problem.placed,
    }
    return {square: mark for mark, squares in layers.items() for square in squares}
