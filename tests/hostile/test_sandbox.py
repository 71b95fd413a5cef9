"""Strangers' code in a sandbox: what it must not do, and what is left of it."""

import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import confine, landlock, namespaces
from nqbench.isolate.sandbox import Sandbox, SandboxEnding, lacking

LIMITS = Limits(time_s=10.0, memory_bytes=2**30, output_bytes=2**20)
SHORT = Limits(time_s=0.5, memory_bytes=2**30, output_bytes=2**20)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as sandbox:
        yield sandbox


def run(sandbox: Sandbox, code: str, given: bytes = b"") -> SandboxEnding:
    return sandbox.run([sys.executable, "-c", code], given)


def need(*words: str) -> None:
    if missing := set(words) & set(lacking()):
        pytest.skip(f"this machine lacks {missing}")


def test_program_reads_input_and_leaves_files(sandbox: Sandbox) -> None:
    code = "open('a.txt', 'w').write(input()); print(1); import sys; print(2, file=sys.stderr)"
    ending = run(sandbox, code, b"8\n")
    assert (ending.outcome, ending.output, ending.errors) == (Outcome.FINISHED, b"1\n", b"2\n")
    (file,) = sandbox.files()
    assert (file.name, sandbox.content(file)) == ("a.txt", b"8")


def test_folder_is_removed() -> None:
    with Sandbox(LIMITS) as sandbox:
        folder = sandbox.folder
        assert list(folder.iterdir()) == []
    assert not folder.exists()


def test_function_returns_bytes(sandbox: Sandbox) -> None:
    ending = sandbox.call(lambda: os.fsencode(Path.cwd()))
    assert (ending.outcome, ending.result) == (Outcome.FINISHED, os.fsencode(sandbox.folder))


def test_function_that_raises_is_reported(sandbox: Sandbox) -> None:
    ending = sandbox.call(lambda: b"%d" % (1 // 0))
    assert ending.outcome is Outcome.CRASHED
    assert "division" in ending.message


def test_function_that_ends_its_process_is_reported(sandbox: Sandbox) -> None:
    ending = sandbox.call(lambda: os._exit(0))
    assert (ending.outcome, ending.message) == (Outcome.CRASHED, "ended without a result")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise SystemExit(3)", "exit status 3"),
        ("import os; os.abort()", "ended by signal SIGABRT"),
        ("while True: print('x' * 1000)", "stopped at 1048576 bytes printed"),
        ("open('a', 'wb').write(bytes(2**29))", "exit status 1"),
        ("for i in range(9): open(str(i), 'wb').write(bytes(2**26))\nwhile True: pass",
         "stopped at 268435456 bytes in its folder"),
    ],
)  # fmt: skip
def test_wrong_end_is_reported(sandbox: Sandbox, code: str, message: str) -> None:
    ending = run(sandbox, code)
    assert (ending.outcome, ending.message) == (Outcome.CRASHED, message)


def test_missing_program_is_reported(sandbox: Sandbox) -> None:
    ending = sandbox.run(["/usr/bin/no-such-program"])
    assert ending.message == "cannot be started: No such file or directory"


def test_endless_loop_is_stopped_and_what_it_printed_is_kept() -> None:
    with Sandbox(SHORT) as sandbox:
        ending = run(sandbox, "print('n = 8', flush=True)\nwhile True: pass")
    assert (ending.outcome, ending.last_line) == (Outcome.TIMEOUT, "n = 8")


@pytest.mark.parametrize(
    "code",
    [
        "x = [bytearray(2**28) for _ in range(100)]",
        # Each of them is below the limit.
        "import os\nfor _ in range(3): os.fork()\nx = b'x' * 2**28\nwhile True: pass",
    ],
)
def test_memory_is_limited(sandbox: Sandbox, code: str) -> None:
    assert run(sandbox, code).outcome is Outcome.MEMOUT


def test_fork_bomb_is_stopped(sandbox: Sandbox) -> None:
    mark = f"bomb-{os.getpid()}"
    code = f"mark = '{mark}'\nimport os, time\nwhile True:\n  if os.fork() == 0: time.sleep(99)"
    ending = run(sandbox, code)
    # Limited by the kernel, or for root by the one who counts.
    assert ending.outcome is Outcome.CRASHED
    assert not is_running(mark)


def is_running(mark: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if f"mark = '{mark}'".encode() in content:
            return True
    return False


def test_processes_left_behind_end(sandbox: Sandbox) -> None:
    mark = f"left-{os.getpid()}"
    code = f"mark = '{mark}'\nimport os, time\nif os.fork() == 0: os.setsid(); time.sleep(99)"
    started = time.monotonic()
    assert run(sandbox, code).outcome is Outcome.FINISHED
    assert time.monotonic() - started < 60  # it did not wait for the one left behind
    assert not is_running(mark)


@pytest.mark.parametrize(
    "code",
    [
        "open('{0}/new', 'w')",
        "import os; os.remove('{0}/old')",
        "import os; os.chmod('{0}/old', 0)",
    ],
)
def test_nothing_outside_is_changed(sandbox: Sandbox, tmp_path: Path, code: str) -> None:
    need(confine.NO_LANDLOCK, confine.NO_READ_ONLY)
    (tmp_path / "old").write_text("kept")
    mode = (tmp_path / "old").stat().st_mode
    assert run(sandbox, code.format(tmp_path)).exit_status == 1
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").stat().st_mode == mode


def test_sibling_folder_cannot_be_read(sandbox: Sandbox) -> None:
    need(confine.NO_LANDLOCK, confine.NO_LANDLOCK_BUT_READ_ONLY)
    with Sandbox(LIMITS) as sibling:
        (sibling.folder / "enc.py").write_text("secret")
        code = f"print(open('{sibling.folder}/enc.py').read())"
        refused = run(sandbox, code)
        listed = run(sandbox, f"import os; print(os.listdir('{sibling.folder.parent}'))")
        with Sandbox(LIMITS, readable=[sibling.folder]) as permitted:
            allowed = run(permitted, code)
    assert refused.last_line.startswith("PermissionError")
    assert listed.last_line.startswith("PermissionError")
    assert allowed.output == b"secret\n"


def test_network_cannot_be_used(sandbox: Sandbox) -> None:
    need(confine.NO_NETWORK, confine.NO_NETWORK_BUT_TCP)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        code = f"import socket; socket.create_connection({address}, 5); print('connected')"
        assert socket.create_connection(address, 5).close() is None
        assert run(sandbox, code).exit_status == 1


def test_links_that_are_left_are_not_followed(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("p cnf 1 1")
    code = f"import os; os.symlink('{tmp_path}/secret', 'a.cnf'); os.mkfifo('b.cnf')"
    assert run(sandbox, code).outcome is Outcome.FINISHED
    assert sandbox.files() == []


def test_what_the_kernel_refuses_is_said(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(namespaces, "enter", lambda *_: set())
    monkeypatch.setattr(landlock, "version", lambda: 0)
    mark = f"plain-{os.getpid()}"
    code = f"mark = '{mark}'\nimport os, time\nif os.fork() == 0: os.setsid(); time.sleep(99)"
    ending = run(sandbox, code)
    assert ending.outcome is Outcome.FINISHED
    assert set(ending.lacking) == {
        confine.NO_LANDLOCK,
        confine.NO_READ_ONLY,
        confine.NO_NETWORK,
        confine.NO_PROCESSES,
    }
    assert not is_running(mark)
