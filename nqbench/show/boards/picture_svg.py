"""Pictures of solutions as SVG."""

from html import escape
from typing import Final

from nqbench.problems.picture import Picture
from nqbench.show.boards import look
from nqbench.show.boards.shapes import Disc, Line, Polygon, Shape, shapes

_MARGIN: Final = 0.05
_DIGIT: Final = 0.36
"""Half the height of a digit, as a share of the size of its text."""


def svg(picture: Picture, width: str = "360px") -> str:
    """The picture, with this width in CSS."""
    sides = (picture.width + 2 * _MARGIN, picture.height + 2 * _MARGIN)
    drawn = "\n".join(map(_element, shapes(picture)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-_MARGIN:g} {-_MARGIN:g} {sides[0]:g} '
        f'{sides[1]:g}" width="{escape(width)}" role="img" aria-label="{escape(picture.label)}" '
        f'font-family="sans-serif" text-anchor="middle">\n{drawn}\n</svg>\n'
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
                f'fill="{look.GIVEN}"{weight}>{escape(shape.text)}</text>'
            )


def _outline(colour: str, width: float) -> str:
    return f' stroke="{colour}" stroke-width="{width:g}"' if colour else ""
