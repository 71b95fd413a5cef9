"""Prints the course of a campaign: its progress, how it ended, and warnings."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nqbench.cli.progress import CampaignProgress
from nqbench.cli.results import check_command
from nqbench.machine.conditions import Session, warnings
from nqbench.plan.schedule import Schedule
from nqbench.problems.base import title
from nqbench.records.measures import UNREAD
from nqbench.records.record import Record, Run
from nqbench.units import counted

if TYPE_CHECKING:
    import polars as pl

    from nqbench.measure.reuse import Change
    from nqbench.runner import Progress


class Narrator:
    """An `Observer` that prints on standard error; with `quiet`, only warnings.

    `fresh` means that runs which are already recorded are measured again.
    """

    def __init__(self, quiet: bool, fresh: bool) -> None:
        self._quiet = quiet
        self._fresh = fresh
        self._bar: CampaignProgress | None = None

    def changed(self, change: "Change") -> None:
        """Print which code has changed since its runs were recorded."""
        click.echo(f"nqbench: {change}", err=True)

    def begin(self, schedule: Schedule, recorded: int) -> None:
        """Print how much is recorded, and show the progress of the rest."""
        runs = len(schedule) + recorded
        if not len(schedule):
            these = "the run is" if runs == 1 else f"all {runs} runs are"
            self._say(f"{these} recorded already; --fresh measures again")
            return
        if recorded:
            self._say(f"{recorded} of {runs} runs are recorded already")
        self._bar = CampaignProgress(schedule, self._quiet)
        self._bar.start()

    def note(self, record: Record, running: Sequence[Run]) -> None:
        """Show one more record in the progress."""
        if self._bar:
            self._bar.update(record, running)

    def watch(self, doing: Sequence[str]) -> None:
        """Show what is being done besides running while no run ends, such as proving."""
        if self._bar:
            self._bar.watch(doing)

    def end(self, progress: "Progress") -> None:
        """Print what was measured, what is left, and what may have disturbed the times."""
        if self._bar is None:
            return
        self._bar.stop()
        if isinstance(progress.stopped_by, KeyboardInterrupt | SystemExit):
            then = "the others stay as they were"
            if not self._fresh:
                then = "the same command goes on from there"
            measured = f"{progress.runs} of {progress.planned} runs were measured and are recorded"
            click.echo(f"{measured}; {then}", err=True)
        if progress.stopped_by is not None:
            return
        self._say(f"{counted(progress.runs, 'run')} in {progress.wall_s:.1f} s{_share(progress)}")
        if progress.session:
            self._warn(progress.session)
        if progress.left:
            self._say(f"the budget is used up: {_how_far(progress)}")
            runs = counted(progress.left, "run")
            then = "the same command goes on with the next problem"
            if self._fresh:
                then = "their records stay as they were"
            self._say(f"{runs} {'is' if progress.left == 1 else 'are'} left: {then}")

    def _warn(self, session: Session) -> None:
        from nqbench.machine import environment

        for warning in warnings([session], environment.current().cpu_count):
            self._say(f"nqbench: timings may be off: {warning}")

    def _say(self, line: str) -> None:
        if not self._quiet:
            click.echo(line, err=True)


def _how_far(progress: "Progress") -> str:
    """How many problems are measured with every combination, as text."""
    of_all = f"{progress.once} of {counted(progress.problems, 'problem')}"
    measured = f"{of_all} {'was' if progress.problems == 1 else 'were'} measured"
    if progress.once < progress.problems or not progress.in_full:
        return f"{measured} with every combination"
    return f"{measured} with every combination, {progress.in_full} of them in every repeat"


def _share(progress: "Progress") -> str:
    """The share of the time that was spent in the runs, as text; empty without runs."""
    if progress.session is None or progress.session.efficiency is None:
        return ""
    share = 100 * progress.session.efficiency
    return (
        f"; {share:.0f} % of the time was spent in the runs, the rest in starting and checking them"
    )


def tell_shadowed() -> None:
    """Print why the compiled modules of the installed nqbench are not used, if that is so."""
    from nqbench.machine.installation import why_shadowed

    if why := why_shadowed():
        click.echo(f"nqbench: {why}", err=True)


def tell_unread(records: "pl.DataFrame") -> None:
    """Print which measures could not be read, and in how many runs."""
    unread = records["message"].str.extract_all(UNREAD).explode().drop_nulls()
    for why, count in unread.value_counts(sort=True).head(10).iter_rows():
        click.echo(f"nqbench: {why} ({counted(count, 'run')})", err=True)


def tell_unchecked(records: "pl.DataFrame", results: Path) -> None:
    """Print how many answers are unchecked, and what checks them."""
    from nqbench.summary.observed import UNCHECKED

    if number := len(records.filter(UNCHECKED)):
        answers = "1 answer is unchecked" if number == 1 else f"{number} answers are unchecked"
        click.echo(f"{answers}: `{check_command(results)}` checks them", err=True)


def exit_status(records: "pl.DataFrame") -> int:
    """Print refuted answers, crashes, contradicting answers and invalid files. Return 1 if there
    are any.
    """
    import polars as pl

    from nqbench.summary import disagreements

    invalid = records.filter(outcome="invalid").unique("message").sort("instance")
    for row in invalid.head(10).iter_rows(named=True):
        click.echo(f"nqbench: bad input: {row['message']}", err=True)
    bad = records.filter((pl.col("verdict") == "refuted") | (pl.col("outcome") == "crashed"))
    for row in bad.head(10).iter_rows(named=True):
        what = "wrong answer" if row["verdict"] == "refuted" else "crash"
        problem = title(row["family"], row["n"], row["instance"])
        where = f"{problem} {row['encoding']} {row['backend']}"
        click.echo(f"nqbench: {what}: {where}: {row['message']}", err=True)
    if len(bad) > 10:
        click.echo(f"nqbench: and {len(bad) - 10} more", err=True)
    disputed = disagreements(records)
    for row in disputed.head(10).iter_rows(named=True):
        problem = title(row["family"], row["n"], row["instance"])
        by = ", ".join(row["by"][:4]) + (" and others" if len(row["by"]) > 4 else "")
        click.echo(f"nqbench: disagreement: {problem}: {row['said']} according to {by}", err=True)
    return 1 if len(bad) or len(disputed) or len(invalid) else 0
