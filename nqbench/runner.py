"""The way of a campaign's runs: each from the schedule to an executor, and back as a record."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nqbench.executors.base import Executor
from nqbench.executors.local import LocalExecutor
from nqbench.plan.schedule import Schedule
from nqbench.records.record import Record, Run
from nqbench.vocabulary import Outcome


def records(schedule: Schedule, executor: Executor) -> Iterator[Record]:
    """Yield the record of each run as it ends, and those of runs that are skipped."""
    while True:
        left_out: list[Run] = []
        while executor.free > 0:
            skipped, run = schedule.take()
            left_out += skipped
            if run is None:
                break
            executor.submit(run)
        here = next(iter(executor.environments), "")
        for run in left_out:
            why = schedule.why_skipped(run)
            yield replace(Record.of(run, here), outcome=Outcome.SKIPPED, message=why)
        if not executor.running:
            return
        for record in executor.wait():
            schedule.note(record)
            yield record


def measured(runs: Sequence[Run], jobs: int = 1) -> list[Record]:
    """The records of runs on this machine, in the order in which these ended."""
    with LocalExecutor(runs, min(jobs, len(runs))) as executor:
        return list(records(Schedule(runs), executor))
