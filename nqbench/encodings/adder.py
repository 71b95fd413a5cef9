"""`adder`: the weights of true literals are added in binary, and a comparator has the bound.

J. Warners, "A linear-time transformation of linear inequalities into conjunctive normal form",
Information Processing Letters 68, 1998, with the queue of N. Eén, N. Sörensson, "Translating
pseudo-Boolean constraints into SAT", JSAT 2, 2006, section 5.1: each literal waits at the places of
the ones in its weight. Where three wait, a full adder makes of them one bit, and one at the next
place; where two are left, a half one does. Adders are clauses in the direction that a lower bound
needs, 7 for a full one and 4 for a half one, with two auxiliary variables each: their number can be
too small, but not too large. Of k bits at a place, carries included, there are (k - 1) / 2 full
adders, rounded down, and a half one if k is even. The comparator has a clause for each one in the
bound. So the size is linear in the digits of all weights: 12 auxiliary variables and 35 clauses for
the weights 7, 5, 3, 2 and 10 as bound. Unit propagation does not find all that follows from the
values of some variables.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Adder("adder").weighing(RowForm((2, 1, 1), 2))))
p cnf 7 9
-5 2 0
-5 3 0
-4 -5 0
-7 1 0
-7 5 0
-6 -7 0
6 7 0
-4 2 3 0
-6 1 5 0
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.rows import RowForm
from nqbench.encodings.counting import WeighedRow, WeighingEncoding
from nqbench.encodings.step_by_step import StepByStep


def _template(num_main: int, num_variables: int, *blocks: list[list[int]]) -> CNF:
    return CNF(num_variables, num_main, tuple(np.array(block, np.int32) for block in blocks))


_FULL: Final = _template(
    3,
    5,
    [[-5, 1, 2], [-5, 1, 3], [-5, 2, 3], [-4, -5, 1], [-4, -5, 2], [-4, -5, 3]],
    [[-4, 1, 2, 3]],
)
"""A full adder of three literals: 4 is its digit, 5 its carry."""

_HALF: Final = _template(2, 4, [[-4, 1], [-4, 2], [-3, -4]], [[-3, 1, 2]])
"""A half adder of two literals: 3 is its digit, 4 its carry."""


class Adder(WeighingEncoding):
    """Adders that sum up weights in binary, and a comparator."""

    reference = "N. Eén, N. Sörensson, JSAT 2, 2006"
    tightens = True  # of rows that count, whose weights do not depend on the bound

    def num_clauses(self, form: RowForm, most: int) -> int:  # noqa: ARG002 - it is quick to find
        clauses, carries, place = 0, 0, 0
        places = form.weights[0].bit_length()
        while place < places or carries:
            bits = carries + sum(weight >> place & 1 for weight in form.weights)
            full, half = max(0, bits - 1) // 2, int(bits > 0 and bits % 2 == 0)
            clauses += _FULL.num_clauses * full + _HALF.num_clauses * half
            carries = full + half
            place += 1
        return clauses + form.least.bit_count()

    def weigh(self, cnf: CNFBuilder, x: Block, form: RowForm) -> None:
        self.weigh_rows(cnf, [(form, x)])

    def weigh_rows(self, cnf: CNFBuilder, rows: Sequence[WeighedRow]) -> None:
        steps = StepByStep(cnf)
        for form, x in rows:
            _compare(steps, _sum(steps, x.tolist(), form.weights), form.least)
        steps.write()


def _sum(steps: StepByStep, x: list[int], weights: Sequence[int]) -> list[list[int]]:
    """The bits of a number that is at most the sum of the weights of true literals, lowest first:
    at each place one, or none.
    """
    waiting: defaultdict[int, deque[int]] = defaultdict(deque)
    for literal, weight in zip(x, weights, strict=True):
        for place in range(weight.bit_length()):
            if weight >> place & 1:
                waiting[place].append(literal)
    place = 0
    while place <= max(waiting):
        here = waiting[place]
        while len(here) > 1:
            added = [here.popleft() for _ in range(min(3, len(here)))]
            digit, carry = steps.take(_FULL if len(added) == 3 else _HALF, added)
            here.append(digit)
            waiting[place + 1].append(carry)
        place += 1
    return [list(waiting[place]) for place in range(max(waiting) + 1)]


def _compare(steps: StepByStep, bits: list[list[int]], least: int) -> None:
    """Require that the number of these bits is at least `least`."""
    larger: list[int] = []
    """The bits above at places where the bound has a zero."""
    for place in reversed(range(max(len(bits), least.bit_length()))):
        bit = bits[place] if place < len(bits) else []
        if least >> place & 1:
            clause = [*bit, *larger]
            steps.take(_clause(len(clause)), clause)
        else:
            larger += bit


@cache
def _clause(width: int) -> CNF:
    return _template(width, width, [list(range(1, width + 1))])
