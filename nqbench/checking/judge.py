"""Judges answers: chooses the check of an answer, and the evidence for it.

Anything that needs an encoding or a solver comes as data, or as an object that the caller has
made: nothing here knows one by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from nqbench.checking.evidence import Certifier
from nqbench.checking.file_rows import FileRows
from nqbench.checking.proof import NotCheckedError
from nqbench.checking.proving import FileOriginal, Original
from nqbench.checking.statement import Statement
from nqbench.checking.verify import (
    UNCHECKED,
    Check,
    Knowledge,
    ProofState,
    Readout,
    check_all,
    check_count,
    check_sat,
    check_unsat,
)
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.clauses.constraints import Constraints, occurring
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import (
    AMBIGUOUS,
    NOT_COUNTED,
    NOT_YET,
    CheckedBy,
    Outcome,
    Verdict,
    When,
)
from nqbench.isolate import Isolation, describe_error
from nqbench.problems.base import Problem
from nqbench.problems.foreign import is_foreign
from nqbench.problems.instances import Instance, instance_size
from nqbench.problems.options import Solution

if TYPE_CHECKING:
    from nqbench.checking.solver import Untrusted

MOST_MODELS: Final = 10_000
"""Of so many models it is proved that there are no others, with a clause for each."""

_WORK_AT_ONCE: Final = 1 << 20
"""Values, literals or bytes; to check this many takes a few milliseconds."""


class Judge:
    """Checks answers, with evidence that many of them share."""

    def __init__(self, certifier: Certifier, caller: Isolation, when: When = When.NOW) -> None:
        """With `when` later, answers that need a proof or an exhaustive count stay unchecked."""
        self._certifier, self._caller, self._when = certifier, caller, when

    def check_sat(
        self,
        problem: Problem,
        instance: Instance,
        model: Assignment,
        solution: Solution,
        readout: Readout,
        *,
        limits: Limits,
        original: Original | FileOriginal | None = None,
    ) -> Check:
        """Check a model of this instance and its solution. If the instance was made from another
        formula, or from the rows of a file, the model has to be one of this `original` as well.
        """
        literals = 0 if readout.literals is None else readout.literals.size
        work = model.size + (instance_size(instance).literals or 0) + literals
        check = self._within(
            limits, work, lambda: check_sat(problem, instance, model, solution, readout), problem
        )
        if original is None or check.verdict is not Verdict.VERIFIED:
            return check
        if isinstance(original, FileOriginal):
            return _check_rows(original, model, check)
        if not isinstance(instance, CNF | Constraints):
            return replace(UNCHECKED, message="not checked: the formula was made into no formula")
        values, is_decided = _values_of_original(original.cnf, instance, model)
        work = original.cnf.num_literals
        original_check = self._within(
            limits, work, lambda: _check_clauses(problem, original.cnf, values), problem
        )
        if original_check.verdict is not Verdict.REFUTED:
            return original_check
        # Auxiliary variables that the instance does without may have any value in its model.
        try:
            flaw = self._certifier.flaw_of_completion(original.cnf, values, is_decided, limits)
        except NotCheckedError as error:
            return replace(UNCHECKED, message=f"not checked: {error}")
        if flaw:
            return replace(original_check, message=f"{original_check.message}; {flaw}")
        return replace(check, message="")

    def check_all(
        self,
        problem: Problem,
        listed: Callable[[], Sequence[Sequence[int]]],
        work: int,
        limits: Limits,
    ) -> Check:
        """Check a list of all solutions, as variables of options; `work` is its size in bytes."""
        expected, source = self._count(problem)
        return self._within(
            limits, work, lambda: check_all(problem, listed(), expected, source), problem
        )

    def check_unsat(
        self,
        problem: Problem,
        claimed: Instance,
        backend: Untrusted,
        *,
        owner: str,
        limits: Limits,
        original: Original | FileOriginal | None = None,
    ) -> Check:
        """Check that the problem has no solution. The backend says that `claimed`, which an
        encoding made of it, has no model. If that was made from another formula, or from the rows
        of a file, this `original` has to have no model. `owner` names the backend, with the seed
        that it answered with.
        """
        if self._when is When.LATER:
            return replace(UNCHECKED, message=NOT_YET)
        try:
            statement = self._certifier.statement(problem)
        except NotCheckedError as error:
            return replace(UNCHECKED, message=f"not checked: {error}")
        if isinstance(original, FileOriginal):
            proof = self._certifier.proof_about_rows(backend, original.rows, limits, owner=owner)
            if proof.state is ProofState.CHECKED:
                return check_unsat(statement, Knowledge(False, CheckedBy.PROOF), proof)
            knowledge = self._certifier.decide_rows(original, limits)
            if knowledge.satisfiable is not None:
                return check_unsat(statement, knowledge, proof)
            return self._check_unsat_of_rows(
                statement, claimed, backend, knowledge, original, owner=owner, limits=limits
            )
        proof = self._certifier.proof(backend, claimed, limits, original, owner=owner)
        if statement.has_rules or statement.satisfiable is not None:
            knowledge = self._certifier.decide_problem(problem, limits)
        elif proof.state is not ProofState.CHECKED and original:
            knowledge = self._without_model(original, claimed, limits)
        elif proof.state is not ProofState.CHECKED and isinstance(claimed, CNF):
            knowledge = self._certifier.decide_formula(claimed, limits)
            if proof.state is not ProofState.NONE:
                knowledge = replace(knowledge, message="")  # the solver's own proof says why
        else:
            knowledge = Knowledge(None)
        return check_unsat(statement, knowledge, proof)

    def _check_unsat_of_rows(
        self,
        statement: Statement,
        claimed: Instance,
        backend: Untrusted,
        knowledge: Knowledge,
        original: FileOriginal,
        *,
        owner: str,
        limits: Limits,
    ) -> Check:
        """Check that rows have no model by a proof that the instance has none, if it has one for
        each choice that they allow. `knowledge` says why nothing is known of the rows themselves.
        """
        proof = self._certifier.proof(backend, claimed, limits, owner=owner)
        if proof.state is ProofState.FLAWED:
            return check_unsat(statement, knowledge, proof)
        prover = backend.name
        if proof.state is not ProofState.CHECKED:
            solver = self._certifier.solver()
            prover = solver.name
            proof = self._certifier.proof(solver, claimed, limits)
        if proof.state is not ProofState.CHECKED:
            reason = proof.message
        elif not isinstance(claimed, CNF):
            reason = f"the proof by {prover} is about rows, which are not compared with the file"
        elif doubt := original.why_not_implied(claimed):
            reason = f"the proof by {prover} holds for its formula only: {doubt}"
        else:
            message = f"by {prover} on the formula, which allows all that the rows of the file do"
            return Check(Verdict.VERIFIED, CheckedBy.PROOF, message)
        return replace(UNCHECKED, message=f"{knowledge.message}; of the formula, {reason}")

    def _without_model(self, original: Original, claimed: Instance, limits: Limits) -> Knowledge:
        """Whether the original has a model: by an answer about it, or by one about the instance
        with its derivation.
        """
        knowledge = self._certifier.decide_formula(original.cnf, limits)
        if knowledge.satisfiable is not None:
            return knowledge
        proved = self._certifier.proof(self._certifier.solver(), claimed, limits, original)
        if proved.state is ProofState.CHECKED:
            return Knowledge(False, CheckedBy.PROOF)
        return replace(
            knowledge, message=f"{knowledge.message}; of the new formula, {proved.message}"
        )

    def check_count(self, problem: Problem, num_found: int) -> Check:
        """Check whether there are exactly `found` solutions, each of them verified before."""
        expected, source = self._count(problem)
        if expected is None:
            return check_count(problem, num_found, None, source)
        return check_count(self._certifier.statement(problem), num_found, expected, source)

    def check_models(
        self, stated: CNF | FileRows, models: Sequence[Sequence[int]], limits: Limits
    ) -> Check:
        """Check whether a formula has no models but these, each of them verified before: by a proof
        that its clauses have none with another choice of the same variables. A model is given by
        the literals of these variables.
        """
        if len(models) > MOST_MODELS:
            return replace(
                UNCHECKED, message=f"{NOT_COUNTED}, since they are more than {MOST_MODELS:,}"
            )
        try:
            of_rows = self._certifier.clauses_of
            cnf = of_rows(stated, limits) if isinstance(stated, FileRows) else stated
        except NotCheckedError as error:
            return replace(UNCHECKED, message=f"{NOT_COUNTED}: {error}")
        others = -np.array(models, np.int32).reshape(len(models), -1)
        excluded = CNF(cnf.num_variables, cnf.num_main, (*cnf.blocks, others))
        knowledge = self._certifier.decide_formula(excluded, limits)
        if knowledge.satisfiable is None:
            return replace(UNCHECKED, message=f"{NOT_COUNTED}: {knowledge.message}")
        if knowledge.satisfiable:
            return Check(Verdict.REFUTED, CheckedBy.CLAUSES, "it missed a model")
        return Check(Verdict.VERIFIED, CheckedBy.PROOF)

    def _count(self, problem: Problem) -> tuple[int | None, CheckedBy]:
        """The number of solutions and its source; later, only a theorem is asked now."""
        if self._when is When.NOW:
            return self._certifier.count(problem)
        try:
            return self._certifier.statement(problem).num_solutions, CheckedBy.THEOREM
        except NotCheckedError:
            return None, CheckedBy.NONE

    def _within(
        self, limits: Limits, work: int, check: Callable[[], Check], problem: Problem
    ) -> Check:
        """Make a check. A large one, and one that calls a plugin's family, runs in a separate
        process, under the limits of the run.
        """
        if work <= _WORK_AT_ONCE and not is_foreign(problem):
            return _try_check(check, problem)
        ending = self._caller.call(
            "checking", lambda: msgspec.msgpack.encode(_try_check(check, problem)), limits
        )
        if ending.outcome is not Outcome.FINISHED:
            return replace(UNCHECKED, message=f"not checked: {ending.message}")
        return msgspec.msgpack.decode(ending.payload, type=Check)


def _try_check(check: Callable[[], Check], problem: Problem) -> Check:
    """Make a check. An exception in the code of a family leaves the answer unchecked."""
    try:
        return check()
    except MemoryError:
        raise
    except Exception as error:
        reason = f"family '{problem.family}': {describe_error(error)}"
        return replace(UNCHECKED, message=f"not checked: {reason}")


def _check_rows(original: FileOriginal, model: Assignment, check: Check) -> Check:
    """Check a model, whose first values are those of the file's variables, against the rows, and
    add up its objective. It is wrong only if both readers say so.
    """
    rows = original.rows
    values = model[: rows.num_variables]
    if flaw := rows.broken_by(values):
        if original.broken_elsewhere(values) is None:
            return replace(UNCHECKED, message=f"{AMBIGUOUS}: by one reader of nqbench, {flaw}")
        return replace(check, verdict=Verdict.REFUTED, message=flaw)
    value = rows.value(values)
    if value is None:
        return check
    is_true = tuple((np.flatnonzero(values) + 1).tolist())
    return replace(check, objective=value, true_variables=is_true)


def _check_clauses(problem: Problem, cnf: CNF, values: Assignment) -> Check:
    """Check values against the clauses of the formula that an instance was made from."""
    broken = cnf.broken_by(values)
    if broken:
        message = f"of the original formula, {broken}"
        return Check(Verdict.REFUTED, problem.checked_by, message)
    return Check(Verdict.VERIFIED, problem.checked_by)


def _values_of_original(
    cnf: CNF, instance: CNF | Constraints, model: Assignment
) -> tuple[Assignment, Assignment]:
    """The values of a formula's variables in a model of an instance made from it, and which of them
    the instance decides, both of shape (num_variables,).
    """
    values, is_decided = np.zeros((2, cnf.num_variables), np.bool_)
    common = min(cnf.num_variables, model.size)
    values[:common] = model[:common]
    is_decided[:common] = occurring(instance)[:common]
    return values, is_decided
