"""Steps as an animated GIF."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from matplotlib.animation import PillowWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from nqbench.animation.steps import Moment
from nqbench.drawing import figure
from nqbench.problem import Problem

_INCHES: Final = (4.0, 4.4)
_DPI: Final = 100
_LAST_FRAMES: Final = 15
"""The end stands still for so many frames before it begins again."""


def write(problem: Problem, moments: Iterable[Moment], path: Path, per_second: float) -> None:
    """Write a picture for each step, below it what the step was. Raises `OSError`."""
    canvas = Figure(figsize=_INCHES, facecolor="white")
    FigureCanvasAgg(canvas)
    axes = canvas.add_axes((0.08, 0.13, 0.9, 0.85))
    text = canvas.text(0.5, 0.02, "", ha="center", fontsize=8, color="#333333")
    writer = PillowWriter(fps=max(1, round(per_second)))
    writer.setup(canvas, str(path), _DPI)
    for moment in moments:
        figure.draw(axes, moment.board(problem))
        text.set_text(str(moment))
        writer.grab_frame()
    for _ in range(_LAST_FRAMES):
        writer.grab_frame()
    # Not by its context manager, which writes half an animation if it is interrupted.
    writer.finish()
