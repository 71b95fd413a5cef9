"""Progress on standard error: a live bar on a terminal, plain lines elsewhere."""

import time
from collections import Counter
from types import TracebackType
from typing import Final, Self

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from nqbench.record import Record
from nqbench.vocabulary import Outcome

_LINE_EVERY_S: Final = 5.0


class CampaignProgress:
    """Counts records as they come and shows how far the campaign is. A context manager."""

    def __init__(self, total: int, quiet: bool) -> None:
        self._total = total
        self._quiet = quiet
        self._outcomes: Counter[Outcome] = Counter()
        self._started = self._last_line = time.monotonic()
        console = Console(stderr=True)
        self._bar: Progress | None = None
        if console.is_terminal and not quiet:
            self._bar = Progress(
                TextColumn("[progress.description]{task.description}"),
                BarColumn(bar_width=None),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[counts]}"),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task("running", total=total, counts="")

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()

    def update(self, record: Record) -> None:
        """Count one more record."""
        self._outcomes[record.outcome] += 1
        if self._bar:
            self._bar.update(self._task, advance=1, counts=self._counts())
        elif not self._quiet and self._line_is_due():
            self._last_line = time.monotonic()
            click.echo(self._line(), err=True)

    def _line_is_due(self) -> bool:
        finished = self._outcomes.total() == self._total
        return finished or time.monotonic() - self._last_line >= _LINE_EVERY_S

    def _line(self) -> str:
        done = self._outcomes.total()
        elapsed = time.monotonic() - self._started
        left = elapsed / done * (self._total - done)
        share = 100 * done // self._total
        return (
            f"{done}/{self._total} runs ({share} %), {self._counts()}, "
            f"{elapsed:.0f} s so far, about {left:.0f} s left"
        )

    def _counts(self) -> str:
        return ", ".join(f"{count} {outcome}" for outcome, count in self._outcomes.most_common())
