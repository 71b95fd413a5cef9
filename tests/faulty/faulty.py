"""A plugin whose every part misbehaves in one way, each by name."""

import os
import time

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.cnf import CNF, CNFBuilder
from nqbench.encodings.base import Encoding
from nqbench.vocabulary import Answer


class _Faulty(Backend, Solver):
    """Behaves on the probe, so that it is taken for available."""

    distribution = "faulty"

    capabilities = Capabilities()

    def load(self, cnf):
        self.cnf = cnf
        return self

    def solve(self):
        if self.cnf.num_variables == 2:
            return Answer.SAT
        return self.misbehave()

    def model(self):
        if self.cnf.num_variables == 2:
            return np.ones(2, dtype=np.bool_)
        return self.lie()

    def add(self, clause):
        raise AssertionError("not asked for here")


class Sleeps(_Faulty):
    def misbehave(self):
        time.sleep(60)


class Aborts(_Faulty):
    def misbehave(self):
        os.abort()


class Exits(_Faulty):
    def misbehave(self):
        os._exit(0)


class Raises(_Faulty):
    def misbehave(self):
        raise ArithmeticError("the solver is confused")


class Hoards(_Faulty):
    def misbehave(self):
        hoard = []
        while True:
            hoard.append(bytearray(2**24))


class LiarUnsat(_Faulty):
    def misbehave(self):
        return Answer.UNSAT


class LiarSat(_Faulty):
    """Two queens in the first row."""

    def misbehave(self):
        return Answer.SAT

    def lie(self):
        values = np.zeros(self.cnf.num_variables, dtype=np.bool_)
        values[:2] = True
        return values


class LiarShort(LiarSat):
    """A model of too few variables."""

    def lie(self):
        return np.ones(3, dtype=np.bool_)


class Missing(Backend):
    distribution = "no-such-distribution"
    modules = ("no_such_module",)
    capabilities = Capabilities()

    def load(self, cnf):
        raise AssertionError("unavailable backends are never loaded")


class BrokenLiteral(Encoding):
    reference = "none"

    def encode(self, problem):
        return CNF(1, 1, (np.array([[1, 2]], dtype=np.int32),))


class MissingRules(Encoding):
    """At least one queen in each row, and nothing else."""

    reference = "none"

    def encode(self, problem):
        cnf = CNFBuilder(problem.n * problem.n)
        cnf.add(np.arange(1, problem.n * problem.n + 1).reshape(problem.n, problem.n))
        return cnf.build()


class SlowEncoding(Encoding):
    reference = "none"

    def encode(self, problem):
        time.sleep(4 if problem.n < 4 else 60)
