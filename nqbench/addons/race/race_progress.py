"""Shows a race that Python has started: in a notebook, on a terminal, or as lines."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from nqbench.addons.race.live import Race
from nqbench.addons.race.standing import Standing
from nqbench.campaign.progress import Lines
from nqbench.common.units import counted, seconds
from nqbench.records.record import Record


@dataclass(frozen=True, slots=True)
class _State:
    """How many problems were measured, of all; who is left, and what is done besides."""

    done: int
    total: int
    left: str
    running: str = ""

    @property
    def beside_bar(self) -> str:
        """The text beside a bar."""
        return f"{self.left}  {self.running}"

    def __str__(self) -> str:
        return f"{self.done} of {counted(self.total, 'problem')}, {self.left}"


class RaceProgress:
    """Follows a race: see `racing.live.Observer`."""

    def __init__(self, display: Lines) -> None:
        self._display = display
        self._shown_at = 0.0
        self._race: Race

    def begin(self, race: Race) -> None:
        """Start to show this race."""
        self._race = race
        self._display.begin(race.problems)
        self._show()

    def note(self, record: Record) -> None:  # noqa: ARG002
        """Show the state after one more run."""
        self._display.count(len(self._race.course.seen))
        self._show()

    def starting(self) -> None:
        """Do nothing: there is nothing to prepare."""

    def tell(self, line: str) -> None:
        """Show a line that stays."""
        self._display.say(line)

    def watch(self, doing: Sequence[str]) -> None:
        """Show what is done besides running."""
        self._show("; ".join(doing))

    def end(self) -> None:
        """Remove the state."""
        self._display.end()

    def _show(self, doing: str = "") -> None:
        now = time.monotonic()
        if now - self._shown_at < self._display.every_s:
            return
        self._shown_at = now
        race, course = self._race, self._race.course
        left = f"{len(course.left)} of {counted(len(race.names), 'combination')} are left"
        if 0 < race.left_s < float("inf"):
            left += f", {seconds(race.left_s)} left"
        self._display.show(_State(len(course.seen), race.problems, left, doing))


def interrupted(standing: Standing, *, is_stored: bool) -> list[str]:
    """What an interrupted race has shown so far, and what is kept of it, in sentences."""
    runs = counted(standing.runs, "run")
    if is_stored:
        return [*standing.sentences(), f"{runs} recorded"]
    lost = f"{runs} lost: with results=FOLDER they would have been kept"
    return [*standing.sentences(), lost]
