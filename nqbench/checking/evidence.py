"""Evidence that answers are judged by, each piece obtained once, however many runs need it.

A piece of evidence has a subject and an owner. The subject is what it is about: a formula, named by
a digest that is computed here from the clauses that were proved; or a problem, whose rules are
stated as clauses by `reference`, or searched. The owner is who made it, by the name that the run
has. Nothing is looked up by a digest, name or equality that comes from a plugin or a worker.
Evidence about formulas and evidence about problems are kept apart.

Proofs and counts can take long or crash, and rules may be those of a plugin, so each runs in a
separate process, under limits and outside all measured times.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import msgspec
import numpy as np

from nqbench.checking import automorphisms, exhaustive, proof, reference
from nqbench.checking.oracle import OutOfBudget
from nqbench.checking.proving import Original, Prover
from nqbench.checking.statement import Statement, read_statement
from nqbench.checking.verify import Knowledge, ProofCheck, ProofState, broken_rule
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.clauses.cnf_plus import CNFPlus
from nqbench.common.limits import Limits, ProofLimits
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome
from nqbench.isolate import Caller
from nqbench.problems.base import Problem
from nqbench.problems.foreign import problem_key
from nqbench.problems.instances import Instance

if TYPE_CHECKING:
    from nqbench.checking.solver import Untrusted

T = TypeVar("T")

ORACLE_BUDGET: Final = 1 << 27
"""Partial placements to look at; enough for the empty board up to n = 15."""

_RIGHT: Final = "right"
_QUICK_LIMITS: Final = Limits(time_s=10.0)
_ORACLE_LIMITS: Final = Limits(time_s=120.0)


class Certifier:
    """Obtains and keeps evidence on problems, and on formulas and backends. Threads may share it.

    `solver` loads the backend that decides formulas. It is not trusted: its models and proofs are
    checked.
    """

    def __init__(
        self,
        solver: Callable[[], Untrusted],
        caller: Caller | None = None,
        proofs: ProofLimits | None = None,
    ) -> None:
        self.solver = solver
        self._caller = caller or Caller()
        self._prover = Prover(self._caller, proofs or ProofLimits())
        # About formulas, by their digests:
        self._proofs = _Kept[ProofCheck]()
        self._decided = _Kept[Knowledge]()
        # About problems:
        self._statements = _Kept[Statement]()
        self._known = _Kept[Knowledge]()
        self._counts = _Kept[int | None]()
        self._symmetries = _Kept[str]()

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
        if not backend.capabilities.proof or not isinstance(claimed, CNF | CNFPlus):
            return ProofCheck()
        about = [claimed.digest()]
        about += [original.cnf.digest(), original.owner] if original else []
        return self._proofs.get(
            (*about, owner or backend.name, limits),
            lambda: self._prover.proof(backend, claimed, limits, original),
        )

    def knowledge_of(self, cnf: CNF, limits: Limits) -> Knowledge:
        """Whether a formula has a model, according to a solver whose answer is itself checked. This
        is for checking the answers of solvers without proofs.
        """

        def decided() -> Knowledge:
            known = self._decide(cnf, limits, cnf.broken_by, CheckedBy.CLAUSES)
            about = f"proof by {self.solver().name} not checked"
            return replace(known, message=known.message.replace("proof not checked", about, 1))

        return self._decided.get((cnf.digest(), limits), decided)

    def statement(self, problem: Problem) -> Statement:
        """What the family says of the problem. Raises `NotCheckedError` if that cannot be read."""
        return self._statements.get(
            problem_key(problem), lambda: read_statement(problem, self._caller)
        )

    def knowledge(self, problem: Problem, limits: Limits) -> Knowledge:
        """Whether the problem has a solution: by a theorem; by exhaustive search, if the problem is
        small enough; or by a checked answer to its rules, written as clauses.
        """
        try:
            satisfiable = self.statement(problem).satisfiable
        except proof.NotCheckedError as error:
            return Knowledge(None, message=str(error))
        if satisfiable is not None:
            return Knowledge(satisfiable, CheckedBy.THEOREM)
        return self._known.get(
            (problem_key(problem), limits), lambda: self._examine(problem, limits)
        )

    def count(self, problem: Problem) -> tuple[int | None, CheckedBy]:
        """The number of solutions, None if there are too many to count; and the source."""
        try:
            number = self.statement(problem).num_solutions
        except proof.NotCheckedError:
            return None, CheckedBy.NONE
        if number is not None:
            return number, CheckedBy.THEOREM

        def counted() -> int | None:
            return self._ask_oracle(
                problem, exhaustive.count, int, lambda: ORACLE_BUDGET, _ORACLE_LIMITS
            )

        return self._counts.get(problem_key(problem), counted), CheckedBy.ORACLE

    def flaw_of_symmetry(self, problem: Problem, limits: Limits) -> str:
        """Why the symmetries of a problem are none of its rules, in words; empty if they are, or if
        it has none. Raises `NotCheckedError`.
        """
        if not self.statement(problem).has_symmetries:
            return ""

        def checked() -> bytes:
            rules = reference.rules(problem)
            if rules is None:
                raise proof.NotCheckedError(reference.why_none(problem))
            return (automorphisms.flaw(rules, problem.lex_leader()) or "").encode()

        def asked() -> str:
            ending = self._caller.call("checking the symmetries", checked, limits)
            if ending.outcome is not Outcome.FINISHED:
                raise proof.NotCheckedError(f"symmetries not checked: {ending.message}")
            return ending.payload.decode(errors="replace")

        return self._symmetries.get((problem_key(problem), limits), asked)

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

    def _examine(self, problem: Problem, limits: Limits) -> Knowledge:
        """What is known without a theorem: the cheapest evidence first."""
        found = self._searched(problem, lambda: exhaustive.quick_budget(problem), _QUICK_LIMITS)
        if found is not None:
            return Knowledge(found, CheckedBy.ORACLE)
        about, packed = self._rules(problem, limits)
        if not packed:
            return Knowledge(None, message=about)
        known = self._by_rules(problem, about, CNF.unpack(memoryview(packed)), limits)
        if known.satisfiable is not None:
            return known
        found = self._searched(problem, lambda: ORACLE_BUDGET, _ORACLE_LIMITS)
        return known if found is None else Knowledge(found, CheckedBy.ORACLE)

    def _searched(self, problem: Problem, budget: Callable[[], int], limits: Limits) -> bool | None:
        return self._ask_oracle(problem, exhaustive.has_solution, bool, budget, limits)

    def _rules(self, problem: Problem, limits: Limits) -> tuple[str, bytes]:
        """What the formula of the rules is about and its bytes; or why there is none, and no bytes.
        The symmetries are not used if they cannot be checked.
        """
        for state in (_rules_with_symmetries, _rules_as_clauses):
            ending = self._caller.call(
                "stating the rules",
                partial(_packed, state, problem),
                self._prover.proof_limits(limits),
            )
            if ending.outcome is Outcome.FINISHED:
                return msgspec.msgpack.decode(ending.payload, type=tuple[str, bytes])
        return f"the rules are not stated: {ending.message}", b""

    def _by_rules(self, problem: Problem, about: str, cnf: CNF, limits: Limits) -> Knowledge:
        """What is known by a checked answer to the rules, written as clauses."""

        def flaw(model: Assignment) -> str | None:
            options = problem.options
            chosen = np.flatnonzero(model[: len(options)]).tolist()
            return broken_rule(problem, tuple(options[at] for at in chosen))

        known = self._decide(cnf, limits, flaw, self.statement(problem).checked_by)
        if known.satisfiable is False:
            return replace(known, message=f"by {self.solver().name} on {about}")
        message = known.message.replace("proof not checked", f"proof about {about} not checked", 1)
        return replace(known, message=message)

    def _decide(
        self,
        cnf: CNF,
        limits: Limits,
        flaw: Callable[[Assignment], str | None],
        source: CheckedBy,
    ) -> Knowledge:
        """Whether the formula has a model: by a checked proof, or by a model without a `flaw`, as
        `source` shows.
        """
        proved = self._prover.proof(self.solver(), cnf, limits)
        if proved.state is ProofState.CHECKED:
            return Knowledge(False, CheckedBy.PROOF)

        def has_model() -> bytes:
            solver = self.solver().load(cnf)
            if solver.solve() is not Answer.SAT:
                return proved.message.encode()
            return (flaw(solver.model()) or _RIGHT).encode()

        ending = self._caller.call("judging", has_model, self._prover.proof_limits(limits))
        message = ending.payload.decode(errors="replace")
        if ending.outcome is not Outcome.FINISHED:
            message = f"proof not checked: {ending.message}"
        return Knowledge(True, source) if message == _RIGHT else Knowledge(None, message=message)

    def _ask_oracle(
        self,
        problem: Problem,
        ask: Callable[[Problem, int], T],
        kind: type[T],
        budget: Callable[[], int],
        limits: Limits,
    ) -> T | None:
        def asked() -> bytes:
            if not exhaustive.is_possible(problem):
                return msgspec.msgpack.encode(None)
            try:
                return msgspec.msgpack.encode(ask(problem, budget()))
            except OutOfBudget:
                return msgspec.msgpack.encode(None)

        ending = self._caller.call("counting solutions", asked, limits)
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


def _packed(state: Callable[[Problem], tuple[str, CNF | None]], problem: Problem) -> bytes:
    about, cnf = state(problem)
    return msgspec.msgpack.encode((about, b"".join(cnf.pack()) if cnf else b""))


def _rules_as_clauses(problem: Problem) -> tuple[str, CNF | None]:
    """What the formula of the rules is about and the formula, or why there is none."""
    rules = reference.rules(problem)
    return ("the rules", reference.clauses(rules)) if rules else (reference.why_none(problem), None)


def _rules_with_symmetries(problem: Problem) -> tuple[str, CNF | None]:
    """The same, with the solutions that the symmetries keep, if these are symmetries of the rules:
    only then is one of each class left.
    """
    about, cnf = _rules_as_clauses(problem)
    rules = reference.rules(problem)
    if cnf is None or rules is None or not problem.has_symmetries:
        return about, cnf
    leader = problem.lex_leader()
    if automorphisms.flaw(rules, leader) is not None:
        return about, cnf
    return f"{about} and their symmetries", automorphisms.add_lex_leaders(
        cnf, leader, cnf.num_variables
    )
