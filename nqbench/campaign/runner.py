"""Runs a campaign: finds runs that are not recorded, executes them, and stores their records."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nqbench.campaign.execution import Execution
from nqbench.campaign.executors.base import Executor
from nqbench.campaign.executors.local import LocalExecutor
from nqbench.campaign.narrator import Observer, Tally
from nqbench.campaign.reuse import Change, changes
from nqbench.campaign.schedule import Schedule
from nqbench.common.errors import InputError
from nqbench.common.limits import Checking
from nqbench.common.machine import builds
from nqbench.common.machine.environment import Conditions, Session
from nqbench.common.printable import as_utf8
from nqbench.common.vocabulary import Outcome, When
from nqbench.measure.stored_run import pack_run
from nqbench.records.origin import Elsewhere
from nqbench.records.record import Record, Run
from nqbench.records.runs import Runs
from nqbench.records.store import Store


@dataclass(frozen=True, slots=True)
class Undone:
    """The runs of a campaign that have no valid record; for the ones in `changes`, there is one of
    other code. `record_ids` are the ids of the valid records, `elsewhere` the number of these that
    were not measured for this store.
    """

    missing: Runs
    changes: list[Change]
    record_ids: list[str]
    elsewhere: Elsewhere


def undone(runs: Sequence[Run], store: Store, execution: Execution) -> Undone:
    """What `run` would measure, if nothing is skipped. The store may be read-only.

    If nothing is reused, `changes` has those that stay as they were if the campaign is interrupted.
    """
    planned = Runs.of(runs)
    judged = _recorded_of_judged_builds(planned, store)
    changed = changes(Runs.chained([planned, Runs.of(judged.values())]), store)
    outdated = {run_id for change in changed for run_id in change.run_ids}
    recorded: dict[str, str] = {}
    if execution.reuse_imported and not execution.fresh:
        recorded |= store.imported([*planned.ids()], execution.retry_failed)
    if not execution.fresh:
        own = {run.id: run_id for run_id, run in judged.items()}
        own |= {run_id: run_id for run_id in planned.places(store.ids())}
        reusable = store.recorded(list(own), execution.retry_failed) - outdated
        recorded |= {run_id: own_id for own_id, run_id in own.items() if own_id in reusable}
    places = planned.places(recorded)
    record_ids = [recorded[run_id] for run_id in places]
    missing = np.delete(np.arange(len(planned)), list(places.values())) if places else slice(None)
    return Undone(planned.chosen(missing), changed, record_ids, store.elsewhere(record_ids))


def _recorded_of_judged_builds(runs: Runs, store: Store) -> dict[str, Run]:
    """By their ids now, the runs as nqbench up to 0.3 recorded them if it judged that their solver
    was compiled without optimisation, as far as the store has these.
    """
    builds_of_store = store.builds()

    def judged_build(run: Run) -> str | None:
        return run.backend_build and builds.as_judged(run.backend_build)

    now = runs.where(lambda run: judged_build(run) in builds_of_store)
    judged = now.with_templates(lambda run: replace(run, backend_build=judged_build(run)))
    places = judged.places(store.recorded([*judged.ids()]))
    return {now[at].id: judged[at] for at in places.values()}


def scheduled(todo: Undone, store: Store, execution: Execution) -> Schedule:
    """The schedule of the missing runs, for which the records of the others count."""
    return Schedule(todo.missing, execution, _earlier(todo, store, execution))


def run(
    runs: Sequence[Run],
    store: Store,
    executor_of: Callable[[Sequence[Run]], Executor],
    *,
    execution: Execution | None = None,
    command: str = "",
    observer: Observer | None = None,
) -> Tally:
    """Measure the runs that are not recorded or whose code has changed, and store the session,
    whose `command` says what started it.

    `executor_of` makes the executor and is called only if there are runs to measure. An existing
    record stays until the new one replaces it. If an exception interrupts the campaign, the session
    is stored and the exception is raised again. Raises `ExecutorError` and `StoreError`.
    """
    execution, runs = execution or Execution.usual(), Runs.of(runs)
    observer = observer or Observer()
    todo = undone(runs, store, execution)
    for change in todo.changes:
        # Before the first of them is measured again: after an interruption nothing else would show
        # that the others are outdated.
        store.outdate(change.run_ids, change.why)
        observer.changed(change)
    missing = todo.missing
    tally = Tally(len(missing), len(runs) - len(missing))
    schedule = scheduled(todo, store, execution)
    started, executor = Conditions.now(), None
    try:
        if todo.elsewhere:
            observer.reused(todo.elsewhere, len(runs))
        observer.begin(schedule, tally.recorded)
        if missing:
            executor = executor_of(missing)
            _execute(schedule, store, executor, observer, tally)
    except BaseException as error:
        tally.stopped_by = error
        raise
    finally:
        tally.stop()
        tally.leave(runs, schedule.waiting)
        if executor and tally.runs:
            tally.session = session(tally, command, started, executor.slots)
            store.add_session(tally.session)
        observer.end(tally)
    tally.record_ids = [*todo.record_ids, *missing.ids()]
    return tally


def records(schedule: Schedule, executor: Executor) -> Iterator[Record]:
    """Yield the record of each run when it ends, and of each run that is skipped. The next run has
    been submitted by then, so that it does not wait until a record is stored.
    """
    ended: list[Record] = []
    while True:
        try:
            left_out = _submitted(schedule, executor)
        except BaseException:
            yield from ended  # which are measured, and would be lost
            raise
        yield from ended
        environment_id = next(iter(executor.environments), "")
        for run in left_out:
            why = schedule.why_skipped(run)
            yield replace(Record.of(run, environment_id), outcome=Outcome.SKIPPED, message=why)
        if not executor.running:
            return
        ended = executor.wait()
        for record in ended:
            schedule.note(record)


def _submitted(schedule: Schedule, executor: Executor) -> list[Run]:
    """Submit as many runs as the executor takes, and return those that were left out."""
    left_out: list[Run] = []
    while executor.free > 0:
        skipped, run = schedule.take(executor.prefers)
        left_out += skipped
        if run is None:
            break
        executor.submit(run)
    return left_out


def measured(
    runs: Sequence[Run],
    jobs: int = 1,
    cpus: Sequence[Sequence[int]] | None = None,
    checking: Checking | None = None,
    *,
    execution: Execution | None = None,
    executor_of: Callable[[Sequence[Run]], Executor] | None = None,
    observer: Observer | None = None,
) -> list[Record]:
    """Measure runs without storing them, by default on this machine. Return the records in the
    order in which the runs ended. Raises `InputError` if a log is to be kept, or answers are to be
    checked later.
    """
    runs = Runs.of(runs)
    if any(run.keep_output for run in runs.kinds):
        raise InputError("keep_output needs results: give a folder")
    checking = execution.checking if execution else checking
    if checking and checking.when is When.LATER:
        raise InputError("to check answers later needs results: give a folder")
    schedule, tally, ended = Schedule(runs, execution), Tally(len(runs), 0), []
    observer = observer or Observer()
    try:
        observer.begin(schedule, 0)
        local = LocalExecutor(runs, min(jobs, len(runs)), cpus, checking=checking)
        with executor_of(runs) if executor_of else local as executor:
            for record in records(schedule, executor):
                ended.append(record)
                tally.count(record)
                observer.note(record, executor.running)
    except BaseException as error:
        tally.stopped_by = error
        raise
    finally:
        tally.stop()
        tally.leave(runs, schedule.waiting)
        observer.end(tally)
    return ended


def _earlier(todo: Undone, store: Store, execution: Execution) -> list[Record]:
    """The records that count for the schedule: those that are not measured again."""
    if not execution.give_up_after:
        return []
    earlier = store.records(todo.record_ids)
    return [record for record in earlier if record.outcome is not Outcome.SKIPPED]


def _execute(
    schedule: Schedule,
    store: Store,
    executor: Executor,
    observer: Observer,
    tally: Tally,
) -> None:
    recorder = Recorder(store, executor)
    with executor:
        for record in records(schedule, executor):
            recorder.add(record, schedule.run(record))
            tally.count(record)
            observer.note(record, executor.running)


class Recorder:
    """Stores the records of an executor, with the environments that they name and their logs."""

    def __init__(self, store: Store, executor: Executor) -> None:
        self._store, self._executor = store, executor
        self._known: set[str] = set()

    def add(self, record: Record, run: Run) -> None:
        """Store the record of this run."""
        for environment in self._executor.environments.values():
            if environment.id not in self._known:
                self._store.add_environment(environment)
                self._known.add(environment.id)
        log = self._executor.logs.pop(record.run_id, None)
        self._store.add(record, log, pack_run(record, run))


def session(tally: Tally, command: str, started: Conditions, jobs: int) -> Session:
    """The session of a campaign that `command` started."""
    return Session(
        command=as_utf8(command),
        started=started,
        ended=Conditions.now(),
        runs=tally.runs,
        jobs=jobs,
        efficiency=tally.own_s / (tally.wall_s * max(1, jobs)),
    )
