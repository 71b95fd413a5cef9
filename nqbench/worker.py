"""What happens inside the process of one run: load, solve, decode, each phase timed here."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import msgspec
import numpy as np

from nqbench.backends.base import Backend, Counters
from nqbench.cnf import CNF
from nqbench.encodings.base import Encoding
from nqbench.problem import Placement, Problem, Square
from nqbench.vocabulary import Answer


@dataclass(slots=True)
class PhaseTime:
    """Seconds spent in one phase, on the clock and on the processors."""

    wall_s: float = 0.0
    cpu_s: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Add the time until the end of the `with` block."""
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            yield
        finally:
            self.wall_s += time.perf_counter() - wall
            self.cpu_s += time.process_time() - cpu


@dataclass(slots=True)
class WorkerReport:
    """What the worker tells of a run that came to its end. `values` is a bit for each variable."""

    answer: Answer = Answer.UNKNOWN
    values: bytes = b""
    num_values: int = 0
    placement: list[Square] = field(default_factory=list)
    rejected: int = 0
    load: PhaseTime = field(default_factory=PhaseTime)
    solve: PhaseTime = field(default_factory=PhaseTime)
    decode: PhaseTime = field(default_factory=PhaseTime)
    counters: Counters = field(default_factory=Counters)


def encode(encoding: Encoding, problem: Problem, write: Callable[[memoryview], object]) -> bytes:
    """Encode, write the packed formula, and return the packed `PhaseTime`."""
    spent = PhaseTime()
    with spent.running():
        cnf = encoding.encode(problem)
    cnf.check()
    for piece in cnf.pack():
        write(piece)
    return msgspec.msgpack.encode(spent)


def answer(problem: Problem, encoding: Encoding, backend: Backend, cnf: CNF) -> bytes:
    """Solve until a full placement or a final no, and return the packed `WorkerReport`."""
    report = WorkerReport()
    cuts: list[list[int]] = []
    with report.load.running():
        solver = backend.load(cnf)
    while True:
        with report.solve.running():
            report.answer = solver.solve()
        if report.answer is not Answer.SAT:
            break
        with report.decode.running():
            values = solver.model()
            # A model of the wrong length cannot be decoded; it is the check's to refute it.
            broken = values.shape != (cnf.num_variables,)
            placement = () if broken else encoding.decode(problem, values)
        if broken or encoding.forces_all_queens or len(placement) == problem.n:
            report.values = np.packbits(values).tobytes()
            report.num_values = values.size
            report.placement = list(placement)
            break
        report.rejected += 1
        cuts.append(_cut(problem, placement))
        with report.load.running():
            if backend.capabilities.incremental:
                solver.add(cuts[-1])
            else:
                solver = backend.load(cnf)
                for cut in cuts:
                    solver.add(cut)
    report.counters = solver.counters()
    return msgspec.msgpack.encode(report)


def _cut(problem: Problem, placement: Placement) -> list[int]:
    """A clause that a placement of fewer than n queens breaks and every full one keeps.

    A short placement leaves a row empty, and n queens that do not attack each other leave none:
    'a queen in that row' rejects this model and all like it, so that n cuts are always enough.
    Forbidding models one by one would take up to 119,000 of them at n = 8.
    """
    taken = {row for row, _ in placement}
    row = next(row for row in range(problem.n) if row not in taken)
    return list(range(row * problem.n + 1, (row + 1) * problem.n + 1))
