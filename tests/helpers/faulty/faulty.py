"""A plugin with components that misbehave, each in the way its name says."""

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.backends.pysat.backend import PySAT
from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.common.vocabulary import Answer
from nqbench.encodings.base import Encoding
from nqbench.encodings.pairwise import Pairwise, pairs


class _Faulty(Backend, Solver):
    """Behaves well in the probe, so that it counts as available."""

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


class Unprepared(_Faulty):
    def prepare(self):
        raise RuntimeError("no room")


class Sleeps(_Faulty):
    def misbehave(self):
        time.sleep(60)


class Toils(_Faulty):
    """Is slow, and then answers correctly."""

    def misbehave(self):
        time.sleep(0.3)
        self.solver = PySAT("minisat22").load(self.cnf)
        return self.solver.solve()

    def lie(self):
        return self.solver.model()


class Murders(_Faulty):
    """Kills the harness, which is the parent of the fork server."""

    def misbehave(self):
        status = Path(f"/proc/{os.getppid()}/stat").read_text()
        os.kill(int(status.rpartition(")")[2].split()[1]), signal.SIGKILL)
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


class LiarAlwaysSat(_Faulty):
    """Three queens, one per row, on a board without a solution."""

    def misbehave(self):
        return Answer.SAT

    def lie(self):
        values = np.zeros(self.cnf.num_variables, dtype=np.bool_)
        values[[0, 5, 7]] = True
        return values


def _cut(proof):
    """Leave the first half of the lines in the file."""
    proof.seek(0)
    lines = proof.readlines()
    proof.truncate(sum(map(len, lines[: len(lines) // 2])))


class ProofCut(LiarUnsat):
    """The first half of a proof."""

    capabilities = Capabilities(proof=True)

    def prove(self, cnf, proof):
        PySAT("glucose4").prove(cnf, proof)
        _cut(proof)


class Unconstrained(_Faulty):
    """Ignores at-most-k constraints."""

    capabilities = Capabilities(at_most_k=True)

    def misbehave(self):
        self.solver = PySAT("minisat22").load(self.cnf.cnf)
        return self.solver.solve()

    def lie(self):
        return self.solver.model()


class NativeProofCut(ProofCut):
    """The first half of a proof about at-most-k constraints."""

    capabilities = Capabilities(proof=True, at_most_k=True)

    def prove(self, formula, proof):
        PySAT("gluecard4").prove(formula, proof)
        _cut(proof)


class ProofOther(ProofCut):
    """The proof that five pigeons do not fit into four holes."""

    def prove(self, cnf, proof):
        pigeons = np.arange(1, 21, dtype=np.int32).reshape(5, 4)
        other = CNFBuilder(num_main=20)
        other.add(pigeons)
        for hole in pigeons.T:
            other.add(pairs(hole))
        PySAT("cadical195").prove(other.build(), proof)


class ProofLong(ProofCut):
    """A proof that fills the disk if it is allowed to."""

    def prove(self, cnf, proof):
        while True:
            proof.write(b"1 -1 0\n" * 100_000)


class ProofHangs(ProofCut):
    """No proof, however long one waits."""

    def prove(self, cnf, proof):
        time.sleep(60)


class Skips(_Faulty):
    """Leaves out the second solution when asked for all."""

    capabilities = Capabilities(enumeration=True)

    def models(self):
        return iter(self.chosen(list(PySAT("minisat22").load(self.cnf).models())))

    def chosen(self, models):
        return models[:1] + models[2:]


class Repeats(Skips):
    """Repeats the first solution instead of giving the second."""

    def chosen(self, models):
        return models[:1] + models[:1] + models[2:]


class Hangs(_Faulty):
    """Hangs while its library is imported."""

    def probe(self):
        time.sleep(600)


class GivesUp(Skips):
    """Finds one solution and then claims that there are no more."""

    capabilities = Capabilities(incremental=True)

    def load(self, cnf):
        self.asked = 0
        return super().load(cnf)

    def misbehave(self):
        self.asked += 1
        return Answer.SAT if self.asked == 1 else Answer.UNKNOWN

    def lie(self):
        return next(PySAT("minisat22").load(self.cnf).models())

    def add(self, clause):
        pass


class Settles(GivesUp):
    """Finds one solution and then answers that there are no others."""

    def misbehave(self):
        return Answer.SAT if super().misbehave() is Answer.SAT else Answer.UNSAT


class Missing(Backend):
    distribution = "no-such-distribution"
    modules = ("no_such_module",)
    capabilities = Capabilities()

    def load(self, cnf):
        raise AssertionError("unavailable backends are never loaded")


def note_attempt():
    """Add a line to the file that a test has named, if any."""
    if name := os.environ.get("NQBENCH_TEST_ATTEMPTS"):
        with Path(name).open("a") as file:
            file.write("tried\n")


class BrokenLiteral(Encoding):
    reference = "none"

    def encode(self, problem):
        note_attempt()
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
        note_attempt()
        time.sleep(4 if problem.n < 4 else 60)


class Braggart(_Faulty):
    """Declares every capability and implements none."""

    capabilities = Capabilities(enumeration=True, steps=True, proof=True, counters=True)

    def misbehave(self):
        return Answer.UNSAT


class ChangingRules(Pairwise):
    """Has one more clause if the environment says so."""

    def encode(self, problem):
        formula = super().encode(problem)
        if "FAULTY_CHANGES" not in os.environ:
            return formula
        return replace(formula, blocks=(*formula.blocks, np.array([[1, -1]], np.int32)))
