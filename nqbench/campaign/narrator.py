"""Who follows a campaign, how far it got, and a narrator, which says how it goes: what is recorded
already, its progress, how it ended, and warnings.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nqbench.campaign.executors.base import Listener
from nqbench.campaign.progress import CampaignProgress, Progress
from nqbench.common.machine.environment import Session, warnings
from nqbench.common.units import counted
from nqbench.common.vocabulary import Outcome
from nqbench.records.origin import Elsewhere
from nqbench.records.record import Record, Run

if TYPE_CHECKING:
    from nqbench.campaign.reuse import Change
    from nqbench.campaign.schedule import Schedule
    from nqbench.records.runs import Runs


class Observer(Listener):
    """Follows a campaign, and ignores what it does not override. An exception it raises ends the
    campaign; recorded runs are kept.
    """

    def changed(self, change: "Change") -> None:
        """Called before `begin`, for recorded runs whose code has changed since."""

    def reused(self, elsewhere: Elsewhere, runs: int) -> None:
        """Called before `begin`, if some of the campaign's `runs` are recorded already, but were
        not measured for this store.
        """

    def begin(self, schedule: "Schedule", recorded: int) -> None:
        """Called first, with the runs to do and the number of runs recorded already."""

    def note(self, record: Record, running: Sequence[Run]) -> None:
        """Called after each record is stored, with the runs that are in progress."""

    def end(self, tally: "Tally") -> None:
        """Called once after `begin`, when the campaign ends, early or not, even in `begin`."""


@dataclass(slots=True)
class Tally:
    """How far a campaign got: `runs` of `planned` were measured, and `left` were not started,
    because an exception stopped it or its budget was used up. Of its `problems`, those in `once`
    were measured with every combination, and those in `in_full` in every repeat, now or earlier.

    `own_s` is the time spent in the phases of runs; for an unfinished run, its whole time. The
    store has the records of all its runs by their `record_ids`, but of those that are left.
    """

    planned: int
    recorded: int
    runs: int = 0
    left: int = 0
    problems: int = 0
    once: int = 0
    in_full: int = 0
    own_s: float = 0.0
    wall_s: float = 0.0
    stopped_by: BaseException | None = None
    session: Session | None = None
    record_ids: Sequence[str] = ()
    _clock: float = field(default_factory=time.monotonic)

    def count(self, record: Record) -> None:
        """Count one more record; a skipped run took no time."""
        if record.outcome is Outcome.SKIPPED:
            return
        self.runs += 1
        if record.outcome is Outcome.FINISHED:
            self.own_s += sum(s or 0.0 for s in (record.load_s, record.solve_s, record.decode_s))
        else:
            self.own_s += record.wall_s or 0.0

    def stop(self) -> None:
        """Stop the clock."""
        self.wall_s = time.monotonic() - self._clock

    def leave(self, runs: "Runs", waiting: "Runs") -> None:
        """Note which of the campaign's `runs` were not started."""
        self.left = len(waiting)
        problems = set(runs.problems)
        self.problems = len(problems)
        self.once = len(problems.difference(waiting.chosen(waiting.repeat == 0).problems))
        self.in_full = len(problems.difference(waiting.problems))


class Narrator(Observer):
    """An `Observer` that shows the campaign on a display; without one, only that it was interrupted
    or that its budget is used up. It does not `tell` why a run failed: its record does.

    `fresh` means that runs which are already recorded are measured again, `stored` that there is a
    store. `caller` is what started the campaign, and what would continue it.
    """

    def __init__(
        self,
        display: Progress | None,
        *,
        fresh: bool = False,
        stored: bool = True,
        caller: str = "command",
    ) -> None:
        self._display = display
        self._fresh = fresh
        self._stored = stored
        self._caller = caller
        self._bar: CampaignProgress | None = None

    def changed(self, change: "Change") -> None:
        """Print which code has changed since its runs were recorded."""
        (self._display or Progress()).say(f"nqbench: {change}")

    def reused(self, elsewhere: Elsewhere, runs: int) -> None:
        """Print how many of the recorded runs were not measured for this store."""
        from nqbench.summary.findings.cautions import messages_of_elsewhere

        for sentence in messages_of_elsewhere(elsewhere, runs):
            self._say(f"nqbench: {sentence[0].lower()}{sentence[1:]}")

    def begin(self, schedule: "Schedule", recorded: int) -> None:
        """Print how much is recorded, and show the progress of the rest."""
        runs = len(schedule) + recorded
        if not len(schedule):
            subject = "the run is" if runs == 1 else f"all {runs} runs are"
            again = "; --fresh measures again" if self._caller == "command" else ""
            self._say(f"{subject} recorded already{again}")
            return
        if recorded:
            self._say(f"{recorded} of {runs} runs are recorded already")
        self._bar = CampaignProgress(schedule, self._display)
        self._bar.start()

    def note(self, record: Record, running: Sequence[Run]) -> None:
        """Show one more record in the progress."""
        if self._bar:
            self._bar.update(record, running)

    def watch(self, doing: Sequence[str]) -> None:
        """Show what is being done besides running while no run ends, such as proving."""
        if self._bar:
            self._bar.watch(doing)

    def end(self, tally: Tally) -> None:
        """Print what was measured, what is left, and what may have disturbed the times."""
        if self._bar is None:
            return
        self._bar.stop()
        if isinstance(tally.stopped_by, KeyboardInterrupt | SystemExit):
            (self._display or Progress()).say(self._interrupted(tally))
        if tally.stopped_by is not None:
            return
        self._say(f"{counted(tally.runs, 'run')} in {tally.wall_s:.1f} s{_share(tally)}")
        if tally.session:
            self._warn(tally.session)
        if tally.left:
            # Even without a display: a partial result must not look complete.
            (self._display or Progress()).say(f"the budget is used up: {_how_far(tally)}")
            runs = f"{counted(tally.left, 'run')} {'is' if tally.left == 1 else 'are'} left"
            then = f"the same {self._caller} continues with the next problem"
            self._say(f"{runs}: {'their records stay as they were' if self._fresh else then}")

    def _interrupted(self, tally: Tally) -> str:
        how_many = f"{tally.runs} of {tally.planned} runs were measured"
        if not self._stored:
            return f"{how_many}, and are lost: with results=FOLDER they would have been kept"
        if self._fresh:
            return f"{how_many} and are recorded; the others stay as they were"
        return f"{how_many} and are recorded; the same {self._caller} continues from there"

    def _warn(self, session: Session) -> None:
        from nqbench.common.machine import environment

        for warning in warnings([session], environment.cpu_count()):
            self._say(f"nqbench: timings may be off: {warning}")

    def _say(self, line: str) -> None:
        if self._display:
            self._display.say(line)


def _how_far(tally: Tally) -> str:
    """How many problems were measured with every combination, as text."""
    of_all = f"{tally.once} of {counted(tally.problems, 'problem')}"
    how_many = f"{of_all} {'was' if tally.problems == 1 else 'were'} measured"
    if tally.once < tally.problems or not tally.in_full:
        return f"{how_many} with every combination"
    return f"{how_many} with every combination, {tally.in_full} of them in every repeat"


def _share(tally: Tally) -> str:
    """The share of the time that was spent in the runs, as text; empty without runs."""
    if tally.session is None or tally.session.efficiency is None:
        return ""
    share = 100 * tally.session.efficiency
    return (
        f"; {share:.0f} % of the time was spent in the runs, the rest in starting and checking them"
    )
