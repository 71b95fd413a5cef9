"""The memory limit and peak of a function and of the programs that it starts."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from misbehaviour import hoard

from nqbench import isolate
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.processes import peak_rss

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")
SHORT = Limits(time_s=0.3, memory_bytes=4 * 2**30, output_bytes=2**50)
LONG = Limits(time_s=30.0, memory_bytes=4 * 2**30)


def hoard_in_native_code():
    """Fail like a solver in C++, with a message and an abort."""
    os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()


def killed_by_the_kernel():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("function", [hoard, hoard_in_native_code, killed_by_the_kernel])
def test_memory_that_runs_out_is_told_from_a_crash(function):
    ending = isolate.call(function, Limits(time_s=30.0, memory_bytes=2**30))
    assert ending.outcome is Outcome.MEMOUT


def test_a_native_allocation_that_is_refused_is_a_memout():
    """A solver with more variables than fit in the limit."""
    from pysat.solvers import Solver

    def allocate():
        with Solver("minisat22") as solver:
            solver.add_clause([2**28])
            solver.solve()
        return b""

    ending = isolate.call(allocate, Limits(time_s=30.0, memory_bytes=2**30))
    assert ending.outcome is Outcome.MEMOUT, ending.message


def test_the_peak_is_that_of_the_function_and_not_of_its_parent():
    ballast = bytearray(b"x") * (200 * 2**20)

    def grow():
        del (bytearray(b"x") * (50 * 2**20))[:]
        return b""

    small = isolate.call(lambda: b"", LONG).peak_rss_bytes
    del ballast
    grown = isolate.call(grow, LONG).peak_rss_bytes
    base = isolate.call(lambda: b"", LONG).peak_rss_bytes
    assert grown - base == pytest.approx(50 * 2**20, rel=0.1)
    assert small is not None


def allocation():
    """A program that fills more memory than this process has, and the amount."""
    size = peak_rss(os.getpid()) + 100 * 2**20
    return f"kept = bytearray({size}); kept[::4096] = b'x' * len(kept[::4096])", size


def test_the_peak_counts_programs_that_the_function_starts():
    program, size = allocation()

    def start_a_program():
        subprocess.run([sys.executable, "-c", program], check=True)
        return b""

    ending = isolate.call(start_a_program, LONG)
    assert size < ending.peak_rss_bytes < size + 30 * 2**20


def test_the_peak_counts_programs_that_are_killed():
    program, size = allocation()

    def start_a_program():
        subprocess.run([sys.executable, "-c", f"{program}\nwhile True: pass"])
        return b""

    # A limit of CPU time, since a busy machine may need long to fill the memory.
    ending = isolate.call(start_a_program, replace(LONG, cpu_s=1.2))
    assert ending.outcome is Outcome.TIMEOUT
    assert size < ending.peak_rss_bytes < size + 30 * 2**20


FROM_A_LARGE_PROCESS = """
import json, sys
import nqbench.measure.server  # what an ordinary fork server imports
from nqbench import isolate
from nqbench.common.limits import Limits

held = bytearray(b"x") * int(sys.argv[1])


def fill(size):
    def call():
        kept = bytearray(b"x") * size
        return str(len(kept)).encode()

    return call


def sleep_with(size):
    def call():
        import time
        kept = bytearray(b"x") * size
        time.sleep(60)
        return bytes(kept)

    return call


M = 2**20
endings = [
    isolate.call(lambda: b"", Limits()),
    isolate.call(fill(200 * M), Limits(memory_bytes=600 * M)),
    isolate.call(fill(700 * M), Limits(memory_bytes=600 * M)),
    isolate.call(sleep_with(200 * M), Limits(time_s=3.0)),
]
print(json.dumps([[e.outcome, (e.peak_rss_bytes or 0) / M] for e in endings]))
"""


def test_what_the_caller_holds_is_not_measured():
    """Peak and limit of a function are the same whether its caller holds 1 GiB or nothing."""

    def measured(held):
        command = [sys.executable, "-c", FROM_A_LARGE_PROCESS, str(held)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        outcomes, peaks = zip(*json.loads(said), strict=True)
        assert outcomes == ("finished", "finished", "memout", "timeout")
        return peaks

    for small, large in zip(measured(0), measured(2**30), strict=True):
        assert large == pytest.approx(small, abs=12)


def test_the_peak_of_a_program_started_from_a_large_process_is_unknown_unless_it_is_larger():
    held = bytearray(b"x") * (200 * 2**20)

    def start(size):
        def call():
            subprocess.run([sys.executable, "-c", f"bytearray(b'x') * {size}"], check=True)
            return b""

        return call

    assert isolate.call(start(10 * 2**20), LONG).peak_rss_bytes is None
    size = peak_rss(os.getpid()) + 100 * 2**20
    assert size < isolate.call(start(size), LONG).peak_rss_bytes < size + 30 * 2**20
    assert len(held)


def test_a_peak_is_known_even_of_what_was_killed():
    def grow_and_spin():
        kept = bytearray(b"x") * (100 * 2**20)
        while kept:
            pass
        return b""

    ending = isolate.call(grow_and_spin, replace(LONG, cpu_s=0.5))
    assert ending.outcome is Outcome.TIMEOUT
    assert ending.peak_rss_bytes > 100 * 2**20
