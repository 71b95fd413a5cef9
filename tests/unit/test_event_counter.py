"""What the kernel counts of a process and of those that it starts.

Machines of tests have no counter of instructions, as a rule. So they count page faults, of which
the truth is known: a process that touches a new page has one.
"""

import errno
import mmap
import os
import sys
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from nqbench.backends.base import Backend, Solver
from nqbench.clauses.cnf import no_clauses
from nqbench.common.errors import UnavailableError
from nqbench.common.machine import event_counter
from nqbench.common.machine.event_counter import INSTRUCTIONS, Event, EventCounter, why_uncounted
from nqbench.common.vocabulary import Answer
from nqbench.encodings.base import Encoding
from nqbench.measure import warm_up, worker

FAULTS = Event("page faults", 1, 2)
BESIDES = 700
"""Page faults that a test may have besides those on purpose."""

PAGE = mmap.PAGESIZE
PROGRAM = f"""
import mmap, resource
memory = mmap.mmap(-1, 9000 * {PAGE})
memory.madvise(mmap.MADV_NOHUGEPAGE)
for page in range(9000):
    memory[page * {PAGE}] = 1
print("s SATISFIABLE")
print("v 1 0")
with open(OUT, "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_minflt))
"""

counts_faults = pytest.mark.skipif(bool(why_uncounted(FAULTS)), reason=why_uncounted(FAULTS))


def touch(pages):
    memory = mmap.mmap(-1, pages * PAGE)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    for page in range(pages):
        memory[page * PAGE] = 1


def touch_in_child(pages):
    if (pid := os.fork()) == 0:
        touch(pages)
        os._exit(0)
    os.waitpid(pid, 0)


@counts_faults
def test_what_a_process_and_its_children_do_is_counted_between_start_and_stop():
    counter = EventCounter(FAULTS)
    touch(2000)
    assert counter.count() is None
    counter.start()
    touch(3000)
    counter.stop()
    touch(2000)
    touch_in_child(2000)
    assert 3000 <= counter.count() <= 3000 + BESIDES
    counter.start()
    touch_in_child(4000)
    counter.stop()
    assert 7000 <= counter.count() <= 7000 + 2 * BESIDES
    counter.close()


class Touching(Backend, Solver):
    """Touches 5000 pages when it is loaded, and 3000 when it solves."""

    def load(self, cnf):
        touch(5000)
        self.size = cnf.num_variables
        return self

    def solve(self):
        touch(3000)
        return Answer.SAT

    def model(self):
        return np.ones(self.size, np.bool_)


def counted(backend, monkeypatch):
    """What is counted in a run with this backend on the smallest board."""
    monkeypatch.setattr(worker, "INSTRUCTIONS", FAULTS)
    encoding = Encoding.named("pairwise")
    run = replace(warm_up._RUN, backend=backend.name)
    payload = worker.answer(run, encoding, backend, encoding.encode(run.problem), no_clauses())
    return msgspec.msgpack.decode(payload, type=worker.WorkerReport).counts["instructions"]


@counts_faults
def test_of_a_library_its_call_is_counted(monkeypatch):
    assert 3000 <= counted(Touching("touching"), monkeypatch) <= 3000 + BESIDES


@counts_faults
def test_of_a_program_all_is_counted_from_its_start_to_its_end(monkeypatch, tmp_path):
    """As the kernel says at its end, less what happened before it was started."""
    script = tmp_path / "solver"
    script.write_text(f"#!{sys.executable}\nOUT = '{tmp_path}/faults'\n{PROGRAM}")
    script.chmod(0o755)
    count = counted(Backend.named(f"exe:{script}"), monkeypatch)
    faults = int((tmp_path / "faults").read_text())
    assert faults - BESIDES <= count <= faults + BESIDES
    assert count >= 9000


def test_a_machine_without_a_counter_is_said_with_the_remedy(monkeypatch, tmp_path):
    paranoid = tmp_path / "paranoid"
    paranoid.write_text("3\n")
    monkeypatch.setattr(event_counter, "_PARANOID", paranoid)
    for number, said in (
        (errno.ENOENT, "no counter of instructions.*Valgrind"),
        (errno.EACCES, "sysctl kernel.perf_event_paranoid=2"),
    ):
        monkeypatch.setattr(event_counter, "_syscall", lambda *_: -1)
        monkeypatch.setattr(event_counter.ctypes, "get_errno", lambda number=number: number)
        with pytest.raises(UnavailableError, match=said):
            EventCounter(INSTRUCTIONS)
    paranoid.write_text("2\n")
    with pytest.raises(UnavailableError, match="container forbids"):
        EventCounter(INSTRUCTIONS)
