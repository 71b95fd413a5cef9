"""Right: says in a comment line where the variables of the squares are."""

import sys

n = int(sys.argv[1])
clauses = []
variables = 0
FIRST = 6 * n * n


def x(row, column):
    return FIRST + row * n + column + 1


def fresh():
    global variables
    variables += 1
    return variables


def at_most_one(line):
    passed = [fresh() for _ in line[1:]]
    for i, literal in enumerate(line):
        if i < len(passed):
            clauses.append([-literal, passed[i]])
        if 0 < i < len(passed):
            clauses.append([-passed[i - 1], passed[i]])
        if i > 0:
            clauses.append([-literal, -passed[i - 1]])


lines = {}
for row in range(n):
    clauses.append([x(row, column) for column in range(n)])
    for column in range(n):
        for line in (("r", row), ("c", column), ("f", row - column), ("g", row + column)):
            lines.setdefault(line, []).append(x(row, column))
for line in lines.values():
    at_most_one(line)
print("p cnf", FIRST + n * n, len(clauses))
print(f"c nqbench options {x(0, 0)}..{x(n - 1, n - 1)}")
for clause in clauses:
    print(*clause, 0)
