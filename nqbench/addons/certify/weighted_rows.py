"""Shows that a formula and the rows of a file allow the same choices, where rows have weights.

The rows are the judge's own decision diagrams: see `checking.weighted_clauses`. Clauses of the
formula that are rows of the file need no proof. All others are divided into `parts`.

Each model meets a row     For each of its bounds, the parts on its literals have no model together
                           with the diagram of the sums beyond that bound.
Each choice has a model    Each part has definitions of its auxiliary variables with which the
                           diagrams of the rows on its literals imply its clauses. If such are not
                           found and the literals are few, each choice of these is tried instead.

Whatever finds definitions and proofs is not believed; nor is a model until it is checked.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress, product
from typing import Final, TypeVar

import msgspec
import numpy as np

from nqbench.addons.certify.parts import Part, parts_of
from nqbench.checking.file_rows import FileRows
from nqbench.checking.proof import NotCheckedError
from nqbench.checking.row_clauses import fresh, placed
from nqbench.checking.verify import ProofState
from nqbench.checking.weighted_clauses import WeightedRow, diagram_clauses, weighted_row
from nqbench.clauses.cnf import CNF, Assignment, Block, as_blocks
from nqbench.measure.implication import elimination, implications
from nqbench.measure.implication.implications import Definition, Subject
from nqbench.measure.implication.steps import Direction, State, Steps
from nqbench.measure.implication.templates import in_order, mirrored
from nqbench.problems.options import Solution

MOST_CLAUSES: Final = 1_000_000
"""The largest formula that is examined."""

MOST_ROWS: Final = 1_000
"""The largest number of rows that are no clauses of the formula."""

MOST_TRIED: Final = 16
"""The largest number of literals of a row of which every choice is tried."""

T = TypeVar("T")

Found = tuple[list[Definition], list[frozenset[int]] | None] | None
"""Definitions of all auxiliary variables, and the parts of clauses that they make true: see
`implications.extends`. None if there are none.
"""

Finder = Callable[[CNF], Found]

_UNDECIDED: Final = "no functions for the auxiliary variables were found that fit"


@dataclass(slots=True)
class WeightedDirections:
    """Both directions, for a formula whose first variables are those of a file."""

    formula: CNF
    file: FileRows
    steps: Steps
    _clauses: set[frozenset[int]] = field(init=False)
    _rows: list[tuple[int, WeightedRow]] = field(init=False)
    _parts: list[Part] = field(default_factory=list)

    def __post_init__(self) -> None:
        of_formula = set(map(frozenset, self.formula.clauses()))
        numbered = [(row, weighted_row(self.file, row)) for row in range(len(self.file.lines))]
        as_clauses = [_as_clause(row) for _, row in numbered]
        self._clauses = {clause for clause in as_clauses if clause in of_formula}
        self._rows = [
            row
            for row, clause in zip(numbered, as_clauses, strict=True)
            if clause not in self._clauses
        ]
        if not self._why_not():
            left = CNF(
                self.formula.num_variables,
                self.file.num_variables,
                as_blocks(c for c in self.formula.clauses() if set(c) not in self._clauses),
            )
            groups = [set(map(abs, row.literals)) for _, row in self._rows]
            self._parts = parts_of(left, self.file.num_variables, groups)

    def only_solutions(self) -> Direction:
        """Prove that each model of the formula meets all rows."""
        return self._all(self._row_is_met, self._rows, "rows")

    def every_solution(self) -> Direction:
        """Prove that each choice that meets all rows extends to a model of the formula."""
        return self._all(self._part_is_met, self._parts, "parts of the formula")

    def _why_not(self) -> str:
        if self.file.worst is not None:
            return "a bound on the objective is not compared with a formula"
        if (count := self.formula.num_clauses) > MOST_CLAUSES:
            return f"{count:,} clauses, and at most {MOST_CLAUSES:,} are examined"
        if (count := len(self._rows)) > MOST_ROWS:
            return f"{count:,} rows that are no clauses, and at most {MOST_ROWS:,} are examined"
        return ""

    def _all(self, show: Callable[[T], Direction], some: Sequence[T], noun: str) -> Direction:
        """Whether all of these are shown: the first that is refuted, or how many are open."""
        if why := self._why_not():
            return Direction(message=why)
        missing: list[str] = []
        for each in some:
            try:
                shown = show(each)
            except NotCheckedError as error:
                shown = Direction(message=str(error))
            if shown.state is State.REFUTED:
                return shown
            if shown.state is State.OPEN:
                missing.append(shown.message)
        if not missing:
            return Direction(State.PROVED)
        done = f"{len(some) - len(missing)} of {len(some)} {noun} proved; " * (len(some) > 1)
        return Direction(message=f"{done}{missing[0]}")

    def _row_is_met(self, numbered: tuple[int, WeightedRow]) -> Direction:
        number, row = numbered
        variables = set(map(abs, row.literals))
        own = [part for part in self._parts if variables.issuperset(part.main)]
        own_blocks = as_blocks(clause for part in own for clause in part.clauses)
        for low, high in ((0, row.least - 1), (row.most + 1, row.total)):
            if low > high:
                continue
            missed = WeightedRow(row.literals, row.weights, low, high)
            for blocks in (own_blocks, self.formula.blocks):
                claim = self.steps.state(
                    partial(_with_rows, self.formula.num_variables, blocks, [missed])
                )
                checked = self.steps.prove(claim)
                if checked.state in (ProofState.CHECKED, ProofState.NOT_CHECKED):
                    break
            if checked.state is ProofState.CHECKED:
                continue
            is_open = checked.state is ProofState.NOT_CHECKED
            refuted = None if is_open else self._allowed_wrongly(claim)
            where = f"line {self.file.lines[number]}"
            return refuted or Direction(message=f"{where}: {checked.message or 'no proof'}")
        return Direction(State.PROVED)

    def _allowed_wrongly(self, claim: CNF) -> Direction | None:
        """The refutation by a model of the formula that breaks a row, if there is one."""
        model = self.steps.find_model(claim)
        if model is None:
            return None
        model = model[: self.formula.num_variables]
        if self.formula.falsified(model) is not None:
            return None
        values = model[: self.file.num_variables]
        broken = self.file.broken_by(values)
        message = f"allows a wrong solution: {broken}"
        return Direction(State.REFUTED, message, _literals(values)) if broken else None

    def _part_is_met(self, part: Part) -> Direction:
        own = [row for _, row in self._rows if set(part.main) <= set(map(abs, row.literals))]
        every = [row for _, row in self._rows]
        finders: tuple[Finder, ...] = (_in_order,)
        if part.auxiliaries:
            finders = (_in_order, _mirrored, self._eliminated)
        attempts = [(own, find) for find in finders] if own else []
        attempts += [(every, _in_order)] if len(every) > len(own) else []
        message = _UNDECIDED
        for rows, find in attempts:
            try:
                claim = self.steps.state(partial(_unmet, part, rows, find))
            except NotCheckedError as error:
                message = str(error)
                continue
            checked = self.steps.prove(claim)
            if checked.state is ProofState.CHECKED:
                return Direction(State.PROVED)
            message = checked.message or _UNDECIDED
            if checked.state is ProofState.NOT_CHECKED:
                break
            if refuted := self._forbidden_wrongly(part, self.steps.find_model(claim)):
                return refuted
        for row in own:
            if len(row.literals) <= MOST_TRIED:
                return self._tried(part, row)
        return Direction(message=message)

    def _forbidden_wrongly(self, part: Part, model: Assignment | None) -> Direction | None:
        """The refutation by a choice that meets all rows, with these values of the main variables
        of the part, if the formula forbids one.
        """
        if model is None:
            return None
        fixed = np.where(model[: len(part.main)], part.main, -np.array(part.main))
        units = fixed.astype(np.int32).reshape(-1, 1)
        rows = [row for _, row in self._rows]
        n = self.file.num_variables
        blocks = [*as_blocks(map(sorted, self._clauses)), units]
        every = self.steps.find_model(self.steps.state(lambda: _with_rows(n, blocks, rows)))
        if every is None or self.file.broken_by(chosen := every[:n]) is not None:
            return None
        return forbids(self.formula, chosen, self.steps)

    def _tried(self, part: Part, row: WeightedRow) -> Direction:
        """Whether the part has a model for each choice of a row's literals that meets it."""
        payload = self.steps.call("trying all choices", partial(_first_without_model, part, row))
        tried = msgspec.msgpack.decode(payload, type=_Tried)
        if tried.is_each_extended:
            return Direction(State.PROVED)
        values = np.array(tried.without_model, np.bool_)
        return self._forbidden_wrongly(part, values) or Direction(message=_UNDECIDED)

    def _eliminated(self, formula: CNF) -> Found:
        every = range(formula.num_main + 1, formula.num_variables + 1)
        try:
            return elimination.define(formula.clauses(), every, self.steps.is_contradiction)
        except elimination.TooLarge:
            return None


def forbids(formula: CNF, values: Assignment, steps: Steps) -> Direction | None:
    """The refutation by a choice of the first variables, if it is proved that the formula has no
    model with these values.
    """
    literals = _literals(values)
    if not steps.has_no_model(formula, [literal for (literal,) in literals]):
        return None
    true = ", ".join(map(str, (np.flatnonzero(values) + 1).tolist())) or "none"
    message = f"forbids a solution: these are true: {true}"
    return Direction(State.REFUTED, message, literals)


def _literals(values: Assignment) -> Solution:
    """The literals that are true, each as an option."""
    return tuple((v if is_true else -v,) for v, is_true in enumerate(values.tolist(), 1))


def _as_clause(row: WeightedRow) -> frozenset[int] | None:
    """The literals of a row that is a clause."""
    is_clause = 0 < row.least <= min(row.weights, default=0) and row.most >= row.total
    return frozenset(row.literals) if is_clause else None


def _with_rows(last: int, blocks: Sequence[Block], rows: Iterable[WeightedRow]) -> CNF:
    """Clauses on variables up to `last`, and the diagrams of rows, with variables after these.
    Raises `TooManyClausesError`.
    """
    every = list(blocks)
    for row in rows:
        diagram = diagram_clauses(row.weights, row.least, row.most)
        auxiliaries = fresh(diagram, 1, last)
        every += placed(diagram, np.array([row.literals], np.int32), auxiliaries)
        last += auxiliaries.size
    return CNF(last, 0, tuple(every))


def _in_order(formula: CNF) -> Found:
    return in_order(formula), None


def _mirrored(formula: CNF) -> Found:
    return mirrored(formula), None


def _unmet(part: Part, rows: Iterable[WeightedRow], find: Callable[[CNF], Found]) -> CNF | str:
    """A formula that has a model if and only if a choice that meets the rows breaks a clause of the
    part, whose auxiliary variables are as they are defined; or why there is none.
    """
    formula = part.renumbered()
    found = find(formula)
    if found is None:
        return _UNDECIDED
    definitions, parts = found
    number = {v: at for at, v in enumerate(part.main, start=1)}
    last = formula.num_variables
    others = sorted({abs(x) for row in rows for x in row.literals} - set(number))
    number |= {v: at for at, v in enumerate(others, start=last + 1)}
    renumbered = [
        WeightedRow(
            tuple(number[abs(x)] * (1 if x > 0 else -1) for x in row.literals),
            row.weights,
            row.least,
            row.most,
        )
        for row in rows
    ]
    premise = _with_rows(last + len(others), [], renumbered)
    return implications.extends(premise, definitions, Subject(formula, len(part.main)), parts)


class _Tried(msgspec.Struct):
    """Whether each choice that meets a row extends to a model of a part, which was checked; and the
    values of the part's main variables in the first choice for which a solver found none.
    """

    is_each_extended: bool = False
    without_model: list[bool] = []


def _first_without_model(part: Part, row: WeightedRow) -> bytes:
    """What comes of trying each choice, as `_Tried`."""
    from pysat.solvers import Solver

    formula = part.renumbered()
    with Solver("minisat22", bootstrap_with=formula.clauses()) as solver:
        for chosen in product((False, True), repeat=len(row.literals)):
            if not row.least <= sum(compress(row.weights, chosen)) <= row.most:
                continue
            pairs = zip(row.literals, chosen, strict=True)
            truth = {abs(literal): (literal > 0) == is_true for literal, is_true in pairs}
            fixed = [at if truth[v] else -at for at, v in enumerate(part.main, start=1)]
            if not solver.solve(fixed):
                return msgspec.msgpack.encode(_Tried(False, [truth[v] for v in part.main]))
            model = np.isin(np.arange(1, formula.num_variables + 1), solver.get_model())
            agrees = all(bool(model[abs(literal) - 1]) == (literal > 0) for literal in fixed)
            if not agrees or formula.falsified(model) is not None:
                return msgspec.msgpack.encode(_Tried())
    return msgspec.msgpack.encode(_Tried(is_each_extended=True))
