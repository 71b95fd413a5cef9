"""Takes the answers of runs to the judge, with what it needs of their encodings as data.

An answer comes from a worker or out of a store; one call checks either.
"""

from collections.abc import Callable, Hashable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Final, Generic, TypeVar

from nqbench.backends.base import Backend
from nqbench.checking.evidence import Certifier
from nqbench.checking.file_rows import FileRows
from nqbench.checking.judge import Judge
from nqbench.checking.proof import NotCheckedError
from nqbench.checking.proving import TIME_IS_OVER, FileOriginal, Original
from nqbench.checking.verify import BY_FIRST_VALUES, UNCHECKED, Check, Readout
from nqbench.clauses.cnf import CNF
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits, ProofLimits
from nqbench.common.vocabulary import (
    AS_IT_IS,
    NO_MODEL_SHOWN_BEST,
    NOT_COUNTED,
    NOT_SHOWN_BEST,
    NOT_YET,
    WHILE_ENCODING,
    Answer,
    Form,
    Outcome,
    Task,
    Verdict,
    When,
)
from nqbench.encodings.base import Encoding
from nqbench.isolate import Isolation
from nqbench.isolate.supervise import Ending
from nqbench.measure.asking import Asking, asking_of
from nqbench.measure.best_k import next_better, with_k
from nqbench.measure.cache import Encoded, InstanceCache
from nqbench.measure.copies import stampings
from nqbench.measure.encode import option_literals
from nqbench.measure.implication.steps import State, Steps
from nqbench.measure.implication.templates import Templates
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.readings import broken_as_encoded, read_twice
from nqbench.measure.worker import WorkerReport
from nqbench.plugins.availability import why_unavailable
from nqbench.problems.base import Problem, ProblemOfK
from nqbench.problems.clausal import Clausal
from nqbench.problems.foreign import is_foreign, problem_key
from nqbench.problems.instances import model_size
from nqbench.records.record import Record

T = TypeVar("T")

SOLVER: Final = "cadical195"
"""The solver that decides formulas: its proofs are short, and PySAT is always installed."""

ROWS_SOLVER: Final = "exact"
"""The solver that writes proofs about rows, if it is installed."""

_MOST_KEPT: Final = 8


def certifier(caller: Isolation | None = None, proofs: ProofLimits | None = None) -> Certifier:
    """A new certifier, with the solvers that find its proofs."""

    def rows_solver() -> Backend | None:
        is_missing = why_unavailable(Backend.named, ROWS_SOLVER, caller) is not None
        return None if is_missing else Backend.named(ROWS_SOLVER)

    return Certifier(partial(Backend.named, SOLVER), caller, proofs, rows_solver)


def is_list_of_solutions(record: Record) -> bool:
    """Whether the answer has all solutions, of which only the number is unchecked."""
    solutions = record.task is Task.ALL and record.answer is Answer.SAT
    return solutions and record.message.startswith(NOT_COUNTED)


def _is_best_found(record: Record) -> bool:
    """Whether the answer has a verified solution, and it is unchecked whether its k, or its
    objective, is the best.
    """
    return record.task is Task.BEST and record.message.startswith(
        (NOT_SHOWN_BEST, NO_MODEL_SHOWN_BEST)
    )


class RunJudge:
    """Has the answers of runs judged. For one thread: several have one each, with the evidence of
    one certifier.
    """

    def __init__(
        self,
        caller: Isolation | None = None,
        evidence: Certifier | None = None,
        cache: InstanceCache | None = None,
        when: When = When.NOW,
    ) -> None:
        """Instances are in the cache, or made again. With `when` later, answers that need a proof
        or an exhaustive count stay unchecked.
        """
        self._caller = caller or Isolation()
        self._certifier = evidence or certifier(self._caller)
        self._cache = cache or InstanceCache(0, self._caller)
        self._judge = Judge(self._certifier, self._caller, when)
        self._proves_now = when is When.NOW
        self._templates: dict[Limits, Templates] = {}
        self._shown = _Kept[Readout]()
        self._rows = _Kept[FileRows | Check]()
        self._doubts = _Kept[str]()

    def why_not_asked(self, problem: Problem, limits: Limits) -> str:
        """Why no solver is asked about a problem, in words: its file is ambiguous, or one of the
        two readers refuses it. Empty if solvers are asked.
        """
        if not isinstance(problem, Clausal) or not problem.has_rows:
            return ""
        if not self._rows.has(_text_key(problem)):
            self._caller.tell(f"reading {problem} twice", limits.longest_s)
        rows = self._read_rows(problem)
        return rows.message.removeprefix("not checked: ") if isinstance(rows, Check) else ""

    def check(self, run: LoadedRun, given: WorkerReport | Record) -> Check:
        """Check the answer of a run: what its worker reported, or the record of an unchecked answer
        in a store, which has no model. Raises `supervise.Abandoned`.
        """
        if given.answer is Answer.UNSAT:
            return self.check_unsat(run, given if isinstance(given, Record) else None)
        if given.answer is not Answer.SAT:
            return UNCHECKED
        if isinstance(given, Record):
            return self._check_what_is_open(run, given)
        return self._check_solutions(run, given)

    def check_asked(self, asking: Asking, answer: Answer | None, limits: Limits) -> Check:
        """Check all answers to several questions: see `Asking.check`."""
        certifier = self._certifier if self._proves_now else None
        return asking.check(answer, certifier, limits, self._caller)

    def check_log(self, run: LoadedRun, log: bytes, record: Record) -> Check:
        """Check what was left unchecked of several questions, by their log."""
        asking = asking_of(run.problem)
        assert asking is not None
        assert record.answer is not None
        with closing(asking):
            return asking.check_log(log, record.answer, record.message, self._certifier, run.limits)

    def _check_what_is_open(self, run: LoadedRun, record: Record) -> Check:
        """Check that the search is complete: that there is no further solution, or no better one.
        Each solution was verified when it was found.
        """
        if is_list_of_solutions(record):
            return self.check_count(run.problem, record.solutions or 0)
        if not _is_best_found(record):
            return replace(UNCHECKED, message="its model was not kept: measure it again")
        next_problem = next_better(run.problem, record.best_k, record.value)
        if next_problem is None:
            return replace(UNCHECKED, message="not checked: none is better")
        return self._check_none(replace(run, problem=next_problem))

    def _check_solutions(self, run: LoadedRun, report: WorkerReport) -> Check:
        """Check the solutions of a report, and that there is no other, or no better one, if the run
        asks for that.
        """
        if run.task is Task.ALL:
            work = len(report.solutions)
            return self._judge.check_all(
                run.problem, lambda: report.all_solutions, work, run.limits
            )
        k = report.best_k
        if k is not None:
            assert isinstance(run.problem, ProblemOfK), "see plugins.fit"
            run = replace(run, problem=with_k(run.problem, k))
        check = self._check_sat(run, report)
        if run.task is not Task.BEST or check.verdict is not Verdict.VERIFIED:
            return check
        next_problem = next_better(run.problem, k, check.objective)
        if next_problem is None:
            return check
        none_better = self._check_none(replace(run, problem=next_problem))
        return replace(none_better, objective=check.objective, true_variables=check.true_variables)

    def check_incumbent(self, run: LoadedRun, report: WorkerReport) -> Check:
        """Check the best model that a solver had found when it was stopped. The message says why
        its value does not count; it is empty if it does.
        """
        check = self._check_sat(run, report)
        if check.verdict is Verdict.VERIFIED and check.objective is not None:
            return replace(check, message="")
        kind = "wrong" if check.verdict is Verdict.REFUTED else "not checked"
        reason = check.message.removeprefix("not checked: ")
        return replace(UNCHECKED, message=f"the best model so far is {kind}: {reason}")

    def _check_sat(self, run: LoadedRun, report: WorkerReport) -> Check:
        encoded = self._instance(run)
        if not isinstance(encoded, Encoded):
            return replace(UNCHECKED, message=f"not checked: {encoded.message}")
        how_shown = self._how_shown(run, encoded)
        original = self._original(run)
        if isinstance(original, Check):
            return original
        return self._judge.check_sat(
            run.problem,
            encoded.instance,
            report.assignment,
            tuple(report.solution),
            how_shown,
            limits=run.limits,
            original=original,
        )

    def _check_none(self, run: LoadedRun) -> Check:
        """Check that a problem has no solution which asks for the next better k or objective than
        one for which a solution was verified.
        """
        is_open = NOT_SHOWN_BEST
        if isinstance(run.problem, Clausal):
            is_open = NO_MODEL_SHOWN_BEST
            if run.encoding.why_not(run.problem):
                # Its bound has weights, and the rows of the file have none.
                run = replace(run, encoding=Encoding.named(run.problem.default_encoding))
        check = self.check_unsat(run)
        if check.verdict is Verdict.UNCHECKED:
            return replace(check, message=f"{is_open}: {check.message}")
        return check

    def check_unsat(self, run: LoadedRun, record: Record | None = None) -> Check:
        """Check the answer `unsat`; that of a record only if its instance is the same as today."""
        encoded = self._instance(run)
        if not isinstance(encoded, Encoded):
            during = "" if encoded.outcome is Outcome.INVALID else WHILE_ENCODING
            return replace(UNCHECKED, message=f"{during}{encoded.message}")
        if record is not None and encoded.digest != record.instance_digest:
            return replace(UNCHECKED, message="the formula is not the one that was solved")
        original = self._original(run)
        if isinstance(original, Check):
            return original
        if isinstance(original, FileOriginal):
            # There are many ways to prove something about rows, which share the time for a proof.
            with self._certifier.in_total(run.limits) as total:
                check = self._check_unsat_of_rows(run, encoded, original)
                # Evidence is kept, so another run on the file may have used up its own time.
                is_over = total.is_over or TIME_IS_OVER in check.message
                if check.verdict is Verdict.UNCHECKED and is_over:
                    return replace(check, message=f"no proof in {total.time_s:g} s")
                return check
        return self._check_unsat_of(run, encoded, original)

    def _check_unsat_of_rows(
        self, run: LoadedRun, encoded: Encoded, original: FileOriginal
    ) -> Check:
        check = self._check_unsat_of(run, encoded, original)
        is_open = check.verdict is Verdict.UNCHECKED and check.message != NOT_YET
        if not is_open or run.encoding.makes is Form.CNF:
            return check
        # About rows that no proof is checked for: by a proof for the clauses that stand for them.
        run = replace(run, encoding=Encoding.named(run.problem.default_encoding))
        has_clauses = run.encoding.makes is Form.CNF and isinstance(self._instance(run), Encoded)
        return self.check_unsat(run) if has_clauses else check

    def _check_unsat_of(
        self, run: LoadedRun, encoded: Encoded, original: Original | FileOriginal | None
    ) -> Check:
        return self._judge.check_unsat(
            run.problem,
            encoded.claimed,
            run.backend,
            owner=run.solver,
            limits=run.limits,
            original=original,
        )

    def check_count(self, problem: Problem, count: int) -> Check:
        """Check whether there are exactly `count` solutions, each of them verified before."""
        return self._judge.check_count(problem, count)

    def check_models(
        self, stated: CNF | FileRows, models: Sequence[Sequence[int]], limits: Limits
    ) -> Check:
        """Check whether a file has no models but these, each of them verified before, which are
        given by the literals of the variables that count.
        """
        return self._judge.check_models(stated, models, limits)

    def stated(self, problem: Clausal) -> CNF | FileRows:
        """What models of a file are checked against: its clauses, or its rows as the judge reads
        them. Raises `InputError` if it cannot be read, or if it is ambiguous.
        """
        if problem.has_rows:
            return replace(read_twice(problem), worst=problem.worst)
        formula = problem.formula()
        assert isinstance(formula, CNF)
        return formula

    def _instance(self, run: LoadedRun) -> Encoded | Ending:
        return self._cache.get(run.problem, run.encoding, run.limits)

    def _original(self, run: LoadedRun) -> Original | FileOriginal | Check | None:
        """What the encoding has made its instance from: another formula, or the rows of a file as
        the judge reads them. None if there is no such thing; a check says why it is missing.
        """
        problem, encoding = run.problem, run.encoding
        if not isinstance(problem, Clausal):
            return None
        if problem.has_rows:
            rows = self._read_rows(problem)
            if isinstance(rows, Check):
                return rows
            return FileOriginal(
                rows,
                partial(self._why_not_implied, run, rows.linear()),
                partial(broken_as_encoded, problem),
            )
        if encoding.name == AS_IT_IS:
            return None
        encoded = self._instance(replace(run, encoding=Encoding.named(AS_IT_IS)))
        if not isinstance(encoded, Encoded):
            return replace(UNCHECKED, message=f"not checked: {encoded.message}")
        assert isinstance(encoded.instance, CNF)
        return Original(
            encoded.instance,
            encoding.name,
            lambda binary: encoding.derivation(problem, binary=binary),
        )

    def _read_rows(self, problem: Clausal) -> FileRows | Check:
        def read() -> FileRows | Check:
            try:
                rows = read_twice(problem)
            except InputError as error:
                return replace(UNCHECKED, message=f"not checked: {error}")
            return rows

        rows = self._rows.get(_text_key(problem), read)
        return rows if isinstance(rows, Check) else replace(rows, worst=problem.worst)

    def _why_not_implied(self, run: LoadedRun, rows: FileRows, instance: CNF) -> str:
        """Why it is not shown that each choice that the rows allow extends to a model of the
        instance, in words; empty if it is.
        """
        limits = run.limits

        def show() -> str:
            if limits not in self._templates:
                steps = Steps(self._certifier, self._caller, limits)
                self._templates[limits] = Templates(steps)
            try:
                copies = stampings(run.encoding, run.problem, rows, self._caller, limits)
                shown = self._templates[limits].show_implied(instance, rows, copies)
            except NotCheckedError as error:
                return str(error)
            is_shown = shown.state is State.PROVED
            return "" if is_shown else shown.message or "it may be too strict"

        recipe = problem_key(run.problem), run.encoding.name, instance.digest(), limits
        return self._doubts.get(recipe, show)

    def _how_shown(self, run: LoadedRun, encoded: Encoded) -> Readout:
        """How the encoding's models show the options that are chosen."""
        if encoded.shows_options:
            return BY_FIRST_VALUES

        def read() -> Readout:
            size = model_size(encoded.instance)
            return Readout(
                *option_literals(run.encoding, run.problem, size, self._caller, run.limits)
            )

        return self._shown.get((problem_key(run.problem), run.encoding.name, run.limits), read)


def _text_key(problem: Clausal) -> Hashable:
    """The same for problems with the same text, whatever bound they have on its objective."""
    if is_foreign(problem):
        return problem_key(problem)
    facts = (fact for fact in problem.identity.items() if fact[0] != "worst")
    return problem.family, tuple(sorted(facts))


class _Kept(Generic[T]):
    """Keeps a few values, each made when it is first asked for."""

    def __init__(self) -> None:
        self._values: dict[Hashable, T] = {}

    def has(self, key: Hashable) -> bool:
        """Whether the value of this key is kept."""
        return key in self._values

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of this key."""
        if key not in self._values:
            if len(self._values) >= _MOST_KEPT:
                self._values.clear()
            self._values[key] = make()
        return self._values[key]
