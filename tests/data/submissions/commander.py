"""Right: the commanders of Klieber and Kwon."""

import sys
from itertools import combinations

n = int(sys.argv[1])
clauses = []
variables = n * n


def x(row, column):
    return row * n + column + 1


def fresh():
    global variables
    variables += 1
    return variables


def at_most_one(line):
    if len(line) < 4:
        clauses.extend([-a, -b] for a, b in combinations(line, 2))
        return
    commanders = []
    for start in range(0, len(line), 3):
        group = line[start : start + 3]
        commander = fresh()
        commanders.append(commander)
        clauses.extend([-a, -b] for a, b in combinations(group, 2))
        clauses.extend([-literal, commander] for literal in group)
        clauses.append([-commander, *group])
    at_most_one(commanders)


lines = {}
for row in range(n):
    clauses.append([x(row, column) for column in range(n)])
    for column in range(n):
        for line in (("r", row), ("c", column), ("f", row - column), ("g", row + column)):
            lines.setdefault(line, []).append(x(row, column))
for line in lines.values():
    at_most_one(line)
print("p cnf", variables, len(clauses))
for clause in clauses:
    print(*clause, 0)
