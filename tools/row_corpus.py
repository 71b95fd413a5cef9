"""Files of clauses and rows, for the campaign `results/reference/constraints`.

    python tools/row_corpus.py FOLDER

A subfolder for each kind of problem holds files of KNF, CNF+ or OPB. Some kinds are families of
nqbench or formulas of CNFgen. The others are written here, and nothing is copied from published
benchmarks. Names state the answer and the arguments, the last of which is the seed if anything is
drawn. Needs CNFgen.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
from arguments import paths

import nqbench
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNFBuilder
from nqbench.clauses.constraints import Constraints, Rows
from nqbench.clauses.rewriting.detection import find_constraints, without

Literals = Sequence[int]
Drawn = random.Random


@dataclass
class Statement:
    """Variables, clauses and rows as they are stated, one after another."""

    variables: int = 0
    clauses: list[Literals] = field(default_factory=list)
    rows: dict[tuple[int, int, int], list[Literals]] = field(default_factory=dict)

    def table(self, *shape: int) -> np.ndarray:
        """New variables in an array of this shape."""
        first = self.variables + 1
        self.variables += int(np.prod(shape))
        return np.arange(first, self.variables + 1).reshape(shape)

    def clause(self, *literals: int) -> None:
        """At least one literal is true."""
        self.clauses.append([int(literal) for literal in literals])

    def row(self, literals: Sequence[int] | np.ndarray, least: int, most: int) -> None:
        """At least and at most so many literals are true."""
        row = [int(literal) for literal in literals]
        self.rows.setdefault((len(row), least, most), []).append(row)

    def at_most(self, literals: Sequence[int] | np.ndarray, k: int) -> None:
        """At most k literals are true."""
        self.row(literals, 0, k)

    def at_least(self, literals: Sequence[int] | np.ndarray, k: int) -> None:
        """At least k literals are true."""
        self.row(literals, k, len(literals))

    def exactly(self, literals: Sequence[int] | np.ndarray, k: int) -> None:
        """Exactly k literals are true."""
        self.row(literals, k, k)

    def constraints(self) -> Constraints:
        """All of it, rows of one shape in one array."""
        cnf = CNFBuilder(num_main=self.variables)
        for clause in self.clauses:
            cnf.add([clause])
        rows = (
            Rows(np.array(literals, np.int32), least, most)
            for (_, least, most), literals in self.rows.items()
        )
        stated = Constraints.of(self.variables, *rows)
        for block in stated.cnf.blocks:
            cnf.add(block)
        return Constraints(cnf.build(), stated.rows)


def family(name: str, n: int) -> Constraints:
    """A problem of nqbench."""
    (problem,) = nqbench.problems_of(name, n)
    return problem.constraints()


def from_cnfgen(command: str) -> Constraints:
    """A formula of CNFgen with rows in place of the at-most-ones in its clauses. CNFgen writes OPB
    as well, but with clauses only: it has no rows left when it writes them.
    """
    (problem,) = nqbench.cnfgen(command)
    formula = constraint_files.read_clauses(problem.content(), command)
    found = find_constraints(formula).constraints
    rows = (
        Rows.at_most(np.array([constraint.literals], np.int32), 1)
        for constraint in sorted(found, key=lambda constraint: constraint.literals)
    )
    stated = Constraints.of(formula.num_variables, *rows)
    return Constraints(without(formula, found), stated.rows)


def balanced_progressions(n: int, red: int, blue: int, least: int, most: int) -> Constraints:
    """Colour 1..n without `red` red or `blue` blue numbers in arithmetic progression, and with so
    many red numbers (B. van der Waerden, Nieuw Archief voor Wiskunde 15, 1927).
    """
    (problem,) = nqbench.problems_of(f"van-der-waerden:red={red}:blue={blue}", n)
    without_count = problem.constraints()
    every = np.arange(1, n + 1, dtype=np.int32)[np.newaxis]
    return Constraints(without_count.cnf, (*without_count.rows, Rows(every, least, most)))


def holes(pigeons: int, holes: int, capacity: int, lists: int, seed: int) -> Constraints:
    """Each pigeon is in one of the holes of its list, and each hole holds up to `capacity`."""
    drawn, stated = random.Random(seed), Statement()
    place = stated.table(pigeons, holes)
    for pigeon in place:
        for hole in drawn.sample(range(holes), holes - lists):
            stated.clause(-pigeon[hole])
        stated.clause(*pigeon)
    for hole in place.T:
        stated.at_most(hole, capacity)
    return stated.constraints()


def schedule(
    jobs: int, slots: int, machines: int, orders: int, window: int, seed: int
) -> Constraints:
    """Jobs of one time slot, on so many equal machines: each has a window of slots, and of some
    pairs one job ends before the other begins.
    """
    drawn, stated = random.Random(seed), Statement()
    at = stated.table(jobs, slots)
    for job in at:
        first = drawn.randrange(slots - window + 1)
        stated.exactly(job[first : first + window], 1)
        for slot in (*range(first), *range(first + window, slots)):
            stated.clause(-job[slot])
    for slot in at.T:
        stated.at_most(slot, machines)
    for one, other in drawn.sample(list(combinations(range(jobs), 2)), orders):
        for late, early in product(range(slots), range(slots)):
            if early <= late:
                stated.clause(-at[one, late], -at[other, early])
    return stated.constraints()


def timetable(
    events: int, periods: int, rooms: int, groups: int, size: int, closed: int, seed: int
) -> Constraints:
    """Each event has a period, but not one of the `closed` percent at which its teacher cannot.
    Each period has so many rooms, and events of one group of students are in different periods.
    """
    drawn, stated = random.Random(seed), Statement()
    at = stated.table(events, periods)
    for event in at:
        stated.exactly(event, 1)
    for closed_at in drawn.sample(at.ravel().tolist(), at.size * closed // 100):
        stated.clause(-closed_at)
    for period in at.T:
        stated.at_most(period, rooms)
    for _ in range(groups):
        group = drawn.sample(range(events), size)
        for period in at.T:
            stated.at_most(period[group], 1)
    return stated.constraints()


def roster(nurses: int, days: int, need: int, nights: int, off: int, seed: int) -> Constraints:
    """Two shifts a day with `need` nurses each, and a night with `nights`. A nurse has at most one
    shift a day, five in seven days and three nights among them, nothing but a night after a night,
    no early shift after a late one, and in total `off` percent of all days off.
    """
    drawn, stated = random.Random(seed), Statement()
    works = stated.table(nurses, days, 3)
    for day in range(days):
        for shift, least in enumerate((need, need, nights)):
            stated.at_least(works[:, day, shift], least)
    for nurse in works:
        for day in nurse:
            stated.at_most(day, 1)
        for first in range(days - 6):
            week = nurse[first : first + 7]
            stated.at_most(week.ravel(), 5)
            stated.at_most(week[:, 2], 3)
        for before, after in pairwise(nurse):
            stated.clause(-before[2], -after[0])
            stated.clause(-before[2], -after[1])
            stated.clause(-before[1], -after[0])
    for nurse, day in drawn.sample(
        list(product(range(nurses), range(days))), nurses * days * off // 100
    ):
        for shift in works[nurse, day]:
            stated.clause(-shift)
    return stated.constraints()


def colouring(nodes: int, edges: int, colours: int, most: int, seed: int) -> Constraints:
    """Colour a random graph, with at most so many nodes of each colour."""
    drawn, stated = random.Random(seed), Statement()
    has = stated.table(nodes, colours)
    for node in has:
        stated.clause(*node)
    for one, other in drawn.sample(list(combinations(range(nodes), 2)), edges):
        for colour in range(colours):
            stated.clause(-has[one, colour], -has[other, colour])
    for colour in has.T:
        stated.at_most(colour, most)
    return stated.constraints()


def random_rows(variables: int, rows: int, length: int, least: int, seed: int) -> Constraints:
    """So many random rows, each of at least `least` of `length` literals of either sign."""
    drawn, stated = random.Random(seed), Statement()
    every = stated.table(variables)
    for _ in range(rows):
        chosen = drawn.sample(every.tolist(), length)
        stated.at_least([drawn.choice((one, -one)) for one in chosen], least)
    return stated.constraints()


def shuffled_row(stated: Statement, literals: np.ndarray, most: int, drawn: Drawn) -> None:
    """At most so many of the literals, which are in random order."""
    stated.at_most(drawn.sample(literals.tolist(), len(literals)), most)


def vertex_cover(nodes: int, edges: int, k: int, seed: int) -> Constraints:
    """At most k nodes of a random graph touch every edge."""
    drawn, stated = random.Random(seed), Statement()
    node = stated.table(nodes)
    for one, other in drawn.sample(list(combinations(node.tolist(), 2)), edges):
        stated.clause(one, other)
    shuffled_row(stated, node, k, drawn)
    return stated.constraints()


def hitting_set(elements: int, sets: int, size: int, k: int, seed: int) -> Constraints:
    """At most k elements hit every one of the random sets."""
    drawn, stated = random.Random(seed), Statement()
    element = stated.table(elements)
    for _ in range(sets):
        stated.clause(*drawn.sample(element.tolist(), size))
    shuffled_row(stated, element, k, drawn)
    return stated.constraints()


def broken_clauses(variables: int, clauses: int, k: int, seed: int) -> Constraints:
    """At most k of random clauses of three literals are false."""
    drawn, stated = random.Random(seed), Statement()
    every, broken = stated.table(variables), stated.table(clauses)
    for relaxed in broken:
        chosen = drawn.sample(every.tolist(), 3)
        stated.clause(*(drawn.choice((one, -one)) for one in chosen), relaxed)
    shuffled_row(stated, broken, k, drawn)
    return stated.constraints()


def cut(nodes: int, edges: int, k: int, seed: int) -> Constraints:
    """Two sides of a random graph with at most k edges within a side."""
    drawn, stated = random.Random(seed), Statement()
    side, within = stated.table(nodes), stated.table(edges)
    pairs = drawn.sample(list(combinations(side.tolist(), 2)), edges)
    for (one, other), edge in zip(pairs, within, strict=True):
        stated.clause(one, other, edge)
        stated.clause(-one, -other, edge)
    shuffled_row(stated, within, k, drawn)
    return stated.constraints()


def code(words: int, length: int, weight: int, overlap: int) -> Constraints:
    """So many words of constant weight, two of which have at most so many ones in common (A.
    Brouwer, J. Shearer, N. Sloane, W. Smith, "A new table of constant weight codes", 1990).
    """
    stated = Statement()
    bit = stated.table(words, length)
    for word in bit:
        stated.exactly(word, weight)
    for one, other in combinations(bit, 2):
        common = stated.table(length)
        for left, right, both in zip(one, other, common, strict=True):
            stated.clause(-left, -right, both)
        stated.at_most(common, overlap)
    return stated.constraints()


@dataclass(frozen=True)
class Kind:
    """Problems of one kind: what states them, the suffix of their files, and their arguments."""

    state: Callable[..., Constraints]
    suffix: str
    satisfiable: Sequence[tuple[int | str, ...]]
    unsatisfiable: Sequence[tuple[int | str, ...]]

    def files(self) -> Iterator[tuple[str, tuple[int | str, ...]]]:
        """The name of each file, and its arguments."""
        for answer, every in (("sat", self.satisfiable), ("unsat", self.unsatisfiable)):
            for arguments in every:
                words = re.sub(r"[^\w]+", "-", "-".join(map(str, arguments)))
                yield f"{answer}-{words}{self.suffix}", arguments


KINDS = {
    "domination": Kind(
        family,
        ".knf",
        [("queen-domination:k=5", 10), ("queen-domination:k=5:independent=yes", 10)],
        [("queen-domination:k=4", 8), ("queen-domination:k=4", 9)],
    ),
    "squares-free": Kind(
        family,
        ".knf",
        [("squares-free:k=32", 7), ("squares-free:k=41", 8)],
        [("squares-free:k=33", 7), ("squares-free:k=22:squares=all", 6)],
    ),
    "peaceable": Kind(
        family,
        ".knf",
        [("peaceable-queens:k=9", 8), ("peaceable-queens:k=12", 9), ("peaceable-queens:k=14", 10)],
        [("peaceable-queens:k=6", 6), ("peaceable-queens:k=8", 7)],
    ),
    "magic": Kind(family, ".knf", [("magic-square", n) for n in (4, 5, 6)], []),
    "progressions": Kind(
        balanced_progressions,
        ".knf",
        [(74, 3, 9, 0, 22), (76, 3, 9, 0, 24)],
        [(55, 4, 5, 27, 28), (58, 3, 8, 0, 20), (100, 3, 9, 0, 30)],
    ),
    "cnfgen": Kind(
        from_cnfgen,
        ".opb",
        [],
        [("php 8 7",), ("php 9 8",), ("count 10 3",)],
    ),
    "holes": Kind(
        holes,
        ".cnf+",
        [(200, 20, 10, 3, 1)],
        [(16, 5, 3, 4, 1), (19, 6, 3, 3, 0), (31, 5, 6, 2, 0), (41, 10, 4, 2, 0)],
    ),
    "schedule": Kind(
        schedule,
        ".opb",
        [(160, 20, 9, 20, 10, 2)],
        [(40, 10, 5, 20, 5, 0)],
    ),
    "timetable": Kind(
        timetable,
        ".cnf+",
        [(60, 12, 5, 40, 6, 58, 4), (60, 12, 5, 40, 6, 62, 8), (100, 12, 9, 66, 8, 0, 0),
         (100, 12, 9, 70, 8, 0, 2)],
        [(60, 12, 5, 40, 6, 63, 2)],
    ),
    "roster": Kind(
        roster,
        ".opb",
        [(20, 14, 5, 4, 5, 0), (30, 14, 7, 6, 12, 0), (30, 14, 8, 5, 5, 0),
         (36, 14, 9, 6, 16, 1), (40, 14, 10, 7, 12, 0)],
        [(20, 14, 5, 4, 12, 0), (30, 14, 7, 6, 20, 0), (30, 14, 8, 5, 20, 0),
         (32, 14, 8, 6, 16, 1)],
    ),
    "colouring": Kind(
        colouring,
        ".knf",
        [(60, 350, 5, 12, 1), (100, 405, 4, 25, 3), (100, 410, 4, 25, 1)],
        [(60, 260, 4, 15, 0), (100, 410, 4, 25, 0), (150, 335, 3, 50, 0)],
    ),
    "random": Kind(
        random_rows,
        ".cnf+",
        [(30, 16, 21, 12, 1), (40, 12, 20, 12, 1), (40, 12, 30, 18, 1)],
        [(26, 20, 20, 11, 0), (40, 60, 10, 5, 1), (40, 24, 20, 12, 1)],
    ),
    "vertex-cover": Kind(
        vertex_cover,
        ".opb",
        [(60, 150, 36, 0), (70, 160, 39, 5), (80, 160, 44, 0), (100, 180, 53, 1)],
        [(60, 150, 35, 0), (70, 160, 38, 5), (80, 160, 43, 0)],
    ),
    "hitting-set": Kind(
        hitting_set,
        ".knf",
        [(40, 60, 5, 10, 0), (60, 60, 6, 12, 0), (60, 60, 6, 11, 0)],
        [(40, 60, 5, 9, 0), (200, 30, 8, 5, 2), (200, 40, 10, 6, 2)],
    ),
    "broken-clauses": Kind(
        broken_clauses,
        ".cnf+",
        [(30, 180, 4, 0), (20, 150, 5, 2)],
        [(30, 180, 3, 0), (20, 150, 4, 2), (50, 250, 1, 3)],
    ),
    "cut": Kind(cut, ".opb", [(20, 60, 15, 0)], [(20, 60, 14, 0), (18, 50, 10, 1)]),
    "code": Kind(
        code,
        ".knf",
        [(12, 9, 3, 1)],
        [(4, 9, 4, 1), (5, 9, 4, 1)],
    ),
}  # fmt: skip
"""The files. `tools/row_readers.py` prints which other solvers confirm their answers."""


def main(folder: Path) -> None:
    """Write the files in this folder."""
    count = 0
    for name, kind in KINDS.items():
        for file, arguments in kind.files():
            constraint_files.write_file(kind.state(*arguments), folder / name / file)
            count += 1
    print(f"written: {count} files in {folder}")


if __name__ == "__main__":
    main(*paths(__doc__, "FOLDER"))
