"""No process outlives a command that is killed, in whatever it is at."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from misbehaviour import started_with

SLOW = "#!/bin/sh\necho started > {started}\nsleep 600\n"


class Command:
    """A command, and all processes that have come from it, whatever their parent is now."""

    def __init__(self, folder, *words):
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            [sys.executable, *map(str, words)],
            cwd=folder,
            env=os.environ | {"NQBENCH_TEST_MARK": self.mark},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def processes(self):
        return started_with(f"NQBENCH_TEST_MARK={self.mark}".encode())

    def wait_for(self, happens):
        deadline = time.monotonic() + 60
        while not (found := happens()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return found

    def kill(self):
        """Kill the command only, and wait until all are gone."""
        self.process.kill()
        self.process.wait()
        self.wait_for(lambda: not self.processes())


@pytest.fixture
def command():
    started = []

    def start(folder, *words):
        started.append(Command(folder, *words))
        return started[-1]

    yield start
    for each in started:
        for pid in each.processes():
            os.kill(pid, signal.SIGKILL)
        each.process.wait()


RUN = ["-m", "nqbench", "run", "--n", "4..9", "--backend", "minisat22", "--repeat", "1"]


def servers(one):
    return [pid for pid, words in one.processes().items() if b"nqbench.measure" in words]


def reporting(one):
    return [
        pid for pid, words in one.processes().items() if b"nqbench.cli.commands.report" in words
    ]


@pytest.mark.parametrize(
    "moment",
    {
        "begins": lambda one, _: one.processes(),
        "plans": lambda one, _: servers(one),
        "measures": lambda _, folder: (folder / "results" / "nqbench.db-wal").exists(),
        "draws": lambda _, folder: (folder / "results" / "plots").exists(),
    }.items(),
    ids=lambda moment: moment[0],
)
def test_nothing_is_left_of_a_run(command, tmp_path, moment):
    one = command(tmp_path, *RUN)
    one.wait_for(lambda: moment[1](one, tmp_path))
    one.kill()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) == 1, reason="it is written by the command then")
def test_the_page_is_not_written_any_more(command, tmp_path):
    """Whatever that process is at: it does nothing here, and so it cannot notice anything."""
    one = command(tmp_path, *RUN)
    (pid,) = one.wait_for(lambda: reporting(one))
    one.wait_for(lambda: b"polars" in Path(f"/proc/{pid}/maps").read_bytes())  # it is well on
    os.kill(pid, signal.SIGSTOP)
    one.kill()


@pytest.mark.parametrize("word", ["run", "solve"])
@pytest.mark.parametrize("asked", ["", "--version"], ids=["solving", "asked for its version"])
def test_no_program_is_left(command, tmp_path, word, asked):
    """One that starts others, and that is killed while it is asked for its version or solves."""
    program, started = tmp_path / "slow", tmp_path / "started"
    slow = SLOW.format(started=started)
    if not asked:
        # It answers the two clauses that it is tried with.
        slow = slow.replace("echo", 'case "$1" in --version) exit;; esac\necho', 1)
    program.write_text(slow)
    program.chmod(0o755)
    one = command(tmp_path, "-m", "nqbench", word, "--n", 8, "--backend", f"exe:{program}")
    one.wait_for(started.exists)
    one.kill()


def test_no_program_is_left_that_finds_a_proof(command, tmp_path):
    """In a thread of a call that was made in another one, as `check` does."""
    program, started = tmp_path / "slow", tmp_path / "started"
    program.write_text(SLOW.format(started=started))
    program.chmod(0o755)
    code = f"""
import subprocess, threading
from nqbench import isolate
from nqbench.isolate import guard
from nqbench.common.limits import Limits
def work():
    guard.kill_own_group()
    subprocess.run([{str(program)!r}])
    return b""
def call():
    isolate.call(lambda: isolate.call(work, Limits(600, 2**40)).payload, Limits(600, 2**40))
thread = threading.Thread(target=call)
thread.start()
thread.join()
"""
    one = command(tmp_path, "-c", code)
    one.wait_for(started.exists)
    one.kill()
