"""Obtains the evidence that a check of an answer needs: proofs and exhaustive counts.

Both can take long or crash, so each runs in a separate process, under limits and outside all
measured times. Each runs only once, however many runs need it.
"""

import contextlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO, Final, TypeVar

import msgspec

from nqbench.backends.base import Backend
from nqbench.checking import exhaustive, proof
from nqbench.checking.oracle import OutOfBudget
from nqbench.checking.verify import Knowledge, ProofCheck, ProofState
from nqbench.errors import UnavailableError
from nqbench.instances.base import Formula, Instance, as_clauses, size
from nqbench.instances.cnf import CNF, Assignment
from nqbench.instances.cnf_plus import CNFPlus
from nqbench.isolate import Caller
from nqbench.limits import Limits, ProofLimits
from nqbench.plugins import load_backend, load_encoding
from nqbench.problems.base import Problem
from nqbench.vocabulary import Answer, CheckedBy, Outcome, ProofForm

T = TypeVar("T")

ORACLE_BUDGET: Final = 1 << 27
"""Partial placements to look at; enough for the empty board up to n = 15."""

_LONGEST_HEADER: Final = 64
_ORACLE_LIMITS: Final = Limits(time_s=120.0)
_JUDGE: Final = "cadical195"
"""The solver that decides formulas: its proofs are short, and PySAT is always installed."""

_REFERENCE: Final = "pairwise"
"""The encoding that says nothing but the rules."""

_LARGEST_REFERENCE: Final = 1 << 12
"""Options of a problem; 64 rows of a board."""

_PROOF_TIME: Final = 4
"""The time limits of a proof, in multiples of a run's: to find it again takes longer than once."""


class Certifier:
    """Obtains and caches evidence on problems, and on instances and backends."""

    def __init__(self, caller: Caller | None = None, proofs: ProofLimits | None = None) -> None:
        self._caller = caller or Caller()
        self._proof_limits = proofs or ProofLimits()
        self._proofs: dict[tuple[str | None, str, Limits], ProofCheck] = {}
        self._decided: dict[tuple[str | None, Limits], Knowledge] = {}
        self._satisfiable: dict[Problem, Knowledge] = {}
        self._satisfiable_by_pairwise: dict[Problem, Knowledge] = {}
        self._counts: dict[Problem, int | None] = {}

    def proof(
        self, backend: Backend, instance: Instance, digest: str | None, limits: Limits
    ) -> ProofCheck:
        """Check a proof of unsatisfiability by this backend.

        The backend solves the instance once more with proof logging, which would slow down a
        measured run. A proof about at-most-one constraints is checked on the clauses that they
        stand for.
        """
        if not backend.capabilities.proof or not isinstance(instance, CNF | CNFPlus):
            return ProofCheck()
        key = (digest, backend.name, limits)
        if key not in self._proofs:
            self._proofs[key] = self._prove(backend, instance, limits)
        return self._proofs[key]

    def knowledge(self, problem: Problem) -> Knowledge:
        """Whether the problem has a solution: by a theorem, or otherwise by exhaustive search if
        the problem is small enough.
        """
        if problem.satisfiable is not None:
            return Knowledge(problem.satisfiable, CheckedBy.THEOREM)
        if problem not in self._satisfiable:
            found = self._ask_oracle(problem, exhaustive.has_solution, bool)
            source = CheckedBy.NONE if found is None else CheckedBy.ORACLE
            self._satisfiable[problem] = Knowledge(found, source)
        return self._satisfiable[problem]

    def knowledge_of(self, cnf: CNF, digest: str | None, limits: Limits) -> Knowledge:
        """Whether a formula has a model, according to a solver whose answer is itself checked. This
        is for checking the answers of solvers without proofs.
        """
        key = (digest, limits)
        if key not in self._decided:
            self._decided[key] = self._decide(
                cnf, digest, limits, lambda model: cnf.falsified(model) is None, CheckedBy.CLAUSES
            )
        return self._decided[key]

    def knowledge_by_pairwise(self, problem: Problem, limits: Limits) -> Knowledge:
        """Whether the problem has a solution, according to a checked answer to the formula that
        states its rules pair by pair. None if that would be too large.
        """
        if len(problem.options) > _LARGEST_REFERENCE:
            return Knowledge(None)
        if problem not in self._satisfiable_by_pairwise:
            encoding = load_encoding(_REFERENCE)
            cnf = encoding.clauses(problem)

            def is_solution(model: Assignment) -> bool:
                return problem.violation(encoding.decode(problem, model)) is None

            known = self._decide(cnf, cnf.digest(), limits, is_solution, problem.checked_by)
            message = f"by {_JUDGE} on '{_REFERENCE}'" if known.satisfiable is False else ""
            self._satisfiable_by_pairwise[problem] = replace(known, message=message)
        return self._satisfiable_by_pairwise[problem]

    def count(self, problem: Problem) -> tuple[int | None, CheckedBy]:
        """The number of solutions, None if there are too many to count; and the source."""
        if problem.num_solutions is not None:
            return problem.num_solutions, CheckedBy.THEOREM
        if problem not in self._counts:
            self._counts[problem] = self._ask_oracle(problem, exhaustive.count, int)
        return self._counts[problem], CheckedBy.ORACLE

    def _prove(self, backend: Backend, formula: Formula, limits: Limits) -> ProofCheck:
        """Let the backend write a proof to a file, and check it in other processes, where no code
        of the backend has run.
        """
        limits, most = self._for_proof(limits), self._proof_limits.size_bytes
        with tempfile.TemporaryFile() as file:

            def prove() -> bytes:
                proof.bound_files(max(most, _longest_file(formula)))
                form = _write_proof(backend, formula, file)
                file.flush()
                return form.encode()

            keep = [file.fileno()]
            proved = self._caller.call(f"proving by {backend.name}", prove, limits, keep)
            if os.fstat(file.fileno()).st_size >= most:
                return _not_checked(f"longer than {most / 2**20:.4g} MiB")
            if os.fstatvfs(file.fileno()).f_bavail == 0:
                return _not_checked(f"no space left in {tempfile.gettempdir()}")
            if proved.outcome is not Outcome.FINISHED:
                return _not_checked(proved.message)
            file.seek(0)
            cnf, form = as_clauses(formula), ProofForm(proved.payload.decode())
            try:
                flaw = proof.flaw(
                    cnf, file, form, caller=self._caller, limits=limits, most_bytes=most
                )
            except proof.NotCheckedError as error:
                return _not_checked(str(error))
        return ProofCheck(ProofState.FLAWED if flaw else ProofState.CHECKED, flaw or "")

    def _decide(
        self,
        cnf: CNF,
        digest: str | None,
        limits: Limits,
        is_right: Callable[[Assignment], bool],
        source: CheckedBy,
    ) -> Knowledge:
        """Whether the formula has a model, by a checked proof or by a model that is right, as
        `source` shows.
        """
        if self.proof(load_backend(_JUDGE), cnf, digest, limits).state is ProofState.CHECKED:
            return Knowledge(False, CheckedBy.PROOF)

        def has_model() -> bytes:
            solver = load_backend(_JUDGE).load(cnf)
            return bytes([solver.solve() is Answer.SAT and is_right(solver.model())])

        ending = self._caller.call("judging", has_model, self._for_proof(limits))
        if ending.outcome is Outcome.FINISHED and ending.payload == b"\1":
            return Knowledge(True, source)
        return Knowledge(None)

    def _for_proof(self, limits: Limits) -> Limits:
        """The limits of a proof, from those of a run."""
        cpu_s = None if limits.cpu_s is None else _PROOF_TIME * limits.cpu_s
        time_s = self._proof_limits.time_s or _PROOF_TIME * limits.time_s
        return replace(limits, time_s=time_s, cpu_s=cpu_s)

    def _ask_oracle(
        self, problem: Problem, ask: Callable[[Problem, int], T], kind: type[T]
    ) -> T | None:
        if not exhaustive.is_possible(problem):
            return None

        def asked() -> bytes:
            try:
                return msgspec.msgpack.encode(ask(problem, ORACLE_BUDGET))
            except OutOfBudget:
                return msgspec.msgpack.encode(None)

        ending = self._caller.call("counting solutions", asked, _ORACLE_LIMITS)
        if ending.outcome is not Outcome.FINISHED:
            return None
        found: T | None = msgspec.msgpack.decode(ending.payload, type=kind | None)
        return found


def _write_proof(backend: Backend, formula: Formula, file: BinaryIO) -> ProofForm:
    """Have the backend write a proof, with hints if that can be checked here."""
    # Whoever reads the hints has to know the clauses by their order in the formula.
    if backend.capabilities.lrat and proof.is_built() and isinstance(formula, CNF):
        with contextlib.suppress(UnavailableError):
            backend.prove_with_hints(formula, file)
            return ProofForm.LRAT
    backend.prove(formula, file)
    return ProofForm.DRAT


def _not_checked(why: str) -> ProofCheck:
    return ProofCheck(ProofState.NOT_CHECKED, f"proof not checked: {why}")


def _longest_file(formula: Formula) -> int:
    """A bound for the size of the formula in bytes, since some programs read it from a file."""
    literal = len(f"-{formula.num_variables} ")
    counts = size(formula)
    lines = (counts.clauses or 0) + (counts.constraints or 0)
    return (counts.literals or 0) * literal + lines * len("<= 1\n") + _LONGEST_HEADER
