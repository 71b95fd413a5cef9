"""Takes the answers of workers to the judge, with what it needs of their encodings as data."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from nqbench.backends.base import Backend
from nqbench.checking.constraint_file import FileRows, read_rows
from nqbench.checking.evidence import Certifier
from nqbench.checking.judge import Judge
from nqbench.checking.proof import NotCheckedError
from nqbench.checking.proving import FileOriginal, Original
from nqbench.checking.verify import BY_FIRST_VALUES, UNCHECKED, Check, Readout
from nqbench.clauses.cnf import CNF
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits, ProofLimits
from nqbench.common.vocabulary import (
    AS_IT_IS,
    NO_MODEL_SHOWN_BEST,
    NOT_SHOWN_BEST,
    NOT_YET,
    Answer,
    Form,
    Task,
    Verdict,
    When,
)
from nqbench.encodings.base import Encoding
from nqbench.implication.direction import State
from nqbench.implication.templates import Templates
from nqbench.isolate import Caller
from nqbench.measure.best_k import better, better_model, with_k
from nqbench.measure.cache import Encoded, InstanceCache
from nqbench.measure.copies import stampings
from nqbench.measure.literals import option_literals
from nqbench.measure.worker import WorkerReport
from nqbench.problems.base import Problem
from nqbench.problems.bounded import ProblemOfK
from nqbench.problems.clausal import Clausal
from nqbench.problems.foreign import problem_key
from nqbench.problems.instances import model_size
from nqbench.records.record import Run

SOLVER: Final = "cadical195"
"""The solver that decides formulas: its proofs are short, and PySAT is always installed."""

_MOST_KEPT: Final = 8


def certifier(caller: Caller | None = None, proofs: ProofLimits | None = None) -> Certifier:
    """A new certifier, with the solver that finds its proofs."""
    return Certifier(partial(Backend.named, SOLVER), caller, proofs)


class RunJudge:
    """Has the answers of workers judged; the evidence is kept, since many runs share it."""

    def __init__(
        self,
        caller: Caller | None = None,
        proofs: ProofLimits | None = None,
        when: When = When.NOW,
    ) -> None:
        """With `when` later, answers that need a proof or an exhaustive count stay unchecked."""
        self._caller = caller or Caller()
        self._certifier = certifier(self._caller, proofs)
        self._judge = Judge(self._certifier, self._caller, when)
        self._templates: dict[Limits, Templates] = {}
        self._shown: dict[Hashable, Readout] = {}
        self._rows: dict[Hashable, FileRows | Check] = {}
        self._doubts: dict[Hashable, str] = {}

    def check(
        self,
        run: Run,
        encoding: Encoding,
        backend: Backend,
        encoded: Encoded,
        report: WorkerReport,
        *,
        cache: InstanceCache | None = None,
    ) -> Check:
        """Check the report of a run on this instance. The cache keeps the formula that the instance
        was made from, if there is one. Raises `supervise.Abandoned`.
        """
        cache = cache or InstanceCache(0, self._caller)
        problem = run.problem
        if run.task is Task.ALL and report.answer is Answer.SAT:
            listed = report.solutions
            return self._judge.check_all(
                problem, lambda: report.all_solutions, len(listed), run.limits
            )
        match report.answer:
            case Answer.SAT if report.best_k is not None:
                return self._check_best(run, encoding, backend, report, cache)
            case Answer.SAT if run.task is Task.BEST:
                return self._check_best_model(run, encoding, backend, encoded, report, cache=cache)
            case Answer.SAT:
                return self._check_sat(
                    problem, encoding, encoded, report, limits=run.limits, cache=cache
                )
            case Answer.UNSAT:
                return self.check_unsat(
                    problem,
                    encoding,
                    backend,
                    encoded,
                    owner=run.solver,
                    limits=run.limits,
                    cache=cache,
                )
            case Answer.UNKNOWN | Answer.UNSTATED:
                return UNCHECKED

    def _check_sat(
        self,
        problem: Problem,
        encoding: Encoding,
        encoded: Encoded,
        report: WorkerReport,
        *,
        limits: Limits,
        cache: InstanceCache,
    ) -> Check:
        how_shown = self._how_shown(problem, encoding, encoded, limits)
        original = self._original(problem, encoding, limits, cache)
        if isinstance(original, Check):
            return original
        return self._judge.check_sat(
            problem,
            encoded.instance,
            report.assignment,
            tuple(report.solution),
            how_shown,
            limits=limits,
            original=original,
        )

    def _check_best(
        self,
        run: Run,
        encoding: Encoding,
        backend: Backend,
        report: WorkerReport,
        cache: InstanceCache,
    ) -> Check:
        """Check the solution for the best k by the formula for this k, and that there is none for
        the next better one.
        """
        assert isinstance(run.problem, ProblemOfK), "see plugins.fit"
        assert report.best_k is not None
        problem = with_k(run.problem, report.best_k)
        encoded = cache.get(problem, encoding, run.limits)
        if not isinstance(encoded, Encoded):
            return replace(UNCHECKED, message=f"not checked: {encoded.message}")
        check = self._check_sat(problem, encoding, encoded, report, limits=run.limits, cache=cache)
        if check.verdict is not Verdict.VERIFIED:
            return check
        next_problem = better(problem)
        if next_problem is None:
            return check
        return self.check_none(
            next_problem, encoding, backend, owner=run.solver, limits=run.limits, cache=cache
        )

    def _check_best_model(
        self,
        run: Run,
        encoding: Encoding,
        backend: Backend,
        encoded: Encoded,
        report: WorkerReport,
        *,
        cache: InstanceCache,
    ) -> Check:
        """Check a model of a file, and that no model has a better objective."""
        check = self._check_sat(
            run.problem, encoding, encoded, report, limits=run.limits, cache=cache
        )
        if check.verdict is not Verdict.VERIFIED or check.objective is None:
            return check
        assert isinstance(run.problem, Clausal), "see plugins.fit"
        next_problem = better_model(run.problem, check.objective)
        if next_problem is None:
            return check
        none_better = self.check_none(
            next_problem, encoding, backend, owner=run.solver, limits=run.limits, cache=cache
        )
        return replace(none_better, objective=check.objective)

    def check_none(
        self,
        next_problem: Problem,
        encoding: Encoding,
        backend: Backend,
        *,
        owner: str,
        limits: Limits,
        cache: InstanceCache,
    ) -> Check:
        """Check that this problem has no solution, which asks for the next better k or objective
        than one for which a solution was verified.
        """
        if isinstance(next_problem, Clausal) and encoding.why_not(next_problem):
            # Its bound has weights, and the rows of the file have none.
            encoding = Encoding.named(next_problem.default_encoding)
        is_open = NO_MODEL_SHOWN_BEST if isinstance(next_problem, Clausal) else NOT_SHOWN_BEST
        encoded = cache.get(next_problem, encoding, limits)
        if not isinstance(encoded, Encoded):
            return replace(UNCHECKED, message=f"{is_open}: {encoded.message}")
        check = self.check_unsat(
            next_problem, encoding, backend, encoded, owner=owner, limits=limits, cache=cache
        )
        if check.verdict is Verdict.UNCHECKED:
            return replace(check, message=f"{is_open}: {check.message}")
        return check

    def check_unsat(
        self,
        problem: Problem,
        encoding: Encoding,
        backend: Backend,
        encoded: Encoded,
        *,
        limits: Limits,
        owner: str | None = None,
        cache: InstanceCache | None = None,
    ) -> Check:
        """Check this backend's answer `unsat` to this instance: see `check`. `owner` is the name
        of the backend in the run, with its seed.
        """
        cache = cache or InstanceCache(0, self._caller)
        original = self._original(problem, encoding, limits, cache)
        if isinstance(original, Check):
            return original
        check = self._judge.check_unsat(
            problem,
            encoded.claimed,
            backend,
            owner=owner or backend.name,
            limits=limits,
            original=original,
        )
        is_open = check.verdict is Verdict.UNCHECKED and check.message != NOT_YET
        if not is_open or encoding.makes is Form.CNF or not isinstance(original, FileOriginal):
            return check
        return self._check_unsat_by_clauses(problem, backend, check, limits=limits, cache=cache)

    def _check_unsat_by_clauses(
        self,
        problem: Problem,
        backend: Backend,
        check: Check,
        *,
        limits: Limits,
        cache: InstanceCache,
    ) -> Check:
        """Check an answer about rows by a proof for the clauses that the usual encoding makes of
        them. `check` is what is returned if there are no such clauses.
        """
        encoding = Encoding.named(problem.default_encoding)
        encoded = cache.get(problem, encoding, limits)
        if not isinstance(encoded, Encoded) or encoding.makes is not Form.CNF:
            return check
        original = self._original(problem, encoding, limits, cache)
        return self._judge.check_unsat(
            problem,
            encoded.claimed,
            backend,
            owner=backend.name,
            limits=limits,
            original=None if isinstance(original, Check) else original,
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

    def stated(self, problem: Clausal) -> CNF | FileRows | Check:
        """What models of a file are checked against: its clauses, or its rows as the judge reads
        them. A check says why it cannot be read. Raises `InputError` for clauses.
        """
        if problem.has_rows:
            return self._read_rows(problem)
        formula = problem.formula()
        assert isinstance(formula, CNF)
        return formula

    def _original(
        self, problem: Problem, encoding: Encoding, limits: Limits, cache: InstanceCache
    ) -> Original | FileOriginal | Check | None:
        """What the encoding has made its instance from: another formula, or the rows of a file as
        the judge reads them. None if there is no such thing; a check says why it is missing.
        """
        if isinstance(problem, Clausal) and problem.has_rows:
            rows = self._read_rows(problem)
            if isinstance(rows, Check):
                return rows

            def why_not_implied(instance: CNF) -> str:
                return self._why_not_implied(problem, rows, encoding, instance, limits)

            return FileOriginal(rows, why_not_implied)
        return _original_formula(problem, encoding, limits, cache)

    def _read_rows(self, problem: Clausal) -> FileRows | Check:
        key = problem_key(problem)
        if key not in self._rows:
            if len(self._rows) >= _MOST_KEPT:
                self._rows.clear()
            try:
                lines = problem.content().splitlines()
                rows = read_rows(lines, lenient=problem.lenient)
                self._rows[key] = replace(rows, worst=problem.worst)
            except InputError as error:
                self._rows[key] = replace(UNCHECKED, message=f"not checked: {error}")
        return self._rows[key]

    def _why_not_implied(
        self,
        problem: Clausal,
        rows: FileRows,
        encoding: Encoding,
        instance: CNF,
        limits: Limits,
    ) -> str:
        """Why it is not shown that each choice that the rows allow extends to a model of the
        instance, in words; empty if it is.
        """
        recipe = problem_key(problem), encoding.name, instance.digest(), limits
        if recipe not in self._doubts:
            if len(self._doubts) >= _MOST_KEPT:
                self._doubts.clear()
            if limits not in self._templates:
                self._templates[limits] = Templates(self._certifier, self._caller, limits)
            try:
                copies = stampings(encoding, problem, rows, self._caller, limits)
                shown = self._templates[limits].show_implied(instance, rows, copies)
                is_shown = shown.state is State.PROVED
                self._doubts[recipe] = "" if is_shown else shown.message or "it may be too strict"
            except NotCheckedError as error:
                self._doubts[recipe] = str(error)
        return self._doubts[recipe]

    def _how_shown(
        self, problem: Problem, encoding: Encoding, encoded: Encoded, limits: Limits
    ) -> Readout:
        """How the encoding's models show the options that are chosen."""
        if encoded.shows_options:
            return BY_FIRST_VALUES
        recipe = problem_key(problem), encoding.name, limits
        if recipe not in self._shown:
            if len(self._shown) >= _MOST_KEPT:
                self._shown.clear()
            size = model_size(encoded.instance)
            self._shown[recipe] = Readout(
                *option_literals(encoding, problem, size, self._caller, limits)
            )
        return self._shown[recipe]


def _original_formula(
    problem: Problem, encoding: Encoding, limits: Limits, cache: InstanceCache
) -> Original | Check | None:
    """The formula that the encoding has written anew; None if it has not, or a check that says why
    the formula is not there.
    """
    if not isinstance(problem, Clausal) or encoding.name == AS_IT_IS:
        return None
    encoded = cache.get(problem, Encoding.named(AS_IT_IS), limits)
    if not isinstance(encoded, Encoded):
        return replace(UNCHECKED, message=f"not checked: {encoded.message}")
    assert isinstance(encoded.instance, CNF)
    return Original(
        encoded.instance, encoding.name, lambda binary: encoding.derivation(problem, binary=binary)
    )
