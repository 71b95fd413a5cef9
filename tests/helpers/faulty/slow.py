"""Solvers and encodings that are slow in one phase of a run, or lie about the phase they are in."""

import math
import time

from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.backends.pysat.backend import PySAT
from nqbench.encodings.pairwise import Pairwise
from nqbench.measure import worker

_SOLVE = worker.SHOWN.index("solve")


def _toil(seconds):
    """Use the CPU for so long."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class _Slow(Backend):
    """MiniSat, with a pause in one of the phases."""

    distribution = "faulty"
    capabilities = Capabilities(incremental=True)
    load_s = solve_s = decode_s = 0.0

    def prepare(self):
        PySAT("minisat22").prepare()

    def load(self, cnf):
        slow = _Pausing(self, PySAT("minisat22").load(cnf), is_probe=cnf.num_variables < 10)
        slow.pause(self.load_s)
        return slow

    def solved(self, solver):
        return solver.solve()

    def show(self):
        """Say something else about the phases."""


class _Pausing(Solver):
    def __init__(self, backend, solver, *, is_probe):
        self.backend, self.solver, self.is_probe = backend, solver, is_probe

    def pause(self, seconds):
        if not self.is_probe:
            self.backend.show()
            time.sleep(seconds)

    def solve(self):
        self.pause(self.backend.solve_s)
        return self.backend.solved(self.solver)

    def model(self):
        self.pause(self.backend.decode_s)
        return self.solver.model()

    def add(self, clause):
        self.solver.add(clause)


class Loads(_Slow):
    load_s = 0.07


class Solves(_Slow):
    solve_s = 0.3


class Decodes(_Slow):
    decode_s = 0.3


class NeverLoads(_Slow):
    load_s = 60.0


class SolvesInLoad(_Slow):
    """Does all of its work while it loads."""

    def load(self, cnf):
        slow = super().load(cnf)
        slow.pause(0.1)
        self.found = slow.solver.solve()
        return slow

    def solved(self, solver):
        return self.found


class ToilsInLoad(_Slow):
    """Uses the CPU while it loads."""

    def load(self, cnf):
        slow = super().load(cnf)
        if not slow.is_probe:
            _toil(0.1)
        return slow


class Hides(_Slow):
    """Says that it does not solve while it does."""

    solve_s = 0.3

    def show(self):
        worker._last[0].solve._numbers[_SOLVE] = 0.0


class Boasts(Hides):
    """Says that it has solved for a long time."""

    shown = 1e9

    def show(self):
        worker._last[0].solve._numbers[_SOLVE] = self.shown


class ShowsNan(Boasts):
    shown = math.nan


class ShowsInfinity(Boasts):
    shown = math.inf


class ShowsPast(Boasts):
    """Says that it began to solve long before it was started."""

    shown = -1.0


class ShowsFuture(Boasts):
    """Says that it will begin to solve much later."""

    shown = -1e12


class Encodes(Pairwise):
    def encode(self, problem):
        time.sleep(0.07)
        return super().encode(problem)


class StartsLate(Pairwise):
    """Is slow between the phases, when the search begins."""

    def lazy_clauses(self, problem):
        time.sleep(0.07)
        return super().lazy_clauses(problem)
