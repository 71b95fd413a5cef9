"""Solvers and encodings that attack the harness, each in one way."""

import contextlib
import ctypes
import math
import os
import signal
import socket
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from faulty import LiarUnsat, _Faulty

from nqbench.backends.base import Capabilities, Solver
from nqbench.backends.pysat.backend import PySAT
from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict
from nqbench.encodings.base import Encoding
from nqbench.encodings.log import Log
from nqbench.encodings.pairwise import Pairwise
from nqbench.isolate.frames import HEADER, RETURNED, write_all
from nqbench.measure import timing, worker
from nqbench.measure.wire import Wire
from nqbench.records.record import Record

_c = ctypes.CDLL(None)


class _Honest(Solver):
    """MiniSat, whose calls subclasses override one by one."""

    def __init__(self, cnf):
        self.solver = PySAT("minisat22").load(cnf)

    def solve(self):
        return self.solver.solve()

    def model(self):
        return self.solver.model()


class _Hostile(_Faulty):
    """Works only until the end of the probe."""

    capabilities = Capabilities(enumeration=True)
    solver: type[Solver] = _Honest

    def load(self, cnf):
        return PySAT("minisat22").load(cnf) if cnf.num_clauses == 2 else self.solver(cnf)


class _SolvesInModel(_Honest):
    def solve(self):
        return Answer.SAT

    def model(self):
        time.sleep(1)
        self.solver.solve()
        return self.solver.model()


class SolvesInModel(_Hostile):
    """Does its work outside the timed phases."""

    solver = _SolvesInModel


class _SolvesInModels(_Honest):
    def models(self):
        time.sleep(1)
        return iter(list(self.solver.models()))


class SolvesInModels(_Hostile):
    """An honest `iter(list(...))`, which does all work before the first `next`."""

    solver = _SolvesInModels


class _SleepsInCounters(_Honest):
    def counters(self):
        time.sleep(1)
        return Counters()


class SleepsInCounters(_Hostile):
    solver = _SleepsInCounters


class _CountsTooFar(_Honest):
    def counters(self):
        return Counters(conflicts=2**63)


class CountsTooFar(_Hostile):
    """One more than the largest integer that a store can hold."""

    solver = _CountsTooFar


class _Forger(_Hostile):
    """Changes what its worker reports."""

    def load(self, cnf):
        if cnf.num_clauses != 2:
            pack = worker.msgspec.msgpack.encode

            class _Packing:
                class msgpack:  # noqa: N801
                    encode = staticmethod(lambda report: self.forged(report, pack))

            worker.msgspec = _Packing
        return PySAT("minisat22").load(cnf)

    def forged(self, report, pack):
        self.change(report)
        return pack(report)


def _forger(change):
    """A solver whose worker reports something else after this change."""
    return type("Forger", (_Forger,), {"change": staticmethod(change)})


def _sender(forged):
    """A solver whose worker reports what this makes, of a function that packs."""
    return type("Sender", (_Forger,), {"forged": lambda _self, _report, pack: forged(pack)})


ForgesNegative = _forger(lambda report: setattr(report.solve, "wall_s", -5.0))
ForgesNan = _forger(lambda report: setattr(report.load, "wall_s", math.nan))
ForgesInfinity = _forger(lambda report: setattr(report.decode, "cpu_s", math.inf))
# More time than its process had.
ForgesMore = _forger(lambda report: setattr(report.solve, "wall_s", 1000.0))
# A model whose values would fill the memory of the process that checks it.
ForgesSize = _forger(lambda report: setattr(report, "model_size", 2**40))
ForgesQueens = _forger(lambda report: setattr(report, "solution", [(10**18, 10**18)]))
ForgesRejected = _forger(lambda report: setattr(report, "rejected", 2**63))
# What only the judge may report.
ForgesColumns = _forger(lambda report: report.counts.update(best_k=3))
ForgesGarbage = _sender(lambda _: b"\xc1 this is no report")
ForgesNothing = _sender(lambda _: b"")
ForgesTypes = _sender(lambda pack: pack({"answer": "sat", "solution": [["a", 1.5]]}))
ForgesAnswer = _sender(lambda pack: pack({"answer": "perhaps"}))


class PatchesClocks(_Faulty):
    """Sets back the clocks of its process, as a plugin for tests of other programs may do."""

    def misbehave(self):
        backwards = iter(range(10**9, 0, -1000))
        time.monotonic = time.perf_counter = lambda: float(next(backwards))
        return PySAT("minisat22").load(self.cnf).solve()

    def lie(self):
        solver = PySAT("minisat22").load(self.cnf)
        solver.solve()
        return solver.model()


class StopsItsParent(_Faulty):
    """Stops the fork server forever."""

    def misbehave(self):
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(60)


class JoinsAnotherGroup(_Faulty):
    """Moves from its process group to that of the fork server."""

    def misbehave(self):
        os.setpgid(0, os.getpgid(os.getppid()))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)


class Daemons(_Faulty):
    """Two processes that fork and exit forever, in separate sessions."""

    def misbehave(self):
        for _ in range(2):
            if os.fork() == 0:
                ends = time.monotonic() + 60
                while time.monotonic() < ends:
                    os.setsid() if os.getsid(0) != os.getpid() else None
                    if os.fork():
                        os._exit(0)
        time.sleep(60)


class _WritesEverywhere(_Honest):
    def solve(self):
        for link in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                if int(link.name) > 2 and str(link.readlink()).startswith(self.wanted):
                    os.write(int(link.name), self.garbage)
        return self.solver.solve()


class _WritesToSockets(_WritesEverywhere):
    garbage = b"\x04" + (2**60).to_bytes(8, "big")
    wanted = "socket:"


class WritesToSockets(_Hostile):
    """Announces a record of 2^60 bytes on every socket."""

    solver = _WritesToSockets


class _ForgesRecord(_Honest):
    def solve(self):
        frame = sys._getframe()
        while "run" not in frame.f_locals:
            frame = frame.f_back
        record = replace(
            Record.of(frame.f_locals["run"], ""),
            outcome=Outcome.FINISHED,
            answer=Answer.UNSAT,
            verdict=Verdict.VERIFIED,
            checked_by=CheckedBy.PROOF,
            solve_s=1e-9,
        )
        for link in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                if int(link.name) > 2 and str(link.readlink()).startswith("socket:"):
                    Wire(socket.socket(fileno=os.dup(int(link.name)))).send(record)
        return self.solver.solve()


class ForgesRecord(_Hostile):
    """Sends the record of its run itself: `unsat`, proved, at once."""

    solver = _ForgesRecord


class _WritesToPipes(_WritesEverywhere):
    garbage = b"Rxxxxxxxx" * 5
    wanted = "pipe:"


class WritesToPipes(_Hostile):
    """Writes a forged result before the real one."""

    solver = _WritesToPipes


class Shouts(_Faulty):
    """A message of three megabytes that clears the terminal."""

    def misbehave(self):
        raise ArithmeticError("\x1b[2J\x1b]0;owned\x07" + "!" * 3_000_000)


class ProofOfNothing(LiarUnsat):
    """No proof, but a patched checker that accepts it."""

    capabilities = Capabilities(proof=True)

    def prove(self, cnf, proof):
        from nqbench.checking import by_dratify
        from nqbench.checking import proof as checking

        by_dratify.flaw = lambda *_: None
        checking.replay_lrat = lambda *_: checking.Reading(None)


class _HostileEncoding(Encoding):
    reference = "none"


class DecodesByItself(_HostileEncoding):
    """No clauses, but a decoder that knows the solution."""

    def encode(self, problem):
        return CNFBuilder(1).build()

    def decode(self, problem, values):
        n = problem.n
        rows = [*range(1, n, 2), *range(0, n, 2)]
        return tuple(enumerate(rows))


class DecodesAnother(Pairwise):
    """Decodes a model to its mirror image."""

    def decode(self, problem, values):
        return tuple(
            (row, problem.n - 1 - column) for row, column in super().decode(problem, values)
        )


class DecodesFloats(Pairwise):
    def decode(self, problem, values):
        return tuple((float(row), float(column)) for row, column in super().decode(problem, values))


class DecodesHuge(Log):
    def decode(self, problem, values):
        return ((10**30, 0), *super().decode(problem, values)[1:])


class DecodesFar(Log):
    """A square whose number fits into no integer of a store, but into a report."""

    def decode(self, problem, values):
        return ((2**62, 0), *super().decode(problem, values)[1:])


class DecodesSlowly(Pairwise):
    def decode(self, problem, values):
        if values.any() and not values.all():
            time.sleep(1)
        return super().decode(problem, values)


class WideLiterals(_HostileEncoding):
    """Blocks that a solver would read as different clauses."""

    def encode(self, problem):
        cnf = Pairwise("pairwise").clauses(problem)
        blocks = tuple(block.astype(np.int64) for block in cnf.blocks)
        return CNF(cnf.num_variables, cnf.num_main, blocks)


class LeavesADaemon(Pairwise):
    """Starts a process that outlives the encoding."""

    def encode(self, problem):
        daemon = os.fork()
        if daemon == 0:
            os.setsid()
            time.sleep(60)
            os._exit(0)
        Path(os.environ["NQBENCH_TEST_DAEMON"]).write_text(str(daemon))
        return super().encode(problem)


class _Prints(_Honest):
    after_s = 0

    def solve(self):
        sys.stdout.write("from Python\n")
        _c.printf(b"from C\nand no end of line")
        time.sleep(self.after_s)
        return self.solver.solve()


class Prints(_Hostile):
    """Prints as libraries do, through the buffers of C and of Python."""

    solver = _Prints


class _PrintsAndSleeps(_Prints):
    after_s = 60


class PrintsAndSleeps(_Hostile):
    solver = _PrintsAndSleeps


class _StopsClocks(_Honest):
    """Works while the clocks with which its worker measures stand still."""

    clocks = ("perf_counter", "process_time")
    work_s = 1.0

    def solve(self):
        self.stop()
        self.work()
        return self.solver.solve()

    def stop(self):
        for name in self.clocks:
            stopped = getattr(timing, name)()
            setattr(timing, name, lambda stopped=stopped: stopped)

    def work(self):
        ends = time.process_time() + self.work_s
        while time.process_time() < ends:
            pass


class StopsClocks(_Hostile):
    solver = _StopsClocks


class _StopsClocksBriefly(_StopsClocks):
    work_s = 0.05


class StopsClocksBriefly(_Hostile):
    solver = _StopsClocksBriefly


class _StopsWallClock(_StopsClocks):
    clocks = ("perf_counter",)


class StopsWallClock(_Hostile):
    """Reports its true CPU time."""

    solver = _StopsWallClock


class _StopsCPUClock(_StopsClocks):
    clocks = ("process_time",)


class StopsCPUClock(_Hostile):
    """Reports its true wall time."""

    solver = _StopsCPUClock


class _StopsClocksAndWaits(_StopsClocks):
    def work(self):
        time.sleep(self.work_s)


class StopsClocksAndWaits(_Hostile):
    """Has its work done elsewhere."""

    solver = _StopsClocksAndWaits


class _StopsClocksBehindAChild(_StopsClocks):
    clocks = ("perf_counter",)

    def work(self):
        child = os.fork()
        if child == 0:
            super().work()
            os._exit(0)
        os.setpriority(os.PRIO_PROCESS, 0, 19)
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            pass


class StopsClocksBehindAChild(_Hostile):
    """Is kept from running by the child that does its work."""

    solver = _StopsClocksBehindAChild


class _StopsClocksFromTheStart(_StopsClocks):
    def __init__(self, cnf):
        self.stop()
        super().__init__(cnf)


class StopsClocksFromTheStart(_Hostile):
    """No time passes in its phases at all."""

    solver = _StopsClocksFromTheStart


class _SlowsClocks(_StopsClocks):
    """Takes a tenth of its time."""

    def stop(self):
        for name in self.clocks:
            setattr(timing, name, self.slow(getattr(timing, name)))

    @staticmethod
    def slow(clock):
        start = clock()
        return lambda: start + (clock() - start) / 10


class SlowsClocks(_Hostile):
    solver = _SlowsClocks


class _AnswersEarly(_StopsClocks):
    """Sends the head of its answer before it works, and its own report after that."""

    def solve(self):
        for link in Path("/proc/self/fd").iterdir():
            with contextlib.suppress(OSError):
                if int(link.name) > 2 and str(link.readlink()).startswith("pipe:"):
                    result = int(link.name)
        os.write(result, HEADER.pack(RETURNED, 0))
        super().solve()
        model = self.solver.model()
        n = math.isqrt(model.size)
        times = timing.PhaseTime(1e-6, 1e-6)
        report = worker.WorkerReport(
            Answer.SAT,
            np.packbits(model).tobytes(),
            model.size,
            [divmod(int(square), n) for square in np.flatnonzero(model)],
            load=times,
            solve=times,
            decode=times,
        )
        write_all(result, worker.msgspec.msgpack.encode(report))
        os._exit(0)


class AnswersEarly(_Hostile):
    solver = _AnswersEarly


class _SolvesInLoad(_Honest):
    def __init__(self, cnf):
        super().__init__(cnf)
        time.sleep(1)
        self.answer = self.solver.solve()

    def solve(self):
        return self.answer


class SolvesInLoad(_Hostile):
    solver = _SolvesInLoad


class _SolvesInAThread(_Honest):
    def __init__(self, cnf):
        super().__init__(cnf)
        self.thread = threading.Thread(target=self._work)
        self.thread.start()

    def _work(self):
        time.sleep(1)
        self.answer = self.solver.solve()

    def solve(self):
        self.thread.join()
        return self.answer


class SolvesInAThread(_Hostile):
    """Returns from `load` while it works."""

    solver = _SolvesInAThread


class _LeavesAChildWorking(_Honest):
    def solve(self):
        if os.fork() == 0:
            os.setsid()
            while True:
                pass
        time.sleep(1)
        return self.solver.solve()


class LeavesAChildWorking(_Hostile):
    """A child computes, for which nobody waits."""

    solver = _LeavesAChildWorking


class _LeavesItsPin(_Honest):
    def solve(self):
        os.sched_setaffinity(0, range(os.cpu_count()))
        return self.solver.solve()


class LeavesItsPin(_Hostile):
    solver = _LeavesItsPin


class LeavesADaemonAtHome(_Faulty):
    """Starts a process in the fork server."""

    def prepare(self):
        note = Path(os.environ["NQBENCH_TEST_DAEMON"])
        daemon = os.fork()
        if daemon == 0:
            os.setsid()
            time.sleep(60)
            os._exit(0)
        note.write_text(str(daemon))

    def load(self, cnf):
        if cnf.num_clauses != 2:
            daemon = Path(os.environ["NQBENCH_TEST_DAEMON"]).read_text()
            assert not Path(f"/proc/{daemon}").exists(), "the daemon runs"
        return PySAT("minisat22").load(cnf)
