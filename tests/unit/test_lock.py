"""The lock of a store: who has it, who waits, and what becomes of it if a process is killed."""

import errno
import fcntl
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from nqbench.campaign.execution import Execution
from nqbench.records import lock
from nqbench.records.lock import alone

HOLDING = """
import sys
from pathlib import Path
from nqbench.records import lock
from nqbench.records.lock import alone
with alone(Path(sys.argv[1]), "nqbench run --n 8", print):
    print("has it", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holding(store, then=HOLDING):
    """Another process that has the lock until its input is closed."""
    asked = [sys.executable, "-c", then, str(store)]
    process = subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "has it\n"
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results" / "nqbench.db"


@pytest.fixture
def waiting(path):
    """A thread that waits for the lock of a store, which it is given, and what it was told."""
    told, started = [], threading.Event()

    def wait(store):
        def note(line):
            told.append(line)
            started.set()

        with alone(store, "waiting", note) as waited_s:
            started.set()
            return waited_s

    with ThreadPoolExecutor(1) as pool:

        def begun(store=path):
            future = pool.submit(wait, store)
            assert started.wait(30)
            return future

        yield begun, told


def test_the_second_waits_for_the_first_and_says_for_whom(path, waiting):
    begin, told = waiting
    with holding(path) as first:
        second = begin()
        assert not second.done()
        (line,) = told
        assert line.startswith(f"{path} is in use by `nqbench run --n 8` (process {first.pid}, ")
        assert line.endswith("): waiting until it ends")
        first.communicate()
        assert second.result(30) > 0


def test_nothing_is_left_of_it(path):
    with alone(path, "first"):
        assert [each.name for each in path.parent.iterdir()] == ["nqbench.db-lock"]
    assert not path.parent.exists()  # which nothing was written to
    path.parent.mkdir()
    with alone(path, "second"):
        pass
    assert not list(path.parent.iterdir())


def test_the_lock_ends_with_a_process_that_is_killed(path, waiting):
    begin, told = waiting
    with holding(path) as first:
        second = begin()
        first.kill()
        second.result(30)
    assert len(told) == 1
    with holding(path) as first:
        first.kill()
        first.wait()
        left = path.with_name("nqbench.db-lock")
        assert left.exists()
        with alone(path, "next", told.append) as waited_s:
            assert waited_s < 30
            assert len(told) == 1
        assert not left.exists()


FORKING = HOLDING.replace(
    "    sys.stdin.read()",
    """    import os, subprocess, time
    from nqbench import isolate
    from nqbench.common.limits import Limits
    if os.fork() == 0:
        os.close(1)
        time.sleep(60)
    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    isolate.call(lambda: time.sleep(60) or b"", Limits(60, 2**33))""",
)


def test_no_other_process_keeps_the_lock(path):
    """One that was forked, one that was started, and one that was called."""
    with holding(path, FORKING) as first:
        tasks = Path(f"/proc/{first.pid}/task/{first.pid}/children")
        deadline = time.monotonic() + 30
        while len(children := tasks.read_text().split()) < 3:
            assert time.monotonic() < deadline
        first.kill()
        first.wait()
        told = []
        with alone(path, "next", told.append):
            assert not told
        for child in children:
            try:
                os.kill(int(child), 9)
            except ProcessLookupError:
                assert child == children[-1]  # which ends with its caller


def test_a_thread_may_enter_again_and_others_wait(path, waiting):
    begin, told = waiting
    with alone(path, "once", told.append):
        with alone(path, "twice", told.append) as waited_s:
            assert waited_s == 0
        second = begin()
        assert not second.done()
        assert f"`once` (process {os.getpid()}, " in told[0]
    second.result(30)


@pytest.mark.parametrize("kind", ["folder", "file", "dots"])
def test_a_store_of_several_names_has_one_lock(path, waiting, kind):
    begin, told = waiting
    other = path.parent.parent / "other"
    path.parent.mkdir()
    if kind == "folder":
        other.symlink_to(path.parent)
    elif kind == "file":
        other.mkdir()
        path.touch()
        (other / "nqbench.db").symlink_to(path)
    else:
        other = path.parent / ".." / "results"
    with holding(path):
        second = begin(other / "nqbench.db")
        assert len(told) == 1
        assert not second.done()
    second.result(30)


def test_who_waits_for_a_folder_that_is_removed_makes_it_again(path, waiting):
    begin, told = waiting
    with holding(path) as first:
        second = begin()
        shutil.rmtree(path.parent)
        with alone(path, "third", told.append):  # another folder of the same name
            first.kill()
            fourth = threading.Event()
            assert not second.done()
            assert not fourth.wait(0.1)
        second.result(30)
    assert len(told) == 1


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"[1]", b'{"pid": 1}', b"{" * 5000, b"nqbench\x1b[2J"]
)
def test_a_file_of_any_content_names_nobody(path, waiting, content):
    begin, told = waiting
    path.parent.mkdir()
    with holding(path):
        path.with_name("nqbench.db-lock").write_bytes(content)
        second = begin()
        assert told == [f"{path} is in use by another command: waiting until it ends"]
    second.result(30)


def test_what_the_file_says_is_made_safe_to_print(path, waiting):
    begin, told = waiting
    path.parent.mkdir()
    with holding(path):
        path.with_name("nqbench.db-lock").write_bytes(
            b'{"command": "\\u001b[2J\\n%s", "pid": 7, "host": "far", "since": "\\u001b"}'
            % (b"x" * 999)
        )
        second = begin()
    second.result(30)
    assert told[0].isprintable()
    assert "(process 7 on far, since \\x1b)" in told[0]
    assert len(told[0]) < 500


def test_without_locks_it_says_so_and_goes_on(path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    told = []
    with alone(path, "first", told.append) as waited_s:
        assert waited_s == 0
    assert told == [
        f"cannot lock {path}-lock (No locks available): start no other command that writes to it"
    ]


@pytest.mark.parametrize("make", ["mkdir", "mkfifo"])
def test_what_is_no_file_is_no_lock(path, make):
    path.parent.mkdir()
    getattr(os, make)(f"{path}-lock")
    told = []
    with alone(path, "first", told.append):
        (line,) = told
        assert "nqbench.db-lock" in line
        assert "start no other command" in line


def test_a_folder_that_cannot_be_made_is_left_to_the_store(tmp_path):
    (tmp_path / "file").touch()
    told = []
    with alone(tmp_path / "file" / "nqbench.db", "first", told.append):
        assert not told


def test_a_budget_does_not_pass_while_waiting():
    execution = Execution.usual(budget_s=1.0, started=time.monotonic() - 100)
    assert execution.left_s == 0
    assert 0 < execution.later(100).left_s <= 1


def test_a_forked_process_does_not_close_another_file_of_the_same_number(path, tmp_path):
    """As in a process of a run, which has closed what it inherited, and starts a program."""
    with alone(path, "nqbench run"):
        (descriptor,) = lock._held.values()
        locked, other = os.dup(descriptor), os.open(tmp_path, os.O_RDONLY)
        os.dup2(other, descriptor)
        if not (child := os.fork()):
            os._exit(not Path(f"/proc/self/fd/{descriptor}").exists())
        assert os.waitpid(child, 0)[1] == 0
        os.dup2(locked, descriptor)
        os.close(locked)
        os.close(other)
