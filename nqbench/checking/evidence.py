"""Evidence that answers are judged by, each piece obtained once, however many runs need it.

A piece of evidence has a subject and an owner. The subject is what it is about: a formula, named by
a digest that is computed here from the clauses that were proved; or a problem, whose rules are
stated as clauses by `reference`, or searched. The owner is who made it, by the name that the run
has. Nothing is looked up by a digest, name or equality that comes from a plugin or a worker.
Evidence about formulas and evidence about problems are kept apart. Whether a problem or a formula
is satisfiable is decided in `satisfiability`.

Each piece is obtained outside all measured times.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import numpy as np

from nqbench.checking import automorphisms, proof, reference, row_clauses
from nqbench.checking.file_rows import FileRows
from nqbench.checking.normal_rows import rows_with_cliques
from nqbench.checking.proving import FileOriginal, Original, Prover, TotalTime
from nqbench.checking.satisfiability import Decider
from nqbench.checking.statement import Statement, read_statement
from nqbench.checking.verify import Knowledge, ProofCheck, ProofState
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.clauses.constraints import Constraints
from nqbench.common.errors import InputError, TooManyClausesError
from nqbench.common.limits import Limits, ProofLimits
from nqbench.common.vocabulary import AMBIGUOUS, Answer, CheckedBy, Outcome
from nqbench.isolate import Isolation
from nqbench.problems.base import Problem
from nqbench.problems.foreign import problem_key
from nqbench.problems.instances import Instance

if TYPE_CHECKING:
    from nqbench.checking.solver import Untrusted

T = TypeVar("T")

_STATED: Final = b"stated: "  # as long as a number, so that those behind it are aligned

_SHARE_OF_FIRST: Final = 0.5
"""The share of the time for proofs that a proof about rows may take to be found, before clauses
are tried.
"""


class Certifier:
    """Obtains and keeps evidence on problems, and on formulas and backends. Threads may share it.

    `solver` loads the backend that decides formulas, and `rows_solver` one that writes proofs about
    rows, if there is one here. They are not trusted: their models and proofs are checked.
    """

    def __init__(
        self,
        solver: Callable[[], Untrusted],
        caller: Isolation | None = None,
        proofs: ProofLimits | None = None,
        rows_solver: Callable[[], Untrusted | None] = lambda: None,
    ) -> None:
        self.solver = solver
        self._rows_solver = cache(rows_solver)
        self._caller = caller or Isolation()
        self._prover = Prover(self._caller, proofs or ProofLimits())
        self._decider = Decider(solver, self._caller, self._prover)
        # About formulas and files, by their digests:
        self._proofs = _Cache[ProofCheck]()
        self._decided_formulas = _Cache[Knowledge]()
        self._decided_rows = _Cache[Knowledge]()
        self._proofs_about_rows = _Cache[ProofCheck]()
        # About problems:
        self._statements = _Cache[Statement]()
        self._decided_problems = _Cache[Knowledge]()
        self._counts = _Cache[int | None]()
        self._symmetries = _Cache[str]()

    def proof(
        self,
        backend: Untrusted,
        claimed: Instance,
        limits: Limits,
        original: Original | None = None,
        *,
        owner: str | None = None,
    ) -> ProofCheck:
        """Check a proof by this backend that the instance has no model, or that the `original` has
        none, if it was made from one: see `Prover.proof`. `owner` names the backend with all that
        its proof depends on.
        """
        if not backend.capabilities.proof or not isinstance(claimed, CNF | Constraints):
            return ProofCheck()
        about = [claimed.digest()]
        about += [original.cnf.digest(), original.owner] if original else []
        return self._proofs.get(
            (*about, owner or backend.name, limits),
            lambda: self._prover.proof(backend, claimed, limits, original),
        )

    def decide_formula(self, cnf: CNF, limits: Limits) -> Knowledge:
        """Whether a formula has a model, according to a solver whose answer is itself checked. This
        is for checking the answers of solvers without proofs.
        """
        return self._decided_formulas.get(
            (cnf.digest(), limits), lambda: self._decider.decide_formula(cnf, limits)
        )

    def proof_about_rows(
        self, backend: Untrusted, rows: FileRows, limits: Limits, *, owner: str
    ) -> ProofCheck:
        """Check a proof by the backend that answered: see `Prover.proof_about_rows`. It is asked
        what it was asked then, for the best objective; `owner` as in `proof`.
        """
        if not backend.capabilities.row_proofs or self._is_rows_solver(backend):
            return ProofCheck()
        return self._proofs_about_rows.get(
            (rows.digest(), owner, limits),
            lambda: self._prover.proof_about_rows(
                backend, replace(rows, worst=None), rows.worst, limits
            ),
        )

    def _is_rows_solver(self, backend: Untrusted) -> bool:
        """Whether `decide_rows` asks this backend anyway."""
        solver = self._rows_solver()
        return solver is not None and backend.name.partition(":")[0] == solver.name

    def decide_rows(self, original: FileOriginal, limits: Limits) -> Knowledge:
        """Whether the rows of a file have a model, according to a checked proof about them, or to a
        checked answer about the judge's own clauses for them: once for all runs on the file. Both
        readers have to agree on a model.
        """
        rows = original.rows

        def flaw(cnf: CNF, model: Assignment) -> str | None:
            if (flaw := cnf.broken_by(model)) is not None:
                return flaw
            broken = original.broken_elsewhere(model[: rows.num_variables])
            return (
                f"{AMBIGUOUS}: of a model, one reader of nqbench says {broken}" if broken else None
            )

        def decide() -> Knowledge:
            if (prover := self._rows_solver()) is not None:
                # It finds most proofs at once, and others are looked for in another way below.
                proved = self._prover.proof_about_rows(
                    prover, rows, None, limits, _SHARE_OF_FIRST, stating=rows_with_cliques
                )
                if proved.state is ProofState.CHECKED:
                    about = f"by {prover.name} on the rows of the file"
                    return Knowledge(False, CheckedBy.PROOF, about)
            try:
                cnf = self.clauses_of(rows, limits)
            except proof.NotCheckedError as error:
                return Knowledge(None, message=f"rows not checked: {error}")
            knowledge = self._decider.decide_formula(cnf, limits, partial(flaw, cnf))
            if knowledge.satisfiable is False:
                solver = self.solver().name
                return replace(knowledge, message=f"by {solver} on the rows of the file")
            return knowledge

        return self._decided_rows.get((rows.digest(), limits), decide)

    def clauses_of(self, rows: FileRows, limits: Limits) -> CNF:
        """The rows of a file as the judge's own clauses. Weights can make that long, so another
        process does it. Raises `NotCheckedError` if that takes too long, or too many clauses.
        """

        def state() -> bytes:
            try:
                return b"".join((_STATED, *row_clauses.as_clauses(rows).pack()))
            except (InputError, TooManyClausesError) as error:
                return str(error).encode()

        limits = self._prover.proof_limits(limits)
        ending = self._caller.call("stating rows as clauses", state, limits)
        if ending.outcome is not Outcome.FINISHED:
            raise proof.NotCheckedError(ending.message)
        if not ending.payload.startswith(_STATED):
            raise proof.NotCheckedError(ending.payload.decode(errors="replace"))
        return CNF.unpack(memoryview(ending.payload)[len(_STATED) :])

    def in_total(self, limits: Limits) -> AbstractContextManager[TotalTime]:
        """In the block, all evidence for this thread together takes the time of one proof."""
        return self._prover.in_total(limits)

    def statement(self, problem: Problem) -> Statement:
        """What the family says of the problem. Raises `NotCheckedError` if that cannot be read."""
        return self._statements.get(
            problem_key(problem), lambda: read_statement(problem, self._caller)
        )

    def decide_problem(self, problem: Problem, limits: Limits) -> Knowledge:
        """Whether the problem has a solution: see `Decider.decide_problem`."""
        try:
            statement = self.statement(problem)
        except proof.NotCheckedError as error:
            return Knowledge(None, message=str(error))
        return self._decided_problems.get(
            (problem_key(problem), limits),
            lambda: self._decider.decide_problem(problem, statement, limits),
        )

    def count(self, problem: Problem) -> tuple[int | None, CheckedBy]:
        """The number of solutions, None if there are too many to count; and the source."""
        try:
            number = self.statement(problem).num_solutions
        except proof.NotCheckedError:
            return None, CheckedBy.NONE
        if number is not None:
            return number, CheckedBy.THEOREM
        number = self._counts.get(
            problem_key(problem), lambda: self._decider.count_solutions(problem)
        )
        return number, CheckedBy.ORACLE

    def flaw_of_symmetry(self, problem: Problem, limits: Limits) -> str:
        """Why the symmetries of a problem are not those of its rules, in words; empty if they are,
        or if it has none. Raises `NotCheckedError`.
        """
        if not self.statement(problem).has_symmetries:
            return ""

        def check() -> bytes:
            rules = reference.rules(problem)
            if rules is None:
                raise proof.NotCheckedError(reference.why_none(problem))
            return (automorphisms.flaw(rules, problem.lex_leader()) or "").encode()

        def check_apart() -> str:
            ending = self._caller.call("checking the symmetries", check, limits)
            if ending.outcome is not Outcome.FINISHED:
                raise proof.NotCheckedError(f"symmetries not checked: {ending.message}")
            return ending.payload.decode(errors="replace")

        return self._symmetries.get((problem_key(problem), limits), check_apart)

    def flaw_of_completion(
        self, cnf: CNF, values: Assignment, is_decided: Assignment, limits: Limits
    ) -> str:
        """Why no model of the formula has these values for the variables that are decided, in
        words; empty if one has. Raises `NotCheckedError`.
        """

        def complete() -> bytes:
            decided = np.flatnonzero(is_decided).astype(np.int32) + 1
            units = np.where(values[decided - 1], decided, -decided)[:, np.newaxis]
            solver = self.solver().load(CNF(cnf.num_variables, cnf.num_main, (units, *cnf.blocks)))
            if solver.solve() is not Answer.SAT:
                return b"the model cannot be completed to one of the original formula"
            return (cnf.broken_by(solver.model()) or "").encode()

        ending = self._caller.call("completing a model", complete, limits)
        if ending.outcome is not Outcome.FINISHED:
            raise proof.NotCheckedError(ending.message)
        return ending.payload.decode(errors="replace")


class _Cache(Generic[T]):
    """Keeps a value for each key. Of several threads that need the same one, one obtains it."""

    def __init__(self) -> None:
        self._values: dict[Hashable, T] = {}
        self._locks: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, obtain: Callable[[], T]) -> T:
        """The value that is kept, or else what `obtain` returns, which is kept from now on."""
        # A lock for each key: a thread waits only for the evidence that it needs itself.
        with self._locks.setdefault(key, threading.Lock()):
            if key not in self._values:
                self._values[key] = obtain()
            return self._values[key]
