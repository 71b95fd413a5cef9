"""Only one solution, found by a search here: no other one remains."""

import sys

n = int(sys.argv[1])


def x(row, column):
    return row * n + column + 1


squares = [(row, column) for row in range(n) for column in range(n)]
clauses = [[x(row, column) for column in range(n)] for row in range(n)]
for i, (row, column) in enumerate(squares):
    for other, there in squares[i + 1 :]:
        if row == other or column == there or abs(row - other) == abs(column - there):
            clauses.append([-x(row, column), -x(other, there)])


def place(queens):
    row = len(queens)
    if row == n:
        return queens
    for column in range(n):
        if all(column != q and abs(column - q) != row - r for r, q in enumerate(queens)):
            if found := place([*queens, column]):
                return found
    return None


clauses += [[x(row, column)] for row, column in enumerate(place([]))]
print("p cnf", n * n, len(clauses))
for clause in clauses:
    print(*clause, 0)
