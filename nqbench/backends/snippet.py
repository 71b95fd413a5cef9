"""Python that solves the formula in a file with a solver's own interface, without nqbench.

It repeats what the backend's `load` and `solve` do, so it is declared beside them and makes the
same search. `show.use` makes a program of it.
"""

from dataclasses import dataclass
from typing import Final

READER: Final = '''\
def read(path):
    """Return the number of variables, the clauses, and the rows `(literals, most)` of a file."""
    variables, clauses, rows, clause = 0, [], [], []
    for line in open(path, errors="replace"):
        words = line.split()
        if not words or words[0][0] == "c":
            continue
        if words[0][0] == "%":
            break
        if words[0] == "p":
            variables = int(words[2])
        elif words[-2:-1] == ["<="]:
            rows.append(([int(word) for word in words[:-2]], int(words[-1])))
        elif words[-2:-1] == [">="]:
            rows.append(([-int(word) for word in words[:-2]], len(words) - 2 - int(words[-1])))
        else:
            for literal in map(int, words):
                clause.append(literal)
                if literal == 0:
                    clauses.append(clause[:-1])
                    clause = []
    return variables, clauses, rows
'''
"""A function that reads DIMACS and CNF+, for libraries that do not."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """The body of a function that gets the `path` of a file, and returns a model and the number of
    conflicts. A model is the literals that are true, or None if there is none; the number is None
    if the solver does not report it.

    `imports` are the statements before the function. With `reads`, the body calls `read` of
    `READER`. `body` is not indented. With `of_board`, it gets the number `n` of rows of an empty
    board instead, and its model is the column of each row's queen.
    """

    imports: tuple[str, ...]
    body: str
    reads: bool = False
    of_board: bool = False
