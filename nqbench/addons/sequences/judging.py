"""Judges the answers to the queries of a sequence, trusting neither solver nor worker.

A model is checked against the clauses so far and the assumptions. All cores together are one
formula, which is unsatisfiable if and only if each is right: a guard for the clauses of each step
that was asked about, each of which implies the one before it; a variable for each core, which
implies the guard of its step and the literals of the core; and a clause that one of these variables
is true. It is decided as any formula, by a checked proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Several
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from nqbench.addons.sequences.sequence import Query, Sequence
from nqbench.addons.sequences.steps import Step
from nqbench.checking.evidence import Certifier
from nqbench.checking.verify import UNCHECKED, Check
from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import NOT_YET, Answer, CheckedBy, Outcome, Verdict
from nqbench.isolate.fork import Isolation

_MOST_LITERALS: Final = 20_000_000
"""A formula about cores with more literals is not made."""

_WORK_AT_ONCE: Final = 1 << 22
"""Models that are checked against more literals are checked in a process under limits."""

MODELS_OPEN: Final = "the models are not checked"


class Question(NamedTuple):
    """Whether the clauses before query `number`, and its own, have no model with this core."""

    number: int
    core: frozenset[int]

    def implies(self, other: Question) -> bool:
        """Whether the other core is right if this one is."""
        return self.number <= other.number and self.core <= other.core


class WrongAnswer(NamedTuple):
    """The number of a query, and what is wrong with its answer."""

    number: int
    reason: str
    checked_by: CheckedBy = CheckedBy.CLAUSES


@dataclass(eq=False)
class SequenceJudge:
    """Judges answers to one sequence, and remembers which cores were proved."""

    sequence: Sequence
    proved: list[Question] = field(default_factory=list)

    def check(
        self,
        steps: Several[Step],
        answer: Answer | None,
        certifier: Certifier | None,
        limits: Limits,
        caller: Isolation | None = None,
        *,
        has_models: bool = True,
    ) -> Check:
        """Check these steps, of which `answer` is said to be the last one; None for a run that was
        stopped. Without a certifier, cores stay unchecked; models are if there are none. Many
        models are checked by `caller`.
        """
        caller = caller or Isolation()
        queries = self.sequence.queries
        asked = f"{len(steps)} of {len(queries)} queries answered"
        if len(steps) > len(queries) or (steps and steps[-1].answer is not answer is not None):
            return Check(Verdict.REFUTED, CheckedBy.CLAUSES, f"{asked}, but otherwise at the end")
        wrong, doubt = None, ""
        if has_models:
            models = sum(step.answer is Answer.SAT for step in steps)
            wrong, doubt = self._found(models, lambda: self._wrong_model(steps), limits, caller)
        wrong = wrong or self._strange_core(steps)
        if wrong is None:
            cores = [
                Question(number, frozenset(step.core))
                for number, step in enumerate(steps)
                if step.answer is Answer.UNSAT
            ]
            wrong, open_core = self._wrong_core(cores, certifier, limits)
            doubt = doubt or open_core
        about = [f"{self.sequence.place(wrong.number)}: {wrong.reason}"] if wrong else []
        if answer in (None, Answer.UNKNOWN):
            left = len(steps) - (answer is Answer.UNKNOWN)
            if left < len(queries):
                about.append(f"no answer to {self.sequence.place(left)} of {len(queries)}")
            return replace(UNCHECKED, message="; ".join(about))
        if wrong:
            return Check(Verdict.REFUTED, wrong.checked_by, about[0])
        if len(steps) < len(queries):
            return Check(Verdict.REFUTED, CheckedBy.CLAUSES, asked)
        if doubt:
            return replace(UNCHECKED, message=doubt)
        is_proved = any(step.answer is Answer.UNSAT for step in steps)
        by = CheckedBy.PROOF if is_proved else CheckedBy.CLAUSES
        claims = self._wrong_claim(steps, certifier, limits, caller)
        return Check(Verdict.VERIFIED, by, claims)

    def _found(
        self,
        models: int,
        find: Callable[[], WrongAnswer | None],
        limits: Limits,
        caller: Isolation,
    ) -> tuple[WrongAnswer | None, str]:
        """What looking at so many models finds, or why that is not known, in words."""
        if models * sum(block.size for block, _ in self._by_width) <= _WORK_AT_ONCE:
            return find(), ""
        ending = caller.call("checking the models", lambda: msgspec.msgpack.encode(find()), limits)
        if ending.outcome is not Outcome.FINISHED:
            return None, f"{MODELS_OPEN}: {ending.message}"
        return msgspec.msgpack.decode(ending.payload, type=WrongAnswer | None), ""

    def _wrong_model(self, steps: Several[Step]) -> WrongAnswer | None:
        """The first model that is wrong."""
        for number, step in enumerate(steps):
            if step.answer is Answer.SAT and (reason := self._broken_by(number, step)):
                return WrongAnswer(number, reason)
        return None

    def _strange_core(self, steps: Several[Step]) -> WrongAnswer | None:
        for number, step in enumerate(steps):
            if strange := sorted({*step.core} - {*self.sequence.queries[number].assumptions}):
                return WrongAnswer(number, f"the core has {strange[0]}, which was not assumed")
        return None

    def _broken_by(self, number: int, step: Step) -> str | None:
        model, size = step.assignment, self.sequence.num_variables
        if model.size != size:
            return f"its model has {model.size} values for {size} variables"
        truth = np.concatenate([[False], model, ~model[::-1]])
        for literal in self.sequence.queries[number].assumptions:
            if not truth[literal]:
                return f"its model breaks the assumption {literal}"
        clause = self._falsified(number, truth)
        return f"its model falsifies the clause {_text(clause)}" if clause is not None else None

    def _falsified(self, number: int, truth: NDArray[np.bool_]) -> list[int] | None:
        """A clause before this query without a true literal; None if there is none."""
        for block, born in self._by_width:
            is_true = truth[block[: np.searchsorted(born, number, "right")]].any(axis=1)
            for row in np.flatnonzero(~is_true).tolist():
                clause: list[int] = block[row].tolist()
                if not {*clause} & {-literal for literal in clause}:
                    return clause
        return None

    @cached_property
    def _by_width(self) -> list[tuple[Block, NDArray[np.intp]]]:
        """All clauses of each width, in order, and before which query each was added."""
        groups: dict[int, list[tuple[int, Block]]] = {}
        for number, query in enumerate(self.sequence.queries):
            for block in query.added:
                groups.setdefault(block.shape[1], []).append((number, block))
        return [
            (
                np.concatenate([block for _, block in group]),
                np.repeat([number for number, _ in group], [len(block) for _, block in group]),
            )
            for group in groups.values()
        ]

    def _wrong_core(
        self, cores: Several[Question], certifier: Certifier | None, limits: Limits
    ) -> tuple[WrongAnswer | None, str]:
        """The first core that is wrong, or why it is not known whether one is, in words."""
        questions = self._open(cores)
        if not questions:
            return None, ""
        if certifier is None:
            return None, NOT_YET
        found = self._is_wrong(questions, certifier, limits)
        if isinstance(found, str):
            return None, found
        if not found:
            self.proved += questions
            return None, ""
        # The first of these questions is wrong without which the others before it are right.
        least, most = 0, len(questions)
        while most - least > 1:
            middle = (least + most) // 2
            if self._is_wrong(questions[:middle], certifier, limits) is True:
                most = middle
            else:
                least = middle
        question = questions[most - 1]
        core = f" with its core {_text(sorted(question.core, key=abs))}" if question.core else ""
        return WrongAnswer(question.number, f"'unsat', but the clauses have a model{core}"), ""

    def _is_wrong(
        self, questions: Several[Question], certifier: Certifier, limits: Limits
    ) -> bool | str:
        """Whether one of these cores is wrong, or why that is not known."""
        formula = cores_formula(self.sequence, questions)
        if formula.num_literals > _MOST_LITERALS:
            return f"not checked: {len(questions)} cores are too many for one proof"
        known = certifier.decide_formula(formula, limits)
        if known.satisfiable is None:
            return f"the cores are not checked: {known.message}"
        return known.satisfiable

    def _open(self, cores: Several[Question]) -> list[Question]:
        """Those that do not follow from others or from what was proved, by their queries."""
        left: list[Question] = []
        known = [*self.proved]
        same = {question.core: question for question in reversed(known)}  # found without a search
        for question in sorted(cores, key=lambda one: (one.number, len(one.core))):
            is_same = question.core in same and same[question.core].implies(question)
            if not is_same and not any(other.implies(question) for other in known):
                left.append(question)
                known.append(question)
                same[question.core] = question
        return left

    def _wrong_claim(
        self,
        steps: Several[Step],
        certifier: Certifier | None,
        limits: Limits,
        caller: Isolation,
    ) -> str:
        """What is wrong with the answers in the file, in words; empty if nothing is. The steps have
        been checked.
        """
        models = sum(query.model is not None for query in self.sequence.queries)
        wrong, _ = self._found(
            models, lambda: next(self._wrong_claims(steps), None), limits, caller
        )
        if wrong is None:
            cores = [
                Question(number, frozenset(query.core))
                for number, query in enumerate(self.sequence.queries)
                if query.core is not None
            ]
            wrong, _ = self._wrong_core(cores, certifier, limits)
        if wrong is None:
            return ""
        return f"the file is wrong about {self.sequence.place(wrong.number)}: {wrong.reason}"

    def _wrong_claims(self, steps: Several[Step]) -> Iterator[WrongAnswer]:
        for number, (query, step) in enumerate(zip(self.sequence.queries, steps, strict=True)):
            if query.said not in (None, Answer.UNKNOWN, step.answer):
                yield WrongAnswer(number, f"it is {step.answer}")
            if query.model is not None and (clause := self._left_open(number, query)):
                yield WrongAnswer(number, f"its model does not satisfy the clause {_text(clause)}")

    def _left_open(self, number: int, query: Query) -> list[int] | None:
        """A clause in which no literal is true in the model of the file, which may be a part."""
        truth = np.zeros(2 * self.sequence.num_variables + 1, np.bool_)
        truth[list(query.model or ())] = True
        return self._falsified(number, truth)


def cores_formula(sequence: Sequence, questions: Several[Question]) -> CNF:
    """The formula that has no model if and only if all these cores are right."""
    formula = CNFBuilder(sequence.num_variables)
    numbers = sorted({question.number for question in questions})
    guards: dict[int, int] = {}
    before = 0
    for at, number in enumerate(numbers):
        blocks = sequence.clauses(before, number + 1).blocks
        before = number + 1
        if not at:  # all ask about these
            for block in blocks:
                formula.add(block)
            continue
        guards[number] = guard = formula.fresh(1)
        for block in blocks:
            formula.add(np.pad(block, ((0, 0), (0, 1)), constant_values=-guard))
        if at > 1:
            formula.add([[-guard, guards[numbers[at - 1]]]])
    first = formula.fresh(len(questions))
    for variable, question in enumerate(questions, first):
        implied = [*sorted(question.core), *filter(None, [guards.get(question.number)])]
        if implied:
            formula.add([[-variable, literal] for literal in implied])
    formula.add([range(first, first + len(questions))])
    return formula.build()


def _text(literals: Several[int]) -> str:
    return " ".join(map(str, literals)) or "(empty)"
