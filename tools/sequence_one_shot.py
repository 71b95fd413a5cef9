"""Conflicts of solvers on recorded sequences: all queries put to one solver, and each to a new one.

    python tools/sequence_one_shot.py results/reference/sequences minisat22,glucose4

prints a row of a table in Markdown for each file: `in sequence / one-shot`.
"""

import sys

import numpy as np

import nqbench
from nqbench.backends.base import Backend
from nqbench.clauses.cnf import CNF
from nqbench.common.vocabulary import Answer


def in_sequence(backend, sequence):
    """Conflicts of one solver, and its answers."""
    first, *rest = sequence.queries
    solver, answers = backend.load(sequence.clauses(0, 1)), []
    for query in (first, *rest):
        for block in () if query is first else query.added:
            solver.add_all(block)
        solver.assume(query.assumptions)
        answers.append(solver.solve())
    return solver.counters().conflicts, answers


def one_shot(backend, sequence, answers):
    """Conflicts of a new solver for each query, with its assumptions as clauses."""
    conflicts = 0
    for number, (query, expected) in enumerate(zip(sequence.queries, answers, strict=True)):
        formula = sequence.clauses(0, number + 1)
        units = np.array(query.assumptions, np.int32)[:, np.newaxis]
        solver = backend.load(CNF(formula.num_variables, 0, (*formula.blocks, units)))
        assert solver.solve() is expected is not Answer.UNKNOWN
        conflicts += solver.counters().conflicts
    return conflicts


def main():
    names = sys.argv[2].split(",")
    print("| file | queries |", " | ".join(f"`{name}`" for name in names), "|")
    print("| --- | --- |", " | ".join(["---"] * len(names)), "|", flush=True)
    for problem in nqbench.formulas(sys.argv[1]):
        sequence, cells = problem.sequence(), []
        for backend in map(Backend.named, names):
            conflicts, answers = in_sequence(backend, sequence)
            cells.append(f"{conflicts:,} / {one_shot(backend, sequence, answers):,}")
        name = problem.instance.partition(".")[0]
        print(f"| {name} | {len(sequence.queries)} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
