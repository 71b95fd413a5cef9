"""Chooses the check of an answer and the evidence for it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import msgspec

from nqbench.backends.base import Backend
from nqbench.checking.certify import Certifier
from nqbench.checking.verify import (
    UNCHECKED,
    Check,
    ProofState,
    check_all,
    check_count,
    check_sat,
    check_unsat,
)
from nqbench.encodings.base import Encoding
from nqbench.instances.base import Instance, size
from nqbench.instances.cnf import CNF
from nqbench.isolate import Caller
from nqbench.limits import Limits, ProofLimits
from nqbench.measure.cache import Encoded
from nqbench.measure.search import claimed_unsat
from nqbench.measure.worker import WorkerReport
from nqbench.problems.base import Problem
from nqbench.records.record import Run
from nqbench.vocabulary import NOT_YET, Answer, CheckedBy, Outcome, Task, When

_WORK_AT_ONCE: Final = 1 << 20
"""Values, literals or bytes; to check this many takes a few milliseconds."""


class Judge:
    """Checks the answers of workers, and keeps the evidence, which many runs share."""

    def __init__(
        self,
        caller: Caller | None = None,
        proofs: ProofLimits | None = None,
        when: When = When.NOW,
    ) -> None:
        """With `when` later, answers that need a proof or an exhaustive count stay unchecked."""
        self._caller = caller or Caller()
        self._when = when
        self._certifier = Certifier(self._caller, proofs)

    def check(
        self,
        run: Run,
        encoding: Encoding,
        backend: Backend,
        encoded: Encoded,
        report: WorkerReport,
    ) -> Check:
        """Check the report of a run on this instance. Raises `supervise.Abandoned`."""
        problem = run.problem
        if run.task is Task.ALL and report.answer is Answer.SAT:
            expected, source = self._count(problem)
            return self._within(
                run.limits,
                len(report.solutions),
                lambda: check_all(problem, report.all_solutions, expected, source),
            )
        match report.answer:
            case Answer.SAT:
                instance, solution = encoded.instance, tuple(report.solution)
                shown = encoding.shows_options(problem)
                return self._within(
                    run.limits,
                    _work(instance, report),
                    lambda: check_sat(problem, instance, report.assignment, solution, shown),
                )
            case Answer.UNSAT if self._when is When.LATER:
                return replace(UNCHECKED, message=NOT_YET)
            case Answer.UNSAT:
                return self.check_unsat(problem, encoding, backend, encoded, run.limits)
            case Answer.UNKNOWN:
                return UNCHECKED

    def check_unsat(
        self,
        problem: Problem,
        encoding: Encoding,
        backend: Backend,
        encoded: Encoded,
        limits: Limits,
    ) -> Check:
        """Check this backend's answer `unsat` to this instance."""
        instance = claimed_unsat(problem, encoding, encoded.instance)
        proof = self._certifier.proof(backend, instance, encoded.digest, limits)
        known = self._certifier.knowledge(problem)
        is_open = known.satisfiable is None and proof.state is not ProofState.CHECKED
        if is_open and problem.has_rules:
            known = self._certifier.knowledge_by_pairwise(problem, limits)
        elif is_open and isinstance(instance, CNF):
            known = self._certifier.knowledge_of(instance, encoded.digest, limits)
        return check_unsat(problem, known, proof)

    def check_count(self, problem: Problem, found: int) -> Check:
        """Check whether there are exactly `found` solutions, each of them verified before."""
        return check_count(problem, found, *self._certifier.count(problem))

    def _count(self, problem: Problem) -> tuple[int | None, CheckedBy]:
        """The number of solutions and its source; later, only a theorem is asked now."""
        if self._when is When.LATER:
            return problem.num_solutions, CheckedBy.THEOREM
        return self._certifier.count(problem)

    def _within(self, limits: Limits, work: int, check: Callable[[], Check]) -> Check:
        """Make a check. A large one runs in a separate process, under the limits of the run."""
        if work <= _WORK_AT_ONCE:
            return check()
        ending = self._caller.call("checking", lambda: msgspec.msgpack.encode(check()), limits)
        if ending.outcome is not Outcome.FINISHED:
            return replace(UNCHECKED, message=f"not checked: {ending.message}")
        return msgspec.msgpack.decode(ending.payload, type=Check)


def _work(instance: Instance, report: WorkerReport) -> int:
    """The number of values and literals that a check of the model reads."""
    return report.model_size + (size(instance).literals or 0)
