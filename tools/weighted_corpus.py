"""Files of rows with weights, for the campaign `results/reference/weights`.

    python tools/weighted_corpus.py FOLDER
    python tools/weighted_corpus.py --objectives FOLDER

A subfolder for each kind of problem holds pairs of OPB files. Most state a problem of optimisation
as two decisions: the objective is at least as good as its optimum (`sat-...`), or better by one
(`unsat-...`). CP-SAT finds the optimum here, and the campaign checks both answers. The other kind
has sums to be met exactly; its answers are those of CP-SAT. Nothing is copied from published
benchmarks. Names state the answer and the arguments, the last of which is the seed. Needs OR-Tools.

With `--objectives`, the problems of optimisation are written as they are, for
`tools/weighted_optima.py`: as OPB, and those without rows as WCNF, too.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from ortools.sat.python import cp_model

from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Constraints
from nqbench.problems.python_models.statement import Statement

Arguments = tuple[int, ...]

LONGEST_S = 60
"""How long CP-SAT may look for an optimum."""


class Numbers(Statement):
    """A statement with new variables as numbers."""

    def table(self, *shape: int) -> np.ndarray:
        """New variables in an array of this shape."""
        first = self.num_variables + 1
        self.num_variables += int(np.prod(shape))
        return np.arange(first, self.num_variables + 1).reshape(shape)

    def constraints(self) -> Constraints:
        """All of it."""
        formula = self.formula()
        return Constraints(formula) if isinstance(formula, CNF) else formula


def knapsack(items: int, bounds: int, largest: int, seed: int) -> Constraints:
    """Pack items of the largest total value, within half of the total of each of their weights.
    Values are near to the weights, which makes it hard (D. Pisinger, "Where are the hard knapsack
    problems?", Computers and Operations Research 32, 2005).
    """
    drawn, stated = random.Random(seed), Numbers()
    packed = stated.table(items)
    weights = [[drawn.randint(1, largest) for _ in range(items)] for _ in range(bounds)]
    for row in weights:
        stated.row(packed, row, "<=", sum(row) // 2)
    means = [sum(column) // bounds for column in zip(*weights, strict=True)]
    values = [max(1, mean + drawn.randint(-largest // 5, largest // 5)) for mean in means]
    stated.objective(packed, values, is_maximised=True)
    return stated.constraints()


def market_split(rows: int, variables: int, largest: int, seed: int) -> Constraints:
    """Split customers such that each product is sold by halves (G. Cornuéjols, M. Dawande, "A class
    of hard small 0-1 programs", IPCO 1998).
    """
    drawn, stated = random.Random(seed), Numbers()
    split = stated.table(variables)
    for _ in range(rows):
        demand = [drawn.randint(1, largest) for _ in range(variables)]
        stated.row(split, demand, "=", sum(demand) // 2)
    return stated.constraints()


def makespan(jobs: int, machines: int, longest: int, seed: int) -> Constraints:
    """Assign jobs to equal machines such that the last one ends as early as possible. The time is a
    number of bits.
    """
    drawn, stated = random.Random(seed), Numbers()
    durations = [drawn.randint(longest // 5, longest) for _ in range(jobs)]
    on = stated.table(jobs, machines)
    least = -(-sum(durations) // machines)
    bits = stated.table((longest).bit_length())
    powers = [2**place for place in range(len(bits))]
    for job in on:
        stated.row(job, None, "=", 1)
    for machine in on.T:
        literals, weights = [*machine, *bits], [*durations, *(-power for power in powers)]
        stated.row(literals, weights, "<=", least)
    stated.objective(bits, powers, is_maximised=False)
    return stated.constraints()


def tardiness(jobs: int, slots: int, most: int, seed: int) -> Constraints:
    """Jobs of different lengths and weights on one machine, each within its window, such that the
    weighted sum of what they are late is as small as possible; `most` is the largest weight.
    """
    drawn, stated = random.Random(seed), Numbers()
    lengths = [drawn.randint(1, 3) for _ in range(jobs)]
    busy: list[list[int]] = [[] for _ in range(slots)]
    literals: list[int] = []
    costs: list[int] = []
    for length in lengths:
        begins = stated.table(slots - length + 1)
        due, weight = drawn.randint(length, slots * 2 // 3), drawn.randint(1, most)
        stated.row(begins, None, "=", 1)
        for begin, literal in enumerate(begins.tolist()):
            for slot in range(begin, begin + length):
                busy[slot].append(literal)
            if begin + length > due:
                literals.append(literal)
                costs.append(weight * (begin + length - due))
    for every in busy:
        stated.row(every, None, "<=", 1)
    stated.objective(literals, costs, is_maximised=False)
    return stated.constraints()


def assignment(jobs: int, agents: int, largest: int, seed: int) -> Constraints:
    """Assign each job to an agent who has the time for it, at the least cost (S. Martello, P. Toth,
    Knapsack Problems, 1990, chapter 7).
    """
    drawn, stated = random.Random(seed), Numbers()
    does = stated.table(jobs, agents)
    takes = np.array([[drawn.randint(largest // 4, largest) for _ in does.T] for _ in does])
    costs = [[largest + 5 - t + drawn.randint(0, largest // 4) for t in row] for row in takes]
    for job in does:
        stated.row(job, None, "=", 1)
    for agent, times in zip(does.T, takes.T, strict=True):
        stated.row(agent, times.tolist(), "<=", int(times.sum()) * 11 // (10 * agents))
    stated.objective(does.ravel(), [cost for row in costs for cost in row], is_maximised=False)
    return stated.constraints()


def random_edges(drawn: random.Random, nodes: int, edges: int) -> list[tuple[int, int]]:
    """So many pairs of numbers from 1."""
    return drawn.sample(list(combinations(range(1, nodes + 1), 2)), edges)


def vertex_cover(nodes: int, edges: int, largest: int, seed: int) -> Constraints:
    """Nodes of the least total weight that touch every edge of a random graph."""
    drawn, stated = random.Random(seed), Numbers()
    node = stated.table(nodes)
    for edge in random_edges(drawn, nodes, edges):
        stated.clause(edge)
    stated.objective(node, [drawn.randint(1, largest) for _ in node], is_maximised=False)
    return stated.constraints()


def domination(nodes: int, edges: int, largest: int, seed: int) -> Constraints:
    """Nodes of the least total weight such that each node is one of them or their neighbour."""
    drawn, stated = random.Random(seed), Numbers()
    node = stated.table(nodes)
    near = {int(one): {int(one)} for one in node}
    for one, other in random_edges(drawn, nodes, edges):
        near[one].add(other)
        near[other].add(one)
    for neighbours in near.values():
        stated.clause(sorted(neighbours))
    stated.objective(node, [drawn.randint(1, largest) for _ in node], is_maximised=False)
    return stated.constraints()


def cut(nodes: int, edges: int, largest: int, seed: int) -> Constraints:
    """Two sides of a random graph with edges of the least total weight within a side."""
    drawn, stated = random.Random(seed), Numbers()
    stated.table(nodes)
    within = stated.table(edges)
    for (one, other), edge in zip(random_edges(drawn, nodes, edges), within, strict=True):
        stated.clause([one, other, edge])
        stated.clause([-one, -other, edge])
    stated.clause([1])
    stated.objective(within, [drawn.randint(1, largest) for _ in within], is_maximised=False)
    return stated.constraints()


def broken_clauses(variables: int, clauses: int, largest: int, seed: int) -> Constraints:
    """Random clauses of three literals; the total weight of those that are false is the least."""
    drawn, stated = random.Random(seed), Numbers()
    every, broken = stated.table(variables), stated.table(clauses)
    for relaxed in broken:
        chosen = drawn.sample(every.tolist(), 3)
        stated.clause([*(drawn.choice((one, -one)) for one in chosen), relaxed])
    stated.objective(broken, [drawn.randint(1, largest) for _ in broken], is_maximised=False)
    return stated.constraints()


KINDS: dict[str, tuple[Callable[..., Constraints], Sequence[Arguments]]] = {
    "knapsack": (
        knapsack,
        [(16, 1, 20, 0), (20, 1, 100, 1), (16, 2, 50, 2), (20, 3, 20, 3), (24, 1, 1000, 4)],
    ),
    "market-split": (
        market_split,
        [(2, 14, 50, 0), (2, 16, 20, 1), (2, 18, 100, 2), (3, 20, 20, 3)],
    ),
    "makespan": (makespan, [(12, 3, 20, 0), (14, 4, 50, 1), (16, 3, 100, 2), (16, 5, 20, 3)]),
    "tardiness": (tardiness, [(6, 16, 5, 0), (8, 20, 10, 1), (9, 22, 20, 2), (10, 24, 10, 3)]),
    "assignment": (assignment, [(8, 3, 20, 0), (10, 3, 50, 1), (12, 3, 20, 2), (10, 4, 100, 3)]),
    "vertex-cover": (
        vertex_cover,
        [(30, 60, 10, 0), (40, 90, 5, 1), (50, 100, 20, 2), (40, 80, 100, 3), (60, 120, 10, 4)],
    ),
    "domination": (
        domination,
        [(30, 50, 10, 0), (40, 70, 5, 1), (50, 90, 20, 2), (40, 60, 100, 3), (60, 100, 10, 4)],
    ),
    "cut": (cut, [(12, 30, 10, 0), (14, 36, 5, 1), (16, 40, 20, 2), (14, 34, 100, 3)]),
    "broken-clauses": (
        broken_clauses,
        [(16, 100, 10, 0), (20, 120, 5, 1), (20, 110, 20, 2), (18, 100, 100, 3)],
    ),
}
"""What states each kind, and the arguments of its files."""


@dataclass(frozen=True)
class Solution:
    """What CP-SAT says: whether there is a solution, and the least value to be minimised."""

    is_satisfiable: bool
    best: int | None


def solved(stated: Constraints) -> Solution:
    """What CP-SAT says, by its own search on two threads. Exits if it takes too long."""
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    variables = [model.new_bool_var("") for _ in range(stated.num_variables)]

    def of(literal: int) -> cp_model.LiteralT:
        variable = variables[abs(literal) - 1]
        return variable if literal > 0 else ~variable

    for block in stated.cnf.blocks:
        for clause in block.tolist():
            model.add_bool_or(list(map(of, clause)))
    for rows in stated.counted:
        for row in rows.literals.tolist():
            model.add_linear_constraint(sum(map(of, row)), rows.least, rows.most)
    for weighted in stated.weighted:
        for literals, weights, least, most in zip(
            *(part.tolist() for part in (weighted.literals, weighted.weights)),
            *(part.tolist() for part in (weighted.least, weighted.most)),
            strict=True,
        ):
            terms = zip(literals, weights, strict=True)
            model.add_linear_constraint(sum(w * of(x) for x, w in terms), least, most)
    objective = stated.objective
    if objective is not None:
        terms = zip(objective.literals.tolist(), objective.weights.tolist(), strict=True)
        model.minimize(sum(w * of(x) for x, w in terms) + objective.constant)
    solver.parameters.max_time_in_seconds = LONGEST_S
    solver.parameters.num_workers = 2
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        sys.exit(f"CP-SAT is not sure after {LONGEST_S} s")
    is_satisfiable = status == cp_model.OPTIMAL
    return Solution(
        is_satisfiable,
        round(solver.objective_value) if is_satisfiable and objective is not None else None,
    )


def files(kind: str, arguments: Arguments) -> Iterator[tuple[str, Constraints]]:
    """The names and contents of the files with these arguments."""
    state, _ = KINDS[kind]
    stated = state(*arguments)
    words = "-".join(map(str, arguments))
    solution = solved(stated)
    if stated.objective is None:
        yield f"{'sat' if solution.is_satisfiable else 'unsat'}-{words}.opb", stated
        return
    assert solution.best is not None, "every objective here has a best value"
    for answer, value in (("sat", solution.best), ("unsat", solution.best - 1)):
        bound = stated.objective.at_most(value)
        decision = replace(stated, rows=(*stated.rows, bound), objective=None)
        yield f"{answer}-{words}.opb", decision


def objectives(kind: str) -> Iterator[tuple[str, Constraints]]:
    """The names and contents of the files that state the objectives of a kind."""
    state, every = KINDS[kind]
    for arguments in every:
        stated = state(*arguments)
        if stated.objective is not None:
            name = "-".join(map(str, arguments))
            yield f"{name}.opb", stated
            if not stated.num_rows:
                yield f"{name}.wcnf", stated


def decisions(kind: str) -> Iterator[tuple[str, Constraints]]:
    """The names and contents of all files of a kind."""
    for arguments in KINDS[kind][1]:
        yield from files(kind, arguments)


def main(folder: Path, *, only_objectives: bool) -> None:
    """Write the files in this folder."""
    count = 0
    for kind in KINDS:
        for name, stated in (objectives if only_objectives else decisions)(kind):
            constraint_files.write_file(stated, folder / kind / name)
            count += 1
    print(f"written: {count} files in {folder}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--objectives", action="store_true", help="write these only")
    arguments = parser.parse_args()
    main(arguments.folder, only_objectives=arguments.objectives)
