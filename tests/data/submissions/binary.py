"""Right: the bits of Frisch and others."""

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
    bits = [fresh() for _ in range((len(line) - 1).bit_length())]
    for i, literal in enumerate(line):
        for place, bit in enumerate(bits):
            clauses.append([-literal, bit if i >> place & 1 else -bit])


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
