"""Shows on standard error what a command is doing."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click
from rich.console import Console
from rich.status import Status

from nqbench.common.printable import printable

_LINE_EVERY_S: Final = 5.0

Tell = Callable[[str], None]


@contextmanager
def shown_status(*, is_shown: bool = True) -> Iterator[Tell]:
    """A function that shows what is under way: on a terminal in place of what it showed before,
    otherwise a line from time to time.
    """
    console = Console(stderr=True, markup=False, emoji=False)
    if not is_shown:
        yield lambda _doing: None
    elif console.is_terminal:
        with Status("starting", console=console) as status:
            yield lambda doing: status.update(printable(doing))
    else:
        yield _Lines().tell


class _Lines:
    def __init__(self) -> None:
        self._last = time.monotonic()

    def tell(self, doing: str) -> None:
        if time.monotonic() - self._last > _LINE_EVERY_S:
            self._last = time.monotonic()
            click.echo(printable(doing), err=True)
