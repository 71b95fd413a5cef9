"""Formulas without a model if, and only if, one formula implies another.

G. Tseitin, "On the complexity of derivation in propositional calculus", 1968. Definitions of new
variables do not change what a formula says about the others, so they need no proof.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nqbench.clauses.cnf import CNF, Block, CNFBuilder


@dataclass(frozen=True, slots=True)
class Definition:
    """The literal is true if and only if all literals of one of these `clauses` are false."""

    literal: int
    clauses: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A formula whose first variables are the options, and definitions of some others by them."""

    formula: CNF
    options: int
    defined: tuple[Definition, ...] = ()

    @property
    def undefined(self) -> list[int]:
        """The variables that are neither options nor defined."""
        defined_variables = {abs(definition.literal) for definition in self.defined}
        every = range(self.options + 1, self.formula.num_variables + 1)
        return [variable for variable in every if variable not in defined_variables]


def with_options(formula: CNF, literals: Block) -> Subject:
    """The formula with a variable for each option in front, which is true if and only if all
    `literals` of the option are: shape (options, k), on the formula's first variables.

    Formulas such as those of `log` and `order` have no such variables. Where one option of each
    choice is chosen, the formula's first variables follow: such a variable is true if a chosen
    option contains it.
    """
    count = len(literals)
    cnf = CNFBuilder(num_main=count)
    cnf.fresh(formula.num_variables)
    shifted = _shift(literals, count)
    options = np.arange(1, count + 1, dtype=np.int32)
    for column in shifted.T:
        cnf.add_each(-options, column)
    cnf.add(np.concatenate([options[:, np.newaxis], -shifted], axis=1))
    for block in formula.blocks:
        cnf.add(_shift(block, count))
    containing: dict[int, list[tuple[int, ...]]] = {
        variable: [] for variable in range(count + 1, count + formula.num_main + 1)
    }
    for option, option_literals in enumerate(shifted.tolist(), start=1):
        for literal in option_literals:
            if literal > 0:
                containing[literal].append((-option,))
    defined = tuple(Definition(v, tuple(clauses)) for v, clauses in containing.items())
    return Subject(cnf.build(), count, defined)


def _shift(literals: Block, by: int) -> Block:
    return np.where(literals > 0, literals + by, literals - by).astype(np.int32)


def implies(premise: CNF, conclusion: Iterable[Sequence[int]]) -> CNF:
    """A formula without a model if and only if the premise implies every clause of the conclusion.

    The variables of the conclusion are among those of the premise.
    """
    claim = _Claim(premise.num_variables)
    claim.add_formula(premise)
    claim.add_negation(conclusion)
    return claim.build(premise.num_main)


def extends(
    premise: CNF,
    definitions: Sequence[Definition],
    subject: Subject,
    parts: Iterable[Collection[int]] | None = None,
) -> CNF:
    """The formula of `extension`."""
    return extension(premise, definitions, subject, parts).formula


@dataclass(frozen=True, slots=True, eq=False)
class Extension:
    """A formula, and what its variables mean. `reasons` has for each clause of each definition a
    literal that is true if and only if all literals of the clause are false. `broken` has a literal
    for each clause of the subject that may be false: one of them is true, only if it is.
    """

    formula: CNF
    reasons: list[list[int]]
    broken: list[int]


def extension(
    premise: CNF,
    definitions: Sequence[Definition],
    subject: Subject,
    parts: Iterable[Collection[int]] | None = None,
) -> Extension:
    """A formula without a model if and only if the defined values make the subject's formula true
    whenever the options satisfy the premise, with any values of its other variables, which are none
    of the formula's.

    `parts` has a part of each of the formula's clauses, in their order; where all parts are true,
    so are the clauses. By default they are the clauses themselves.

    Raises `ValueError` for other parts, and unless each of the formula's variables is an option or
    is defined once, by variables that are options or were defined before: only then do the
    definitions exist always.
    """
    defined = set(range(1, subject.options + 1))
    for definition in definitions:
        variables = {abs(literal) for clause in definition.clauses for literal in clause}
        if abs(definition.literal) in defined or not variables <= defined:
            raise ValueError(f"the definition of variable {abs(definition.literal)} is not sound")
        defined.add(abs(definition.literal))
    if defined != set(range(1, subject.formula.num_variables + 1)):
        raise ValueError("some variables are not defined")
    claim = _Claim(max(subject.formula.num_variables, premise.num_variables))
    claim.add_formula(premise)
    reasons = [claim.define(definition) for definition in definitions]
    broken = claim.add_negation(_parts(subject.formula, parts))
    return Extension(claim.build(premise.num_main), reasons, broken)


def _parts(formula: CNF, parts: Iterable[Collection[int]] | None) -> list[list[int]]:
    if parts is None:
        return list(formula.clauses())
    distinct = {}
    for clause, part in zip(formula.clauses(), map(frozenset, parts), strict=True):
        if not part <= set(clause):
            raise ValueError(f"{sorted(part)} is no part of the clause {clause}")
        distinct[part] = sorted(part)
    return list(distinct.values())


class _Claim:
    """Collects clauses of all widths, without repeated literals or tautologies."""

    def __init__(self, num_variables: int) -> None:
        self._num_variables = num_variables
        self._by_width: defaultdict[int, list[list[int]]] = defaultdict(list)
        self._stated: set[frozenset[int]] = set()

    def add_formula(self, formula: CNF) -> None:
        for clause in formula.clauses():
            self.add(clause)

    def add(self, literals: Collection[int]) -> None:
        clause = frozenset(literals)
        if any(-literal in clause for literal in clause) or clause in self._stated:
            return
        self._stated.add(clause)
        self._by_width[len(clause)].append(sorted(clause, key=abs))

    def define(self, definition: Definition) -> list[int]:
        """State that the literal is true exactly if one of its clauses has no true literal. For
        each clause, return a literal that says so.
        """
        literal = definition.literal
        broken = [self._fresh_all_false(clause) for clause in definition.clauses]
        for variable in broken:
            self.add([literal, -variable])
        self.add([-literal, *broken])
        return broken

    def add_negation(self, clauses: Iterable[Sequence[int]]) -> list[int]:
        """State that one of the clauses is false. Those that are stated themselves cannot be. For
        each of the others, return a literal that says so.
        """
        broken = [
            self._fresh_all_false(clause, only_if=True)
            for clause in clauses
            if frozenset(clause) not in self._stated
        ]
        self.add(broken)
        return broken

    def _fresh_all_false(self, clause: Sequence[int], only_if: bool = False) -> int:
        """A literal that is true only if all literals of the clause are false; and if so, unless
        `only_if`.
        """
        if len(clause) == 1:
            return -clause[0]
        self._num_variables += 1
        new = self._num_variables
        for literal in clause:
            self.add([-new, -literal])
        if not only_if:
            self.add([new, *clause])
        return new

    def build(self, num_main: int) -> CNF:
        cnf = CNFBuilder(num_main)
        cnf.fresh(self._num_variables - num_main)
        for width, clauses in sorted(self._by_width.items()):
            if width:
                cnf.add(np.array(clauses, dtype=np.int32))
            else:  # an empty clause, which solvers treat differently: the builder rewrites it
                cnf.add_without_zeros(np.zeros((1, 1), dtype=np.int32))
        return cnf.build()
