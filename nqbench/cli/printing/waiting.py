"""Shows on a terminal what a command waits for, without importing Rich."""

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from nqbench.common.printable import printable

_SILENT_S: Final = 1.5
"""How long a command may take without showing what it does."""

_EVERY_S: Final = 1.0

_CLEAR_LINE: Final = "\r\x1b[2K"


class WaitingLine:
    """A line on a terminal that says what is done and for how long, once that takes a while.
    Without a terminal nothing is shown.
    """

    def __init__(self, doing: str) -> None:
        self.doing = doing
        self._started = time.monotonic()
        self._is_over = threading.Event()
        self._is_shown = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._show_seconds, daemon=True)

    def start(self) -> None:
        """Show the line from now on."""
        if sys.stderr.isatty():
            self._thread.start()

    def end(self) -> None:
        """Remove the line, so that something else can be printed. It does not come back."""
        self._is_over.set()
        with self._lock:
            if self._is_shown:
                self._is_shown = False
                click.echo(_CLEAR_LINE, err=True, nl=False)

    def _show_seconds(self) -> None:
        wait_s = _SILENT_S
        while not self._is_over.wait(wait_s):
            wait_s = _EVERY_S
            with self._lock:
                if not self._is_over.is_set():
                    self._show()

    def _show(self) -> None:
        line = f"{printable(self.doing)}: {time.monotonic() - self._started:.0f} s"
        # A line that is wrapped could not be cleared.
        width = shutil.get_terminal_size().columns - 1
        self._is_shown = True
        click.echo(f"{_CLEAR_LINE}{line[:width]}", err=True, nl=False)


@contextmanager
def shown_while_waiting(doing: str) -> Iterator[WaitingLine]:
    """On a terminal, show what the body does and for how long, once that takes a while. Before the
    body prints something, it ends the line.
    """
    line = WaitingLine(doing)
    line.start()
    try:
        yield line
    finally:
        line.end()
