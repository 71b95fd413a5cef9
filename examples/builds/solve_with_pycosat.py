"""Solves a DIMACS file with the module in a folder: solve_with_pycosat.py FOLDER FILE."""

import sys
from pathlib import Path

folder, file = sys.argv[1:]
sys.path.insert(0, folder)

import pycosat  # noqa: E402 - from that folder

assert pycosat.__file__.startswith(folder), f"{pycosat.__file__} is another build"
lines = [line.split() for line in Path(file).read_text().splitlines() if not line.startswith("c")]
clauses, clause = [], []
for literal in (int(word) for line in lines[1:] for word in line):
    if literal:
        clause.append(literal)
    else:
        clauses.append(clause)
        clause = []
answer = pycosat.solve(clauses, vars=int(lines[0][2]))
if answer == "UNSAT":
    sys.stdout.write("s UNSATISFIABLE\n")
    sys.exit(20)
sys.stdout.write(f"s SATISFIABLE\nv {' '.join(map(str, answer))} 0\n")
sys.exit(10)
