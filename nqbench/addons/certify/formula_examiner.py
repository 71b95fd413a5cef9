"""Judges one formula: whether its models are the solutions of a problem, whoever wrote it.

That every model is a solution is shown by a checked proof that the formula implies the rules as
clauses; that every solution has a model by trying all, if they are few, and otherwise by a checked
proof. What refutes it is a board. Then another map of the variables is looked for that makes the
formula right.
"""

import time
from dataclasses import dataclass, replace
from typing import Final

import msgspec
import numpy as np

from nqbench.addons.certify import variable_maps
from nqbench.addons.certify.certificate import CHECKER, OPTIONS_FIRST, RULES, SOURCES, Result
from nqbench.addons.certify.directions import Directions, read_rules
from nqbench.addons.certify.formula_verdict import FormulaVerdict, Keep
from nqbench.addons.certify.pigeonhole_proof import Pigeonholes
from nqbench.addons.certify.remaining_solutions import Remaining, Trial, Variables
from nqbench.checking import reference
from nqbench.checking.proof import NotCheckedError
from nqbench.checking.verify import BY_FIRST_VALUES, Readout
from nqbench.clauses.cnf import CNF, Assignment, Block
from nqbench.clauses.comment_lines import Description, chosen
from nqbench.clauses.constraints import as_clauses
from nqbench.common.errors import InputError, Place, TooManyClausesError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import CheckedBy
from nqbench.isolate import Isolation
from nqbench.measure.implication.implications import Subject, with_options
from nqbench.measure.implication.steps import Direction, State, Steps
from nqbench.measure.run_judge import certifier
from nqbench.problems.base import Problem
from nqbench.problems.families.described import DescribedFormula
from nqbench.problems.foreign import is_foreign
from nqbench.problems.options import Solution, variables
from nqbench.problems.queens import Queens

_MOST_TRIED_FIRST: Final = 3_000
"""Up to so many solutions are tried one by one before a proof is looked for."""

_MOST_TRIED: Final = 100_000
"""The largest number of solutions that are tried one by one."""


def judge(
    described: DescribedFormula,
    named: Problem | None,
    keep: Keep | None,
    limits: Limits,
    *,
    name: str = "formula",
    caller: Isolation | None = None,
) -> FormulaVerdict:
    """Judge a formula for the `named` problem, or for the one that its comment lines describe. By
    default all solutions have to remain, or where the problem has symmetries to break, one of each
    class. Rows count as the clauses that they stand for.

    Raises `InputError` if the problem is not known or another one than the lines say, if the lines
    do not fit it, if it has no rules, or if the rows stand for too many clauses.
    """
    problem = described.problem(named)
    if not problem.has_rules:
        raise InputError(f"{problem} has no rules: name a problem, for instance with --n 8")
    if len(problem.options) > reference.LARGEST_WITHOUT_CLASH:
        raise InputError(f"{problem} has too many options for a proof: choose a smaller one")
    try:
        formula = as_clauses(described.formula)
    except TooManyClausesError as error:
        raise InputError(str(error), place=Place(described.source)) from error
    usual = Keep.SYMMETRIC if problem.has_symmetries else Keep.ALL
    literals = described.literals(problem)
    verdict = examine(formula, literals, problem, keep or usual, limits, name=name, caller=caller)
    map_basis = "the map in the comment lines" if described.description.has_map else OPTIONS_FIRST
    relied_on = (*verdict.relied_on, map_basis) if verdict.relied_on else ()
    return replace(verdict, notes=described.notes, relied_on=relied_on)


def examine(
    formula: CNF,
    literals: Block,
    problem: Problem,
    keep: Keep,
    limits: Limits,
    *,
    name: str = "formula",
    caller: Isolation | None = None,
) -> FormulaVerdict:
    """Judge a formula in which the `literals` of an option, shape (options, k), are all true if and
    only if it is chosen. Each step runs in a separate process under the limits.
    """
    started = time.monotonic()
    caller = caller or Isolation()
    named_caller = replace(
        caller, tell=lambda doing, limit_s: caller.tell(f"{name}: {doing}", limit_s)
    )
    named = _Named(formula, literals)
    steps = Steps(certifier(named_caller), named_caller, limits)
    examination = _Examination(problem, keep, steps, Pigeonholes(steps))
    verdict = examination.judge(named, name)
    if verdict.result is Result.REFUTED:
        verdict = examination.with_hint(verdict, named)
    return replace(verdict, wall_s=time.monotonic() - started)


@dataclass(frozen=True, slots=True)
class _Named:
    """A formula and the literals of the options in it."""

    formula: CNF
    literals: Block


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A formula with its variables numbered anew, and the same with the options in front.
    `literals` are those of the options in `original`. `names` has for each variable of `subject`
    its literal before that, 0 for none.
    """

    original: CNF
    literals: Block
    readout: Readout
    subject: Subject
    names: Block

    @classmethod
    def of(cls, named: _Named) -> "_Prepared":
        """Leave out numbers without a variable, of which a formula may have billions."""
        formula, literals = named.formula, named.literals
        count = len(literals)
        occurring = np.unique(
            np.concatenate([np.abs(block).ravel() for block in (*formula.blocks, literals)])
        ).astype(np.int32)
        first = np.abs(literals[:, 0]) if literals.shape[1] == 1 else np.zeros(0, np.int32)
        if count and len(np.unique(first)) == count:
            others = np.setdiff1d(occurring, first)
            names = np.concatenate([literals[:, 0], others]).astype(np.int32)
            renumbered = _renumber(formula, names)
            options = np.arange(1, count + 1, dtype=np.int32)[:, np.newaxis]
            subject = Subject(replace(renumbered, num_main=count), count)
            return cls(renumbered, options, BY_FIRST_VALUES, subject, names)
        main = np.unique(np.abs(literals)).astype(np.int32)
        names = np.concatenate([main, np.setdiff1d(occurring, main)]).astype(np.int32)
        renumbered = replace(_renumber(formula, names), num_main=len(main))
        new = _renumbered(literals, names)
        subject = with_options(renumbered, new)
        names = np.concatenate([np.zeros(count, np.int32), names])
        return cls(renumbered, new, Readout(new), subject, names)

    def decode(self, problem: Problem, values: Assignment) -> Solution:
        """The solution of a model of `original`."""
        return tuple(problem.options[at] for at in chosen(self.literals, values))

    @property
    def has_empty_clause(self) -> bool:
        """Whether a clause has no literals, which nothing satisfies."""
        return any(block.shape[1] == 0 and len(block) for block in self.original.blocks)

    def falsified(self, solution: Variables) -> str:
        """The first clause that only has options and that a solution falsifies, as the formula has
        it; empty if there is none.
        """
        count = self.subject.options
        is_chosen = np.zeros(count + 1, np.bool_)
        is_chosen[list(solution)] = True
        for block in self.subject.formula.blocks:
            numbers = np.abs(block)
            is_known = numbers <= count
            is_true = is_chosen[np.where(is_known, numbers, 0)] == (block > 0)
            broken = is_known.all(axis=1) & ~is_true.any(axis=1)
            if broken.any():
                clause = block[int(np.argmax(broken))]
                literals = np.sign(clause) * self.names[np.abs(clause) - 1]
                return "" if not literals.all() else " ".join(map(str, literals.tolist()))
        return ""


@dataclass(slots=True)
class _Examination:
    """Judges formulas for one problem."""

    problem: Problem
    keep: Keep
    steps: Steps
    pigeonholes: Pigeonholes

    def judge(self, named: _Named, name: str) -> FormulaVerdict:
        """Both directions."""
        prepared = _Prepared.of(named)
        formula = named.formula
        verdict = FormulaVerdict(
            name, self.problem, self.keep, formula.num_variables, formula.num_clauses,
            Direction(), Direction(),
        )  # fmt: skip
        expected, source = self.steps.certifier.count(self.problem)
        why_no_rules, is_counted = read_rules(self.problem, self.steps)
        if why_no_rules:
            neither = Direction(message=why_no_rules)
            return replace(verdict, only_solutions=neither, every_solution=neither)
        directions = Directions(
            self.problem,
            lambda values: prepared.decode(self.problem, values),
            prepared.readout,
            prepared.original,
            prepared.subject,
            self.steps,
            is_counted=is_counted,
        )
        only, relied_on = self._only(directions, prepared, expected)
        every, remaining, more = self._every(directions, prepared, expected, source)
        if every.state is State.REFUTED and prepared.has_empty_clause:
            why = "a clause is empty: 0 ends a clause, so variables are counted from 1, not from 0"
            every = replace(every, message=f"{why} ({every.message})")
        return replace(
            verdict,
            only_solutions=only,
            every_solution=every,
            kept=None if remaining is None else remaining.kept,
            solutions=expected,
            relied_on=tuple(dict.fromkeys([*relied_on, *more])),
        )

    def with_hint(self, verdict: FormulaVerdict, named: _Named) -> FormulaVerdict:
        """The same with what would make the formula right, if that is found."""
        if verdict.only_solutions.state is State.PROVED and verdict.kept:
            hint = self._hint_about_symmetry(_Prepared.of(named))
            if hint:
                return replace(verdict, hint=hint)
        literals = self._other_map(named)
        if literals is None:
            return verdict
        if self.judge(_Named(named.formula, literals), "").result is not Result.CERTIFIED:
            return verdict
        options = self.problem.options
        lines = Description().with_literals(options, literals).lines()
        how = variable_maps.in_words(options, literals[:, 0])
        what = "squares" if isinstance(self.problem, Queens) else "options"
        return replace(
            verdict,
            hint=f"it is right if other variables are the {what}: {how}",
            hint_lines=tuple(line.decode() for line in lines),
        )

    def _hint_about_symmetry(self, prepared: _Prepared) -> str:
        """What the formula keeps, if it only loses solutions and keeps one of each class."""
        if self.keep is not Keep.ALL:
            return ""
        remaining = replace(self, keep=Keep.SYMMETRIC)._remaining(prepared)
        if isinstance(remaining, str) or remaining.lost:
            return ""
        return (
            "it keeps a solution of each class of symmetric ones, which is right if that is enough "
            f"(keep {Keep.SYMMETRIC})"
        )

    def _other_map(self, named: _Named) -> Block | None:
        def find() -> bytes:
            rules = reference.rules(self.problem)
            found = None if rules is None else variable_maps.find_map(named.formula, rules)
            return b"" if found is None else found.tobytes()

        try:
            payload = self.steps.call("looking for another map", find)
        except NotCheckedError:
            return None
        return np.frombuffer(payload, dtype=np.int32)[:, np.newaxis] if payload else None

    def _only(
        self, directions: Directions, prepared: _Prepared, expected: int | None
    ) -> tuple[Direction, list[str]]:
        """Whether every model is a solution, and what that relies on."""
        direction = directions.only_solutions()
        if direction.state is State.OPEN and expected is not None and expected <= _MOST_TRIED_FIRST:
            direction = self._by_models(prepared, expected, direction)
        if direction.state is State.REFUTED:
            return self._in_words(self._plainer(direction, prepared)), []
        if direction.state is State.OPEN:
            return direction, []
        principle = self.pigeonholes.basis(self.problem, prepared.subject.formula)
        return direction, [CHECKER, RULES, *principle]

    def _plainer(self, direction: Direction, prepared: _Prepared) -> Direction:
        """The same with a witness that breaks fewer rules, where one is found."""
        witness = direction.witness
        if witness is None:
            return direction
        trial = Trial(self.problem, prepared.subject.formula)

        def find() -> bytes:
            rules = reference.rules(self.problem)
            if rules is None or reference.is_counted(rules):
                return b""
            chosen = tuple(variables(self.problem.options, witness))
            return trial.plainest(reference.clauses(rules), chosen)

        try:
            payload = self.steps.call("looking for a plain witness", find)
        except NotCheckedError:
            return direction
        if not payload:
            return direction
        plainest = msgspec.msgpack.decode(payload, type=Variables)
        return Direction(direction.state, direction.message, self._solution(plainest))

    def _in_words(self, direction: Direction) -> Direction:
        """The same, where the rule that the witness breaks is enough to say."""
        if direction.witness is None or is_foreign(self.problem):
            return direction
        broken = self.problem.violation(direction.witness)
        message = f"allows what the rules forbid: {broken}" if broken else direction.message
        return Direction(direction.state, message, direction.witness)

    def _by_models(self, prepared: _Prepared, expected: int, otherwise: Direction) -> Direction:
        """The same by all models that differ on the options, if they are few."""
        formula, count = prepared.subject.formula, prepared.subject.options
        trial = Trial(self.problem, formula)
        try:
            payload = self.steps.call("trying models", lambda: trial.models(expected + 1))
        except NotCheckedError:
            return otherwise
        choices, violation = msgspec.msgpack.decode(
            payload, type=tuple[list[Variables], str | None]
        )
        if violation is not None:
            witness = self._solution(choices[-1])
            return Direction(State.REFUTED, f"allows what the rules forbid: {violation}", witness)
        blocking = np.tile(np.arange(1, count + 1, dtype=np.int32), (len(choices), 1))
        for clause, one in zip(blocking, choices, strict=True):
            clause[np.array(one, dtype=np.intp) - 1] *= -1
        others = formula.with_clauses(blocking)
        if self.steps.has_no_model(others):
            return Direction(State.PROVED)
        return otherwise

    def _every(
        self,
        directions: Directions,
        prepared: _Prepared,
        expected: int | None,
        source: CheckedBy,
    ) -> tuple[Direction, Remaining | None, list[str]]:
        """Whether the solutions that have to have a model do, how many do, and its basis."""
        if expected == 0:
            return Direction(State.PROVED), None, [RULES, SOURCES[source]]
        is_small = expected is not None and expected <= _MOST_TRIED_FIRST
        if is_small:
            direction, remaining = self._by_trying(prepared)
            if direction.state is not State.OPEN:
                return direction, remaining, [RULES, "the exhaustive search"]
        if self.keep is Keep.ONE and self._has_solution(prepared):
            return Direction(State.PROVED), None, [RULES]
        direction = directions.every_solution()
        if direction.state is State.PROVED:
            return direction, None, [CHECKER, RULES]
        if direction.state is State.REFUTED and self.keep is Keep.ALL:
            return self._with_clause(direction, prepared), None, []
        if not is_small and expected is not None and expected <= _MOST_TRIED:
            by_trying, remaining = self._by_trying(prepared)
            if by_trying.state is not State.OPEN:
                return by_trying, remaining, [RULES, "the exhaustive search"]
        if direction.state is State.REFUTED:
            message = f"it forbids a solution, and the others are not known: keep {self.keep}"
            direction = Direction(message=message)
        return direction, None, []

    def _by_trying(self, prepared: _Prepared) -> tuple[Direction, Remaining | None]:
        """The same by trying all solutions. That one has no model is proved."""
        remaining = self._remaining(prepared)
        if isinstance(remaining, str):
            return Direction(message=remaining), None
        if not remaining.lost:
            return Direction(State.PROVED), remaining
        formula = prepared.subject.formula
        for solution in [] if self.keep is Keep.ONE else remaining.lost:
            every = np.arange(1, prepared.subject.options + 1)
            fixed = np.where(np.isin(every, solution), every, -every)
            if not self.steps.has_no_model(formula, fixed):
                return Direction(message="a solution without a model is not proved"), remaining
        if self.keep is Keep.ONE and not self.steps.has_no_model(formula):
            return Direction(message="no solution has a model, which is not proved"), remaining
        what = "a solution"
        if self.keep is Keep.SYMMETRIC:
            what += " and all that are symmetric to it"
        witness = self._solution(remaining.lost[0])
        direction = Direction(State.REFUTED, f"forbids {what}", witness)
        if self.keep is not Keep.SYMMETRIC:
            direction = self._with_clause(direction, prepared)
        message = f"{direction.message}; {remaining.kept} of {remaining.solutions} solutions remain"
        return replace(direction, message=message), remaining

    def _with_clause(self, direction: Direction, prepared: _Prepared) -> Direction:
        """The same with the clause that forbids the witness, if there is one that does so alone."""
        if direction.witness is None:
            return direction
        clause = prepared.falsified(tuple(variables(self.problem.options, direction.witness)))
        by = f", by the clause {clause} 0" if clause else ""
        return replace(direction, message=f"{direction.message}{by}")

    def _remaining(self, prepared: _Prepared) -> Remaining | str:
        """Which solutions have a model, or why that is not known."""
        trial = Trial(self.problem, prepared.subject.formula)
        try:
            payload = self.steps.call("trying solutions", lambda: trial.remaining(self.keep))
        except NotCheckedError as error:
            return str(error)
        return msgspec.msgpack.decode(payload, type=Remaining)

    def _has_solution(self, prepared: _Prepared) -> bool:
        """Whether the first model that is found is a solution."""
        trial = Trial(self.problem, prepared.subject.formula)
        try:
            payload = self.steps.call("looking for a model", lambda: trial.models(1))
        except NotCheckedError:
            return False
        choices, violation = msgspec.msgpack.decode(
            payload, type=tuple[list[Variables], str | None]
        )
        return bool(choices) and violation is None

    def _solution(self, chosen: Variables) -> Solution:
        return tuple(self.problem.options[v - 1] for v in chosen)


def _renumber(formula: CNF, names: Block) -> CNF:
    """The formula in which variable i + 1 is the literal names[i]."""
    blocks = tuple(_renumbered(block, names) for block in formula.blocks)
    return CNF(len(names), 0, blocks)


def _renumbered(literals: Block, names: Block) -> Block:
    order = np.argsort(np.abs(names))
    sorted_names = names[order]
    if not literals.size:
        return literals
    places = np.searchsorted(np.abs(sorted_names), np.abs(literals))
    signs = np.sign(literals) * np.sign(sorted_names[places])
    return (signs * (order[places] + 1)).astype(np.int32)
