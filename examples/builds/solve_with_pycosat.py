"""A program that solves a DIMACS file with the module in a folder: solve_with_pycosat.py FOLDER FILE."""

import sys

folder, file = sys.argv[1:]
sys.path.insert(0, folder)

import pycosat  # noqa: E402 - from that folder

assert pycosat.__file__.startswith(folder), f"{pycosat.__file__} is another build"
with open(file) as lines:
    words = [line.split() for line in lines if not line.startswith("c")]
variables = int(words[0][2])
literals = [int(word) for line in words[1:] for word in line]
clauses, clause = [], []
for literal in literals:
    if literal:
        clause.append(literal)
    else:
        clauses.append(clause)
        clause = []
answer = pycosat.solve(clauses, vars=variables)
if answer == "UNSAT":
    print("s UNSATISFIABLE")
    sys.exit(20)
print("s SATISFIABLE")
print("v", *answer, 0)
sys.exit(10)
