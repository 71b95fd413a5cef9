"""Obtains the evidence that a check of an answer needs: proofs and exhaustive counts.

Both can take long or crash, so each runs in a separate process, under limits and outside all
measured times. Each runs only once, however many runs need it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO, Final, Generic, TypeVar

import msgspec
import numpy as np

from nqbench.checking import automorphisms, by_dratify, exhaustive, proof, reference
from nqbench.checking.oracle import OutOfBudget
from nqbench.checking.verify import Knowledge, ProofCheck, ProofState, broken_rule
from nqbench.errors import TooManyClausesError, UnavailableError
from nqbench.instances.base import Formula, Instance, as_clauses, size
from nqbench.instances.cnf import CNF, Assignment
from nqbench.instances.cnf_plus import CNFPlus
from nqbench.isolate import Caller
from nqbench.limits import Limits, ProofLimits
from nqbench.problems.base import Problem
from nqbench.problems.lex_leader import LexLeader
from nqbench.vocabulary import Answer, CheckedBy, Outcome, ProofForm

if TYPE_CHECKING:
    from nqbench.backends.base import Backend

T = TypeVar("T")

ORACLE_BUDGET: Final = 1 << 27
"""Partial placements to look at; enough for the empty board up to n = 15."""

_RIGHT: Final = "right"
_LONGEST_HEADER: Final = 64
_SAMPLE: Final = 1 << 20
"""Bytes of a proof that show whether it is text."""

_ORACLE_LIMITS: Final = Limits(time_s=120.0)

_PROOF_TIME: Final = 4
"""The time limits of a proof, in multiples of a run's: to find it again takes longer than once."""


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """The formula that an instance was made from, and its digest. `derivation` yields the first
    part of a DRAT proof, which derives the instance; it is not trusted.
    """

    cnf: CNF
    digest: str | None
    derivation: Callable[[bool], Iterator[bytes]]
    """With True in the binary format, otherwise in text."""


class Certifier:
    """Obtains and caches evidence on problems, and on instances and backends. Threads may share it.

    `solver` loads the backend that decides formulas. It is not trusted: its models and proofs are
    checked.
    """

    def __init__(
        self,
        solver: Callable[[], Backend],
        caller: Caller | None = None,
        proofs: ProofLimits | None = None,
    ) -> None:
        self.solver = solver
        self._caller = caller or Caller()
        self._proof_limits = proofs or ProofLimits()
        self._proofs = _Kept[ProofCheck]()
        self._decided = _Kept[Knowledge]()
        self._known = _Kept[Knowledge]()
        self._counts = _Kept[int | None]()

    def proof(
        self,
        backend: Backend,
        instance: Instance,
        digest: str | None,
        limits: Limits,
        original: Original | None = None,
    ) -> ProofCheck:
        """Check a proof of unsatisfiability by this backend, with the derivation of the instance if
        it was made from an `original`.

        The backend solves the instance once more with proof logging, which would slow down a
        measured run. A proof about at-most-k constraints is checked on the clauses that they
        stand for.
        """
        if not backend.capabilities.proof or not isinstance(instance, CNF | CNFPlus):
            return ProofCheck()
        key = (digest, original and original.digest, backend.name, limits)
        return self._proofs.get(key, lambda: self._prove(backend, instance, limits, original))

    def knowledge(self, problem: Problem, limits: Limits) -> Knowledge:
        """Whether the problem has a solution: by a theorem; by exhaustive search, if the problem is
        small enough; or by a checked answer to its rules, written as clauses.
        """
        if problem.satisfiable is not None:
            return Knowledge(problem.satisfiable, CheckedBy.THEOREM)
        return self._known.get((problem, limits), lambda: self._examine(problem, limits))

    def knowledge_of(self, cnf: CNF, digest: str | None, limits: Limits) -> Knowledge:
        """Whether a formula has a model, according to a solver whose answer is itself checked. This
        is for checking the answers of solvers without proofs.
        """

        def decided() -> Knowledge:
            known = self._decide(cnf, digest, limits, cnf.broken_by, CheckedBy.CLAUSES)
            about = f"proof by {self.solver().name} not checked"
            return replace(known, message=known.message.replace("proof not checked", about, 1))

        return self._decided.get((digest, limits), decided)

    def completed(self, cnf: CNF, values: Assignment, known: Assignment, limits: Limits) -> str:
        """Why no model of the formula has these values for the `known` variables, in words; empty
        if one has. Raises `NotCheckedError`.
        """

        def asked() -> bytes:
            chosen = np.flatnonzero(known).astype(np.int32) + 1
            units = np.where(values[chosen - 1], chosen, -chosen)[:, np.newaxis]
            solver = self.solver().load(CNF(cnf.num_variables, cnf.num_main, (units, *cnf.blocks)))
            if solver.solve() is not Answer.SAT:
                return b"the model cannot be completed to one of the original formula"
            return (cnf.broken_by(solver.model()) or "").encode()

        ending = self._caller.call("completing a model", asked, limits)
        if ending.outcome is not Outcome.FINISHED:
            raise proof.NotCheckedError(ending.message)
        return ending.payload.decode(errors="replace")

    def flaw_of_symmetry(self, problem: Problem, limits: Limits) -> str:
        """Why the symmetries of a problem are none of its rules, in words; empty if they are, or if
        it has none. Raises `NotCheckedError`.
        """
        if not problem.has_symmetries:
            return ""
        rules = reference.rules(problem)
        if rules is None:
            raise proof.NotCheckedError(f"symmetries not checked: {reference.why_none(problem)}")

        def checked() -> bytes:
            return (automorphisms.flaw(rules, problem.lex_leader()) or "").encode()

        ending = self._caller.call("checking the symmetries", checked, limits)
        if ending.outcome is not Outcome.FINISHED:
            raise proof.NotCheckedError(f"symmetries not checked: {ending.message}")
        return ending.payload.decode(errors="replace")

    def count(self, problem: Problem) -> tuple[int | None, CheckedBy]:
        """The number of solutions, None if there are too many to count; and the source."""
        if problem.num_solutions is not None:
            return problem.num_solutions, CheckedBy.THEOREM

        def counted() -> int | None:
            return self._ask_oracle(problem, exhaustive.count, int, ORACLE_BUDGET)

        return self._counts.get(problem, counted), CheckedBy.ORACLE

    def _examine(self, problem: Problem, limits: Limits) -> Knowledge:
        """What is known without a theorem: the cheapest evidence first."""
        found = self._searched(problem, exhaustive.quick_budget(problem))
        if found is not None:
            return Knowledge(found, CheckedBy.ORACLE)
        known = self._by_reference(problem, limits)
        if known.satisfiable is not None:
            return known
        found = self._searched(problem, ORACLE_BUDGET)
        return known if found is None else Knowledge(found, CheckedBy.ORACLE)

    def _searched(self, problem: Problem, budget: int) -> bool | None:
        return self._ask_oracle(problem, exhaustive.has_solution, bool, budget)

    def _by_reference(self, problem: Problem, limits: Limits) -> Knowledge:
        """What is known by a checked answer to the rules, written as clauses."""
        rules = reference.rules(problem)
        if rules is None:
            return Knowledge(None, message=reference.why_none(problem))
        leader = self._checked_leader(problem, limits)
        about = "the rules" if leader is None else "the rules and their symmetries"

        def stated() -> bytes:
            cnf = reference.clauses(rules)
            if leader is not None:
                cnf = automorphisms.kept(cnf, leader, cnf.num_variables)
            return b"".join(cnf.pack())

        ending = self._caller.call("stating the rules", stated, self._for_proof(limits))
        if ending.outcome is not Outcome.FINISHED:
            return Knowledge(None, message=f"the rules are not stated: {ending.message}")
        cnf = CNF.unpack(memoryview(ending.payload))

        def flaw(model: Assignment) -> str | None:
            options = problem.options
            chosen = np.flatnonzero(model[: len(options)]).tolist()
            return broken_rule(problem, tuple(options[at] for at in chosen))

        known = self._decide(cnf, cnf.digest(), limits, flaw, problem.checked_by)
        if known.satisfiable is False:
            return replace(known, message=f"by {self.solver().name} on {about}")
        message = known.message.replace("proof not checked", f"proof about {about} not checked", 1)
        return replace(known, message=message)

    def _checked_leader(self, problem: Problem, limits: Limits) -> LexLeader | None:
        """Which solutions may be left out without losing a class of them; None if all are kept."""
        if not problem.has_symmetries:
            return None
        try:
            return None if self.flaw_of_symmetry(problem, limits) else problem.lex_leader()
        except proof.NotCheckedError:
            return None

    def _prove(
        self, backend: Backend, formula: Formula, limits: Limits, original: Original | None
    ) -> ProofCheck:
        """Let the backend write a proof to a file, and check it in other processes, where no code
        of the backend has run.
        """
        limits, most = self._for_proof(limits), self._proof_limits.size_bytes
        try:
            cnf = original.cnf if original else as_clauses(formula)
        except TooManyClausesError as error:
            return _not_checked(str(error))
        with tempfile.TemporaryFile() as file:

            def prove() -> bytes:
                proof.bound_files(max(most, _longest_file(formula)))
                form = _write_proof(backend, formula, file, hinted=original is None)
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
            form = ProofForm(proved.payload.decode())
            try:
                if original:
                    self._put_before(file, original, limits, most)
                flaw = proof.flaw(
                    cnf, file, form, caller=self._caller, limits=limits, most_bytes=most
                )
            except proof.NotCheckedError as error:
                return _not_checked(str(error))
            if original and flaw:
                # It may be the derivation that is wrong: the answer is not refuted by that.
                return _not_checked(f"with its derivation from the original, {flaw}")
        return ProofCheck(ProofState.FLAWED if flaw else ProofState.CHECKED, flaw or "")

    def _put_before(self, file: BinaryIO, original: Original, limits: Limits, most: int) -> None:
        """Put the derivation before the proof in a file. Raises `NotCheckedError`."""
        with tempfile.TemporaryFile() as whole:
            binary = by_dratify.is_binary(os.pread(file.fileno(), _SAMPLE, 0))

            def derive() -> bytes:
                proof.bound_files(most)
                whole.writelines(original.derivation(binary))
                whole.flush()
                return b""

            keep = [whole.fileno()]
            ending = self._caller.call("deriving a formula", derive, limits, keep)
            if ending.outcome is not Outcome.FINISHED:
                raise proof.NotCheckedError(ending.message)
            whole.seek(0, os.SEEK_END)
            shutil.copyfileobj(file, whole)
            file.seek(0)
            file.truncate()
            whole.seek(0)
            shutil.copyfileobj(whole, file)
        file.flush()
        file.seek(0)

    def _decide(
        self,
        cnf: CNF,
        digest: str | None,
        limits: Limits,
        flaw: Callable[[Assignment], str | None],
        source: CheckedBy,
    ) -> Knowledge:
        """Whether the formula has a model: by a checked proof, or by a model without a `flaw`, as
        `source` shows.
        """
        proved = self.proof(self.solver(), cnf, digest, limits)
        if proved.state is ProofState.CHECKED:
            return Knowledge(False, CheckedBy.PROOF)

        def has_model() -> bytes:
            solver = self.solver().load(cnf)
            if solver.solve() is not Answer.SAT:
                return proved.message.encode()
            return (flaw(solver.model()) or _RIGHT).encode()

        ending = self._caller.call("judging", has_model, self._for_proof(limits))
        message = ending.payload.decode(errors="replace")
        if ending.outcome is not Outcome.FINISHED:
            message = f"proof not checked: {ending.message}"
        return Knowledge(True, source) if message == _RIGHT else Knowledge(None, message=message)

    def _for_proof(self, limits: Limits) -> Limits:
        """The limits of a proof, from those of a run."""
        cpu_s = None if limits.cpu_s is None else _PROOF_TIME * limits.cpu_s
        time_s = self._proof_limits.time_s or _PROOF_TIME * limits.time_s
        return replace(limits, time_s=time_s, cpu_s=cpu_s)

    def _ask_oracle(
        self, problem: Problem, ask: Callable[[Problem, int], T], kind: type[T], budget: int
    ) -> T | None:
        if not exhaustive.is_possible(problem):
            return None

        def asked() -> bytes:
            try:
                return msgspec.msgpack.encode(ask(problem, budget))
            except OutOfBudget:
                return msgspec.msgpack.encode(None)

        ending = self._caller.call("counting solutions", asked, _ORACLE_LIMITS)
        if ending.outcome is not Outcome.FINISHED:
            return None
        found: T | None = msgspec.msgpack.decode(ending.payload, type=kind | None)
        return found


class _Kept(Generic[T]):
    """What was found for each key. Of several threads that want the same, one looks for it."""

    def __init__(self) -> None:
        self._found: dict[Hashable, T] = {}
        self._locks: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, find: Callable[[], T]) -> T:
        """What was found, or what `find` returns now."""
        with self._locks.setdefault(key, threading.Lock()):
            if key not in self._found:
                self._found[key] = find()
            return self._found[key]


def _write_proof(backend: Backend, formula: Formula, file: BinaryIO, *, hinted: bool) -> ProofForm:
    """Have the backend write a proof, if it may be `hinted` with hints that can be checked here."""
    # Whoever reads the hints has to know the clauses by their order in the formula.
    if hinted and backend.capabilities.lrat and proof.is_built() and isinstance(formula, CNF):
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
    return (
        (counts.literals or 0) * literal
        + lines * len(f"<= {formula.num_variables}\n")
        + _LONGEST_HEADER
    )
