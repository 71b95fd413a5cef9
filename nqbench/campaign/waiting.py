"""Shows below the cell of a notebook what a call is doing, which would otherwise be silent."""

from collections.abc import Iterator
from contextlib import contextmanager

from nqbench.campaign.progress import Notebook, Progress, State
from nqbench.common.ticker import Ticker
from nqbench.common.units import duration


@contextmanager
def shown_below_cell(doing: str, shown: Progress | None) -> Iterator[None]:
    """In a notebook, show what the body does and for how long, once that takes a while. Nothing is
    shown if it is shown elsewhere: `shown` is what `progress.display` returned.
    """
    if not isinstance(shown, Notebook):
        yield
        return

    def show(elapsed_s: float) -> None:
        shown.show(State(0, 0, f"{doing}, {duration(elapsed_s)}"))

    ticker = Ticker(show, 2 * shown.every_s)
    ticker.start()
    try:
        yield
    finally:
        ticker.end()
        shown.end()
