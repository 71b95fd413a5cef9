"""Measuring what is not recorded yet, with progress, and what was noticed on the way."""

import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from nqbench.cli.progress import CampaignProgress
from nqbench.machine.conditions import Conditions, Session, warnings
from nqbench.plan.schedule import Policy, Schedule
from nqbench.problems.base import title
from nqbench.records.record import Record, Run
from nqbench.records.store import Store
from nqbench.units import counted
from nqbench.vocabulary import Outcome

if TYPE_CHECKING:
    import polars as pl

    from nqbench.executors.base import Executor


def measure(
    runs: Sequence[Run],
    store: Store,
    *,
    policy: Policy,
    executor_of: "Callable[[Sequence[Run]], Executor]",
    fresh: bool,
    retry_failed: bool,
    quiet: bool,
) -> None:
    """Measure those of the runs that are not recorded, or with `fresh` all, and note the session.

    `executor_of` makes what they are executed by. A record that is there already stays until the
    new one takes its place.
    """
    recorded = set() if fresh else store.recorded(retry_failed)
    missing = [run for run in runs if run.id not in recorded]
    if not missing:
        if not quiet:
            click.echo(
                f"all {len(runs)} runs are recorded already; --fresh measures them again", err=True
            )
        return
    if len(missing) < len(runs) and not quiet:
        known = len(runs) - len(missing)
        click.echo(f"{known} of {len(runs)} runs are recorded already", err=True)
    earlier = store.records(run.id for run in runs) if policy.give_up_after and not fresh else []
    schedule = Schedule(missing, policy, (r for r in earlier if r.outcome is not Outcome.SKIPPED))
    executor = executor_of(missing)
    started, clock = Conditions.now(), time.monotonic()
    tally = _Tally()
    try:
        _execute(schedule, store, executor, quiet, tally)
    except (KeyboardInterrupt, SystemExit):
        then = "the others stay as they were" if fresh else "the same command goes on from there"
        click.echo(
            f"{tally.runs} of {len(missing)} runs were measured and are recorded; {then}", err=True
        )
        raise
    finally:
        # Of an interrupted session, too, the conditions are worth knowing; not of one without runs.
        wall_s = time.monotonic() - clock
        session = Session(
            command=shlex.join(["nqbench", *sys.argv[1:]]),
            started=started,
            ended=Conditions.now(),
            runs=tally.runs,
            jobs=executor.slots,
            efficiency=tally.own_s / (wall_s * max(1, executor.slots)),
        )
        if tally.runs:
            store.add_session(session)
    if not quiet:
        _report(session, schedule, wall_s, fresh)


@dataclass(slots=True)
class _Tally:
    """How many runs were not skipped, and the time of their own phases; of a run that did not come
    to its end, all of its time.
    """

    runs: int = 0
    own_s: float = 0.0

    def count(self, record: Record) -> None:
        if record.outcome is Outcome.SKIPPED:
            return
        self.runs += 1
        if record.outcome is Outcome.FINISHED:
            self.own_s += sum(s or 0.0 for s in (record.load_s, record.solve_s, record.decode_s))
        else:
            self.own_s += record.wall_s or 0.0


def _execute(
    schedule: Schedule,
    store: Store,
    executor: "Executor",
    quiet: bool,
    tally: _Tally,
) -> None:
    from nqbench import runner

    known: set[str] = set()
    with executor, CampaignProgress(schedule, quiet) as progress:
        for record in runner.records(schedule, executor):
            for environment in executor.environments.values():
                if environment.id not in known:
                    store.add_environment(environment)
                    known.add(environment.id)
            store.add(record)
            tally.count(record)
            progress.update(record, executor.running)


def _report(session: Session, schedule: Schedule, wall_s: float, fresh: bool) -> None:
    from nqbench.machine import environment

    click.echo(
        f"{counted(session.runs, 'run')} in {wall_s:.1f} s; efficiency {session.efficiency:.2f}: "
        "the share of the time that the runs' own phases took",
        err=True,
    )
    if schedule.is_out_of_time:
        left = "as they were" if fresh else "for the same command later"
        click.echo(f"the budget is used up: {len(schedule)} runs left {left}", err=True)
    for warning in warnings([session], environment.current().cpu_count):
        click.echo(f"nqbench: timings may be off: {warning}", err=True)


def exit_status(records: "pl.DataFrame") -> int:
    """Name what was refuted, what crashed, who disagrees, and what files are invalid; 1 if there
    is any of it.
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
