"""Shows a race that Python has started: in a notebook, on a terminal, or as lines."""

from collections.abc import Sequence

from nqbench.addons.race.live import Observer, Race
from nqbench.addons.race.standing import Standing
from nqbench.campaign.progress import Progress, State
from nqbench.common.units import counted, seconds
from nqbench.records.record import Record


class RaceProgress(Observer):
    """Follows a race."""

    def __init__(self, display: Progress) -> None:
        self._display = display
        self._race: Race

    def begin(self, race: Race) -> None:
        """Start to show this race."""
        self._race = race
        self._display.begin(race.problems)
        self._display.show(self._state(""))

    def note(self, record: Record) -> None:  # noqa: ARG002
        """Show the state after one more run."""
        self.watch(())

    def tell(self, line: str) -> None:
        """Show a line that stays."""
        self._display.say(line)

    def watch(self, doing: Sequence[str]) -> None:
        """Show what is done besides running."""
        self._display.update(len(self._race.course.seen), lambda: self._state("; ".join(doing)))

    def end(self) -> None:
        """Remove the state."""
        self._display.end()

    def _state(self, doing: str) -> State:
        race, course = self._race, self._race.course
        left = f"{len(course.left)} of {counted(len(race.names), 'combination')} are left"
        if 0 < race.left_s < float("inf"):
            left += f", {seconds(race.left_s)} left"
        done, total = len(course.seen), race.problems
        line = f"{done} of {counted(total, 'problem')}, {left}"
        return State(done, total, f"{left}  {doing}", line, doing)


def interrupted(standing: Standing, *, is_stored: bool) -> list[str]:
    """What an interrupted race has shown so far, and what is kept of it, in sentences."""
    runs = counted(standing.runs, "run")
    if is_stored:
        return [*standing.sentences(), f"{runs} recorded"]
    lost = f"{runs} lost: with results=FOLDER they would have been kept"
    return [*standing.sentences(), lost]
