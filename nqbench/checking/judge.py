"""Judges answers: chooses the check of an answer, and the evidence for it.

Anything that needs an encoding or a solver comes as data, or as an object that the caller has
made: nothing here knows one by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from nqbench.checking.evidence import Certifier
from nqbench.checking.verify import (
    UNCHECKED,
    Check,
    Knowledge,
    ProofState,
    Shown,
    check_all,
    check_count,
    check_sat,
    check_unsat,
)
from nqbench.instances.base import Instance, size
from nqbench.instances.cnf import CNF, Assignment
from nqbench.isolate import Caller
from nqbench.limits import Limits
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution
from nqbench.vocabulary import NOT_YET, CheckedBy, Outcome, When

if TYPE_CHECKING:
    from nqbench.backends.base import Backend

_WORK_AT_ONCE: Final = 1 << 20
"""Values, literals or bytes; to check this many takes a few milliseconds."""


class Judge:
    """Checks answers, with evidence that many of them share."""

    def __init__(self, certifier: Certifier, caller: Caller, when: When = When.NOW) -> None:
        """With `when` later, answers that need a proof or an exhaustive count stay unchecked."""
        self._certifier, self._caller, self._when = certifier, caller, when

    def check_sat(
        self,
        problem: Problem,
        instance: Instance,
        model: Assignment,
        solution: Solution,
        shown: Shown,
        *,
        limits: Limits,
    ) -> Check:
        """Check a model of this instance and its solution."""
        literals = 0 if shown.literals is None else shown.literals.size
        work = model.size + (size(instance).literals or 0) + literals
        return self._within(
            limits, work, lambda: check_sat(problem, instance, model, solution, shown)
        )

    def check_all(
        self,
        problem: Problem,
        listed: Callable[[], Sequence[Sequence[int]]],
        work: int,
        limits: Limits,
    ) -> Check:
        """Check a list of all solutions, as variables of options; `work` is its size in bytes."""
        expected, source = self._count(problem)
        return self._within(limits, work, lambda: check_all(problem, listed(), expected, source))

    def check_unsat(
        self,
        problem: Problem,
        claimed: Instance,
        digest: str | None,
        backend: Backend,
        limits: Limits,
    ) -> Check:
        """Check that the problem has no solution. The backend says that `claimed`, which an
        encoding made of it, has no model; `digest` is that of the encoding's instance.
        """
        if self._when is When.LATER:
            return replace(UNCHECKED, message=NOT_YET)
        proof = self._certifier.proof(backend, claimed, digest, limits)
        if problem.has_rules or problem.satisfiable is not None:
            known = self._certifier.knowledge(problem, limits)
        elif proof.state is not ProofState.CHECKED and isinstance(claimed, CNF):
            known = self._certifier.knowledge_of(claimed, digest, limits)
            if proof.state is not ProofState.NONE:
                known = replace(known, message="")  # the solver's own proof says why
        else:
            known = Knowledge(None)
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
