"""A window in which to choose a board and to watch a search: Tk and Matplotlib."""

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nqbench.animation.player import Player
from nqbench.drawing import figure
from nqbench.errors import InputError, UnavailableError
from nqbench.problems.base import Problem

if TYPE_CHECKING:
    import tkinter

    from matplotlib.axes import Axes
    from matplotlib.backends.backend_tkagg import FigureCanvasTkAgg

_FRAME_S: Final = 0.1
"""From one picture to the next; at high speed a picture is many steps further."""

_SLOWEST, _FASTEST = 0, 4
"""Powers of ten: steps a second."""


class Window:
    """The widgets, and what they show of a player. Raises `UnavailableError` without Tk."""

    def __init__(self, root: "tkinter.Tk", player: Player, speed: float) -> None:
        import tkinter as tk

        self._root = root
        self._player = player
        self._timer: str | None = None
        root.title("nqbench watch")
        self._axes, self._canvas = _board(root)
        row = tk.Frame(root)
        row.pack(fill="x", padx=6, pady=4)
        self.buttons = self._buttons(row)
        self.speed = _speed(row, speed)
        self.status = tk.Label(root, anchor="w")
        self.status.pack(fill="x", padx=6, pady=(0, 4))
        self._show()

    def _buttons(self, row: "tkinter.Frame") -> dict[str, "tkinter.Button"]:
        import tkinter as tk

        actions = {
            "Choose": self.choose,
            "Preview": self.preview,
            "Solve": self.solve,
            "Step": self.step,
        }
        buttons = {name: tk.Button(row, text=name, command=c) for name, c in actions.items()}
        for button in buttons.values():
            button.pack(side="left")
        return buttons

    def choose(self) -> None:
        """Ask for a file, and take its board; a wrong file is said below the board."""
        from tkinter import filedialog

        self._stop()
        chosen = filedialog.askopenfilename(parent=self._root, title="A board")
        if not chosen:
            return
        try:
            self._player.choose(Path(chosen))
        except InputError as error:
            self.status.config(text=str(error))
            return
        self._show()

    def preview(self) -> None:
        """Show the start, and what its queens attack."""
        self._stop()
        self._player.preview()
        self._show()

    def step(self) -> None:
        """Take one step."""
        self._stop()
        self._player.step()
        self._show()

    def solve(self) -> None:
        """Go on to the next solution, or stop."""
        if self._timer is not None:
            self._stop()
            return
        self.buttons["Solve"].config(text="Stop")
        self._tick()

    def _tick(self) -> None:
        per_second = 10 ** float(self.speed.get())
        goes_on = self._player.run(max(1, round(per_second * _FRAME_S)), _FRAME_S)
        self._show()
        if goes_on:
            pause_s = max(_FRAME_S, 1 / per_second)
            self._timer = self._root.after(round(1000 * pause_s), self._tick)
        else:
            self._stop()

    def _stop(self) -> None:
        if self._timer is not None:
            self._root.after_cancel(self._timer)
            self._timer = None
        self.buttons["Solve"].config(text="Solve")

    def _show(self) -> None:
        figure.draw(self._axes, self._player.board)
        self._canvas.draw()
        self.status.config(text=self._player.what)


def open_window(problem: Problem, encoding: str | None, backend: str, speed: float) -> None:
    """Open the window, and return when it is closed.

    Raises `InputError` for a wrong board or backend, `UnavailableError` without Tk or a screen.
    """
    player = Player(problem, encoding, backend)
    try:
        import tkinter as tk
    except ImportError as error:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise UnavailableError(
            f"a window needs Tk, which this Python {version} was built without: "
            "install python3-tk, or leave out --window"
        ) from error
    try:
        root = tk.Tk()
    except tk.TclError as error:
        raise UnavailableError(f"cannot open a window: {error}") from error
    Window(root, player, speed)
    root.mainloop()


def _board(root: "tkinter.Tk") -> "tuple[Axes, FigureCanvasTkAgg]":
    """Axes to draw on, and what shows them in the window."""
    from matplotlib.backends.backend_tkagg import FigureCanvasTkAgg
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(5, 5))
    axes = drawing.add_axes((0.07, 0.07, 0.91, 0.91))
    canvas = FigureCanvasTkAgg(drawing, root)
    canvas.get_tk_widget().pack(fill="both", expand=True)
    return axes, canvas


def _speed(row: "tkinter.Frame", speed: float) -> "tkinter.Scale":
    """A slider for the logarithm of the steps a second."""
    import tkinter as tk

    slider = tk.Scale(
        row, from_=_SLOWEST, to=_FASTEST, resolution=0.1, orient="horizontal", showvalue=False
    )
    slider.set(math.log10(speed))
    slider.pack(side="right", fill="x", expand=True)
    tk.Label(row, text="Speed").pack(side="right")
    return slider
