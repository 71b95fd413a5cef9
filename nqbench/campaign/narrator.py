"""Says how a campaign goes: what is recorded already, its progress, how it ended, and warnings."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nqbench.campaign.progress import CampaignProgress, Progress
from nqbench.common.machine.environment import Session, warnings
from nqbench.common.units import counted
from nqbench.records.origin import Elsewhere
from nqbench.records.record import Record, Run

if TYPE_CHECKING:
    from nqbench.campaign.reuse import Change
    from nqbench.campaign.runner import Tally
    from nqbench.campaign.schedule import Schedule


class Narrator:
    """An `Observer` that shows the campaign on a display; without one, only that it was interrupted
    or that its budget is used up.

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

    def starting(self) -> None:
        """Do nothing: there is nothing to prepare."""

    def tell(self, line: str) -> None:
        """Do not show it: the records say why a run failed."""

    def watch(self, doing: Sequence[str]) -> None:
        """Show what is being done besides running while no run ends, such as proving."""
        if self._bar:
            self._bar.watch(doing)

    def end(self, tally: "Tally") -> None:
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

    def _interrupted(self, tally: "Tally") -> str:
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


def _how_far(tally: "Tally") -> str:
    """How many problems were measured with every combination, as text."""
    of_all = f"{tally.once} of {counted(tally.problems, 'problem')}"
    how_many = f"{of_all} {'was' if tally.problems == 1 else 'were'} measured"
    if tally.once < tally.problems or not tally.in_full:
        return f"{how_many} with every combination"
    return f"{how_many} with every combination, {tally.in_full} of them in every repeat"


def _share(tally: "Tally") -> str:
    """The share of the time that was spent in the runs, as text; empty without runs."""
    if tally.session is None or tally.session.efficiency is None:
        return ""
    share = 100 * tally.session.efficiency
    return (
        f"; {share:.0f} % of the time was spent in the runs, the rest in starting and checking them"
    )
