"""Records the sequences of `results/reference/sequences`: eight kinds of applications.

    python tools/sequence_recordings.py FOLDER [SOLVER]

writes `FOLDER/NAME.icnf.gz` for each, all recorded with this solver of PySAT (default: glucose4).
"""

import gzip
import random
import sys
import tempfile
from itertools import combinations, product
from pathlib import Path

from pysat.examples.hitman import Hitman
from pysat.examples.musx import MUSX
from pysat.examples.rc2 import RC2
from pysat.formula import CNF, WCNF
from pysat.solvers import Solver

import nqbench
from nqbench.backends.base import Backend
from nqbench.encodings.base import Encoding
from nqbench.measure.best_k import better
from nqbench.measure.search import Search
from nqbench.problems.families.base import Family
from nqbench.problems.queens import Queens


def clauses(source, variables, ratio, width=3):
    """Random clauses of one width on so many variables."""
    return [
        [v * source.choice((1, -1)) for v in source.sample(range(1, variables + 1), width)]
        for _ in range(int(ratio * variables))
    ]


def rc2(solver):
    """MaxSAT by cores: A. Ignatiev, A. Morgado, J. Marques-Silva, JSAT 11, 2019."""
    source, formula = random.Random(2), WCNF()
    for clause in clauses(source, 50, 3.5):
        formula.append(clause)
    for clause in clauses(source, 50, 3.0, width=2):
        formula.append(clause, weight=source.randint(1, 4))
    with RC2(formula, solver=solver) as search:
        search.compute()


def musx(solver):
    """A minimal unsatisfiable part, clause by clause."""
    formula = WCNF()
    for clause in clauses(random.Random(3), 26, 5.5):
        formula.append(clause, weight=1)
    with MUSX(formula, solver=solver, verbosity=0) as search:
        search.compute()


def hitman(solver):
    """Hitting sets of random sets, the smallest ones first."""
    source = random.Random(4)
    sets = [source.sample(range(1, 31), 5) for _ in range(26)]
    with Hitman(bootstrap_with=sets, solver=solver, htype="sorted") as search:
        for _ in range(12):
            search.get()


def bmc(solver):
    """Whether a shift register of 8 bits reaches a state, with one more step each time."""
    bits, steps, rule = 8, 20, (0, 2, 3, 7)
    with Solver(name=solver, bootstrap_with=[[1], *([-b] for b in range(2, bits + 1))]) as asked:
        fresh = bits * (steps + 1)
        for step in range(steps):
            now = [bits * step + b + 1 for b in range(bits)]
            then = [v + bits for v in now]
            for target, source in zip(then[1:], now, strict=False):
                asked.append_formula([[-target, source], [target, -source]])
            parity = now[rule[0]]
            for tap in rule[1:]:
                fresh += 1
                a, b, c = parity, now[tap], fresh
                asked.append_formula([[-a, -b, -c], [a, b, -c], [a, -b, c], [-a, b, c]])
                parity = fresh
            asked.append_formula([[-then[0], parity], [then[0], -parity]])
            if asked.solve([then[b] if b in (1, 2, 5) else -then[b] for b in range(bits)]):
                asked.get_model()
            else:
                asked.get_core()


def queens(solver):
    """Queens placed row by row, each by an assumption, with a step back where none fits."""
    n, formula = 12, Encoding.named("pairwise").clauses(Queens(12))
    with Solver(name=solver, bootstrap_with=list(formula.clauses())) as asked:
        placed = []
        for row in range(n):
            for column in random.Random(row).sample(range(n), n):
                if asked.solve([*placed, row * n + column + 1]):
                    placed.append(row * n + column + 1)
                    break
                asked.get_core()


def own_search(problem, encoding, solver):
    """A search of nqbench, whose clauses a recorder sees if PySAT's interface loads them."""
    chosen, backend = Encoding.named(encoding), Backend.named(f"{solver}:loading=binding")
    return Search(problem, chosen, backend, chosen.encode(problem))


def count(solver):
    """All 40 solutions for n = 7, each excluded by a clause."""
    assert len(list(own_search(Queens(7), "pairwise", solver).all())) == 40


def optimum(solver):
    """The least number of queens that attack all squares of a board of 6 rows: from 7 down."""
    problem = Family.named("queen-domination:k=7").of_size(6)
    assert len(list(own_search(problem, "totalizer", solver).best(better))) > 1


def cubes():
    """Latin squares with two equal squares forbidden, and a cube for each way to begin."""
    order, formula = 5, CNF()
    cell = lambda r, c, v: 1 + v + order * (c + order * r)  # noqa: E731
    for a, b in product(range(order), repeat=2):
        for line in (
            [cell(a, b, v) for v in range(order)],
            [cell(a, v, b) for v in range(order)],
            [cell(v, a, b) for v in range(order)],
        ):
            formula.append(line)
            formula.extend([[-x, -y] for x, y in combinations(line, 2)])
    for r, v in product(range(order), repeat=2):  # each value once in each broken diagonal
        line = [cell(c, (c + r) % order, v) for c in range(order)]
        formula.extend([[-x, -y] for x, y in combinations(line, 2)])
    lines = ["p inccnf", *(" ".join(map(str, [*clause, 0])) for clause in formula.clauses)]
    for first, second in product(range(order), range(order * order)):
        cube = [cell(0, 0, first), cell(1, second // order, second % order)]
        lines.append(" ".join(map(str, ["a", *cube, 0])))
    return lines


APPLICATIONS = (rc2, musx, hitman, bmc, queens, count, optimum)


def main():
    folder, solver = Path(sys.argv[1]), (*sys.argv[2:], "glucose4")[0]
    folder.mkdir(parents=True, exist_ok=True)
    for application in APPLICATIONS:
        with tempfile.TemporaryDirectory() as place:
            with nqbench.record(place):
                application(solver)
            longest = max(Path(place).iterdir(), key=lambda file: file.stat().st_size)
            write(folder, application.__name__, longest.read_text())
    write(folder, "cubes", "\n".join(cubes()) + "\n")


def write(folder, name, text):
    (folder / f"{name}.icnf.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
