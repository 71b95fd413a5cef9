"""Right: the groups with bits of Nguyen and Mai."""

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
    groups = [line[start : start + 2] for start in range(0, len(line), 2)]
    bits = [fresh() for _ in range((len(groups) - 1).bit_length())]
    for i, group in enumerate(groups):
        clauses.extend([-a, -b] for a, b in combinations(group, 2))
        for place, bit in enumerate(bits):
            clauses.extend([-literal, bit if i >> place & 1 else -bit] for literal in group)


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
