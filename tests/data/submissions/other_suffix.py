"""Right: writes a file with another suffix."""

import sys
from pathlib import Path

n = int(sys.argv[1])


def x(row, column):
    return row * n + column + 1


squares = [(row, column) for row in range(n) for column in range(n)]
clauses = [[x(row, column) for column in range(n)] for row in range(n)]
for i, (row, column) in enumerate(squares):
    for other, there in squares[i + 1 :]:
        if row == other or column == there or abs(row - other) == abs(column - there):
            clauses.append([-x(row, column), -x(other, there)])
lines = [f"p cnf {n * n} {len(clauses)}", *(f"{' '.join(map(str, c))} 0" for c in clauses)]
Path(f"{n}queens.txt").write_text("\n".join(lines) + "\n")
print("formula written")
