"""Shows a race while it runs: a live table of who is left on a terminal, otherwise lines."""

import time
from collections.abc import Sequence
from typing import Final

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table

from nqbench.addons.race.live import Observer, Race
from nqbench.campaign.decidable import Forecast
from nqbench.cli.face import tell
from nqbench.common import metrics
from nqbench.common.units import counted, seconds
from nqbench.records.record import Record, Run

_EVERY_S: Final = 0.2
_LINE_EVERY_S: Final = 10.0
_MOST_ROWS: Final = 12
_WIDTH_OF_ALL: Final = 60
"""A narrower terminal shows the names and what decides."""


class LiveTable(Observer):
    """Follows a race of these runs, if it `is_shown`, and says what their problems can find."""

    def __init__(self, runs: Sequence[Run], *, is_shown: bool) -> None:
        self._forecast = Forecast(runs if is_shown else ())
        console = Console(stderr=True, markup=False, emoji=False)
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._on_terminal = is_shown and console.is_terminal
        self._is_shown = is_shown
        self._drawn = time.monotonic()
        self._gone = 0
        self._race: Race

    def begin(self, race: Race) -> None:
        """Start to show this race."""
        self._race = race
        for sentence in self._forecast.sentences():
            self.tell(sentence)
        if self._on_terminal:
            self._live.start()

    def note(self, record: Record) -> None:
        """Show the state after one more run."""
        if self._race.rules.metric == metrics.USUAL:
            for sentence in self._forecast.refine(record):
                self.tell(sentence)
        course = self._race.course
        if self._on_terminal:
            if time.monotonic() - self._drawn > _EVERY_S:
                self._draw()
        elif self._is_shown and (len(course.gone) > self._gone or self._is_silent):
            self._gone, self._drawn = len(course.gone), time.monotonic()
            click.echo(f"nqbench: {self._state}", err=True)

    def tell(self, line: str) -> None:
        """Print the line."""
        tell(line)

    def watch(self, doing: Sequence[str]) -> None:
        """Show what is done besides running."""
        if self._on_terminal:
            self._draw("; ".join(doing))

    def end(self) -> None:
        """Remove the table."""
        if self._on_terminal:
            self._live.stop()

    @property
    def _is_silent(self) -> bool:
        return time.monotonic() - self._drawn > _LINE_EVERY_S

    @property
    def _state(self) -> str:
        race, course = self._race, self._race.course
        left = f", {seconds(race.left_s)} left" if 0 < race.left_s < float("inf") else ""
        left = left if race.left_s else ", the budget is used up"
        return (
            f"{len(course.seen)} of {counted(race.problems, 'problem')}, "
            f"{len(course.left)} of {counted(len(race.names), 'combination')} are left{left}"
        )

    def _draw(self, doing: str = "") -> None:
        self._drawn = time.monotonic()
        race, course = self._race, self._race.course
        table = Table(title=self._state, caption=doing or None, title_justify="left")
        table.add_column("combination", overflow="fold")
        headings = (course.average.value, "capped", "spent")
        shown = len(headings) if self._live.console.width >= _WIDTH_OF_ALL else 1
        for heading in headings[:shown]:
            table.add_column(heading, justify="right")
        for combination in course.left[:_MOST_ROWS]:
            capped = int(course.capped[:, combination].sum())
            average = course.of(combination) if len(course.compared) else None
            cells = (
                "-" if average is None else f"{'> ' if capped else ''}{seconds(average)}",
                str(capped),
                seconds(race.spent_s[combination]),
            )
            table.add_row(race.names[combination], *cells[:shown])
        if (more := len(course.left) - _MOST_ROWS) > 0:
            table.add_row(f"and {more} more")
        self._live.update(table, refresh=True)
