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


OPB_READER: Final = '''\
def read(path):
    """Return the number of variables, the rows `(terms, least, most)`, the terms to minimise, and
    what comments say of the file: -1 if it asks for the most, its variables, and their names.
    """
    count, rows, costs, sign, own, names = 0, [], {}, 1, 0, {}
    for line in open(path, errors="replace"):
        words = line.replace(";", " ").split()
        if not words or words[0][0] == "*":
            if words[1:2] == ["#variable="]:
                count = int(words[2])
            said = line.partition("c of the file: ")[2].split()
            if said[1:2] == ["variables"]:
                own = int(said[0])
            elif said[1:2] == ["is"]:
                names[int(said[0][1:])] = said[2]
            elif said:
                sign = -1
            continue
        is_cost = words[0] == "min:"
        pairs, least = (words[1:], 0) if is_cost else (words[:-2], int(words[-1]))
        terms = {}
        for weight, name in zip(map(int, pairs[::2]), pairs[1::2]):
            if name[0] == "~":
                least, weight = least - weight, -weight
            variable = int(name.lstrip("~x"))
            terms[variable] = terms.get(variable, 0) + weight
        if is_cost:
            costs = terms
        else:
            rows.append((terms, least, least if words[-2] == "=" else None))
    return count, rows, costs, sign, own or count, names
'''
"""A function that reads the OPB that `nqbench encode` writes."""


@dataclass(frozen=True, slots=True)
class BestSnippet:
    """The body of a function that gets the `path` of a file in OPB and what `read` of `OPB_READER`
    returns of it, `count`, `rows` and `costs`. It returns the values of a best model, as a list, or
    None if there is no model, and ends the program otherwise. `imports` are the statements before.
    """

    imports: tuple[str, ...]
    body: str


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
