"""Formulas from known at-most-one constraints, for the campaign `results/reference/re-encoding`.

    python tools/corpus.py FOLDER

A subfolder for each family holds problems of nqbench in every at-most-one scheme, or colourings of
random graphs and schedules of open shops in pairs. Each formula is there twice: as it was written,
and shuffled, with other names and signs of variables and another order of literals and clauses.
"""

import random
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from pathlib import Path

from arguments import paths

import nqbench
from nqbench.encodings.base import Encoding

PROBLEMS = {"queens": 16, "torus": 10, "pigeonhole": 8, "langford": 10, "latin": 8}
"""The n of each family: queens and Latin squares exist, the others have no solution."""

SCHEMES = [
    "bimander", "bitwise", "cardinality-network", "commander", "k-modulo-totalizer", "ladder",
    "modulo-totalizer", "pairwise", "product", "sequential", "sorting-network", "totalizer",
]  # fmt: skip

SEEDS = range(4)
COLOURS, NODES, EDGES = 7, 30, (210, 230, 250)
SLOTS, CLOSED = 10, (40, 50, 55)
"""The time slots of a schedule, and the percentages of them at which a job cannot be done."""

Formula = tuple[int, list[list[int]]]
"""The number of variables, and the clauses."""


def corpus() -> Iterator[tuple[str, Formula]]:
    """Each formula, with its path in the folder."""
    for family, n in PROBLEMS.items():
        (problem,) = nqbench.problems_of(family, n)
        for name in SCHEMES:
            cnf = Encoding.named(name).clauses(problem)
            yield from with_copy(f"{family}/{n}-{name}", (cnf.num_variables, list(cnf.clauses())))
    for edges, seed in product(EDGES, SEEDS):
        yield from with_copy(f"colouring/{edges}-{seed}", colouring(edges, random.Random(seed)))
    for closed, seed in product(CLOSED, SEEDS):
        yield from with_copy(f"schedule/{closed}-{seed}", schedule(closed, random.Random(seed)))


def with_copy(name: str, formula: Formula) -> Iterator[tuple[str, Formula]]:
    """The formula and its shuffled copy."""
    yield f"{name}.cnf", formula
    yield f"{name}-shuffled.cnf", shuffled(formula, random.Random(name))


def colouring(
    edges: int, drawn: random.Random, nodes: int = NODES, colours: int = COLOURS
) -> Formula:
    """Each node of a random graph needs one colour, and neighbours need different ones."""
    every = range(colours)
    variable = {place: number for number, place in enumerate(product(range(nodes), every), 1)}
    clauses = [[variable[node, colour] for colour in every] for node in range(nodes)]
    clauses += pairs([variable[node, c] for c in every] for node in range(nodes))
    for one, other in drawn.sample(list(combinations(range(nodes), 2)), edges):
        clauses += pairs([variable[one, c], variable[other, c]] for c in every)
    return len(variable), clauses


def schedule(closed: int, drawn: random.Random, slots: int = SLOTS) -> Formula:
    """An open shop of unit jobs, one for each machine and worker: neither does two at a time. At
    some slots a job cannot be done.
    """
    every = range(slots)
    variable = {place: number for number, place in enumerate(product(every, every, every), 1)}
    clauses = [[variable[*job, slot] for slot in every] for job in product(every, every)]
    for one, other in product(every, every):
        clauses += pairs(
            [
                [variable[one, other, slot] for slot in every],
                [variable[one, worker, other] for worker in every],
                [variable[machine, one, other] for machine in every],
            ]
        )
    return len(variable), clauses + [
        [-each] for each in drawn.sample(list(variable.values()), len(variable) * closed // 100)
    ]


def pairs(groups: Iterable[list[int]]) -> list[list[int]]:
    """At most one of each group is true."""
    return [[-a, -b] for group in groups for a, b in combinations(group, 2)]


def shuffled(formula: Formula, drawn: random.Random) -> Formula:
    """The formula with other names and signs of variables, and in another order."""
    variables, clauses = formula
    names = list(range(1, variables + 1))
    drawn.shuffle(names)
    signed = [0, *(drawn.choice((name, -name)) for name in names)]
    renamed = [[signed[x] if x > 0 else -signed[-x] for x in clause] for clause in clauses]
    for clause in renamed:
        drawn.shuffle(clause)
    drawn.shuffle(renamed)
    return variables, renamed


def text(formula: Formula) -> str:
    """The formula as a DIMACS file."""
    variables, clauses = formula
    lines = (" ".join(map(str, [*clause, 0])) for clause in clauses)
    return "\n".join([f"p cnf {variables} {len(clauses)}", *lines, ""])


def write(formulas: Iterable[tuple[str, Formula]], folder: Path) -> int:
    """Write these formulas at their paths in the folder, and return their number."""
    written = 0
    for name, formula in formulas:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(formula))
        written += 1
    return written


def main(folder: Path) -> None:
    """Write the formulas in this folder."""
    count = write(corpus(), folder)
    print(f"written: {count} formulas in {folder}")


if __name__ == "__main__":
    main(*paths(__doc__, "FOLDER"))
