"""Programs of strangers in a sandbox: how they end, and what comes back."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from nqbench.addons.grading.sandbox import landlock, namespaces, sandbox, seccomp
from nqbench.addons.grading.sandbox.left_files import GivenFile
from nqbench.addons.grading.sandbox.protection import CURE, Level
from nqbench.addons.grading.sandbox.sandbox import Sandbox, SandboxEnding
from nqbench.addons.grading.sandbox.watch import LENGTH
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome

LIMITS = Limits(time_s=10.0, memory_bytes=2**30, output_bytes=2**20)
SHORT = Limits(time_s=0.5, memory_bytes=2**30, output_bytes=2**20)


def run(code: str, given: bytes = b"", limits: Limits = LIMITS, **files: bytes) -> SandboxEnding:
    put = {name.encode(): GivenFile(content) for name, content in files.items()}
    return Sandbox(limits, put).run([sys.executable, "-c", code], given)


def test_program_reads_input_and_leaves_files() -> None:
    code = "open('a.txt', 'w').write(input()); print(1); import sys; print(2, file=sys.stderr)"
    ending = run(code, b"8\n")
    assert (ending.outcome, ending.output, ending.errors) == (Outcome.FINISHED, b"1\n", b"2\n")
    assert (ending.files, ending.flaw) == ({b"a.txt": b"8"}, "")


def test_only_new_and_changed_files_come_back() -> None:
    code = "open('b', 'w').write('new'); open('a', 'a').write('x'); open('c').read()"
    ending = run(code, a=b"old", c=b"old")
    assert ending.files == {b"a": b"oldx", b"b": b"new"}


def test_files_have_the_names_and_modes_that_they_are_given() -> None:
    files = {
        b"sub/below/M\xfcller": GivenFile(b"#!/bin/sh\necho $0 $1 >&2\n", is_executable=True),
        b"sub/data": GivenFile(b""),
    }
    ending = Sandbox(LIMITS, files).run(
        ["sh", "-c", "cd sub/below; ./M* 8; test -w ../data; touch new; mkdir $(printf 'x\\377')"]
    )
    assert (ending.message, ending.errors) == ("", b"./M\xfcller 8\n")
    assert ending.files == {b"sub/below/new": b""}


def test_a_folder_is_new_for_each_run() -> None:
    box = Sandbox(LIMITS)
    for _ in range(2):
        assert box.run(["sh", "-c", 'test -z "$(ls -A)" && touch x']).files == {b"x": b""}


def test_the_environment_is_not_that_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_TOKEN", "secret")
    ending = Sandbox(LIMITS).run(["env"], environment={"ADDED": "1"})
    names = {line.partition(b"=")[0] for line in ending.output.splitlines()}
    assert {b"ADDED", b"HOME", b"TMPDIR", b"PATH"} <= names
    assert b"COURSE_TOKEN" not in names


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise SystemExit(3)", "exit status 3"),
        ("import os; os.abort()", "ended by signal SIGABRT"),
        ("while True: print('x' * 1000)", "stopped at 1048576 bytes printed"),
        ("open('a', 'wb').write(bytes(2**28))", "exit status 1"),
    ],
)
def test_wrong_end_is_reported(code: str, message: str) -> None:
    ending = run(code)
    assert (ending.outcome, ending.message) == (Outcome.CRASHED, message)


def test_missing_program_is_reported() -> None:
    for words in (["/usr/bin/no-such-program"], ["./none"]):
        ending = Sandbox(LIMITS).run(words)
        assert ending.message == "cannot be started: No such file or directory"


def test_endless_loop_is_stopped_and_what_it_printed_is_kept() -> None:
    ending = run("print('n = 8', flush=True)\nwhile True: pass", limits=SHORT)
    assert (ending.outcome, ending.last_line) == (Outcome.TIMEOUT, "n = 8")


@pytest.mark.parametrize(
    "code",
    [
        "x = [bytearray(2**28) for _ in range(100)]",
        # Each of them is below the limit.
        "import os\nfor _ in range(3): os.fork()\nx = b'x' * 2**28\nwhile True: pass",
    ],
)
def test_memory_is_limited(code: str) -> None:
    assert run(code).outcome is Outcome.MEMOUT


def is_running(mark: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if f"mark = '{mark}'".encode() in content:
            return True
    return False


def test_processes_left_behind_end() -> None:
    mark = f"left-{os.getpid()}"
    code = f"mark = '{mark}'\nimport os, time\nif os.fork() == 0: os.setsid(); time.sleep(99)"
    # It does not wait for the one left behind, which would reach the limit.
    assert run(code).outcome is Outcome.FINISHED
    assert not is_running(mark)


def test_what_is_readable_is_read_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "data").write_text("given")
    (tmp_path / "link").symlink_to("there")
    (tmp_path / "secret").write_text("secret")
    tmp_path.chmod(0o755)
    box = Sandbox(LIMITS, readable=[tmp_path / "link" / "data"])
    ending = box.run(["sh", "-c", f"cat {tmp_path}/link/data; ! cat {tmp_path}/secret"])
    assert (ending.message, ending.output) == ("", b"given")


ECHO = f"""
import sys
def reply(text):
    sys.stdout.buffer.write(len(text).to_bytes({LENGTH.size}, "little") + text)
    sys.stdout.flush()
reply(b"")
for number, line in enumerate(sys.stdin):
    if line == "end\\n": raise SystemExit(3)
    if line == "loop\\n":
        while True: pass
    if line == "memory\\n": x = [bytearray(2**28) for _ in range(100)]
    print("asked", file=sys.stderr)
    reply(f"{{number}} {{line.strip()}}".encode())
"""


def test_one_program_replies_to_one_request_after_another() -> None:
    with Sandbox(LIMITS).conversation([sys.executable, "-c", ECHO]) as ask:
        assert [ask(line).reply for line in (b"a", b"b")] == [b"0 a", b"1 b"]
        ending = ask(b"end")
        assert (ending.reply, ending.message) == (None, "exit status 3")
        assert ask(b"c").message == "it has ended"


def test_the_time_limit_of_a_conversation_is_that_of_each_reply() -> None:
    limits = replace(LIMITS, time_s=3.0)
    with Sandbox(limits).conversation([sys.executable, "-c", ECHO]) as ask:
        # More time than the limit passes between them, and that is nobody's.
        assert ask(b"a").reply == b"0 a"
        time.sleep(3.1)
        assert ask(b"b").reply == b"1 b"
        ending = ask(b"loop")
        assert (ending.reply, ending.outcome) == (None, Outcome.TIMEOUT)


def test_memory_is_limited_in_a_conversation() -> None:
    with Sandbox(replace(LIMITS, time_s=60.0)).conversation([sys.executable, "-c", ECHO]) as ask:
        assert ask(b"a").reply == b"0 a"
        ending = ask(b"memory")
        assert (ending.reply, ending.outcome) == (None, Outcome.MEMOUT)


def test_a_conversation_ends_with_its_block() -> None:
    mark = f"conversation-{os.getpid()}"
    code = f"mark = '{mark}'\n{ECHO}"
    with Sandbox(LIMITS).conversation([sys.executable, "-c", code]) as ask:
        ask(b"a")
        assert is_running(mark)
    assert not is_running(mark)


@pytest.fixture
def granted_by(monkeypatch: pytest.MonkeyPatch):
    """Let the kernel grant less, for one test."""

    def clear() -> None:
        sandbox.granted.cache_clear()
        sandbox.protection.cache_clear()

    def grant(*, landlock_version: int) -> None:
        monkeypatch.setattr(namespaces, "enter", lambda *_: set())
        monkeypatch.setattr(landlock, "version", lambda: landlock_version)
        clear()

    yield grant
    monkeypatch.undo()
    clear()


def test_nothing_starts_where_nothing_confines(granted_by, tmp_path: Path) -> None:
    import nqbench
    from nqbench.common.errors import InputError

    granted_by(landlock_version=0)
    assert sandbox.protection().level is Level.UNCONFINED
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.py").write_text(f"open('{tmp_path}/started', 'w')")
    with pytest.raises(InputError, match="--unconfined") as refused:
        nqbench.grade(tmp_path / "in", 4, shuffles=0, results=tmp_path / "results")
    assert str(refused.value) == CURE
    assert not (tmp_path / "started").exists()
    board = nqbench.grade(
        tmp_path / "in", 4, shuffles=0, results=tmp_path / "results", unconfined=True
    )
    assert (tmp_path / "started").exists()
    assert board.protection.level is Level.UNCONFINED
    page = (tmp_path / "results" / "scoreboard.html").read_text()
    assert "read and write all files of this user" in page


def test_formulas_need_no_sandbox(granted_by, tmp_path: Path) -> None:
    import nqbench

    granted_by(landlock_version=0)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "4.cnf").write_text("p cnf 16 0\n")
    board = nqbench.grade(tmp_path / "in", 4, shuffles=0, results=tmp_path / "results")
    assert board.protection is None


@pytest.mark.skipif(not landlock.version(), reason="needs a kernel with Landlock")
def test_what_remains_open_is_said_before_the_first_program_starts(
    granted_by, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import nqbench

    granted_by(landlock_version=landlock.version())
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.py").write_text("print('p cnf 16 0')")
    board = nqbench.grade(tmp_path / "in", 4, shuffles=0, results=tmp_path / "results")
    said = capsys.readouterr().err
    assert board.protection.level is Level.RESTRICTED
    assert said.startswith("Sandbox: restricted. A program can still see whether a file exists")
    page = (tmp_path / "results" / "scoreboard.html").read_text()
    for line in board.protection.remains:
        assert line in said
        assert line in page


def test_the_filter_knows_the_numbers_of_this_kernel() -> None:
    """The headers of the kernel have the same numbers as the table, for both architectures."""
    import re

    headers = ("x86_64-linux-gnu/asm/unistd_64.h", "asm-generic/unistd.h")
    for column, header in enumerate(headers):
        path = Path("/usr/include", header)
        if not path.exists():
            pytest.skip(f"no {path}: apt install linux-libc-dev")
        text = path.read_text()
        known = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\n", text))
        for name, numbers in seccomp.DENIED.items():
            assert int(known.get(name, numbers[column])) == numbers[column], (header, name)
