"""Shows on standard error what a command is doing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nqbench.campaign.progress import Progress, State
from nqbench.common.printable import printable

Tell = Callable[[str], None]


@contextmanager
def shown_status(*, is_shown: bool = True) -> Iterator[Tell]:
    """A function that shows what is under way: on a terminal in place of what it showed before,
    otherwise a line from time to time.
    """
    from rich.console import Console
    from rich.status import Status

    console = Console(stderr=True, markup=False, emoji=False)
    if not is_shown:
        yield lambda _doing: None
    elif console.is_terminal:
        with Status("starting", console=console) as status:
            yield lambda doing: status.update(printable(doing))
    else:
        lines = Progress()
        lines.begin(0)
        yield lambda doing: lines.update(0, lambda: State(0, 0, printable(doing)))
