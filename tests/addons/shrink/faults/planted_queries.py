"""Backends with one fault each in what they answer to queries with assumptions, and one that stops
to think about small formulas.
"""

import os
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent)]
from planted_faults import ModelIsAllTrue  # noqa: E402

from nqbench.backends.base import Backend, Capabilities, Solver  # noqa: E402


class _Asked(Solver):
    """MiniSat, and the number of the query."""

    def __init__(self, formula):
        self.held, self.number = Backend.named("minisat22").load(formula), 0

    def solve(self):
        self.number += 1
        return self.held.solve()

    def model(self):
        return self.held.model()

    def add_all(self, clauses):
        self.held.add_all(clauses)

    def assume(self, literals):
        self.held.assume(literals)

    def core(self):
        return self.held.core()


class _Answering(Backend):
    distribution = "python-sat"
    capabilities = Capabilities(incremental=True, assumptions=True)
    solver = _Asked

    def load(self, cnf):
        return self.solver(cnf)


class WrongModel(_Answering):
    class solver(_Asked):  # noqa: N801
        def model(self):
            return self.held.model() ^ (self.number > 2)


class ShortCore(_Answering):
    class solver(_Asked):  # noqa: N801
        def core(self):
            return list(self.held.core())[1:]


class Deaf(_Answering):
    class solver(_Asked):  # noqa: N801
        def assume(self, literals):
            pass


class Crash(_Answering):
    class solver(_Asked):  # noqa: N801
        def solve(self):
            if self.number == 2:
                os.abort()
            return super().solve()


class Sleeps(ModelIsAllTrue):
    """It is wrong about large formulas, and never answers about small ones."""

    def solve(self):
        if 2 < len(list(self.cnf.clauses())) < 20:
            Path(os.environ["ASLEEP"]).touch()
            time.sleep(600)
        return super().solve()
