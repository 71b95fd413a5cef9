"""Chooses the check of an answer and the evidence for it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import msgspec
import numpy as np

from nqbench.backends.base import Backend
from nqbench.encodings.base import Encoding
from nqbench.evidence.certify import Certifier
from nqbench.evidence.verify import (
    UNCHECKED,
    Check,
    Knowledge,
    ProofState,
    check_all,
    check_count,
    check_model,
    check_sat,
    check_unsat,
)
from nqbench.instances.base import Instance
from nqbench.instances.cnf import CNF
from nqbench.instances.formula import Formula
from nqbench.isolate import Caller
from nqbench.limits import Limits
from nqbench.measure.cache import Encoded
from nqbench.measure.search import claimed_unsat
from nqbench.measure.worker import WorkerReport
from nqbench.problems.base import Problem
from nqbench.records.record import Run
from nqbench.vocabulary import Answer, CheckedBy, Outcome, Task

_WORK_AT_ONCE: Final = 1 << 20
"""Values, literals or bytes; to check this many takes a few milliseconds."""


class Judge:
    """Checks the answers of workers, and keeps the evidence, which many runs share."""

    def __init__(self, caller: Caller | None = None) -> None:
        self._caller = caller or Caller()
        self._certifier = Certifier(self._caller)

    def check(
        self,
        run: Run,
        encoding: Encoding | None,
        backend: Backend,
        encoded: Encoded,
        report: WorkerReport,
    ) -> Check:
        """Check the report of a run on this instance. Raises `supervise.Abandoned`."""
        problem = run.problem
        if encoding is None or isinstance(problem, Formula):
            return self._of_formula(run, backend, encoded, report)
        if run.task is Task.ALL and report.answer is Answer.SAT:
            expected = self._certifier.count(problem)
            return self._within(
                run.limits, len(report.solutions), lambda: _check_all(problem, report, expected)
            )
        match report.answer:
            case Answer.SAT:
                instance, placement = encoded.instance, tuple(report.placement)
                return self._within(
                    run.limits,
                    _work(instance, report),
                    lambda: check_sat(problem, instance, report.assignment, placement),
                )
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
        """Check this backend's answer `unsat` to this instance of a board."""
        instance = claimed_unsat(problem, encoding, encoded.instance)
        proof = self._certifier.proof(backend, instance, encoded.digest, limits)
        return check_unsat(problem, self._certifier.knowledge(problem), proof)

    def check_count(self, problem: Problem, found: int) -> Check:
        """Check whether there are exactly `found` solutions, each of them verified before."""
        return check_count(problem, found, self._certifier.count(problem), CheckedBy.ORACLE)

    def _within(self, limits: Limits, work: int, check: Callable[[], Check]) -> Check:
        """Make a check. A large one runs in a separate process, under the limits of the run."""
        if work <= _WORK_AT_ONCE:
            return check()
        ending = self._caller.call("checking", lambda: msgspec.msgpack.encode(check()), limits)
        if ending.outcome is not Outcome.FINISHED:
            return replace(UNCHECKED, message=f"not checked: {ending.message}")
        return msgspec.msgpack.decode(ending.payload, type=Check)

    def _of_formula(
        self, run: Run, backend: Backend, encoded: Encoded, report: WorkerReport
    ) -> Check:
        cnf = encoded.instance
        assert isinstance(cnf, CNF)
        match report.answer:
            case Answer.SAT:
                return self._within(
                    run.limits, _work(cnf, report), lambda: check_model(cnf, report.assignment)
                )
            case Answer.UNSAT:
                proof = self._certifier.proof(backend, cnf, encoded.digest, run.limits)
                known = Knowledge(None)
                if proof.state is not ProofState.CHECKED:
                    known = self._certifier.knowledge_of(cnf, encoded.digest, run.limits)
                return check_unsat(run.problem, known, proof)
            case Answer.UNKNOWN:
                return UNCHECKED


def _work(instance: Instance, report: WorkerReport) -> int:
    """The number of values and literals that a check of the model reads."""
    return report.model_size + (instance.num_literals if isinstance(instance, CNF) else 0)


def _check_all(problem: Problem, report: WorkerReport, expected: int | None) -> Check:
    solutions = np.frombuffer(report.solutions, dtype="<i4").reshape(-1, problem.n)
    return check_all(problem, solutions, expected, CheckedBy.ORACLE)
