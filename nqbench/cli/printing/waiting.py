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


@contextmanager
def shown_while_waiting(doing: str) -> Iterator[None]:
    """On a terminal, show what the body does and for how long, once that takes a while. The body
    prints nothing.
    """
    if not sys.stderr.isatty():
        yield
        return
    is_over = threading.Event()
    thread = threading.Thread(target=_show_seconds, args=(doing, is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _show_seconds(doing: str, is_over: threading.Event) -> None:
    started = time.monotonic()
    wait_s, is_shown = _SILENT_S, False
    while not is_over.wait(wait_s):
        wait_s, is_shown = _EVERY_S, True
        line = f"{printable(doing)}: {time.monotonic() - started:.0f} s"
        # A line that is wrapped could not be cleared.
        width = shutil.get_terminal_size().columns - 1
        click.echo(f"{_CLEAR_LINE}{line[:width]}", err=True, nl=False)
    if is_shown:
        click.echo(_CLEAR_LINE, err=True, nl=False)
