"""What a job would do now: which runs it would measure, and an estimate of the time they take."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING, Self

from nqbench.backends.base import Backend
from nqbench.campaign import runner
from nqbench.campaign.decidable import Forecast
from nqbench.campaign.job import Job
from nqbench.campaign.reuse import Change
from nqbench.common.units import counted, duration
from nqbench.common.vocabulary import combination
from nqbench.encodings.base import Encoding
from nqbench.plugins.availability import why_unavailable
from nqbench.plugins.name_rules import Revision, revision_of
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens
from nqbench.records.origin import Elsewhere
from nqbench.records.record import Run
from nqbench.records.runs import Runs
from nqbench.records.sources import STORE_NAME
from nqbench.records.store import Store

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Estimate:
    """The number of runs with a precedent and the seconds that they will take one after the other;
    the number of runs without one, which take at most `at_most_s` together.
    """

    with_precedent: int
    seconds: float
    without_precedent: int
    at_most_s: float

    def sentences(self, jobs: int, budget_s: float | None = None) -> Iterator[str]:
        """Say how long the runs will take with `jobs` jobs, for known and for new runs, and whether
        they fit into the budget.
        """
        known_s, most_s = self.seconds / jobs, (self.seconds + self.at_most_s) / jobs
        if self.with_precedent:
            runs = counted(self.with_precedent, "run")
            yield f"{runs} of measured combinations: {duration(known_s)}, by recorded runs."
        if self.without_precedent:
            runs = counted(self.without_precedent, "run")
            most = duration(self.at_most_s / jobs)
            yield f"{runs} of new combinations: at most {most}, if each reaches its time limit."
        if budget_s is not None and most_s > budget_s:
            fit = "do not all fit" if known_s > budget_s else "may not all fit"
            yield (
                f"The budget ends this after {duration(budget_s)}: the runs {fit}. Runs that are "
                "under way then still finish, and drawing plots takes extra time."
            )


def estimate(runs: Iterable[Run], records: "pl.DataFrame | None") -> Estimate:
    """Estimate the time of runs. A precedent is a recorded run of the same encoding and backend;
    the estimate is the median time at the closest recorded n.
    """
    precedents: dict[tuple[str, str], dict[int | None, float]] = {}
    for encoding, backend, n, wall_s in _medians(records) if records is not None else ():
        precedents.setdefault((encoding, backend), {})[n] = wall_s
    with_precedent, seconds, unknown, at_most_s = 0, 0.0, 0, 0.0
    for run, count in Runs.of(runs).counted(lambda problem: problem.n):
        sizes = precedents.get((run.encoding, run.backend))
        if sizes is None:
            unknown += count
            at_most_s += count * run.limits.time_s
            continue
        with_precedent += count
        nearest = min(sizes, key=lambda n: abs((n or 0) - (run.problem.n or 0)))
        seconds += count * min(sizes[nearest], run.limits.time_s)
    return Estimate(with_precedent, seconds, unknown, at_most_s)


def _medians(records: "pl.DataFrame") -> Iterator[tuple[str, str, int | None, float]]:
    import polars as pl

    groups = records.drop_nulls("wall_s").group_by("encoding", "backend", "n")
    return groups.agg(pl.col("wall_s").median()).iter_rows()


@dataclass(frozen=True, slots=True)
class Unavailable:
    """An encoding or backend that does not work here, and the number of runs left out for it."""

    name: str
    reason: str
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a job would do now. Of its runs, `recorded` are not measured again, and `elsewhere` says
    which of these were not measured here; `given_up` would be skipped, after limits that recorded
    runs reached; for others, something is `unavailable`. The `estimate` is for the rest.

    `changes` are recorded runs with other code. `has_store` and `has_records` say whether there is
    a store, and whether it has a record that was measured here.
    """

    job: Job
    recorded: int
    elsewhere: Elsewhere
    changes: Sequence[Change]
    given_up: int
    unavailable: Sequence[Unavailable]
    estimate: Estimate
    has_store: bool
    has_records: bool

    @classmethod
    def of(cls, job: Job) -> Self:
        """Look at the store, if there is one, and at what works here. Raises `StoreError`."""
        todo, records = Runs.of(job.runs), None
        undone = runner.Undone(todo, [], [], Elsewhere({}, {}))
        path = job.folder and job.folder / STORE_NAME
        if path and path.exists():
            from nqbench.summary.observed import MEASURED_HERE

            with Store(path, read_only=True) as store:
                undone = runner.undone(job.runs, store, job.execution)
                todo = runner.scheduled(undone, store, job.execution).not_given_up
                records = store.frame().filter(MEASURED_HERE)
        given_up = len(undone.missing) - len(todo)
        unavailable = []
        for name, reason in {} if job.execution.scheduler else _unavailable(todo).items():
            available = todo.where(partial(_needs_not, name))
            unavailable.append(Unavailable(name, reason, len(todo) - len(available)))
            todo = available
        return cls(
            job=job,
            recorded=len(job.runs) - len(undone.missing),
            elsewhere=undone.elsewhere,
            changes=undone.changes,
            given_up=given_up,
            unavailable=unavailable,
            estimate=estimate(todo, records),
            has_store=records is not None,
            has_records=records is not None and not records.is_empty(),
        )

    def __str__(self) -> str:
        return "\n".join([describe(self.job.runs), *self.sentences()])

    def sentences(self) -> Iterator[str]:
        """What is recorded, what is left out and why, how long the rest takes, and what so many
        problems can find.
        """
        if self.job.share:
            share = str(self.job.share)
            yield f"{share[0].upper()}{share[1:]}"
        yield from map(str, self.changes)
        yield self._recorded()
        if self.given_up:
            runs = counted(self.given_up, "run")
            yield f"{runs}: skipped, after limits that recorded runs reached."
        for component in self.unavailable:
            runs = counted(component.runs, "run")
            yield f"{runs}: not measured. {component.name} is unavailable: {component.reason}"
        yield from self.estimate.sentences(self.job.execution.jobs, self.job.execution.budget_s)
        yield from Forecast(self.job.runs).sentences()

    def _recorded(self) -> str:
        runs = len(self.job.runs)
        if self.recorded:
            from nqbench.summary.findings.cautions import messages_of_elsewhere

            elsewhere = (f"{sentence}." for sentence in messages_of_elsewhere(self.elsewhere, runs))
            return " ".join([f"{self.recorded} of {runs} runs are recorded.", *elsewhere])
        if self.has_store and self.job.execution.fresh:
            return "Every run is measured, recorded or not."
        if self.has_records:
            return "None of these runs is recorded under these conditions."
        return "Nothing recorded yet."


def _unavailable(runs: Runs) -> dict[str, str]:
    """The encodings and backends of the runs that do not work on this machine, and why."""
    encodings = {run.encoding for run in runs.kinds}
    backends = {run.backend for run in runs.kinds}
    reasons = {name: why_unavailable(Encoding.named, name) for name in sorted(encodings)}
    reasons |= {name: why_unavailable(Backend.named, name) for name in sorted(backends)}
    return {name: reason for name, reason in reasons.items() if reason}


def _needs_not(name: str, run: Run) -> bool:
    return name not in (run.encoding, run.backend)


def describe(runs: Sequence[Run], *, in_brief: bool = False) -> str:
    """What these runs are, in one sentence: problems, combinations, repeats, and the limit; in
    brief with the numbers of encodings and backends in place of the names.
    """
    planned = Runs.of(runs)
    pairs = sorted({(run.encoding, run.backend) for run in planned.kinds})
    repeats = counted(int(planned.repeat.max()) + 1, "repeat")
    limit = f"at most {max(run.limits.time_s for run in planned.kinds):g} s each"
    head = f"{counted(len(planned), 'run')}: {_problems(planned.problems)}"
    if in_brief:
        encodings, backends = map(set, zip(*pairs, strict=True))
        of_each = f"{counted(len(encodings), 'encoding')}, {counted(len(backends), 'backend')}"
        return f"{head}, {of_each}, {repeats}, {limit}"
    revisions = {
        run.backend: revision
        for run in planned.kinds
        if (revision := revision_of(run.backend, run.backend_version or ""))
    }
    names = ", ".join(_in_history(pairs, revisions) if revisions else starmap(combination, pairs))
    return (
        f"{head} x {counted(len(pairs), 'combination')} of encoding and backend ({names}) x "
        f"{repeats}, {limit}"
    )


def _in_history(
    pairs: Sequence[tuple[str, str]], revisions: Mapping[str, Revision]
) -> Iterator[str]:
    """The names of combinations in the order of versions, with the subjects of these."""
    from nqbench.summary.history import History, subject

    history = History.of(revisions)
    for pair in sorted(pairs, key=lambda p: (p[0], history.places.get(p[1], -1), p[1])):
        revision = history.revisions.get(pair[1])
        of = f" '{subject(revision)}'" if revision and revision.subject else ""
        yield f"{combination(*pair)}{of}"


def _problems(problems: Collection[Problem]) -> str:
    """These problems, in words."""
    sizes = {n for problem in problems if (n := problem.n) is not None}
    subject = counted(len(problems), "problem" if all(p.has_rules for p in problems) else "formula")
    if sizes:
        noun = "board" if all(isinstance(p, Queens) for p in problems) else "problem"
        span = f"{min(sizes)}..{max(sizes)}" if len(sizes) > 1 else min(sizes)
        families = sorted({problem.family for problem in problems})
        of = f" of {', '.join(families)}" if len(families) > 1 else ""
        subject = f"n {span} ({counted(len(problems), noun)}{of})"
    return subject
