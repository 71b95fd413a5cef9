"""Right: writes outside of its folder first, into what it takes for the /tmp of the machine."""

import sys
from pathlib import Path

n = int(sys.argv[1])

Path("/tmp/nqbench-planted-submission").write_text("was here")


def x(row, column):
    return row * n + column + 1


squares = [(row, column) for row in range(n) for column in range(n)]
clauses = [[x(row, column) for column in range(n)] for row in range(n)]
for i, (row, column) in enumerate(squares):
    for other, there in squares[i + 1 :]:
        if row == other or column == there or abs(row - other) == abs(column - there):
            clauses.append([-x(row, column), -x(other, there)])
print("p cnf", n * n, len(clauses))
for clause in clauses:
    print(*clause, 0)
