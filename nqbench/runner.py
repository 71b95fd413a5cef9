"""The way of a campaign: what is recorded already, the runs that are missing, each to an executor
and back as a record, into the store.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from nqbench.executors.base import Executor
from nqbench.executors.local import LocalExecutor
from nqbench.machine.conditions import Conditions, Session
from nqbench.plan.schedule import Policy, Schedule
from nqbench.records.record import Record, Run
from nqbench.records.store import Store
from nqbench.vocabulary import Outcome


class Observer(Protocol):
    """Follows a campaign. What it raises ends the campaign; what is measured stays recorded."""

    def begin(self, schedule: Schedule, recorded: int) -> None:
        """Take note of the runs to come, and of how many are recorded already."""

    def note(self, record: Record, running: Sequence[Run]) -> None:
        """Take note of a record, which is in the store, and of the runs that are under way."""

    def end(self, progress: "Progress") -> None:
        """Take note of how the campaign ended, early or not; called once if it began."""


@dataclass(slots=True)
class Progress:
    """How far a campaign came: `runs` were measured of `planned`, `left` were not started: it was
    stopped by an exception, or its budget was used up.

    `own_s` is the time of their own phases; of a run that did not come to its end, all of its time.
    """

    planned: int
    recorded: int
    runs: int = 0
    left: int = 0
    own_s: float = 0.0
    wall_s: float = 0.0
    stopped_by: BaseException | None = None
    session: Session | None = None
    _clock: float = field(default_factory=time.monotonic)

    def count(self, record: Record) -> None:
        """Take one more record into account; a run that was skipped took no time."""
        if record.outcome is Outcome.SKIPPED:
            return
        self.runs += 1
        if record.outcome is Outcome.FINISHED:
            self.own_s += sum(s or 0.0 for s in (record.load_s, record.solve_s, record.decode_s))
        else:
            self.own_s += record.wall_s or 0.0

    def stop(self) -> None:
        """Take the time."""
        self.wall_s = time.monotonic() - self._clock


def run(
    runs: Sequence[Run],
    store: Store,
    executor_of: Callable[[Sequence[Run]], Executor],
    *,
    policy: Policy | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    command: str = "",
    observer: Observer | None = None,
) -> Progress:
    """Measure those of the runs that are not recorded, or with `fresh` all, and note the session,
    whose `command` says what started it.

    `executor_of` makes what they are executed by, and is asked only if there are any. A record that
    is there already stays until the new one takes its place. Interrupted, by whatever exception,
    the session is noted and the exception goes on. Raises `ExecutorError` and `StoreError`.
    """
    recorded = set() if fresh else store.recorded(retry_failed)
    missing = [run for run in runs if run.id not in recorded]
    progress = Progress(len(missing), len(runs) - len(missing))
    schedule = Schedule(missing, policy, _earlier(runs, store, policy, fresh))
    if observer:
        observer.begin(schedule, progress.recorded)
    started = Conditions.now()
    executor = executor_of(missing) if missing else None
    try:
        if executor:
            _execute(schedule, store, executor, observer, progress)
    except BaseException as error:
        progress.stopped_by = error
        raise
    finally:
        progress.stop()
        progress.left = len(schedule)
        if executor and progress.runs:
            progress.session = _session(progress, command, started, executor.slots)
            store.add_session(progress.session)
        if observer:
            observer.end(progress)
    return progress


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


def measured(
    runs: Sequence[Run], jobs: int = 1, cpus: Sequence[Sequence[int]] | None = None
) -> list[Record]:
    """The records of runs on this machine, in the order in which these ended; nothing is stored."""
    with LocalExecutor(runs, min(jobs, len(runs)), cpus) as executor:
        return list(records(Schedule(runs), executor))


def _earlier(runs: Sequence[Run], store: Store, policy: Policy | None, fresh: bool) -> list[Record]:
    """What the policy has to know of runs that are recorded already."""
    if fresh or policy is None or not policy.give_up_after:
        return []
    known = store.records(run.id for run in runs)
    return [record for record in known if record.outcome is not Outcome.SKIPPED]


def _execute(
    schedule: Schedule,
    store: Store,
    executor: Executor,
    observer: Observer | None,
    progress: Progress,
) -> None:
    known: set[str] = set()
    with executor:
        for record in records(schedule, executor):
            for environment in executor.environments.values():
                if environment.id not in known:
                    store.add_environment(environment)
                    known.add(environment.id)
            store.add(record)
            progress.count(record)
            if observer:
                observer.note(record, executor.running)


def _session(progress: Progress, command: str, started: Conditions, jobs: int) -> Session:
    return Session(
        command=command,
        started=started,
        ended=Conditions.now(),
        runs=progress.runs,
        jobs=jobs,
        efficiency=progress.own_s / (progress.wall_s * max(1, jobs)),
    )
