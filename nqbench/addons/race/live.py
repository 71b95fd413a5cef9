"""Measures the runs of a race within a budget, and records them."""

import math
import time
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from nqbench.addons.race.course import Ask, Course
from nqbench.addons.race.problem_order import draw_order, groups_of, kinds_of
from nqbench.addons.race.rules import Rules
from nqbench.addons.race.standing import Standing
from nqbench.campaign import runner
from nqbench.campaign.executors.base import Executor, Listener
from nqbench.campaign.job import Job
from nqbench.campaign.narrator import Tally
from nqbench.campaign.reuse import changes
from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.common.machine.environment import Conditions
from nqbench.common.metrics import PAR
from nqbench.common.vocabulary import Answer, Outcome, Phase, Verdict, combination
from nqbench.problems import foreign
from nqbench.records import frame
from nqbench.records.record import Record, Run
from nqbench.records.store import Store

_LEAST_CAP_S: Final = 0.02
"""No run is capped earlier: less would measure the start of a process."""

_LEAST_BESIDES_S: Final = 10.0
"""What a capped run may take at least for what does not decide, such as loading."""

_BESIDES: Final = 10.0
"""The same as a multiple of what the best run on its problem took for it."""


class Observer(Listener):
    """Follows a race, and ignores what it does not override. An exception it raises ends the race;
    recorded runs are kept.
    """

    def begin(self, race: "Race") -> None:
        """Called first."""

    def note(self, record: Record) -> None:
        """Called for each record when it is stored."""

    def end(self) -> None:
        """Called once after `begin`, when the race ends, early or not."""


class Race:
    """A race between the combinations of these runs, on their problems."""

    def __init__(self, job: Job, store: Store, rules: Rules) -> None:
        self.rules, self._job, self._store, runs = rules, job, store, job.runs
        self.names = sorted({combination(run.encoding, run.backend) for run in runs})
        # Copies of a file under other names are one problem: their runs count as its repeats.
        digest = {
            problem: foreign.problem_digest(problem) or problem
            for problem in dict.fromkeys(run.problem for run in runs)
        }
        self._problems = list(dict.fromkeys(digest.values()))
        if len(self.names) < 2:
            raise InputError("a race needs two combinations of encoding and backend, or more")
        self._runs: dict[tuple[int, int], list[Run]] = defaultdict(list)
        number = {name: at for at, name in enumerate(self.names)}
        place = {problem: at for at, problem in enumerate(self._problems)}
        for run in runs:
            name = combination(run.encoding, run.backend)
            self._runs[place[digest[run.problem]], number[name]].append(run)
        self._check_complete()
        self._by_id = {run.id: run for run in runs}
        random = np.random.default_rng(abs(runs[0].seed))
        problem_of = {name: problem for problem, name in reversed(digest.items())}
        is_short = rules.budget_s is not None
        problems = [problem_of[name] for name in self._problems]
        groups = groups_of(problems, rules.unit) if rules.unit else None
        kinds: Sequence[Hashable] = [""] * len(problems)
        if groups is not None:
            kinds = groups.tolist()
        elif is_short:
            kinds = kinds_of(problems)
        order = draw_order(kinds, random)
        average, confidence, margin = rules.average, rules.confidence, rules.margin
        self.course = Course(
            len(self.names),
            order,
            average,
            confidence,
            margin,
            random,
            self._used_share if is_short else None,
            groups,
        )
        self._check_groups()
        self.spent_s = [0.0] * len(self.names)
        self.records: dict[str, Record] = {}
        self.is_over = False
        self._besides_s = [math.inf] * len(self._problems)
        self._started = time.monotonic()

    def _check_complete(self) -> None:
        for at, problem in enumerate(self._problems):
            for number, name in enumerate(self.names):
                if not self._runs[at, number]:
                    raise InputError(
                        f"{name} cannot be measured on {problem}: a race needs every combination "
                        "on every problem"
                    )

    def _check_groups(self) -> None:
        groups, needed = self.course.groups, self.course.fewest_groups
        if groups is None or (number := len(np.unique(groups))) >= needed:
            return
        raise InputError(
            f"a race with unit '{self.rules.unit}' needs {needed} groups, and here "
            f"{'is' if number == 1 else 'are'} {number}: with fewer, no difference can be "
            "found. Add problems of other groups, or leave out `unit`"
        )

    @property
    def left_s(self) -> float:
        """Seconds until no more runs are started; infinity without a budget."""
        if self.rules.budget_s is None:
            return math.inf
        return max(0.0, self._started + self.rules.budget_s - time.monotonic())

    def _used_share(self) -> float:
        return 1 - self.left_s / self.rules.budget_s if self.rules.budget_s else 1.0

    @property
    def problems(self) -> int:
        """The number of problems."""
        return len(self._problems)

    def run(self, observer: Observer | None = None) -> None:
        """Measure until the race is over or the budget is used up. Runs that the store has are not
        measured again. Raises `ExecutorError` and `StoreError`.
        """
        every = [run for runs in self._runs.values() for run in runs]
        recorded = self._usable_records(every)
        tally, started = Tally(len(every), len(recorded)), Conditions.now()
        observer = observer or Observer()
        executor = self._job.executor(every, observer)
        observer.begin(self)
        try:
            recorder = runner.Recorder(self._store, executor)
            with executor:
                for record in self._measure_batches(executor, recorded):
                    recorder.add(record, self._by_id[record.run_id])
                    tally.count(record)
                    observer.note(record)
        finally:
            tally.stop()
            if tally.runs:
                command, slots = self._job.command, executor.slots
                self._store.add_session(runner.session(tally, command, started, slots))
            observer.end()

    def _usable_records(self, runs: Sequence[Run]) -> dict[str, Record]:
        """The records of these runs that can be used: of whole runs, and of capped ones."""
        changed = {run_id for change in changes(runs, self._store) for run_id in change.run_ids}
        outcomes = {Outcome.SKIPPED, Outcome.UNAVAILABLE}
        ids = [run.id for run in runs]
        stored = self._store.records(ids)
        usable = {
            r.run_id: r for r in stored if r.outcome not in outcomes and r.run_id not in changed
        }
        if not self._job.execution.reuse_imported:
            return usable
        run_of = {imported_id: run_id for run_id, imported_id in self._store.imported(ids).items()}
        imported = {run_of[r.run_id]: r for r in self._store.records(run_of)}
        # A whole run that was imported says more than one that a race stopped here.
        uncapped = {run_id: r for run_id, r in usable.items() if r.outcome is not Outcome.CAPPED}
        return usable | imported | uncapped

    def _measure_batches(self, executor: Executor, recorded: dict[str, Record]) -> Iterator[Record]:
        """Yield each new record when it was noted."""
        for batch in self.course.batches():
            waiting = [
                (ask, run) for ask in batch for run in self._runs[ask.problem, ask.combination]
            ]
            ask_of = {run.id: ask for ask, run in waiting}
            repeats: dict[Ask, list[Record]] = defaultdict(list)
            while waiting or executor.running:
                while waiting and executor.free and self.left_s:
                    ask, run = waiting.pop(self._index_of_next(waiting, executor))
                    run = self._cap_run(ask, run)
                    record = recorded.get(run.id)
                    if record and _is_enough(record, run):
                        self._note_repeat(ask, record, repeats[ask])
                    elif ask.combination not in self.course.gone:
                        executor.submit(run)
                if not executor.running:
                    if waiting and not self.left_s:
                        return
                    continue
                for record in executor.wait():
                    ask = ask_of[record.run_id]
                    recorded[record.run_id] = record
                    self._note_repeat(ask, record, repeats[ask])
                    yield record
        self.is_over = True

    @staticmethod
    def _index_of_next(waiting: Sequence[tuple[Ask, Run]], executor: Executor) -> int:
        return next((at for at, (_, run) in enumerate(waiting) if executor.prefers(run)), 0)

    def _cap_run(self, ask: Ask, run: Run) -> Run:
        """The run with the cap at which to stop it, if there is one."""
        cap_s = max(_LEAST_CAP_S, self.course.cap(ask))
        if not math.isfinite(cap_s):
            return run
        besides_s = max(_LEAST_BESIDES_S, _BESIDES * self._besides_s[ask.problem])
        return replace(run, cap_s=cap_s, cap_of=self.rules.metric, besides_s=besides_s)

    def _note_repeat(self, ask: Ask, record: Record, repeats: list[Record]) -> None:
        """Note one of the repeats of a run; with the last one, the course learns of all."""
        self.records[record.run_id] = record
        self.spent_s[ask.combination] += record.wall_s or 0.0
        repeats.append(record)
        # A wrong file is a fact about the problem; a refusal is one about the combination.
        if record.outcome is Outcome.INVALID and not record.is_refused:
            self.course.drop(ask.problem, record.message)
        if ask.problem in self.course.dropped:
            return
        if why := _why_disqualified(record):
            self.course.disqualify(ask.combination, why)
        if len(repeats) < len(self._runs[ask.problem, ask.combination]):
            return
        costs = np.array([self._cost(ask, r) for r in repeats])
        begun = np.array([self._has_begun(r) for r in repeats])
        self.course.note_cost(
            ask,
            float(costs.mean()),
            is_bound=any(r.outcome is Outcome.CAPPED for r in repeats),
            measured_cost=float(np.where(begun, costs, 0.0).mean()),
        )

    def _cost(self, ask: Ask, record: Record) -> float:
        """What a run costs: a lower bound if it was capped, twice its limit if it was not solved
        (PAR-2).
        """
        metric = self.rules.metric
        if record.outcome is Outcome.CAPPED:
            return _least_cost(record, metric) or 0.0
        if not _is_solved(record):
            return PAR * record.time_limit_s
        if record.wall_s is not None:
            besides_s = max(0.0, record.wall_s - _in_worker(record, metric))
            self._besides_s[ask.problem] = min(self._besides_s[ask.problem], besides_s)
        return _value(record, metric)

    def _has_begun(self, record: Record) -> bool:
        """Whether a run shows something of the time that decides. One that reached a limit before
        it began to solve shows nothing of its solve time.
        """
        if self.rules.metric != "solve_s" or record.outcome not in _AT_A_LIMIT:
            return True
        if record.wall_s is None:  # stopped while its instance was encoded
            return False
        return record.solve_at_least_s != 0 or record.stopped_in is Phase.SOLVE

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
            unit=self.rules.unit,
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


def _why_disqualified(record: Record) -> str | None:
    """Why the combination of this record cannot win, in words; None if it can."""
    if record.verdict is Verdict.REFUTED:
        return f"a wrong answer ({record.message})"
    if record.outcome in (Outcome.CRASHED, Outcome.UNAVAILABLE):
        return f"{record.outcome} ({record.message})"
    return None


_AT_A_LIMIT: Final = (Outcome.TIMEOUT, Outcome.MEMOUT)


def _value(record: Record, metric: str) -> float:
    """The time that decides, of a run that was measured in full."""
    encode_s = record.encode_s or 0.0 if metric == "total_s" else 0.0
    return encode_s + _in_worker(record, metric)


def _in_worker(record: Record, metric: str) -> float:
    """The part of this time that its worker took."""
    columns = [f"{phase}_s" for phase in metrics.PHASES.get(metric, ())] or [metric]
    return sum(float(getattr(record, column) or 0.0) for column in columns)


def _least_cost(record: Record, metric: str) -> float | None:
    """A lower bound of the time that decides, of a run that a race stopped; None if the record has
    none, as those of earlier schemas: their runs may have been stopped while they loaded.
    """
    encode_s = record.encode_s or 0.0 if metric == "total_s" else 0.0
    stopped_s = _stopped_s(record, metric)
    return None if stopped_s is None else encode_s + stopped_s


def _stopped_s(record: Record, metric: str) -> float | None:
    """The part of this bound that its worker took, which is not more than was seen from outside."""
    columns = [f"{phase}_at_least_s" for phase in metrics.PHASES.get(metric, ())] or [metric]
    phase_times = [getattr(record, column) for column in columns]
    if record.wall_s is None or None in phase_times:
        return None
    spent_s = float(sum(phase_times))
    return spent_s if metric == "cpu_s" else min(spent_s, record.wall_s)


def _is_enough(record: Record, run: Run) -> bool:
    """Whether this run, with its cap, would show no more than its record does."""
    if record.outcome is not Outcome.CAPPED:
        return True
    least_s, stopped_s = _least_cost(record, run.cap_of), _stopped_s(record, run.cap_of)
    if run.cap_s is None or least_s is None or stopped_s is None:
        return False
    besides_s = (record.wall_s or 0.0) - stopped_s
    return least_s >= run.cap_s or (run.cap_of in metrics.PHASES and besides_s >= run.besides_s)
