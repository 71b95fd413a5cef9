"""Ways in which a function can misbehave, and the state of processes."""

import os
import signal
import time
from pathlib import Path


def spin():
    while True:
        pass


def segfault():
    os.kill(os.getpid(), signal.SIGSEGV)


def hoard():
    kept = []
    while True:
        kept.append(bytearray(2**24))


def state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def started_with(variable):
    """The living processes that have this variable in their environment, and their arguments."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            has_variable = variable in (folder / "environ").read_bytes().split(b"\0")
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        if has_variable and state(folder.name) != "Z":
            found[int(folder.name)] = words
    return found


def talk_for_ever():
    while True:
        os.write(1, b"still here\n" * 100)
        os.write(2, b"still here\n" * 100)


def assert_dies(pid):
    """Wait for a killed process to end, which may take a moment."""
    deadline = time.monotonic() + 60
    while state(pid) != "Z":
        assert time.monotonic() < deadline, f"{pid} lives"
        time.sleep(0.01)
