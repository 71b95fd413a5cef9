"""Writes steps as an animated GIF."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from nqbench.common import files
from nqbench.drawing import figure
from nqbench.drawing.scene import Scene
from nqbench.drawing.steps import Moment
from nqbench.problems.queens import Queens

_INCHES: Final = (4.0, 4.4)
_DPI: Final = 100
_LAST_FRAMES: Final = 16
"""Number of frames for which the last picture stays before the animation repeats."""


def write(problem: Queens, moments: Iterable[Moment], path: Path, per_second: float) -> None:
    """Write a picture for each step with a text below it. Raises `InputError`."""
    first_picture, *later_pictures = _pictures(problem, moments)
    frame_ms = 1000 // max(1, round(per_second))
    durations = [frame_ms] * len(later_pictures) + [_LAST_FRAMES * frame_ms]
    with files.written(path) as file:
        first_picture.save(
            file, "GIF", save_all=True, append_images=later_pictures, duration=durations, loop=0
        )


def _pictures(problem: Queens, moments: Iterable[Moment]) -> list[Image.Image]:
    drawing = Figure(figsize=_INCHES, dpi=_DPI, facecolor="white")
    canvas: Any = FigureCanvasAgg(drawing)  # its methods have no types
    axes = drawing.add_axes((0.08, 0.13, 0.9, 0.85))
    text = drawing.text(0.5, 0.02, "", ha="center", fontsize=8, color="#333333")
    figure.draw(axes, Scene(problem))
    canvas.draw()
    # Draw the fixed parts once: setting up and drawing the axes takes most of a picture's time.
    empty = canvas.copy_from_bbox(drawing.bbox)
    pictures = []
    for moment in moments:
        canvas.restore_region(empty)
        text.set_text(str(moment))
        drawing.draw_artist(text)
        for added in figure.draw_found(axes, moment.board(problem)):
            axes.draw_artist(added)
            added.remove()
        picture = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba())
        pictures.append(picture.convert("RGB"))
    return pictures
