"""Functions that misbehave in their process, and what remains of them."""

import ctypes
import errno
import itertools
import os
import resource
import signal
import subprocess
import sys
import time

import pytest
from misbehaviour import assert_dies, segfault, spin, state, talk_for_ever

from nqbench import isolate
from nqbench.common.errors import ExecutorError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import fork
from nqbench.isolate.supervise import Abandoned

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")
SHORT = Limits(time_s=0.1, memory_bytes=4 * 2**30, output_bytes=2**50)
LONG = Limits(time_s=30.0, memory_bytes=4 * 2**30, output_bytes=2**22)
CPU = Limits(time_s=30.0, cpu_s=0.1)


def test_what_the_function_returns_arrives():
    ending = isolate.call(lambda: b"x" * 3_000_000, LONG)
    assert ending.outcome is Outcome.FINISHED
    assert ending.payload == b"x" * 3_000_000
    assert ending.exit_status == 0


def test_a_process_that_dies_leaves_no_core_file(tmp_path):
    def die():
        os.chdir(tmp_path)
        os.abort()

    def limits():
        return repr(resource.getrlimit(resource.RLIMIT_CORE)).encode()

    assert isolate.call(die, LONG).signal == signal.SIGABRT
    assert list(tmp_path.iterdir()) == []
    # With 0, the kernel would start a program that keeps them, where there is one.
    most = 1 if resource.getrlimit(resource.RLIMIT_CORE)[1] else 0
    assert isolate.call(limits, LONG).payload == f"({most}, {most})".encode()


def ignore_sigterm():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)


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
    assert "0.1 s" in ending.message


@pytest.mark.parametrize("limits", [{"time_s": 1e9}, {"time_s": 1e9, "cpu_s": 1e9}])
def test_a_limit_may_be_years_away(limits):
    ending = isolate.call(lambda: b"", Limits(**limits))
    assert ending.outcome is Outcome.FINISHED


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


def test_processor_time_is_that_of_the_function():
    def work():
        while time.process_time() < 0.1:
            pass
        return repr(time.process_time()).encode()

    ending = isolate.call(work, LONG)
    # As the process itself counts it, and its end.
    assert 0.1 <= float(ending.payload) <= ending.cpu_s < float(ending.payload) + 0.3


def test_children_of_its_group_die_with_it():
    def start_child():
        child = subprocess.Popen(["sleep", "60"])
        return str(child.pid).encode()

    ending = isolate.call(start_child, LONG)
    assert_dies(int(ending.payload))


def test_children_of_the_caller_outlive_a_call():
    with subprocess.Popen(["sleep", "60"]) as child:
        isolate.call(lambda: b"", LONG)
        isolate.call(spin, SHORT)
        assert state(child.pid) != "Z"
        child.kill()


def test_the_cpu_limit_counts_processes_that_have_left_the_group():
    def spin_in_an_orphan():
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.alarm(60)  # should it be forgotten
                spin()
            os._exit(0)
        os.wait()
        time.sleep(60)

    ending = isolate.call(spin_in_an_orphan, CPU)
    assert ending.outcome is Outcome.TIMEOUT
    assert ending.message == "stopped at the CPU time limit of 0.1 s"


def test_a_process_that_cannot_be_started_is_told_with_its_reason(monkeypatch):
    def refuse():
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    # With threads, which parallel runs of these tests have, and without.
    monkeypatch.setattr(fork._python, "fork", lambda: ctypes.set_errno(errno.EAGAIN) or -1)
    monkeypatch.setattr(os, "fork", refuse)
    with pytest.raises(ExecutorError, match="cannot start a process: Resource temp"):
        isolate.call(lambda: b"", LONG)


def test_one_who_asks_and_goes_away_stops_it():
    reader, writer = os.pipe()
    os.close(writer)
    with pytest.raises(Abandoned):
        isolate.call(spin, LONG, stop_fd=reader)
    os.close(reader)


def test_a_gigantic_answer_is_refused(monkeypatch):
    monkeypatch.setattr("nqbench.isolate.fork.PAYLOAD_LIMIT", 1_000_000)
    ending = isolate.call(lambda: bytes(20_000_000), LONG)
    assert ending.outcome is Outcome.CRASHED
    assert "more than 1000000 bytes" in ending.message


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
    assert ending.message == "stopped at the CPU time limit of 0.1 s"


def test_sleeping_costs_no_cpu_time():
    ending = isolate.call(lambda: time.sleep(0.5) or b"", Limits(time_s=30.0, cpu_s=0.3))
    assert ending.outcome is Outcome.FINISHED


@pytest.mark.parametrize("limits", [SHORT, Limits(time_s=30.0, cpu_s=0.099)])
def test_an_answer_after_a_limit_is_a_timeout(limits):
    def work():
        until = time.process_time() + 0.1
        while time.process_time() < until:
            pass
        return b"late"

    ending = isolate.call(work, limits)
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
