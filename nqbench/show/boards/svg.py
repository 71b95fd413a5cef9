"""Boards and pictures of solutions as SVG, with few shapes even for large boards."""

from collections.abc import Iterable
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Final

from nqbench.common import files
from nqbench.problems.picture import Picture
from nqbench.problems.queens import Square
from nqbench.show.boards import scene
from nqbench.show.boards.scene import Disc, Line, Polygon, Scene, Shape, shapes

_MARGIN: Final = 0.55
"""Room for the labels, in squares."""

_PAGE: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:g} -0.05 {side:g} {side:g}" '
    'width="{width}" role="img" aria-label="{label}" font-family="sans-serif">\n'
    '<defs><pattern id="nqbench-squares" width="2" height="2" patternUnits="userSpaceOnUse">'
    '<rect width="2" height="2" fill="{light}"/>'
    '<path d="M1 0h1v1h-1zM0 1h1v1h-1z" fill="{dark}"/></pattern></defs>\n'
    '<rect width="{n}" height="{n}" fill="url(#nqbench-squares)"/>\n'
    "{shapes}</svg>\n"
)


def svg(board: Scene) -> str:
    """The picture, with the width of the scene. Placed queens are black, others white."""
    n = board.problem.n
    placed, blocked = board.problem.placed, board.problem.blocked
    labelled = n <= scene.LARGEST_LABELLED
    margin = _MARGIN if labelled else 0.05
    outline = f'fill="{scene.FOUND}" stroke="{scene.GIVEN}" stroke-width=".05"'
    shapes = [
        _shape(blocked, "h1v1h-1z", f'fill="{scene.BLOCKED}"'),
        _shape(blocked, "m.2 .2l.6 .6m0-.6l-.6 .6", 'stroke="#fff" stroke-width=".06"'),
        _shape(
            sorted(board.attacked_squares),
            "h1v1h-1z",
            f'fill="{scene.ATTACKED}" fill-opacity="{scene.ATTACKED_OPACITY}"',
        ),
        _lines(board),
        _shape(
            board.dots, "m.38 .5a.12 .12 0 1 0 .24 0a.12 .12 0 1 0-.24 0z", f'fill="{scene.DOT}"'
        ),
        _shape(placed, CROWN, f'fill="{scene.GIVEN}"'),
        _shape(sorted(board.found), CROWN, f'{outline} stroke-linejoin="round"'),
        _labels(n) if labelled else "",
    ]
    queens = len(placed) + len(board.found)
    return _PAGE.format(
        left=-margin,
        side=n + margin + 0.05,
        width=escape(board.width),
        label=escape(f"{n} x {n} board with {queens} queens"),
        light=scene.LIGHT,
        dark=scene.DARK,
        n=n,
        shapes="".join(shape for shape in shapes if shape),
    )


def write(drawn: Scene | Picture, path: Path) -> None:
    """Write a board or a picture to a file. Raises `InputError` as `files.write` does."""
    text = svg(drawn) if isinstance(drawn, Scene) else picture_svg(drawn)
    files.write(path, text.encode())


def _crown() -> str:
    """The outline of a queen as a path from the corner of its square."""
    points = [(x + 0.5, y + 0.5) for x, y in scene.CROWN]
    steps = [f"m{points[0][0]:g} {points[0][1]:g}"]
    for (x, y), (next_x, next_y) in pairwise(points):
        steps.append(f"l{next_x - x:.2f} {next_y - y:.2f}")
    return "".join(steps) + "z"


CROWN: Final = _crown()
"""Path data that draws a queen on the square after `M column row`."""


def _shape(squares: Iterable[Square], outline: str, look_of_it: str) -> str:
    """One path that draws the outline in each square."""
    drawn = "".join(f"M{column} {row}{outline}" for row, column in squares)
    return f'<path d="{drawn}" {look_of_it}/>\n' if drawn else ""


def _lines(board: Scene) -> str:
    drawn = ""
    for piece in board.attack_lines:
        (row, column), (last_row, last_column) = piece[0], piece[-1]
        drawn += f"M{column + 0.5} {row + 0.5}L{last_column + 0.5} {last_row + 0.5}"
    style = f'stroke="{scene.LINE}" stroke-width=".16" stroke-opacity=".75" stroke-linecap="round"'
    return f'<path d="{drawn}" {style}/>\n' if drawn else ""


def _labels(n: int) -> str:
    files = "".join(
        f'<text x="{column + 0.5}" y="{n + 0.38}">{chr(ord("a") + column)}</text>'
        for column in range(n)
    )
    ranks = "".join(f'<text x="-.28" y="{row + 0.62}">{n - row}</text>' for row in range(n))
    return f'<g font-size=".34" text-anchor="middle" fill="{scene.LABEL}">{files}{ranks}</g>\n'


_PICTURE_MARGIN: Final = 0.05
_DIGIT: Final = 0.36
"""Half the height of a digit, as a share of the size of its text."""


def picture_svg(picture: Picture, width: str = "360px") -> str:
    """The picture, with this width in CSS."""
    sides = (picture.width + 2 * _PICTURE_MARGIN, picture.height + 2 * _PICTURE_MARGIN)
    drawn = "\n".join(map(_element, shapes(picture)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-_PICTURE_MARGIN:g} '
        f'{-_PICTURE_MARGIN:g} {sides[0]:g} {sides[1]:g}" width="{escape(width)}" role="img" '
        f'aria-label="{escape(picture.label)}" font-family="sans-serif" '
        f'text-anchor="middle">\n{drawn}\n</svg>\n'
    )


def _element(shape: Shape) -> str:
    match shape:
        case Line((x, y), (x2, y2), colour, width):
            return (
                f'<line x1="{x:.3g}" y1="{y:.3g}" x2="{x2:.3g}" y2="{y2:.3g}" stroke="{colour}" '
                f'stroke-width="{width:g}"/>'
            )
        case Disc((x, y), radius, fill, outline, width):
            edge = _outline(outline, width)
            return f'<circle cx="{x:.4g}" cy="{y:.4g}" r="{radius:g}" fill="{fill}"{edge}/>'
        case Polygon(corners, fill, outline, width):
            points = " ".join(f"{x:.4g},{y:.4g}" for x, y in corners)
            edge = _outline(outline, width)
            return f'<polygon points="{points}" fill="{fill or "none"}"{edge}/>'
        case _:
            (x, y), size = shape.centre, shape.size
            weight = ' font-weight="bold"' if shape.is_bold else ""
            return (
                f'<text x="{x:.4g}" y="{y + _DIGIT * size:.4g}" font-size="{size:.3g}" '
                f'fill="{scene.GIVEN}"{weight}>{escape(shape.text)}</text>'
            )


def _outline(colour: str, width: float) -> str:
    return f' stroke="{colour}" stroke-width="{width:g}"' if colour else ""
