"""The widgets of the window, which call actions when used. Tk is imported when needed."""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    import tkinter as tk
    from tkinter import ttk

_SLOWEST, _FASTEST = 0, 4
"""Steps per second, as powers of ten."""

_TAKES_KEYS: Final = ("Button", "Scale", "TCombobox", "TSpinbox")
"""Classes of widgets that use the space bar and the arrow keys themselves."""

_GAP: Final = 6

Action = Callable[[], Any]
W = TypeVar("W", bound="ttk.Widget")


def row(root: "tk.Misc", side: Any) -> "tk.Frame":
    """A row of widgets along a side of the window."""
    import tkinter as tk

    frame = tk.Frame(root)
    frame.pack(side=side, fill="x", padx=_GAP, pady=4)
    return frame


def buttons(parent: "tk.Misc", actions: Mapping[str, Action]) -> "dict[str, tk.Button]":
    """A button for each action, by its name."""
    import tkinter as tk

    by_name = {name: tk.Button(parent, text=name, command=call) for name, call in actions.items()}
    for button in by_name.values():
        button.pack(side="left")
    return by_name


def rows_of_board(parent: "tk.Misc", largest: int, changed: Action) -> "ttk.Spinbox":
    """A field for the number of rows. It calls `changed` after an arrow or Return."""
    from tkinter import ttk

    box = ttk.Spinbox(parent, from_=1, to=largest, width=4, command=changed)
    box.bind("<Return>", lambda _: changed())
    return _add_label(parent, "Rows", box)


def choice_of_backend(parent: "tk.Misc", names: Iterable[str], changed: Action) -> "ttk.Combobox":
    """A field for the backend: choose from the list, or type it with parameters and Return."""
    from tkinter import ttk

    box = ttk.Combobox(parent, values=list(names), width=24)
    box.bind("<<ComboboxSelected>>", lambda _: changed())
    box.bind("<Return>", lambda _: changed())
    return _add_label(parent, "Backend", box)


class Speed:
    """A slider for the steps per second, with a logarithmic scale."""

    def __init__(self, parent: "tk.Misc", per_second: float) -> None:
        import tkinter as tk

        self._text = tk.Label(parent, width=14, anchor="w")
        self.slider = tk.Scale(
            parent, from_=_SLOWEST, to=_FASTEST, resolution=0.1, orient="horizontal",
            showvalue=False, command=lambda _: self._tell(),
        )  # fmt: skip
        tk.Label(parent, text="Speed").pack(side="left", padx=(_GAP, 0))
        self._text.pack(side="right")
        self.slider.pack(side="left", fill="x", expand=True)
        self.slider.set(math.log10(per_second))
        self._tell()

    @property
    def per_second(self) -> float:
        """Steps per second."""
        return float(10 ** self.slider.get())

    def _tell(self) -> None:
        self._text.config(text=f"{self.per_second:.0f} steps/s")


def on_keys(root: "tk.Tk", actions: Mapping[str, Action]) -> None:
    """Call an action when its key is pressed, unless the focused widget uses the key."""
    import tkinter as tk

    def call(action: Action, event: "tk.Event[tk.Misc]") -> None:
        # The drop-down list of a combobox is a name without a widget.
        if isinstance(event.widget, tk.Misc) and event.widget.winfo_class() not in _TAKES_KEYS:
            action()

    for key, action in actions.items():
        root.bind(key, partial(call, action))


def _add_label(parent: "tk.Misc", text: str, widget: W) -> W:
    import tkinter as tk

    tk.Label(parent, text=text).pack(side="left")
    widget.pack(side="left", padx=(2, _GAP))
    return widget
