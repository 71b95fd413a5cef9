"""Right: the product of Chen."""

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
    if len(line) < 5:
        clauses.extend([-a, -b] for a, b in combinations(line, 2))
        return
    width = next(w for w in range(len(line)) if w * w >= len(line))
    columns = [fresh() for _ in range(width)]
    rows = [fresh() for _ in line[::width]]
    for i, literal in enumerate(line):
        clauses.append([-literal, rows[i // width]])
        clauses.append([-literal, columns[i % width]])
    at_most_one(rows)
    at_most_one(columns)


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
