"""Proves both directions by the templates that state rows: for files, and for problems whose rules
count more than clauses on the options can state.

The instance has the clauses of the rows, and copies of templates: see `checking.stamping`. If each
template allows exactly what its rows do, the instance allows exactly what the rows do together. Of
a problem with rules, the rows are its constraints. Those that count far have to be in the rules as
they are; for all others, the clauses of the rules are proved from those of the rows, and the other
way round. Of a problem with symmetries, the instance may have other clauses, if those follow from
the solutions that are kept.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from nqbench.checking import automorphisms, proof, reference
from nqbench.checking.file_rows import FileRows
from nqbench.checking.stamping import Stamping
from nqbench.checking.verify import ProofState
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.measure.implication import implications
from nqbench.measure.implication.implications import Subject
from nqbench.measure.implication.steps import Direction, State, Steps
from nqbench.measure.implication.templates import Templates, in_order
from nqbench.problems.base import Problem
from nqbench.problems.rules import Rules

_Group = tuple[tuple[int, ...], int, int]
"""Literals in order, of which at least and at most so many are true."""

_CLASH: Final = "the rules are impossible, which needs no encoding"


@dataclass(frozen=True, slots=True)
class RowDirections:
    """Both directions, for an instance that states rows by copies of templates."""

    instance: CNF
    file: FileRows
    stampings: Sequence[Stamping]
    templates: Templates

    def only_solutions(self) -> Direction:
        """Prove that each model of the instance meets the rows."""
        return self._both(self.templates.show_implying)

    def every_solution(self) -> Direction:
        """Prove that each choice that the rows allow extends to a model of the instance."""
        return self._both(self.templates.show_implied)

    def _both(self, show: Callable[[CNF, FileRows, Sequence[Stamping]], Direction]) -> Direction:
        try:
            return show(self.instance, self.file, self.stampings)
        except proof.NotCheckedError as error:
            return Direction(message=str(error))


@dataclass(frozen=True, slots=True)
class ConstraintsOfRules:
    """Compares the constraints of a problem with its rules."""

    problem: Problem
    constraints: Constraints
    steps: Steps

    def imply_rules(self) -> Direction:
        """Prove that the constraints imply the rules."""
        return self._shown(partial(_claim, forwards=True), "the constraints may allow too much")

    def follow_from_rules(self) -> Direction:
        """Prove that the rules imply the constraints."""
        return self._shown(partial(_claim, forwards=False), "the constraints may forbid too much")

    def _shown(self, claim: Callable[[Rules, Constraints], CNF | str], otherwise: str) -> Direction:
        def build() -> CNF | str:
            rules = reference.rules(self.problem)
            return (
                reference.why_none(self.problem)
                if rules is None
                else claim(rules, self.constraints)
            )

        return _show(self.steps, build, "comparing constraints with rules", otherwise)


@dataclass(frozen=True, slots=True)
class LexLeaders:
    """Compares the clauses of an instance that state no row with the solutions that the symmetries
    of its problem keep. The variables of the clauses are options, or theirs alone.
    """

    problem: Problem
    clauses: CNF
    options: int
    steps: Steps

    def imply_clauses(self) -> Direction:
        """Prove that each choice of options that is kept extends to a model of the clauses."""

        def build() -> CNF:
            subject = _renumbered(self.clauses, self.options)
            after = subject.num_variables
            every = CNF(self.options, self.options, ())
            premise = automorphisms.add_lex_leaders(every, self.problem.lex_leader(), after)
            return implications.extends(premise, in_order(subject), Subject(subject, self.options))

        otherwise = "the clauses that state no row may forbid too much"
        return _show(self.steps, build, "comparing symmetries", otherwise)


def _show(steps: Steps, build: Callable[[], CNF | str], doing: str, otherwise: str) -> Direction:
    """Whether a proof shows the claim; `otherwise` is what may be the case then."""
    try:
        checked = steps.prove(steps.state(build, doing))
    except proof.NotCheckedError as error:
        return Direction(message=str(error))
    if checked.state is ProofState.CHECKED:
        return Direction(State.PROVED)
    return Direction(message=f"{otherwise}: {checked.message or 'there is no proof'}")


def _renumbered(clauses: CNF, options: int) -> CNF:
    """The clauses, with the variables that are no options numbered after these."""
    used = np.unique(np.abs(np.concatenate([block.ravel() for block in clauses.blocks])))
    auxiliaries = used[used > options]
    number = np.arange(clauses.num_variables + 1, dtype=np.int32)
    number[auxiliaries] = options + 1 + np.arange(len(auxiliaries))
    blocks = tuple(np.sign(block) * number[np.abs(block)] for block in clauses.blocks)
    return CNF(options + len(auxiliaries), options, blocks)


def file_rows(constraints: Constraints) -> FileRows:
    """Constraints like the rows of a file: for each clause and each bound of a row, a line."""
    stated = [(block, 1, 1) for block in constraints.cnf.blocks]
    for rows in constraints.counted:
        if rows.least == rows.most:
            stated.append((rows.literals, 0, rows.most))
            continue
        if rows.least > 0:
            stated.append((rows.literals, 1, rows.least))
        if rows.most < rows.length:
            stated.append((rows.literals, -1, rows.most))
    counts = [len(block) for block, _, _ in stated]
    lengths = np.repeat([block.shape[1] for block, _, _ in stated], counts)
    literals = np.concatenate([np.zeros(0, np.int64), *(block.ravel() for block, _, _ in stated)])
    return FileRows(
        constraints.num_variables,
        np.arange(1, len(lengths) + 1),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        literals,
        np.ones(len(literals), np.int64),
        np.repeat([relation for _, relation, _ in stated], counts).astype(np.int64),
        np.repeat([bound for _, _, bound in stated], counts).astype(np.int64),
    )


def _claim(rules: Rules, constraints: Constraints, *, forwards: bool) -> CNF | str:
    """A formula without a model if and only if the constraints imply the rules, or the other way
    round; or why there is none.
    """
    ruled, small_rules = _of_rules(rules)
    stated, small_constraints = _of_constraints(constraints)
    of_rules, of_constraints = reference.clauses(small_rules), small_constraints.as_clauses()
    if of_rules.num_variables > constraints.num_variables:
        return _CLASH
    wanted, known = (ruled, stated) if forwards else (stated, ruled)
    for literals, least, most in wanted:
        if not any(
            literals == others and low >= least and high <= most for others, low, high in known
        ):
            return f"the rules and the constraints count {len(literals)} options differently"
    premise, conclusion = (of_constraints, of_rules) if forwards else (of_rules, of_constraints)
    premise = replace(premise, num_variables=constraints.num_variables)
    return implications.implies(premise, conclusion.clauses())


def _of_rules(rules: Rules) -> tuple[list[_Group], Rules]:
    """The groups that clauses cannot state, and all other rules."""
    large, small = [], []
    for counted in rules.counted:
        if reference.is_counted(replace(rules, counted=[counted])):
            group = tuple(np.sort(counted.literals).tolist())
            large.append((group, counted.least, counted.most))
        else:
            small.append(counted)
    return large, replace(rules, counted=small)


def _of_constraints(constraints: Constraints) -> tuple[list[_Group], Constraints]:
    """The rows that clauses cannot state, and all other constraints."""
    large: list[_Group] = []
    small: list[Rows] = []
    for rows in constraints.counted:
        subsets = sum(math.comb(each.length, each.most + 1) for each in rows.upper())
        if subsets > reference.MOST_SUBSETS:
            large += [
                (tuple(row), rows.least, rows.most)
                for row in np.sort(rows.literals, axis=1).tolist()
            ]
        else:
            small.append(rows)
    return large, Constraints(constraints.cnf, tuple(small))
