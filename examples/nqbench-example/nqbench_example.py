"""An encoding and a backend for nqbench.

`triangle` splits `pairwise` in two: pairs among the first g squares of a line, pairs among the
rest, and one variable for the part that holds the queen. `dpll` is the procedure of M. Davis,
G. Logemann, D. Loveland, CACM 5, 1962, for very small boards.
"""

from collections.abc import Sequence

import numpy as np

from nqbench.plugin import (
    CNF,
    Answer,
    Assignment,
    Backend,
    Block,
    Capabilities,
    CNFBuilder,
    Counters,
    LineEncoding,
    Solver,
    Whole,
    pairs,
)


class Triangle(LineEncoding):
    reference = "the example of nqbench's documentation"
    parameters = {"first": Whole(default=3, least=1), **LineEncoding.parameters}

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        size = int(self.values["first"])
        in_first = cnf.fresh_array(1)
        for part, literal in ((x[:size], in_first), (x[size:], -in_first)):
            cnf.add(pairs(part))
            cnf.add_each(-part, np.repeat(literal, len(part)))


class DPLL(Backend):
    capabilities = Capabilities(incremental=True, counters=True)

    def load(self, cnf: CNF) -> Solver:
        return _DPLLSolver(list(cnf.clauses()), cnf.num_variables)


class _DPLLSolver(Solver):
    def __init__(self, clauses: list[list[int]], num_variables: int) -> None:
        self._clauses = clauses
        self._num_variables = num_variables
        self._true: frozenset[int] = frozenset()
        self._decisions = 0

    def solve(self) -> Answer:
        found = self._search(self._clauses, frozenset())
        if found is None:
            return Answer.UNSAT
        self._true = found
        return Answer.SAT

    def model(self) -> Assignment:
        values = np.zeros(self._num_variables, dtype=np.bool_)
        values[[literal - 1 for literal in self._true if literal > 0]] = True
        return values

    def add(self, clause: Sequence[int]) -> None:
        self._clauses.append(list(clause))

    def counters(self) -> Counters:
        return Counters(decisions=self._decisions)

    def _search(self, clauses: list[list[int]], true: frozenset[int]) -> frozenset[int] | None:
        while clauses:
            shortest = min(clauses, key=len)
            if not shortest:
                return None
            literal = shortest[0]
            if len(shortest) > 1:
                self._decisions += 1
                chosen = self._search(_assume(clauses, literal), true | {literal})
                if chosen is not None:
                    return chosen
                literal = -literal
            clauses, true = _assume(clauses, literal), true | {literal}
        return true


def _assume(clauses: list[list[int]], literal: int) -> list[list[int]]:
    return [[x for x in c if x != -literal] for c in clauses if literal not in c]
