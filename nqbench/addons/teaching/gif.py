"""Writes steps as an animated GIF.

Three boards are drawn: an empty one, one full of queens and one full of dots. The pictures of the
steps are put together from their squares, since to draw each of hundreds takes much longer. All
have one palette, which saves the time to find one for each.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image, ImageDraw, ImageFont

from nqbench.addons.teaching.steps import Moment
from nqbench.common import files
from nqbench.problems.queens import Queens, Square, placement_of
from nqbench.show.boards import figure
from nqbench.show.boards.scene import Scene

_INCHES: Final = (4.0, 4.4)
_DPI: Final = 100
_LAST_FRAMES: Final = 16
"""Number of frames for which the last picture stays before the animation repeats."""

_TEXT_BOX: Final = (0, 410, 400, 440)
"""Where the text below the board is, in pixels from the top left."""
_TEXT_PIXELS: Final = 11
_DARKEST: Final = 0x33
"""The grey of the text."""
_GREYS: Final = 16
"""Colours of the palette for the text, from black to white."""
_COLOURS: Final = 256

Box = tuple[int, int, int, int]
"""Left, top, right and bottom of a rectangle, in pixels."""


def write(problem: Queens, moments: Iterable[Moment], path: Path, per_second: float) -> None:
    """Write a picture for each step with a text below it. Raises `InputError`."""
    pictures = _Pictures(problem)
    first_picture, *later_pictures = map(pictures.of, moments)
    frame_ms = 1000 // max(1, round(per_second))
    durations = [frame_ms] * len(later_pictures) + [_LAST_FRAMES * frame_ms]
    with files.written(path) as file:
        first_picture.save(
            file, "GIF", save_all=True, append_images=later_pictures, duration=durations, loop=0
        )


class _Pictures:
    """Makes the pictures of steps, each with the same palette."""

    def __init__(self, problem: Queens) -> None:
        self._problem = problem
        squares = placement_of(tuple(problem.options))
        drawing = Figure(figsize=_INCHES, dpi=_DPI, facecolor="white")
        canvas: Any = FigureCanvasAgg(drawing)  # its methods have no types
        axes = drawing.add_axes((0.08, 0.13, 0.9, 0.85))
        boards = []
        for scene in (Scene(problem), Scene(problem, squares), Scene(problem, dots=squares)):
            figure.draw(axes, scene)
            canvas.draw()
            size = canvas.get_width_height()
            picture = Image.frombuffer("RGBA", size, canvas.buffer_rgba())
            boards.append(picture.convert("RGB"))
        self._empty, self._queens, self._dots = _with_one_palette(boards)
        self._boxes = {square: _box(axes, square, size[1]) for square in squares}
        fonts = Path(mpl.get_data_path()) / "fonts" / "ttf"
        self._font = ImageFont.truetype(str(fonts / "DejaVuSans.ttf"), _TEXT_PIXELS)

    def of(self, moment: Moment) -> Image.Image:
        """The picture of a step."""
        picture = self._empty.copy()
        scene = moment.board(self._problem)
        for squares, full in ((scene.dots, self._dots), (scene.found, self._queens)):
            for square in squares:
                box = self._boxes[square]
                picture.paste(full.crop(box), box)
        picture.paste(self._text(str(moment)), _TEXT_BOX)
        return picture

    def _text(self, text: str) -> Image.Image:
        """The text in grey on white, as numbers of the palette."""
        left, top, right, bottom = _TEXT_BOX
        width, height = right - left, bottom - top
        strip = Image.new("L", (width, height), 255)
        middle = (width / 2, height / 2)
        ImageDraw.Draw(strip).text(middle, text, fill=_DARKEST, font=self._font, anchor="mm")
        return strip.point([grey * (_GREYS - 1) // 255 for grey in range(256)])


def _with_one_palette(boards: list[Image.Image]) -> list[Image.Image]:
    """The boards as numbers of one palette: first the greys of texts, then the colours of boards.
    The corner of a board is as white as the ground of a text.
    """
    width, height = boards[0].size
    together = Image.new("RGB", (width, height * len(boards)))
    for place, board in enumerate(boards):
        together.paste(board, (0, place * height))
    reduced = together.quantize(_COLOURS - _GREYS)
    greys = [level * 255 // (_GREYS - 1) for level in range(_GREYS) for _ in "rgb"]
    numbers = [min(number + _GREYS, _COLOURS - 1) for number in range(_COLOURS)]
    corner = reduced.getpixel((0, 0))
    assert isinstance(corner, int), "a number of the palette"
    numbers[corner] = _GREYS - 1
    palette = greys + (reduced.getpalette() or [])
    reduced = reduced.point(numbers)
    reduced.putpalette(palette)
    places = range(0, height * len(boards), height)
    return [reduced.crop((0, top, width, top + height)) for top in places]


def _box(axes: Axes, square: Square, height: int) -> Box:
    """Where a square is in the picture of this height."""
    row, column = square
    corners = axes.transData.transform(
        [(column - 0.5, row - 0.5), (column + 0.5, row + 0.5)]
    ).round()
    (left, upper), (right, lower) = corners.astype(int).tolist()
    return left, height - upper, right, height - lower
