"""Twenty-five formulas of five kinds, as somebody has who asks for a solver: for the campaign
`results/reference/mixed`.

    python tools/mixed_formulas.py FOLDER

A subfolder for each kind holds five formulas: schedules of open shops, colourings of random graphs,
a multiplier unrolled over its steps, pigeonholes in several schemes of at-most-one, and random
3-SAT near the threshold. The same formulas are written every time.
"""

import random
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import corpus
from arguments import paths

import nqbench
from nqbench.encodings.base import Encoding

SCHEDULES = ((11, 50, 1), (11, 52, 11), (12, 50, 2), (14, 44, 13), (16, 40, 14))
"""The slots of each, the percentage at which a job cannot be done, and the seed."""

COLOURINGS = ((4, 110, 4.4), (4, 120, 4.35), (4, 130, 4.3), (4, 150, 4.2), (5, 50, 6.2))
"""Colours, nodes, and edges per node."""

PRODUCTS = (
    (15, 18451 * 16453),
    (15, 421538371),
    (17, 89231 * 67723),
    (17, 10854582547),
    (18, 50233507873),
)
"""The bits of both factors, and the product that they have to have: two primes, or one."""

PIGEONS = ((8, "pairwise"), (9, "pairwise"), (10, "product"), (11, "sequential"), (11, "bimander"))
"""Pigeons, one more than holes, and the scheme."""

THRESHOLDS = ((200, 0), (220, 3), (230, 5), (240, 6), (250, 7))
"""Variables, and the seed."""

CLAUSES_PER_VARIABLE = 4.26


def formulas() -> Iterator[tuple[str, corpus.Formula]]:
    """Each formula, with its path in the folder."""
    for slots, closed, seed in SCHEDULES:
        shop = corpus.schedule(closed, random.Random(seed), slots)
        yield f"schedule/{slots}-{closed}.cnf", shop
    for colours, nodes, density in COLOURINGS:
        edges = round(density * nodes)
        graph = corpus.colouring(edges, random.Random(nodes), nodes, colours)
        yield f"colouring/{colours}-{nodes}.cnf", graph
    for bits, number in PRODUCTS:
        yield f"multiplier/{bits}-{number}.cnf", multiplier(bits, number)
    for pigeons, scheme in PIGEONS:
        (problem,) = nqbench.problems_of("pigeonhole", pigeons)
        cnf = Encoding.named(scheme).clauses(problem)
        yield f"pigeonhole/{pigeons}-{scheme}.cnf", (cnf.num_variables, list(cnf.clauses()))
    for variables, seed in THRESHOLDS:
        yield f"random/{variables}.cnf", three_sat(variables, random.Random(seed))


def three_sat(variables: int, drawn: random.Random) -> corpus.Formula:
    """Random clauses of three literals, as many as make about half of the formulas satisfiable."""
    clauses = [
        [drawn.choice((name, -name)) for name in drawn.sample(range(1, variables + 1), 3)]
        for _ in range(round(CLAUSES_PER_VARIABLE * variables))
    ]
    return variables, clauses


def multiplier(bits: int, number: int) -> corpus.Formula:
    """A circuit that multiplies by adding the shifted factor in one step for each bit of the other
    one, unrolled over all steps: its product has to be this number, and both factors above 1.
    """
    gates = Gates()
    one, other = gates.inputs(bits), gates.inputs(bits)
    total = [gates.false] * (2 * bits)
    for step, bit in enumerate(other):
        carry = gates.false
        for place, factor in enumerate(one, step):
            total[place], carry = gates.add(total[place], gates.both(factor, bit), carry)
        total[step + bits] = carry
    for place, literal in enumerate(total):
        gates.clauses.append([literal if number >> place & 1 else -literal])
    gates.clauses += [one[1:], other[1:]]
    return gates.variables, gates.clauses


class Gates:
    """A circuit as clauses: a variable for each gate (G. Tseitin, 1968)."""

    def __init__(self) -> None:
        self.variables, self.false = 1, 1
        self.clauses = [[-self.false]]

    def inputs(self, count: int) -> list[int]:
        """So many new variables."""
        self.variables += count
        return list(range(self.variables - count + 1, self.variables + 1))

    def both(self, one: int, other: int) -> int:
        """The output of an and-gate."""
        (output,) = self.inputs(1)
        self.clauses += [[-output, one], [-output, other], [output, -one, -other]]
        return output

    def add(self, *bits: int) -> tuple[int, int]:
        """The sum and the carry of a full adder of three bits."""
        total, carry = self.inputs(2)
        for values in product((False, True), repeat=3):
            differs = [-bit if value else bit for bit, value in zip(bits, values, strict=True)]
            self.clauses.append([*differs, total if sum(values) % 2 else -total])
        for one, other in combinations(bits, 2):
            self.clauses += [[-one, -other, carry], [one, other, -carry]]
        return total, carry


def main(folder: Path) -> None:
    """Write the formulas in this folder."""
    count = corpus.write(formulas(), folder)
    print(f"written: {count} formulas in {folder}")


if __name__ == "__main__":
    main(*paths(__doc__, "FOLDER"))
