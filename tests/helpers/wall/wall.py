"""A plugin with the faults that a wall between encoders and judge has to stop.

With the environment variable NQBENCH_WALL, 'FAULT:PID', importing this puts one of `FAULTS` into
nqbench, except in the process PID, which is that of the test.
"""

import os
from dataclasses import dataclass

import numpy as np

from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.clauses.constraints import Constraints, Rows
from nqbench.encodings import lines, pairwise
from nqbench.encodings.base import Encoding
from nqbench.encodings.lines import LineEncoding
from nqbench.encodings.pairwise import Pairwise
from nqbench.encodings.totalizer import Totalizer
from nqbench.problems.base import Problem
from nqbench.problems.families.latin import LatinSquare, LatinSquares
from nqbench.problems.options import variables
from nqbench.problems.rules import Rules

_pairs, _encode = pairwise.pairs, LineEncoding.encode


def pairs_with_itself(groups):
    """Also pairs every variable with itself, as a bound that is one too low would."""
    return np.concatenate([_pairs(groups), -np.stack([groups, groups], axis=-1).reshape(-1, 2)])


def encode_without_an_item(self, problem):
    """Forbids all options of the first item."""
    cnf = _encode(self, problem)
    first = problem.constraints().rows[0].literals[0]
    return CNF(cnf.num_variables, cnf.num_main, (*cnf.blocks, -first[:, np.newaxis]))


def stamp_with_one_set(cnf, template, items):
    """Gives all items the same auxiliary variables."""
    count, k = items.shape
    fresh = np.tile(cnf.fresh_array(template.num_variables - k), (count, 1))
    stamped = np.concatenate([np.zeros((count, 1), np.int32), items, fresh], axis=1)
    for block in template.blocks:
        clauses = np.sign(block) * stamped[:, np.abs(block)]
        cnf.add(clauses.reshape(-1, block.shape[1]))
    return fresh


FAULTS = {
    "pairwise": (pairwise, "pairs", pairs_with_itself),
    "lines": (LineEncoding, "encode", encode_without_an_item),
    "stamp": (lines, "stamp", stamp_with_one_set),
}

planted, _, process = os.environ.get("NQBENCH_WALL", "").partition(":")
if planted and process != str(os.getpid()):
    setattr(*FAULTS[planted])


class Loads(Pairwise):
    """No fault, but loading it imports this module."""


class Strict(Totalizer):
    """Allows one literal less than it is asked for, and says that it does not."""

    def limit(self, cnf, x, most):
        super().limit(cnf, x, max(1, most - 1))


class Loose(Totalizer):
    """Allows one literal more than it is asked for, and says that it does not."""

    def limit(self, cnf, x, most):
        super().limit(cnf, x, most + 1)


class Silent(Strict):
    """Does not say how it states rows."""

    def copies(self, problem):
        return ()


class More(Totalizer):
    """Has a clause more than it says."""

    def encode(self, problem):
        cnf = super().encode(problem)
        return cnf.with_clauses(np.array([[-1], [-2], [-3], [-4]], np.int32))


def diagonals(order):
    """For each symbol, its options on the main diagonal, and those on the other one."""
    for symbol in range(order):
        yield [(at, at, symbol) for at in range(order)]
        yield [(at, order - 1 - at, symbol) for at in range(order)]


@dataclass(frozen=True, slots=True)
class Square(LatinSquare):
    """A Latin square about which no theorem is known."""

    family: str = "wall"

    @property
    def satisfiable(self):
        return None


@dataclass(frozen=True, slots=True)
class WrongCover(Square):
    """Its constraints want no symbol twice on the main diagonal: too few solutions."""

    family: str = "wall-wrong-cover"
    kept = slice(0, None, 2)

    def constraints(self):
        items = [variables(self.options, item) for item in list(diagonals(self.n))[self.kept]]
        right = LatinSquare.constraints(self)
        rows = Rows.at_most(np.array(items, dtype=np.int32), 1)
        return Constraints(right.cnf, (*right.rows, rows))


@dataclass(frozen=True, slots=True)
class LostCover(WrongCover):
    """Neither on the other one: no solution of order 3."""

    family: str = "wall-lost-cover"
    kept = slice(None)


def on_diagonals(one, other):
    same_symbol = one[2] == other[2]
    main = (one[0] == one[1]) & (other[0] == other[1])
    return same_symbol & (main | ((one[0] + one[1] == 2) & (other[0] + other[1] == 2)))


@dataclass(frozen=True, slots=True)
class WrongRule(Square):
    """Its rules want no symbol twice on a diagonal of order 3, which no Latin square fulfils."""

    family: str = "wall-wrong-rules"
    violation = Problem.violation

    def rules(self):
        right = LatinSquare.rules(self)
        return Rules(
            right.options,
            lambda one, other: right.clash(one, other) | on_diagonals(one, other),
            right.needed,
            right.chosen,
        )


@dataclass(frozen=True, slots=True)
class LaxRule(Square):
    """Its rules allow a symbol twice in a column."""

    family: str = "wall-lax-rules"
    violation = Problem.violation

    def rules(self):
        right = LatinSquare.rules(self)
        return Rules(
            right.options,
            lambda one, other: (one[0] == other[0]) & (one[1:] == other[1:]).any(axis=0),
            right.needed[: 2 * self.n**2],  # cells, and symbols in rows
            right.chosen,
        )


@dataclass(frozen=True, slots=True)
class TwoRule(WrongRule):
    """`violation` is right and `rules` is wrong."""

    family: str = "wall-two-rules"
    violation = LatinSquare.violation


@dataclass(frozen=True, slots=True)
class NoRule(LostCover):
    """No rules, and the wrong constraints."""

    family: str = "wall-no-rules"

    def rules(self):
        return None


def family(made):
    return type(made.__name__, (LatinSquares,), {"problem": made})


WrongCovers, LostCovers, WrongRules, LaxRules, TwoRules, NoRules = map(
    family, (WrongCover, LostCover, WrongRule, LaxRule, TwoRule, NoRule)
)


class Solves(Encoding):
    """Two clauses, and a decoder that places the queens itself, unless all values are equal."""

    reference = "planted"
    variables = 2

    def encode(self, problem):
        cnf = CNFBuilder(self.variables)
        cnf.add([[1], [-2]])
        return cnf.build()

    def decode(self, problem, values):
        n = problem.n
        rows = [*range(1, n, 2), *range(0, n, 2)]
        return tuple(enumerate(rows)) if values.any() and not values.all() else ()


class SolvesUnseen(Solves):
    """Says that its variables are not squares."""

    def shows_options(self, problem):
        return False


class SolvesBeside(Solves):
    """Has a variable for each square, and does not use it."""

    variables = 36
