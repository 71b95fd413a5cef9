"""A window to choose a board and a backend and to watch the search, with Tk and Matplotlib."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nqbench.addons.teaching.player import Player
from nqbench.addons.teaching.steps import LARGEST, watchable
from nqbench.common.errors import InputError, UnavailableError
from nqbench.problems.queens import Queens
from nqbench.show.boards import figure

if TYPE_CHECKING:
    import tkinter

    from matplotlib.axes import Axes
    from matplotlib.backends.backend_tkagg import FigureCanvasTkAgg

_FRAME_S: Final = 0.1
"""Time between two pictures; at high speed there are many steps between them."""


class Window:
    """The controls, and the board of a player. Needs Tk."""

    def __init__(self, root: "tkinter.Tk", player: Player, speed: float) -> None:
        import tkinter as tk

        from nqbench.addons.teaching import controls

        self._root = root
        self._player = player
        self._timer: str | None = None
        root.title("nqbench watch")
        above = controls.row(root, "top")
        self.rows = controls.rows_of_board(above, LARGEST, self.take_fields)
        self.backend = controls.choice_of_backend(above, watchable(), self.take_fields)
        board_buttons = controls.buttons(above, {"Choose": self.choose, "Preview": self.preview})
        self.status = tk.Label(root, anchor="w")
        self.status.pack(side="bottom", fill="x", padx=6, pady=(0, 4))
        below = controls.row(root, "bottom")
        playback_buttons = controls.buttons(
            below, {"Back": self.back, "Play": self.play, "Step": self.step}
        )
        self.buttons = board_buttons | playback_buttons
        self.speed = controls.Speed(below, speed)
        self._axes, self._canvas = _board(root)  # last: it gets the space left over
        self._canvas.mpl_connect("resize_event", lambda _: self._draw())
        controls.on_keys(root, {"<space>": self.play, "<Left>": self.back, "<Right>": self.step})
        root.update_idletasks()
        root.minsize(above.winfo_reqwidth() + 12, 300)
        self._show()

    def take_fields(self) -> None:
        """Take the number of rows and the backend from their fields."""
        self._take(lambda: None)

    def choose(self) -> None:
        """Ask for a file, and use its board."""
        from tkinter import filedialog

        self._stop()
        file_name = filedialog.askopenfilename(parent=self._root, title="A board")
        if file_name:
            self._show()  # the number of rows comes from the file, not from the fields
            self._take(lambda: self._player.choose(Path(file_name)))

    def preview(self) -> None:
        """Show the start, and the squares that its queens attack."""
        self._take(self._player.preview)

    def step(self) -> None:
        """Show the next step."""
        self._take(self._player.step)

    def back(self) -> None:
        """Show the previous step."""
        self._take(self._player.back)

    def play(self) -> None:
        """Play to the next solution, or stop. After the end, play from the start."""
        if self._timer is not None:
            self._stop()
        elif self._take(self._player.restart if self._player.is_over else lambda: None):
            self.buttons["Play"].config(text="Stop")
            self._tick()

    def _take(self, change: Callable[[], object]) -> bool:
        """Stop, apply what was typed, change the state of the player, and show it. If there is an
        error, show it below the board and return False.
        """
        self._stop()
        try:
            if self.rows.get() != str(self._player.problem.n):
                self._player.resize(self.rows.get())
            if self.backend.get() != self._player.backend:
                self._player.search_with(self.backend.get())
            change()
        except (InputError, UnavailableError) as error:
            self._draw()
            self.status.config(text=str(error))
            return False
        self._root.focus_set()  # so that keys play the search again, and no longer change a field
        self._show()
        return True

    def _tick(self) -> None:
        per_second = self.speed.per_second
        goes_on = self._player.run(max(1, round(per_second * _FRAME_S)), _FRAME_S)
        self._draw()
        if goes_on:
            pause_s = max(_FRAME_S, 1 / per_second)
            self._timer = self._root.after(round(1000 * pause_s), self._tick)
        else:
            self._stop()

    def _stop(self) -> None:
        if self._timer is not None:
            self._root.after_cancel(self._timer)
            self._timer = None
        self.buttons["Play"].config(text="Play")

    def _show(self) -> None:
        self.rows.set(self._player.problem.n)
        self.backend.set(self._player.backend)
        self._draw()

    def _draw(self) -> None:
        figure.draw(self._axes, self._player.board)
        self._canvas.draw()
        self.status.config(text=self._player.what)


def open_window(problem: Queens, encoding: str | None, backend: str, speed: float) -> None:
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
        raise UnavailableError(
            f"cannot open a window: {error}; without a screen, use --output search.html"
        ) from error
    Window(root, player, speed)
    root.mainloop()


def _board(root: "tkinter.Tk") -> "tuple[Axes, FigureCanvasTkAgg]":
    """Axes to draw on, and the canvas that shows them in the window."""
    from matplotlib.backends.backend_tkagg import FigureCanvasTkAgg
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(5, 5))
    axes = drawing.add_axes((0.07, 0.07, 0.91, 0.91))
    canvas = FigureCanvasTkAgg(drawing, root)
    canvas.get_tk_widget().pack(fill="both", expand=True)
    return axes, canvas
