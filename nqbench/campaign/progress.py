"""Shows the progress of a campaign: a bar on a terminal or in a notebook, otherwise plain lines."""

import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import click

from nqbench.campaign.schedule import Schedule
from nqbench.common.units import duration
from nqbench.common.vocabulary import Outcome, combination
from nqbench.records.record import Record, Run

if TYPE_CHECKING:
    from rich.console import Console

Pair = tuple[str, str]
T = TypeVar("T")

_TEXT_RATIO: Final = 4
"""The width of the text beside a bar, as a multiple of that of the bar."""

_ENOUGH_RUNS: Final = 10
"""After fewer runs, the time that is left is not estimated from them."""

_BOUND_AFTER_S: Final = 5.0
"""How long so few runs take until the most that their limits allow is shown instead."""

_MOST_STARTED: Final = 2
"""A job has at most so many runs under way, of which one solves."""

_MOST_CHANGE: Final = 2.0
"""An estimate that is shown differs from the last one, less the time since, by at most this factor.
"""

_WIDTH_WITH_ELAPSED: Final = 80
"""A narrower terminal does not show how long it has taken so far, but how long it still takes."""


def tracked(items: Sequence[T], title: str) -> Iterable[T]:
    """The items, with a bar while they are taken if standard error is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True, markup=False, emoji=False)
    return track(items, title, console=console, transient=True, disable=not console.is_terminal)


@dataclass(frozen=True, slots=True)
class State:
    """How far a campaign is: the runs that have ended, of all, by outcome; the seconds so far; an
    estimate of those left, or the most if `is_bound`, or None; those left of the budget; what runs,
    and what is done besides.
    """

    done: int
    total: int
    outcomes: str
    elapsed_s: float
    left_s: float | None
    running: str = ""
    besides: str = ""
    budget_s: float | None = None
    is_bound: bool = False

    @property
    def beside_bar(self) -> str:
        """The text beside a bar."""
        ahead = ", ".join(filter(None, [self.left, self.outcomes]))
        return f"{ahead}  {self.besides or self.running}"

    @property
    def left(self) -> str:
        """How long it still takes, in words: not longer than the budget; empty if unknown."""
        if self.budget_s is not None and (self.left_s is None or self.left_s > self.budget_s):
            ends = f"the budget ends in {duration(self.budget_s)}"
            return ends if self.budget_s else "the budget is used up"
        if self.left_s is None:
            return ""
        if self.left_s < 1:
            return "less than 1 s left"
        return f"{'at most' if self.is_bound else 'about'} {duration(self.left_s)} left"

    def __str__(self) -> str:
        share = 100 * self.done // self.total
        line = (
            f"{self.done}/{self.total} runs ({share} %), {self.outcomes}, "
            f"{self.elapsed_s:.0f} s so far"
        )
        line = ", ".join(filter(None, [line, self.left]))
        return f"{line}; {self.besides}" if self.besides else line


class Shown(Protocol):
    """How far something is: so many of all have ended. As text, a line."""

    @property
    def done(self) -> int:
        """How many have ended."""

    @property
    def total(self) -> int:
        """How many there are."""

    @property
    def running(self) -> str:
        """What runs."""

    @property
    def beside_bar(self) -> str:
        """The text beside a bar."""


class Lines:
    """Prints lines on standard error."""

    every_s = 5.0
    """How often the state is shown."""

    def begin(self, total: int) -> None:
        """Prepare for so many runs."""

    def count(self, done: int) -> None:
        """Note how many runs have ended."""

    def show(self, state: Shown) -> None:
        """Show the state."""
        click.echo(str(state), err=True)

    def end(self) -> None:
        """Remove the state."""

    def say(self, line: str) -> None:
        """Show a line that stays."""
        click.echo(line, err=True)


class _Nowhere(Lines):
    every_s = math.inf

    def show(self, state: Shown) -> None: ...


class Bar(Lines):
    """Shows the state as a live bar on a terminal. A narrow window cuts the end of the text beside
    the bar, and never the bar, how many have ended, or what the text begins with.
    """

    every_s = 0.5

    def __init__(self, console: "Console | None" = None) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )
        from rich.table import Column

        console = console or Console(stderr=True, markup=False, emoji=False)
        text = Column(no_wrap=True, overflow="ellipsis", ratio=_TEXT_RATIO)
        columns = [
            BarColumn(bar_width=None, table_column=Column(ratio=1)),
            MofNCompleteColumn(table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[state]}", table_column=text, markup=False),
            TimeElapsedColumn(table_column=Column(no_wrap=True)),
        ]
        shown = columns if console.width >= _WIDTH_WITH_ELAPSED else columns[:-1]
        self._bar = Progress(*shown, console=console, transient=True, expand=True)

    def begin(self, total: int) -> None:
        """Show the bar."""
        self._task = self._bar.add_task("running", total=total, state="")
        self._bar.start()

    def count(self, done: int) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=done)

    def show(self, state: Shown) -> None:
        """Show the state beside the bar."""
        self._bar.update(self._task, state=state.beside_bar)

    def end(self) -> None:
        """Remove the bar."""
        self._bar.stop()


@dataclass(frozen=True, slots=True)
class Indefinite:
    """What is done, while it is not known how far that is. `total` is 0 if that is unknown, too."""

    beside_bar: str
    total: int = 0

    done = 0
    running = ""

    def __str__(self) -> str:
        return self.beside_bar


@dataclass(slots=True)
class _Output:
    """What a notebook displays: the lines that stay, and the state while there is one."""

    lines: list[str] = field(default_factory=list)
    state: Shown | None = None

    def __repr__(self) -> str:
        return "\n".join([*self.lines, *([str(self.state)] if self.state else [])])

    def _repr_html_(self) -> str:
        elements = [f"<div>{escape(line)}</div>" for line in self.lines]
        if self.state:
            far = f' value="{self.state.done}" max="{self.state.total}"' if self.state.total else ""
            bar = f"<progress{far}></progress>"
            elements.append(f"<div>{bar} {escape(str(self.state))}</div>")
            elements.append(f"<div>{escape(self.state.running)}</div>")
        return "".join(elements)


class Notebook(Lines):
    """Shows lines and a bar below the cell of a notebook, in one output that is replaced.

    Rich's own bar needs ipywidgets, which few notebooks have.
    """

    every_s = 0.5

    def __init__(self) -> None:
        self._shown = _Output()
        self._handle: Any = None

    def begin(self, total: int) -> None:
        """Show an empty bar: the first run may take seconds to start."""
        self.show(Indefinite(f"0/{total}: starting", total))

    def show(self, state: Shown) -> None:
        """Show the state below the lines."""
        self._shown.state = state
        self._update()

    def end(self) -> None:
        """Remove the state."""
        self._shown.state = None
        self._update()

    def say(self, line: str) -> None:
        """Add a line."""
        self._shown.lines.append(line)
        self._update()

    def _update(self) -> None:
        from IPython.display import display

        if self._handle is not None:
            self._handle.update(self._shown)
        elif self._shown.lines or self._shown.state:
            self._handle = display(self._shown, display_id=True)


def display(wanted: bool | None = None) -> Lines | None:
    """Where progress can be seen. None: in a notebook or on a terminal, and nowhere else; True:
    elsewhere as lines; False: nowhere.
    """
    if wanted is False:
        return None
    from rich.console import Console

    console = Console(stderr=True, markup=False, emoji=False)
    if console.is_jupyter:
        return Notebook()
    if console.is_terminal:
        return Bar()
    return Lines() if wanted else None


class Remaining:
    """Estimates how long the runs of a schedule still take, from those that have ended."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._measured: Counter[Pair] = Counter()
        self._spent_s: dict[Pair, float] = defaultdict(float)
        self._running: Sequence[Run] = ()
        self._started = time.monotonic()
        self._began: float | None = None
        self._shown: tuple[float, float] | None = None

    def note(self, record: Record, running: Sequence[Run]) -> None:
        """Note one more record; `running` are the runs under way."""
        self._running = running
        if record.wall_s is None:
            return
        if self._began is None:  # without the time to start the first workers
            self._began = time.monotonic() - record.wall_s
        pair = (record.encoding, record.backend)
        self._measured[pair] += 1
        self._spent_s[pair] += record.wall_s

    def seconds(self) -> tuple[float | None, bool]:
        """The seconds that are left, and whether these are the most that limits allow, since too
        few runs have ended for an estimate. None in the first seconds of these: most campaigns take
        far less than that.
        """
        waiting = [*self._schedule.not_given_up, *self._running]
        at_once = max(1, len(self._running) // _MOST_STARTED)
        most_s = sum(run.limits.time_s for run in waiting) / at_once
        now = time.monotonic()
        if self._began is None or self._measured.total() < min(_ENOUGH_RUNS, len(waiting)):
            is_soon = now - self._started < _BOUND_AFTER_S
            return (None, False) if is_soon else (most_s, True)
        estimate_s = self._estimate(waiting, now - self._began)
        if self._shown is not None:
            shown_s, shown_at = self._shown
            expected_s = max(1.0, shown_s - (now - shown_at))
            estimate_s = min(max(estimate_s, expected_s / _MOST_CHANGE), expected_s * _MOST_CHANGE)
        estimate_s = min(estimate_s, most_s)
        self._shown = estimate_s, now
        return estimate_s, False

    def _estimate(self, waiting: Sequence[Run], elapsed_s: float) -> float:
        """The seconds from the mean time of each combination, or of all if it is not measured yet.
        What each run costs besides, to start and to check, does not grow with its time.
        """
        spent_s, runs = sum(self._spent_s.values()), self._measured.total()
        at_once = max(1.0, spent_s / elapsed_s)
        means = {pair: self._spent_s[pair] / count for pair, count in self._measured.items()}
        counts = Counter((run.encoding, run.backend) for run in waiting)
        expected_s = sum(means.get(pair, spent_s / runs) * n for pair, n in counts.items())
        besides_s = (elapsed_s - spent_s / at_once) / runs
        return expected_s / at_once + besides_s * len(waiting)


class CampaignProgress:
    """Counts records as they arrive and shows the progress of the campaign."""

    def __init__(self, schedule: Schedule, display: Lines | None) -> None:
        self._schedule = schedule
        self._total = len(schedule)
        self._display = display or _Nowhere()
        self._outcomes: Counter[Outcome] = Counter()
        self._started = self._last_shown = time.monotonic()
        self._remaining = Remaining(schedule)

    def start(self) -> None:
        """Show that it starts."""
        self._display.begin(self._total)

    def stop(self) -> None:
        """Show nothing more."""
        self._display.end()

    def update(self, record: Record, running: Sequence[Run]) -> None:
        """Count one more record; `running` are the runs under way."""
        self._outcomes[record.outcome] += 1
        self._remaining.note(record, running)
        self._display.count(self._outcomes.total())
        if self._is_due():
            running_pairs = " ".join(f"{_short(r)} {_pair(r)}" for r in running)
            self._display.show(self._state(running=running_pairs))

    def watch(self, doing: Sequence[str]) -> None:
        """Show what is being done besides running."""
        if doing and self._is_due():
            self._display.show(self._state(besides="; ".join(doing)))

    def _is_due(self) -> bool:
        """Whether the state was shown long ago, or the campaign has ended."""
        finished = self._outcomes.total() == self._total
        if not finished and time.monotonic() - self._last_shown < self._display.every_s:
            return False
        self._last_shown = time.monotonic()
        return True

    def _state(self, running: str = "", besides: str = "") -> State:
        counts = [f"{count} {outcome}" for outcome, count in self._outcomes.most_common()]
        left_s, is_bound = self._remaining.seconds()
        return State(
            done=self._outcomes.total(),
            total=self._total,
            outcomes=", ".join(counts) or "none ended yet",
            elapsed_s=time.monotonic() - self._started,
            left_s=left_s,
            running=running,
            besides=besides,
            budget_s=self._schedule.left_s,
            is_bound=is_bound,
        )


def _pair(run: Run) -> str:
    return combination(run.encoding, run.backend)


def _short(run: Run) -> str:
    return f"n={run.problem.n}" if run.problem.n else run.problem.instance
