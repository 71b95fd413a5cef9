"""The least or the greatest k for which a problem has a solution, shown from both sides.

Each step asks for one k, as a run with a record whose answer is checked. From the k of the family
it goes on until a solution was verified for one k, and that there is none for the next better one.
An incremental search is one run, in which one solver is asked for one k after another. So is the
search of a solver for the best objective of a file, such as the core-guided one of RC2.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from nqbench.backends.base import Backend
from nqbench.backends.fit import encoding_to_optimise, why_not
from nqbench.campaign import defaults
from nqbench.campaign.executors.base import Executor, Listener
from nqbench.campaign.grid import Campaign
from nqbench.campaign.job import Job
from nqbench.campaign.next_k import NEXT_K, Known
from nqbench.clauses import constraint_files
from nqbench.common.errors import REFUSALS, InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import (
    AMBIGUOUS,
    SHOWN_BY,
    Answer,
    KOrder,
    Outcome,
    ShownBy,
    State,
    Task,
    Verdict,
)
from nqbench.encodings.base import Encoding
from nqbench.measure.best_k import better, better_model, problem_of_k, with_k
from nqbench.plugins import family_names
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.families.base import Better, Family
from nqbench.problems.families.cnf import WITHOUT_OBJECTIVE, Formula
from nqbench.problems.options import Solution
from nqbench.records.origin import Origin
from nqbench.records.record import Record, Run

_TIGHTENING: Final = "totalizer"
"""The encoding of an incremental search, unless another one is named."""

_SOLVER: Final = "cadical195"
"""The backend of a search step by step, unless another one is named."""


Ask = Callable[[Problem], Record]
"""Measures a problem."""

Watch = Callable[[str], None]
"""Called with what is being done, and the best value so far."""


_PROVING: Final = {*SHOWN_BY.values(), ShownBy.BOUND}

_SHOWN_ELSEWHERE: Final = {Origin.MERGED: ShownBy.MERGED, Origin.IMPORTED: ShownBy.IMPORTED}


class FileFlawError(InputError):
    """A file that is wrong or ambiguous, so that no solver is asked."""


@dataclass(frozen=True, slots=True)
class Step:
    """A k that was asked for, with its problem and the record of its run. `has_solution`: whether
    there is a solution, as far as that was verified here or elsewhere; None if not.
    """

    k: int
    problem: Problem
    record: Record
    has_solution: bool | None

    @classmethod
    def of(cls, k: int, problem: Problem, record: Record) -> "Step":
        """The step of a run that asks for this k only."""
        answer = record.answer if _is_shown(record) else None
        has_solution = {Answer.SAT: True, Answer.UNSAT: False}.get(answer or Answer.UNKNOWN)
        return cls(k, problem, record, has_solution)

    @property
    def shown_by(self) -> ShownBy | None:
        """What shows whether there is a solution; None if that is not verified."""
        if self.has_solution is None:
            return None
        if (elsewhere := _SHOWN_ELSEWHERE.get(self.record.origin)) is not None:
            return elsewhere
        if self.has_solution and self.record.task is Task.BEST:
            return ShownBy.RULES  # the record says how it was checked that no k is better
        return SHOWN_BY.get(self.record.checked_by, ShownBy.FORMULA)


def _is_shown(record: Record) -> bool:
    """Whether the answer was verified, or is that of an imported run that is to be believed."""
    is_believed = record.origin is Origin.IMPORTED and record.verdict is not Verdict.REFUTED
    return is_believed or record.verdict is Verdict.VERIFIED


@dataclass(frozen=True, slots=True, repr=False)
class Optimum:
    """What is known of the best k of a problem of size n, or of the best value of the objective of
    a file, whose name is `instance`. `steps` are in the order in which they were asked. None is
    better than `ideal`. `flaw` says why no solver was asked.
    """

    family: str
    n: int | None
    better: Better
    steps: Sequence[Step]
    instance: str = ""
    ideal: int | None = None
    flaw: str = ""

    def __repr__(self) -> str:
        size = "" if self.n is None else f" n={self.n}"
        name = f"{self.instance or self.family}{size}"
        best = "unknown" if self.best is None else self.best
        return f"<{name}: {self.better.value} {best}, {self.state}>"

    @property
    def best(self) -> int | None:
        """The best k with a verified solution."""
        solved = [step.k for step in self.steps if step.has_solution]
        return (min if self.better is Better.LESS else max)(solved, default=None)

    @property
    def excluded(self) -> int | None:
        """The bound: the nearest k that is verified to have no solution; None for a file that has
        none at all.
        """
        if self._infeasible_shown_by:
            return None
        unsolvable = [step.k for step in self.steps if step.has_solution is False]
        return (max if self.better is Better.LESS else min)(unsolvable, default=None)

    @property
    def records(self) -> Sequence[Record]:
        """The records of the runs, each once."""
        return list({step.record.run_id: step.record for step in self.steps}.values())

    @property
    def best_shown_by(self) -> ShownBy | None:
        """What shows that there is a solution for `best`; None if there is no `best`."""
        return self._shown_by(self.best, has_solution=True)

    @property
    def excluded_shown_by(self) -> ShownBy | None:
        """What shows that there is none for the next better k, or none at all; None if that is
        open.
        """
        best, step = self.best, self.better.step
        if best is None:
            return self._infeasible_shown_by
        if best == self.ideal or (self.ideal is None and best == 0 and step < 0):
            return ShownBy.BOUND
        return self._shown_by(best + step, has_solution=False)

    @property
    def has_no_objective(self) -> bool:
        """Whether it is a file that asks for no best value."""
        return WITHOUT_OBJECTIVE in self.flaw

    @property
    def state(self) -> State:
        """What is known: `optimal` only if both sides are shown by the rules of the problem."""
        if self.flaw:
            return State.AMBIGUOUS if AMBIGUOUS in self.flaw else State.INVALID
        if self.best is None:
            return State.INFEASIBLE if self.excluded_shown_by in _PROVING else State.OPEN
        if _PROVING.issuperset({self.best_shown_by, self.excluded_shown_by}):
            return State.OPTIMAL
        is_claimed = self.excluded_shown_by is not None or self.claim is not None
        return State.CLAIMED if is_claimed else State.BEST_FOUND

    @property
    def is_proven(self) -> bool:
        """Whether `best` is the optimum, by the rules of the problem: see `state`."""
        return self.state is State.OPTIMAL

    @property
    def is_settled(self) -> bool:
        """Whether the rules show the best value, or that there is no solution of any."""
        return self.state in {State.OPTIMAL, State.INFEASIBLE}

    @property
    def claim(self) -> Record | None:
        """The record of a solver that says that none is better, or that there is none at all, be
        that shown or not; None if no solver says so.
        """
        best = self.best
        for step in self.steps:
            record = step.record
            if record.outcome is not Outcome.FINISHED or record.verdict is Verdict.REFUTED:
                continue
            is_end = best is not None and step.k == best + self.better.step
            is_best = record.task is Task.BEST and record.answer is Answer.SAT and step.k == best
            if is_best or (record.answer is Answer.UNSAT and (best is None or is_end)):
                return record
        return None

    @property
    def bound(self) -> int | None:
        """The value that none is better than, as far as that is shown or claimed; None if there is
        no value.
        """
        if self.best is not None and self.state in {State.OPTIMAL, State.CLAIMED}:
            return self.best
        if self.excluded is not None:
            return self.excluded - self.better.step
        return None if self.state is not State.BEST_FOUND else self.ideal

    @property
    def _infeasible_shown_by(self) -> ShownBy | None:
        """What shows that a file has no model, whatever its objective."""
        unbounded = [
            step.shown_by
            for step in self.steps
            if step.has_solution is False
            and isinstance(step.problem, Formula)
            and step.problem.worst is None
        ]
        return next((method for method in unbounded if method in _PROVING), None)

    def _shown_by(self, k: int | None, *, has_solution: bool) -> ShownBy | None:
        """The first that shows it; one that proves it before others."""
        methods = [
            step.shown_by for step in self.steps if (step.k, step.has_solution) == (k, has_solution)
        ]
        return next((method for method in methods if method in _PROVING), next(iter(methods), None))

    @property
    def solution(self) -> Solution | None:
        """The verified solution for `best`, as options; None if there is none, and for files: see
        `literals`.
        """
        for step in self.steps:
            if isinstance(step.problem, Formula):
                return None
            if step.has_solution and step.k == self.best:
                options, variables = step.problem.options, step.record.queens or ()
                if all(1 <= v <= len(options) for v in variables):  # elsewhere, nobody looked
                    return tuple(options[v - 1] for v in variables)
        return None

    @property
    def literals(self) -> tuple[int, ...] | None:
        """The literals of a file's variables that are true in the verified model with the value
        `best`; None if there is none, or if its record has no model.
        """
        for step in self.steps:
            is_best = step.has_solution and step.k == self.best
            if not is_best or not isinstance(step.problem, Formula) or step.record.queens is None:
                continue
            stated = constraint_files.statement(step.problem.content(), step.problem.source)
            is_true = set(step.record.queens)
            every = range(1, stated.num_variables + 1) if stated else ()
            return tuple(v if v in is_true else -v for v in every)
        return None

    @property
    def model_text(self) -> str:
        """The verified model of a file with the value `best`, as a line of a solver's output in the
        file's own names; empty if there is none.
        """
        literals, problem = self.literals, self.steps[0].problem if self.steps else None
        if literals is None or not isinstance(problem, Formula):
            return ""
        return problem.model_text(literals)


def family_to_optimise(name: str) -> Family:
    """The family with this name. Raises `InputError` if it has no k to optimise."""
    family: Family = Family.named(name)
    if family.better is None:
        able = [other for other in family_names() if Family.named(other).better]
        raise InputError(f"family '{name}' has no k to optimise: choose {' or '.join(able)}")
    return family


def optima(
    family: str,
    sizes: Iterable[int],
    job: Job,
    *,
    encoding: str | None,
    backend: str | None,
    limits: Limits,
    order: KOrder | None = None,
    note: Callable[[Step], None] = lambda _: None,
    watch: Watch = lambda _: None,
) -> Iterator[Optimum]:
    """Yield what is found for each n. The job says how runs are measured, and begins without any:
    each run depends on those before it. Without an order, the search is linear. `note` is called
    after each step, and `watch` with what is being done. Raises `InputError` for wrong names and
    for an n without a problem.
    """
    order = order or KOrder.LINEAR
    to_optimise = family_to_optimise(family)
    if order is KOrder.SOLVER:
        raise InputError(
            "a search by the solver is for files: choose linear, binary or incremental"
        )
    task = Task.FIRST
    searching: Callable[[Family, int, Ask], Iterator[Step]] = partial(search, order=order)
    if order is KOrder.INCREMENTAL:
        task, searching = Task.BEST, incremental_search
        encoding = encoding or _TIGHTENING
    assert to_optimise.better is not None, "see family_to_optimise"
    under_way = _UnderWay(to_optimise.better, watch)
    name = backend or _SOLVER
    with asking(job, encoding, name, limits, task=task, under_way=under_way) as ask:
        for n in sizes:
            under_way.steps = []
            for step in searching(to_optimise, n, ask):
                note(step)
                under_way.steps.append(step)
            yield Optimum(to_optimise.name, n, to_optimise.better, under_way.steps)


def search(family: Family, n: int, ask: Ask, order: KOrder = KOrder.LINEAR) -> Iterator[Step]:
    """Yield each step, until the best k is proven or what is open cannot be avoided: see `next_k`.
    Raises `InputError` for a wrong n.
    """
    assert family.better is not None, "see family_to_optimise"
    start, next_k = problem_of_k(family, n), NEXT_K[order]
    sign = -family.better.step  # for a greatest k, the least -k is looked for
    low, high = sorted((0, sign * start.largest_k))
    answers: Known = {}
    while (signed := next_k(sign * start.k, low, high, answers)) is not None:
        k = sign * signed
        problem = problem_of_k(family, n, k)
        step = Step.of(k, problem, ask(problem))
        answers[signed] = step.has_solution
        yield step


def incremental_search(family: Family, n: int, ask: Ask) -> Iterator[Step]:
    """Yield the steps of runs with the task `best`: what is known of the first k, of the best, and
    of the next better one. If there is no solution for the first k, go on with worse ones. Raises
    `InputError` for a wrong n.
    """
    assert family.better is not None, "see family_to_optimise"
    start = problem_of_k(family, n)
    worst = start.largest_k if family.better is Better.LESS else 0
    for k in range(start.k, worst - family.better.step, -family.better.step):
        problem = problem_of_k(family, n, k)
        record = ask(problem)
        best = record.best_k
        if best is None or not _is_shown(record):
            yield (step := Step.of(k, problem, record))
            if step.has_solution is None:
                return
            continue
        best_problem = with_k(problem, best)
        yield Step(best, best_problem, record, True)
        if (excluded := better(best_problem)) is not None:
            yield Step(excluded.k, excluded, record, False)
        return


def file_optima(
    formulas: Iterable[Formula],
    job: Job,
    *,
    encoding: str | None,
    backend: str | None,
    limits: Limits,
    order: KOrder | None = None,
    note: Callable[[Step], None] = lambda _: None,
    watch: Watch = lambda _: None,
) -> Iterator[Optimum]:
    """Yield what is found for the objective of each file: see `optima`. Without an order, a backend
    that optimises searches by itself, and any other is asked for one value after another. Without a
    backend, it is the first default one that optimises and takes the weights of the file, or for
    another order `cadical195`. Of several files, those that are wrong or ambiguous have a `flaw`.
    Raises `InputError` for one such file, one without an objective, and the order `incremental`.
    """
    if order is KOrder.INCREMENTAL:
        raise InputError("an incremental search is for families: choose linear, binary or solver")
    every = list(formulas)
    for formula in every:
        facts = formula.facts
        under_way = _UnderWay(Better.MORE if facts.is_maximised else Better.LESS, watch)
        flaw = ""
        try:
            _check_objective(formula)
            name = backend or usual_backend(formula, encoding, order)
            solver = Backend.named(name)
            by_solver = order is None and solver.capabilities.optimises
            to_search = order or (KOrder.SOLVER if by_solver else KOrder.LINEAR)
            task = Task.BEST if to_search is KOrder.SOLVER else Task.FIRST
            scheme = encoding or encoding_to_optimise(formula, solver)
            with asking(job, scheme, name, limits, task=task, under_way=under_way) as ask:
                in_steps = partial(search_objective, order=to_search)
                searching = best_model if task is Task.BEST else in_steps
                for step in searching(formula, ask):
                    note(step)
                    under_way.steps.append(step)
        except FileFlawError as error:
            if len(every) == 1:
                raise
            flaw = str(error)
        found = under_way.better, under_way.steps
        yield Optimum(formula.family, None, *found, formula.instance, facts.ideal, flaw)


def _check_objective(formula: Formula) -> None:
    """Raise `FileFlawError` for a file that cannot be read, or has no objective."""
    if formula.facts.has_objective:
        return
    try:
        formula.formula()  # whose facts are empty if it cannot be read, which raises
    except InputError as error:
        raise FileFlawError(str(error)) from None
    raise FileFlawError(formula.without_objective)


def usual_backend(
    formula: Clausal, encoding: str | None = None, order: KOrder | None = None
) -> str:
    """The backend that is asked for the best value of an objective if nobody names one."""
    if order not in {None, KOrder.SOLVER}:
        return _SOLVER
    return next(able_optimisers(formula, encoding), _SOLVER)


def able_optimisers(formula: Clausal, encoding: str | None = None) -> Iterator[str]:
    """Yield the default backends that are installed and can find the best value of an objective.
    Those that need clauses come last if rows have weights: sums that are written as clauses slow
    them down by orders of magnitude.
    """
    solvers = list(map(Backend.named, defaults.installed_optimisers()))
    if formula.facts.has_weights:
        solvers.sort(key=lambda solver: not solver.takes_weights)
    for solver in solvers:
        scheme = Encoding.named(encoding or encoding_to_optimise(formula, solver))
        if why_not(scheme, solver, Task.BEST, [formula]) is None:
            yield solver.name


def best_model(formula: Formula, ask: Ask) -> Iterator[Step]:
    """Yield the steps of a run that asks the solver for the best objective: what is known of the
    objective of its model, and of the next better one.
    """
    record = ask(formula)
    value = record.value
    is_open = record.answer in {None, Answer.UNKNOWN}
    if is_open and value is not None:  # it was stopped, and the judge believes its best model
        yield Step(value, formula, record, True)
        return
    if record.answer is not Answer.SAT or record.verdict is Verdict.REFUTED:
        yield Step.of(formula.facts.ideal, formula, record)
        return
    if value is None:  # it was not added up
        yield Step(formula.facts.ideal, formula, record, None)
        return
    # The judge adds up the objective of models that meet the rows, and of no others.
    yield Step(value, formula, record, True)
    next_problem = better_model(formula, value)
    if next_problem is not None:
        step = -1 if not formula.facts.is_maximised else 1
        is_best = record.verdict is Verdict.VERIFIED
        yield Step(value + step, next_problem, record, False if is_best else None)


def search_objective(formula: Formula, ask: Ask, order: KOrder) -> Iterator[Step]:
    """Yield each step: the file as it is, then with a bound on its objective. A model may be better
    than its bound, so the next one is below what was found; or in the middle of what is possible.
    After a step that is left open, a binary search asks only for the next better value.
    """
    facts = formula.facts
    sign = -1 if facts.is_maximised else 1  # of what is to be maximised, the opposite is minimised
    low, best, is_binary = sign * facts.ideal, None, order is KOrder.BINARY
    bound: int | None = None
    while best is None or low < best:
        problem = formula if bound is None else formula.with_worst(sign * bound)
        record = ask(problem)
        answer = Step.of(0, problem, record).has_solution
        if answer and record.value is not None:
            best = sign * record.value
            yield Step(record.value, problem, record, True)
        elif answer is False and bound is not None:
            low = bound + 1
            yield Step(sign * bound, problem, record, False)
        else:
            asked = facts.ideal if bound is None else sign * bound
            yield Step(asked, problem, record, None if answer else answer)
            if bound is None or not is_binary or best is None or bound == best - 1:
                return
            is_binary = False
        assert best is not None, "a bound follows a model"
        bound = (low + best - 1) // 2 if is_binary else best - 1


class _UnderWay(Listener):
    """Says what is being done: it hears of an executor, and knows the steps so far."""

    def __init__(self, better: Better, watch: Watch) -> None:
        self.better = better
        self.steps: list[Step] = []
        self._watch = watch
        self._asked = ""

    def ask(self, problem: Problem) -> None:
        """Say which problem is solved."""
        self._asked = str(problem)
        self._say("solving")

    def watch(self, doing: Sequence[str]) -> None:
        """Say what is done besides solving, such as proving; it follows the name of the run."""
        self._say(doing[0].rpartition(": ")[2] if doing else "solving")

    def _say(self, doing: str) -> None:
        best = Optimum("", None, self.better, self.steps).best
        so_far = "no value so far" if best is None else f"best so far {best}"
        self._watch(f"{so_far}; {self._asked}: {doing}")


@contextmanager
def asking(
    job: Job,
    encoding: str | None,
    backend: str,
    limits: Limits,
    *,
    task: Task,
    under_way: _UnderWay,
) -> Iterator[Ask]:
    """A function that measures a problem with this combination, unless the store of the job has its
    record. One executor serves all, since a server takes longer to start than most steps.
    """
    with job.open_store() as store, ExitStack() as opened:
        executors: list[Executor] = []

        def executor_of(runs: Sequence[Run]) -> Executor:
            if not executors:
                executors.append(opened.enter_context(job.executor(runs, under_way)))
            return executors[0]

        def ask(problem: Problem) -> Record:
            under_way.ask(problem)
            runs = Campaign(
                problems=[problem],
                encodings=None if encoding is None else [encoding],
                backends=[backend],
                limits=limits,
                task=task,
                repeat=1,
            ).runs()
            progress = replace(job, runs=runs).measure_in(store, executor_of=executor_of)
            (record,) = store.records(progress.record_ids)
            if record.outcome is Outcome.INVALID and not record.message.startswith(REFUSALS):
                raise FileFlawError(record.message)
            return record

        yield ask
