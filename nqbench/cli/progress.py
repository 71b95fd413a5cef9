"""Shows progress on standard error: a live bar on a terminal, otherwise plain lines."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    track,
)
from rich.table import Column

from nqbench.plan.schedule import Schedule
from nqbench.records.record import Record, Run
from nqbench.vocabulary import Outcome, combination

_LINE_EVERY_S: Final = 5.0
_STATE_EVERY_S: Final = 0.5

Pair = tuple[str, str]
T = TypeVar("T")


def tracked(items: Sequence[T], what: str) -> Iterable[T]:
    """The items, with a bar while they are taken if standard error is a terminal."""
    console = Console(stderr=True)
    return track(items, what, console=console, transient=True, disable=not console.is_terminal)


class CampaignProgress:
    """Counts records as they arrive and shows the progress of the campaign."""

    def __init__(self, schedule: Schedule, quiet: bool) -> None:
        self._schedule = schedule
        self._total = len(schedule)
        self._quiet = quiet
        self._outcomes: Counter[Outcome] = Counter()
        self._measured: Counter[Pair] = Counter()
        self._spent_s: dict[Pair, float] = defaultdict(float)
        self._started = self._last_line = time.monotonic()
        console = Console(stderr=True)
        self._bar: Progress | None = None
        if console.is_terminal and not quiet:
            self._bar = Progress(
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[state]}", table_column=Column(no_wrap=True)),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task("running", total=self._total, state="")

    def start(self) -> None:
        """Show the bar."""
        if self._bar:
            self._bar.start()

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar:
            self._bar.stop()

    def update(self, record: Record, running: Sequence[Run]) -> None:
        """Count one more record; `running` are the runs under way."""
        self._outcomes[record.outcome] += 1
        if record.wall_s is not None:
            pair = (record.encoding, record.backend)
            self._measured[pair] += 1
            self._spent_s[pair] += record.wall_s
        if self._bar:
            self._bar.advance(self._task)
            if self._is_due(_STATE_EVERY_S):
                self._show(" ".join(f"{_short(r)} {_pair(r)}" for r in running))
        elif not self._quiet and self._is_due(_LINE_EVERY_S):
            click.echo(self._line(), err=True)

    def watch(self, doing: Sequence[str]) -> None:
        """Show what is being done besides running."""
        if self._bar and doing:
            self._show("; ".join(doing))
        elif doing and not self._quiet and self._is_due(_LINE_EVERY_S):
            click.echo("; ".join([self._line(), *doing]), err=True)

    def _show(self, now: str) -> None:
        assert self._bar is not None
        state = f"{self._left()}, {self._counts()}  {now}"
        self._bar.update(self._task, state=state)

    def _is_due(self, every_s: float) -> bool:
        """Whether `every_s` has passed since the last output, or the campaign has ended."""
        finished = self._outcomes.total() == self._total
        if not finished and time.monotonic() - self._last_line < every_s:
            return False
        self._last_line = time.monotonic()
        return True

    def _line(self) -> str:
        done = self._outcomes.total()
        elapsed = time.monotonic() - self._started
        share = 100 * done // self._total
        return (
            f"{done}/{self._total} runs ({share} %), {self._counts()}, "
            f"{elapsed:.0f} s so far, {self._left()}"
        )

    def _left(self) -> str:
        """How long it still takes, as text: no longer than the budget."""
        expected_s, budget_s = self._left_s(), self._schedule.left_s
        if budget_s is not None and expected_s > budget_s:
            return f"the budget ends in {budget_s:.0f} s"
        return f"about {expected_s:.0f} s left"

    def _left_s(self) -> float:
        """Estimate the seconds left from the mean time of each combination, or of all if it is not
        measured yet. Scale it by elapsed time over run time, which also covers parallel jobs.
        """
        spent_s = sum(self._spent_s.values())
        if not spent_s:
            return 0.0
        overall = spent_s / self._measured.total()
        means = {pair: self._spent_s[pair] / count for pair, count in self._measured.items()}
        waiting = Counter((run.encoding, run.backend) for run in self._schedule.waiting)
        expected = sum(means.get(pair, overall) * count for pair, count in waiting.items())
        elapsed = time.monotonic() - self._started
        return expected * elapsed / spent_s

    def _counts(self) -> str:
        each = [f"{count} {outcome}" for outcome, count in self._outcomes.most_common()]
        return ", ".join(each) or "none ended yet"


def _pair(run: Run) -> str:
    return combination(run.encoding, run.backend)


def _short(run: Run) -> str:
    return f"n={run.problem.n}" if run.problem.n else run.problem.instance
