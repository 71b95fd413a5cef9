"""What a function may do to its process, and what is left of it."""

import ctypes
import itertools
import mmap
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from nqbench import isolate
from nqbench.cgroup import MemoryGroup, _own_group
from nqbench.errors import UnavailableError
from nqbench.limits import Limits, MemoryBy
from nqbench.vocabulary import Outcome

SHORT = Limits(time_s=0.3, memory_bytes=4 * 2**30, output_bytes=2**50)
LONG = Limits(time_s=30.0, memory_bytes=4 * 2**30)


def descriptors():
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    before = descriptors()
    yield
    assert descriptors() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_what_the_function_returns_arrives():
    ending = isolate.call(lambda: b"x" * 3_000_000, LONG)
    assert ending.outcome is Outcome.FINISHED
    assert ending.payload == b"x" * 3_000_000
    assert ending.exit_status == 0


def test_nothing_that_the_function_changes_is_changed_here():
    changed = []
    isolate.call(lambda: changed.append(1) or b"", LONG)
    assert changed == []


def spin():
    while True:
        pass


def ignore_sigterm():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)


def talk_for_ever():
    while True:
        os.write(1, b"still here\n" * 100)
        os.write(2, b"still here\n" * 100)


def close_everything_and_sleep():
    os.closerange(0, 64)
    time.sleep(60)


def spin_in_c_with_the_interpreter_held():
    max(itertools.repeat(1))


@pytest.mark.parametrize(
    "function",
    [
        spin,
        spin_in_c_with_the_interpreter_held,
        ignore_sigterm,
        talk_for_ever,
        close_everything_and_sleep,
    ],
)
def test_the_time_limit_ends_it(function):
    ending = isolate.call(function, SHORT)
    assert ending.outcome is Outcome.TIMEOUT
    assert ending.signal == signal.SIGKILL
    assert "0.3 s" in ending.message


def test_an_answer_after_the_deadline_is_a_timeout():
    def late():
        time.sleep(0.4)
        return b"late"

    ending = isolate.call(late, SHORT)
    assert ending.outcome is Outcome.TIMEOUT
    assert ending.payload == b""


def segfault():
    os.kill(os.getpid(), signal.SIGSEGV)


def abort_with_last_words():
    os.write(2, b"first line\ngiving up\n")
    os.abort()


def raise_error():
    raise ArithmeticError("confused")


def return_text():
    return "not bytes"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (segfault, "SIGSEGV"),
        (abort_with_last_words, "SIGABRT: giving up"),
        (lambda: os._exit(0), "exit status 0 without an answer"),
        (lambda: os._exit(3), "exit status 3"),
        (sys.exit, "SystemExit"),
        (raise_error, "ArithmeticError: confused"),
        (return_text, "exit status 70"),
    ],
)
def test_a_crash_is_told_with_its_reason(function, message):
    ending = isolate.call(function, LONG)
    assert ending.outcome is Outcome.CRASHED
    assert message in ending.message


def hoard():
    kept = []
    while True:
        kept.append(bytearray(2**24))


def hoard_in_native_code():
    """As a solver in C++ does: it says so and aborts."""
    os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()


def killed_by_the_kernel():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("function", [hoard, hoard_in_native_code, killed_by_the_kernel])
def test_memory_that_runs_out_is_told_from_a_crash(function):
    ending = isolate.call(function, Limits(time_s=30.0, memory_bytes=2**30))
    assert ending.outcome is Outcome.MEMOUT


def test_a_native_allocation_that_is_refused_is_a_memout():
    """A solver that asks for more variables than the limit can hold."""
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


ALLOCATE = "kept = bytearray(200 * 2**20); kept[::4096] = b'x' * len(kept[::4096])"


def test_the_peak_counts_programs_that_the_function_starts():
    def start_a_program():
        subprocess.run([sys.executable, "-c", ALLOCATE], check=True)
        return b""

    ending = isolate.call(start_a_program, LONG)
    assert 200 * 2**20 < ending.peak_rss_bytes < 230 * 2**20


def test_the_peak_counts_programs_that_are_killed():
    def start_a_program():
        subprocess.run([sys.executable, "-c", f"{ALLOCATE}; import time; time.sleep(60)"])
        return b""

    ending = isolate.call(start_a_program, replace(LONG, time_s=1.0))
    assert ending.outcome is Outcome.TIMEOUT
    assert 200 * 2**20 < ending.peak_rss_bytes < 230 * 2**20


def test_a_peak_is_known_even_of_what_was_killed():
    def grow_and_sleep():
        kept = bytearray(b"x") * (100 * 2**20)
        time.sleep(60)
        return bytes(kept)

    assert isolate.call(grow_and_sleep, SHORT).peak_rss_bytes > 100 * 2**20


def test_processor_time_is_that_of_the_function():
    def work():
        until = time.process_time() + 0.3
        while time.process_time() < until:
            pass
        return b""

    ending = isolate.call(work, LONG)
    assert ending.cpu_s == pytest.approx(0.3, rel=0.15)
    assert isolate.call(lambda: time.sleep(0.3) or b"", LONG).cpu_s < 0.15


def test_children_of_its_group_die_with_it():
    def start_child():
        child = subprocess.Popen(["sleep", "60"])
        return str(child.pid).encode()

    ending = isolate.call(start_child, LONG)
    pid = int(ending.payload)
    deadline = time.monotonic() + 5
    while state(pid) != "Z":
        assert time.monotonic() < deadline, f"{pid} lives"
        time.sleep(0.01)


def state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_one_who_asks_and_goes_away_stops_it():
    reader, writer = os.pipe()
    os.close(writer)
    with pytest.raises(isolate.Stopped):
        isolate.call(spin, LONG, stop_fd=reader)
    os.close(reader)


def test_a_gigantic_answer_is_refused(monkeypatch):
    monkeypatch.setattr(isolate, "PAYLOAD_LIMIT", 1_000_000)
    ending = isolate.call(lambda: bytes(20_000_000), LONG)
    assert ending.outcome is Outcome.CRASHED
    assert "more than 1000000 bytes" in ending.message


def followed(stream):
    """The items of a stream and its ending."""
    items = []
    while True:
        try:
            items.append(next(stream))
        except StopIteration as end:
            return items, end.value


def emit_large_and_small(emit):
    for size in (0, 1, 5_000_000, 2):
        emit(b"x" * size)


def test_a_stream_hands_out_what_is_emitted_in_order():
    items, ending = followed(isolate.stream(emit_large_and_small, LONG))
    assert [len(item) for item in items] == [0, 1, 5_000_000, 2]
    assert (ending.outcome, ending.payload) == (Outcome.FINISHED, b"")


def emit_and(then):
    def function(emit):
        emit(b"first")
        emit(b"second")
        then()

    return function


@pytest.mark.parametrize(
    ("then", "outcome"), [(spin, Outcome.TIMEOUT), (segfault, Outcome.CRASHED)]
)
def test_what_was_emitted_before_the_end_is_not_lost(then, outcome):
    items, ending = followed(isolate.stream(emit_and(then), SHORT))
    assert items == [b"first", b"second"]
    assert ending.outcome is outcome


def test_one_who_emits_waits_for_the_one_who_reads():
    """The items in flight fit into a pipe: endless output needs no endless memory."""

    def emit_for_ever(emit):
        while True:
            emit(b"x" * 10_000)

    stream = isolate.stream(emit_for_ever, LONG)
    for _ in range(1000):
        next(stream)
    assert len(stream.gi_frame.f_locals["watch"].result) < 2**21
    stream.close()


CPU = Limits(time_s=30.0, cpu_s=0.3)


def spin_in_two_children():
    for _ in range(2):
        if os.fork() == 0:
            spin()
    time.sleep(60)


def spin_in_a_grandchild():
    if os.fork() == 0:
        if os.fork() == 0:
            spin()
        time.sleep(60)
    time.sleep(60)


@pytest.mark.parametrize(
    "function",
    [spin, spin_in_c_with_the_interpreter_held, spin_in_two_children, spin_in_a_grandchild],
)
def test_the_cpu_limit_counts_all_processes_of_a_run(function):
    ending = isolate.call(function, CPU)
    assert ending.outcome is Outcome.TIMEOUT
    assert ending.message == "stopped at the CPU time limit of 0.3 s"
    assert ending.wall_s < 5


def test_sleeping_costs_no_cpu_time():
    ending = isolate.call(lambda: time.sleep(1) or b"", CPU)
    assert ending.outcome is Outcome.FINISHED


def test_an_answer_after_the_cpu_limit_is_a_timeout():
    def work():
        until = time.process_time() + 0.3
        while time.process_time() < until:
            pass
        return b"late"

    ending = isolate.call(work, Limits(time_s=30.0, cpu_s=0.299))
    assert ending.outcome is Outcome.TIMEOUT
    assert ending.payload == b""


@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_gigabyte_of_output_is_not_kept_but_ended(descriptor):
    def print_a_gigabyte():
        for _ in range(1024):
            os.write(descriptor, b"x" * 2**20)
        return b"done"

    ending = isolate.call(print_a_gigabyte, LONG)
    assert ending.outcome is Outcome.CRASHED
    assert ending.message == f"stopped at {LONG.output_bytes} bytes printed"


def test_what_c_code_prints_is_caught_as_well():
    libc = ctypes.CDLL(None)
    ending = isolate.call(lambda: libc.puts(b"from C") and libc.abort(), LONG)
    assert ending.outcome is Outcome.CRASHED
    assert "SIGABRT" in ending.message


BY_CGROUP = Limits(time_s=30.0, memory_bytes=2**28, memory_by=MemoryBy.CGROUP)


def reserve_much_and_use_little():
    mmap.mmap(-1, 2**33)
    return b"reserved"


def hoard_in_two_children():
    for _ in range(2):
        if os.fork() == 0:
            kept = bytearray(150 * 2**20)
            kept[::4096] = b"x" * len(kept[::4096])
            time.sleep(60)
    _, status = os.wait()
    raise RuntimeError(f"a child ended with {status}")


def groups_can_be_made():
    try:
        MemoryGroup.create(2**30).remove()
    except UnavailableError:
        return False
    return True


def test_a_control_group_counts_what_is_used_by_all_processes_of_a_run():
    if not groups_can_be_made():
        with pytest.raises(UnavailableError, match="control group"):
            isolate.call(reserve_much_and_use_little, BY_CGROUP)
        return
    assert isolate.call(reserve_much_and_use_little, BY_CGROUP).payload == b"reserved"
    by_address_space = replace(BY_CGROUP, memory_by=MemoryBy.ADDRESS_SPACE)
    assert isolate.call(reserve_much_and_use_little, by_address_space).outcome is not (
        Outcome.FINISHED
    )
    for function in (hoard, hoard_in_two_children):
        hoarding = isolate.call(function, BY_CGROUP)
        assert hoarding.outcome is Outcome.MEMOUT
        assert hoarding.peak_rss_bytes > 0.9 * 2**28
    assert not list(_own_group()[0].glob("nqbench-*"))


def escape():
    pid = os.fork()
    if pid == 0:
        os.setsid()
        time.sleep(60)
    return str(pid).encode()


def test_a_process_that_has_left_its_group_dies_with_the_control_group():
    if not groups_can_be_made():
        return
    escaped = int(isolate.call(escape, BY_CGROUP).payload)
    assert state(escaped) == "Z"  # or gone
    assert not list(_own_group()[0].glob("nqbench-*"))


def test_what_a_killed_process_left_behind_is_cleared_away(tmp_path, monkeypatch):
    monkeypatch.setattr("nqbench.cgroup._ROOT", tmp_path)
    monkeypatch.setattr("nqbench.cgroup._OWN", tmp_path / "proc")
    (tmp_path / "proc").write_text("0::/group\n")
    dead = subprocess.Popen(["true"])
    dead.wait()
    of_dead, of_living = (tmp_path / "group" / f"nqbench-{pid}" for pid in (dead.pid, os.getppid()))
    for path in (of_dead, of_living):
        path.mkdir(parents=True)
    (tmp_path / "group" / "cgroup.controllers").write_text("memory\n")
    MemoryGroup.create(2**20)
    assert not of_dead.exists()
    assert of_living.exists()


def test_control_groups_of_the_second_version_are_files_of_other_names(tmp_path, monkeypatch):
    """On a tree of plain files, since a machine has one version only."""
    own = tmp_path / "group"
    own.mkdir()
    (own / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "proc").write_text("0::/group\n")
    monkeypatch.setattr("nqbench.cgroup._ROOT", tmp_path)
    monkeypatch.setattr("nqbench.cgroup._OWN", tmp_path / "proc")
    group = MemoryGroup.create(2**20)
    assert (group.path / "memory.max").read_text() == str(2**20)
    assert (group.path / "memory.swap.max").read_text() == "0"
    (group.path / "memory.peak").write_text("12345\n")
    (group.path / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
    assert (group.peak_bytes(), group.killed()) == (12345, True)
    (own / "cgroup.controllers").write_text("cpu pids\n")
    with pytest.raises(UnavailableError, match="no memory controller"):
        MemoryGroup.create(2**20)
