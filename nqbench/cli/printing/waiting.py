"""Shows on a terminal what a command waits for, without importing Rich."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from nqbench.common.printable import printable
from nqbench.common.ticker import Ticker

_EVERY_S: Final = 1.0

_LINE_EVERY_S: Final = 5.0
"""How often a line is printed without a terminal, where it is."""

_CLEAR_LINE: Final = "\r\x1b[2K"


class WaitingLine:
    """A line on a terminal that says what is done and for how long, once that takes a while.
    Without a terminal nothing is shown, unless `watch` says what is done.
    """

    def __init__(self, doing: str) -> None:
        self.doing = doing
        self._ticker = Ticker(self._show, _EVERY_S)
        self._is_shown = False
        self._is_watched = False

    def start(self) -> None:
        """Show the line from now on, again if it was removed."""
        if sys.stderr.isatty():
            self._ticker = Ticker(self._show, _EVERY_S)
            self._ticker.start()
        elif self._is_watched:
            self._ticker = Ticker(self._print, _LINE_EVERY_S, _LINE_EVERY_S)
            self._ticker.start()

    def watch(self, doing: str) -> None:
        """Say that this is being done, and without a terminal from now on in a line from time to
        time: it may take an hour.
        """
        self.doing = doing
        if not self._is_watched:
            self._is_watched = True
            self.end()
            self.start()

    def end(self) -> None:
        """Remove the line, so that something else can be printed."""
        self._ticker.end()
        if self._is_shown:
            self._is_shown = False
            click.echo(_CLEAR_LINE, err=True, nl=False)

    def _print(self, elapsed_s: float) -> None:
        click.echo(self._line(elapsed_s), err=True)

    def _line(self, elapsed_s: float) -> str:
        return f"{printable(self.doing)}: {elapsed_s:.0f} s"

    def _show(self, elapsed_s: float) -> None:
        line = self._line(elapsed_s)
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
