"""Measures the runs of a race within a budget, and records them."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, Protocol

import numpy as np

from nqbench.campaign import reuse, runner
from nqbench.errors import InputError
from nqbench.executors.base import Executor
from nqbench.machine.conditions import Conditions
from nqbench.racing.course import Ask, Course
from nqbench.racing.rules import Average, Rules
from nqbench.racing.standing import Standing
from nqbench.records import frame
from nqbench.records.record import Record, Run
from nqbench.records.store import Store
from nqbench.vocabulary import Answer, Outcome, Verdict, combination

_LEAST_CAP_S: Final = 0.02
"""No run is capped earlier: less would measure the start of a process."""

_OVERHEAD: Final = 3.0
"""What a cap allows for loading and decoding, as a multiple of what the best run took for it."""


class Observer(Protocol):
    """Follows a race. An exception it raises ends the race; recorded runs are kept."""

    def begin(self, race: "Race") -> None:
        """Called first."""

    def note(self, record: Record) -> None:
        """Called for each record when it is stored."""

    def watch(self, doing: Sequence[str]) -> None:
        """Called every few seconds while no run ends, with what is done besides running."""

    def end(self) -> None:
        """Called once after `begin`, when the race ends, early or not."""


class Race:
    """A race between the combinations of these runs, on their problems."""

    def __init__(self, runs: Sequence[Run], store: Store, rules: Rules) -> None:
        self.rules, self._store = rules, store
        self.names = sorted({combination(run.encoding, run.backend) for run in runs})
        self._problems = list(dict.fromkeys(run.problem for run in runs))
        if len(self.names) < 2:
            raise InputError("a race needs two combinations of encoding and backend, or more")
        self._runs: dict[tuple[int, int], list[Run]] = defaultdict(list)
        number = {name: at for at, name in enumerate(self.names)}
        place = {problem: at for at, problem in enumerate(self._problems)}
        for run in runs:
            name = combination(run.encoding, run.backend)
            self._runs[place[run.problem], number[name]].append(run)
        self._check_complete()
        self._by_id = {run.id: run for run in runs}
        random = np.random.default_rng(abs(runs[0].seed))
        order = random.permutation(len(self._problems)).tolist()
        average, confidence, margin = rules.average, rules.confidence, rules.margin
        self.course = Course(len(self.names), order, average, confidence, margin, random)
        self.spent_s = [0.0] * len(self.names)
        self.records: dict[str, Record] = {}
        self.is_over = False
        self._overhead_s = [math.inf] * len(self._problems)
        self._bounds: dict[str, float] = {}
        self._started = time.monotonic()

    def _check_complete(self) -> None:
        for at, problem in enumerate(self._problems):
            for number, name in enumerate(self.names):
                if not self._runs[at, number]:
                    raise InputError(
                        f"{name} cannot be measured on {problem}: a race needs every combination "
                        "on every problem"
                    )

    @property
    def left_s(self) -> float:
        """Seconds until no more runs are started; infinity without a budget."""
        if self.rules.budget_s is None:
            return math.inf
        return max(0.0, self._started + self.rules.budget_s - time.monotonic())

    @property
    def problems(self) -> int:
        """The number of problems."""
        return len(self._problems)

    def run(
        self,
        executor_of: Callable[[Sequence[Run]], Executor],
        observer: Observer | None = None,
        command: str = "",
    ) -> None:
        """Measure until the race is over or the budget is used up. Runs that the store has are not
        measured again. Raises `ExecutorError` and `StoreError`.
        """
        every = [run for runs in self._runs.values() for run in runs]
        known = self._known(every)
        progress, started = runner.Progress(len(every), len(known)), Conditions.now()
        executor = executor_of(every)
        if observer:
            observer.begin(self)
        try:
            recorder = runner.Recorder(self._store, executor)
            with executor:
                for record in self._measured(executor, known):
                    recorder.add(record, self._by_id[record.run_id])
                    progress.count(record)
                    if observer:
                        observer.note(record)
        finally:
            progress.stop()
            if progress.runs:
                self._store.add_session(runner.session(progress, command, started, executor.slots))
            if observer:
                observer.end()

    def _known(self, runs: Sequence[Run]) -> dict[str, Record]:
        """The records of these runs that can be used: of whole runs, and of capped ones."""
        changed = {run_id for each in reuse.changes(runs, self._store) for run_id in each.run_ids}
        outcomes = {Outcome.SKIPPED, Outcome.UNAVAILABLE}
        found = self._store.records(run.id for run in runs)
        return {r.run_id: r for r in found if r.outcome not in outcomes and r.run_id not in changed}

    def _measured(self, executor: Executor, known: dict[str, Record]) -> Iterator[Record]:
        """Yield each new record when it was noted."""
        for batch in self.course.batches():
            waiting = [
                (ask, run) for ask in batch for run in self._runs[ask.problem, ask.combination]
            ]
            asked = {run.id: ask for ask, run in waiting}
            found: dict[Ask, list[Record]] = defaultdict(list)
            while waiting or executor.running:
                while waiting and executor.free and self.left_s:
                    ask, run = waiting.pop(self._next(waiting, executor))
                    cap_s = self._cap_s(ask)
                    record = known.get(run.id)
                    if record and (record.cap_s is None or record.cap_s >= (cap_s or math.inf)):
                        self._note(ask, record, found[ask])
                    elif ask.combination not in self.course.gone:
                        self._bounds[run.id] = self._bound(ask)
                        executor.submit(replace(run, cap_s=cap_s))
                if not executor.running:
                    if waiting and not self.left_s:
                        return
                    continue
                for record in executor.wait():
                    ask = asked[record.run_id]
                    known[record.run_id] = record
                    self._note(ask, record, found[ask])
                    yield record
        self.is_over = True

    @staticmethod
    def _next(waiting: Sequence[tuple[Ask, Run]], executor: Executor) -> int:
        return next((at for at, (_, run) in enumerate(waiting) if executor.prefers(run)), 0)

    def _cap_s(self, ask: Ask) -> float | None:
        """Seconds of wall-clock time after which to stop a run; None for no cap."""
        cap_s = self._bound(ask) + _OVERHEAD * self._overhead_s[ask.problem]
        return cap_s if math.isfinite(cap_s) else None

    def _bound(self, ask: Ask) -> float:
        """The cost at which to stop this run, if loading takes it no longer than is allowed for."""
        return max(_LEAST_CAP_S, self.course.cap(ask))

    def _note(self, ask: Ask, record: Record, repeats: list[Record]) -> None:
        """Note one of the repeats of a run; with the last one, the course learns of all."""
        self.records[record.run_id] = record
        self.spent_s[ask.combination] += record.wall_s or 0.0
        repeats.append(record)
        if record.outcome is Outcome.INVALID:  # a fact about the problem
            self.course.drop(ask.problem, record.message)
        if ask.problem in self.course.dropped:
            return
        if why := _disqualified(record):
            self.course.disqualify(ask.combination, why)
        if len(repeats) < len(self._runs[ask.problem, ask.combination]):
            return
        costs = np.array([self._cost(ask, each) for each in repeats])
        is_bound = any(each.outcome is Outcome.CAPPED for each in repeats)
        self.course.note(ask, self.rules.average.of(costs), is_bound=is_bound)

    def _cost(self, ask: Ask, record: Record) -> float:
        """What a run costs: a lower bound if it was capped; if it was not solved, its limit, and
        twice that in a mean (PAR-2).
        """
        if record.outcome is Outcome.CAPPED:
            # One of an earlier session was stopped no earlier than it would be now.
            return self._bounds.get(record.run_id, self._bound(ask))
        if not _is_solved(record):
            return record.time_limit_s * (2 if self.rules.average is Average.MEAN else 1)
        cost = _value(record, self.rules.metric)
        if record.wall_s is not None:
            overhead_s = max(0.0, record.wall_s - cost)
            self._overhead_s[ask.problem] = min(self._overhead_s[ask.problem], overhead_s)
        return cost

    def standing(self) -> Standing:
        """What is known now."""
        capped = sum(record.outcome is Outcome.CAPPED for record in self.records.values())
        return Standing(
            names=self.names,
            course=self.course,
            metric=self.rules.metric,
            spent_s=self.spent_s,
            grid_s=self._grid_s(),
            runs=len(self.records),
            capped=capped,
            is_over=self.is_over,
            records=frame.of(list(self.records.values())),
        )

    def _grid_s(self) -> float:
        """The least that the runs of the whole grid would take, if unmeasured problems are like the
        measured ones.
        """
        least = 0.0
        took: dict[int, list[float]] = defaultdict(list)
        for record in self.records.values():
            took[self.names.index(combination(record.encoding, record.backend))].append(
                record.wall_s or 0.0
            )
        for number, of_one in took.items():
            runs = sum(len(self._runs[at, number]) for at in range(self.problems))
            least += runs * sum(of_one) / len(of_one)
        return least


def _is_solved(record: Record) -> bool:
    return (
        record.outcome is Outcome.FINISHED
        and record.answer in (Answer.SAT, Answer.UNSAT)
        and record.verdict is not Verdict.REFUTED
    )


def _disqualified(record: Record) -> str | None:
    """Why the combination of this record cannot win, in words; None if it can."""
    if record.verdict is Verdict.REFUTED:
        return f"a wrong answer ({record.message})"
    if record.outcome in (Outcome.CRASHED, Outcome.UNAVAILABLE):
        return f"{record.outcome} ({record.message})"
    return None


def _value(record: Record, metric: str) -> float:
    if metric != "total_s":
        return float(getattr(record, metric) or 0.0)
    phases = (record.encode_s, record.load_s, record.solve_s, record.decode_s)
    return sum(seconds or 0.0 for seconds in phases)
