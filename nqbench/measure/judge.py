"""Which check an answer gets, and by what evidence."""

from typing import Any

import numpy as np

from nqbench.backends.base import Backend
from nqbench.cnf import CNF
from nqbench.encodings.base import Encoding
from nqbench.evidence.certify import Certifier
from nqbench.formula import Formula
from nqbench.limits import Limits
from nqbench.measure.cache import Encoded
from nqbench.measure.search import refuted
from nqbench.measure.worker import WorkerReport
from nqbench.problem import Problem
from nqbench.record import Run
from nqbench.verify import (
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
from nqbench.vocabulary import Answer, CheckedBy, Task


class Judge:
    """Checks what workers answer; remembers the evidence, which many runs share."""

    def __init__(self, stop_fd: int | None = None) -> None:
        self._certifier = Certifier(stop_fd)

    def check(
        self,
        run: Run,
        encoding: Encoding | None,
        backend: Backend[Any],
        encoded: Encoded,
        report: WorkerReport,
    ) -> Check:
        """The verdict on the report of a run on this instance. Raises `supervise.Stopped`."""
        problem = run.problem
        if encoding is None or isinstance(problem, Formula):
            return self._of_formula(run, backend, encoded, report)
        if run.task is Task.ALL and report.answer is Answer.SAT:
            return self._of_all(problem, report)
        match report.answer:
            case Answer.SAT:
                return check_sat(
                    problem, encoded.instance, report.assignment, tuple(report.placement)
                )
            case Answer.UNSAT:
                return self.check_unsat(problem, encoding, backend, encoded, run.limits)
            case Answer.UNKNOWN:
                return UNCHECKED

    def check_unsat(
        self,
        problem: Problem,
        encoding: Encoding,
        backend: Backend[Any],
        encoded: Encoded,
        limits: Limits,
    ) -> Check:
        """The verdict on an `unsat` of this backend for this instance of a board."""
        instance = refuted(problem, encoding, encoded.instance)
        proof = self._certifier.proof(backend, instance, encoded.digest, limits)
        return check_unsat(problem, self._certifier.knowledge(problem), proof)

    def check_count(self, problem: Problem, found: int) -> Check:
        """The verdict on so many solutions, each of which is one, as all there are."""
        return check_count(problem, found, self._certifier.count(problem), CheckedBy.ORACLE)

    def _of_all(self, problem: Problem, report: WorkerReport) -> Check:
        solutions = np.frombuffer(report.solutions, dtype="<i4").reshape(-1, problem.n)
        expected = self._certifier.count(problem)
        return check_all(problem, solutions, expected, CheckedBy.ORACLE)

    def _of_formula(
        self, run: Run, backend: Backend[Any], encoded: Encoded, report: WorkerReport
    ) -> Check:
        cnf = encoded.instance
        assert isinstance(cnf, CNF)
        match report.answer:
            case Answer.SAT:
                return check_model(cnf, report.assignment)
            case Answer.UNSAT:
                proof = self._certifier.proof(backend, cnf, encoded.digest, run.limits)
                known = Knowledge(None)
                if proof.state is not ProofState.CHECKED:
                    known = self._certifier.knowledge_of(cnf, encoded.digest, run.limits)
                return check_unsat(run.problem, known, proof)
            case Answer.UNKNOWN:
                return UNCHECKED
