"""Shows the progress of a campaign: a bar on a terminal or in a notebook, otherwise plain lines;
and below the cell of a notebook what any other call is doing.
"""

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from nqbench.common.ticker import Ticker
from nqbench.common.units import duration
from nqbench.common.vocabulary import Outcome, combination
from nqbench.records.record import Record, Run

if TYPE_CHECKING:
    from rich.console import Console

    from nqbench.campaign.schedule import Schedule

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
    """How far something is: so many of `total` have ended, 0 if that is unknown; the text beside a
    bar, the line without one, which is the same by default; and what runs.
    """

    done: int
    total: int
    beside_bar: str
    line: str = ""
    running: str = ""

    def __str__(self) -> str:
        return self.line or self.beside_bar


def time_left(left_s: float | None, is_bound: bool, budget_s: float | None = None) -> str:
    """How long it still takes, in words: not longer than the budget; empty if unknown. `left_s` is
    an estimate, or the most if it `is_bound`.
    """
    if budget_s is not None and (left_s is None or left_s > budget_s):
        return f"the budget ends in {duration(budget_s)}" if budget_s else "the budget is used up"
    if left_s is None:
        return ""
    if left_s < 1:
        return "less than 1 s left"
    return f"{'at most' if is_bound else 'about'} {duration(left_s)} left"


class Progress:
    """Shows how far something is, as lines on standard error."""

    every_s = 5.0
    """How often the state is shown."""

    _last_shown = 0.0

    def begin(self, total: int) -> None:  # noqa: ARG002
        """Prepare for so many."""
        self._last_shown = time.monotonic()

    def update(self, done: int, state: Callable[[], State], *, always: bool = False) -> None:  # noqa: ARG002
        """Note how many have ended, and show the state if that was long ago, or `always`."""
        if always or time.monotonic() - self._last_shown >= self.every_s:
            self._last_shown = time.monotonic()
            self.show(state())

    def show(self, state: State) -> None:
        """Show the state."""
        click.echo(str(state), err=True)

    def end(self) -> None:
        """Remove the state."""

    def say(self, line: str) -> None:
        """Show a line that stays."""
        click.echo(line, err=True)


class _Nowhere(Progress):
    every_s = math.inf

    def show(self, state: State) -> None: ...


class Bar(Progress):
    """Shows the state as a live bar on a terminal. A narrow window cuts the end of the text beside
    the bar, and never the bar, how many have ended, or what the text begins with.
    """

    every_s = 0.5

    def __init__(self, console: "Console | None" = None) -> None:
        from rich import progress as rich
        from rich.console import Console
        from rich.table import Column

        console = console or Console(stderr=True, markup=False, emoji=False)
        text = Column(no_wrap=True, overflow="ellipsis", ratio=_TEXT_RATIO)
        columns = [
            rich.BarColumn(bar_width=None, table_column=Column(ratio=1)),
            rich.MofNCompleteColumn(table_column=Column(no_wrap=True)),
            rich.TextColumn("{task.fields[state]}", table_column=text, markup=False),
            rich.TimeElapsedColumn(table_column=Column(no_wrap=True)),
        ]
        shown = columns if console.width >= _WIDTH_WITH_ELAPSED else columns[:-1]
        self._bar = rich.Progress(*shown, console=console, transient=True, expand=True)

    def begin(self, total: int) -> None:
        """Show the bar."""
        super().begin(total)
        self._task = self._bar.add_task("running", total=total, state="")
        self._bar.start()

    def update(self, done: int, state: Callable[[], State], *, always: bool = False) -> None:
        """Move the bar, too."""
        self._bar.update(self._task, completed=done)
        super().update(done, state, always=always)

    def show(self, state: State) -> None:
        """Show the state beside the bar."""
        self._bar.update(self._task, state=state.beside_bar)

    def end(self) -> None:
        """Remove the bar."""
        self._bar.stop()


@dataclass(slots=True)
class _Output:
    """What a notebook displays: the lines that stay, and the state while there is one."""

    lines: list[str] = field(default_factory=list)
    state: State | None = None

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


class Notebook(Progress):
    """Shows lines and a bar below the cell of a notebook, in one output that is replaced.

    Rich's own bar needs ipywidgets, which few notebooks have.
    """

    every_s = 0.5

    def __init__(self) -> None:
        self._shown = _Output()
        self._handle: Any = None

    def begin(self, total: int) -> None:
        """Show an empty bar: the first run may take seconds to start."""
        super().begin(total)
        self.show(State(0, total, f"0/{total}: starting"))

    def show(self, state: State) -> None:
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


def display(wanted: bool | None = None) -> Progress | None:
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
    return Progress() if wanted else None


class Remaining:
    """Estimates how long the runs of a schedule still take, from those that have ended."""

    def __init__(self, schedule: "Schedule") -> None:
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
        waiting = [*self._schedule.left, *((run, 1) for run in self._running)]
        runs = sum(count for _, count in waiting)
        at_once = max(1, len(self._running) // _MOST_STARTED)
        most_s = sum(count * run.limits.time_s for run, count in waiting) / at_once
        now = time.monotonic()
        if self._began is None or self._measured.total() < min(_ENOUGH_RUNS, runs):
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

    def _estimate(self, waiting: Iterable[tuple[Run, int]], elapsed_s: float) -> float:
        """The seconds from the mean time of each combination, or of all if it is not measured yet.
        What each run costs besides, to start and to check, does not grow with its time.
        """
        spent_s, runs = sum(self._spent_s.values()), self._measured.total()
        at_once = max(1.0, spent_s / elapsed_s)
        means = {pair: self._spent_s[pair] / count for pair, count in self._measured.items()}
        counts: Counter[Pair] = Counter()
        for run, count in waiting:
            counts[run.encoding, run.backend] += count
        expected_s = sum(means.get(pair, spent_s / runs) * n for pair, n in counts.items())
        besides_s = (elapsed_s - spent_s / at_once) / runs
        return expected_s / at_once + besides_s * counts.total()


class CampaignProgress:
    """Counts records as they arrive and shows the progress of the campaign."""

    def __init__(self, schedule: "Schedule", display: Progress | None) -> None:
        self._schedule = schedule
        self._total = len(schedule)
        self._display = display or _Nowhere()
        self._outcomes: Counter[Outcome] = Counter()
        self._started = time.monotonic()
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
        self._show(lambda: self._state(" ".join(f"{_short(r)} {_pair(r)}" for r in running)))

    def watch(self, doing: Sequence[str]) -> None:
        """Show what is being done besides running."""
        if doing:
            self._show(lambda: self._state(besides="; ".join(doing)))

    def _show(self, state: Callable[[], State]) -> None:
        done = self._outcomes.total()
        self._display.update(done, state, always=done == self._total)

    def _state(self, running: str = "", besides: str = "") -> State:
        done = self._outcomes.total()
        counts = [f"{count} {outcome}" for outcome, count in self._outcomes.most_common()]
        outcomes = ", ".join(counts) or "none ended yet"
        left = time_left(*self._remaining.seconds(), self._schedule.left_s)
        so_far = f"{done}/{self._total} runs ({100 * done // self._total} %)"
        elapsed = f"{time.monotonic() - self._started:.0f} s so far"
        line = ", ".join(filter(None, [so_far, outcomes, elapsed, left]))
        return State(
            done,
            self._total,
            f"{', '.join(filter(None, [left, outcomes]))}  {besides or running}",
            f"{line}; {besides}" if besides else line,
            running,
        )


def _pair(run: Run) -> str:
    return combination(run.encoding, run.backend)


def _short(run: Run) -> str:
    return f"n={run.problem.n}" if run.problem.n else run.problem.instance


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
