"""Shows below the cell of a notebook what a call is doing, which would otherwise be silent."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from nqbench.campaign.progress import Lines, Notebook
from nqbench.common.units import duration

_SILENT_S: Final = 1.5
"""How long a call may take without showing what it does."""


@dataclass(frozen=True, slots=True)
class _State:
    """What is done, and for how long. It is not known how far it is."""

    doing: str
    elapsed_s: float

    done = 0
    total = 0
    running = ""

    @property
    def beside_bar(self) -> str:
        """The text beside a bar."""
        return str(self)

    def __str__(self) -> str:
        return f"{self.doing}, {duration(self.elapsed_s)}"


@contextmanager
def shown_below_cell(doing: str, shown: Lines | None) -> Iterator[None]:
    """In a notebook, show what the body does and for how long, once that takes a while. Nothing is
    shown if it is shown elsewhere: `shown` is what `progress.display` returned.
    """
    if not isinstance(shown, Notebook):
        yield
        return
    started, is_over = time.monotonic(), threading.Event()

    def show_seconds() -> None:
        wait_s = _SILENT_S
        while not is_over.wait(wait_s):
            wait_s = 2 * shown.every_s
            shown.show(_State(doing, time.monotonic() - started))

    thread = threading.Thread(target=show_seconds, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        shown.end()
