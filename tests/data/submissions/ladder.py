"""Right: the ladder of Gent and Nightingale."""

import sys

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
    if len(line) < 2:
        return
    rungs = [fresh() for _ in line[1:]]
    clauses.extend([-b, a] for a, b in zip(rungs, rungs[1:], strict=False))
    for i, literal in enumerate(line):
        if i > 0:
            clauses.append([-literal, rungs[i - 1]])
        if i < len(rungs):
            clauses.append([-literal, -rungs[i]])


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
