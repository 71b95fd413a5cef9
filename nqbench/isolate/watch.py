"""Watches confined code, and stops it at its limits.

What no kernel limits without rights is looked at 20 times a second: the memory and the number of
all processes together, and the size of their folder.
"""

import contextlib
import math
import os
import select
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import Final

import msgspec

from nqbench.common.vocabulary import Outcome
from nqbench.isolate import confine, namespaces
from nqbench.isolate.confine import Code, Ends, Rules
from nqbench.isolate.processes import kill_tree, with_descendants

_LOOK_S: Final = 0.05
_LOOK_AT_FOLDER_S: Final = 0.25
_PIECE: Final = 1 << 18
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_MOST_FILES: Final = 10_000
_NAMESPACES: Final = (
    namespaces.USER, namespaces.NETWORK, namespaces.PROCESSES, namespaces.MESSAGES,
)  # fmt: skip


class Report(msgspec.Struct):
    """What was seen of confined code: see `sandbox.SandboxEnding`."""

    output: bytes = b""
    errors: bytes = b""
    result: bytes = b""
    stopped: Outcome | None = None
    because: str = ""
    status: int | None = None
    wall_s: float = 0.0
    lacking: list[str] = []


def watch(code: Code, given: bytes, rules: Rules) -> bytes:
    """Run the code, confined, and return the packed `Report`. It reads `given` from its standard
    input. This process enters namespaces, so it has to be one for this only.
    """
    inside = namespaces.enter(*_NAMESPACES)
    pipes = [os.pipe() for _ in range(4)]
    (output, to_output), (errors, to_errors), (result, to_result), (report, to_report) = pipes
    stdin = os.memfd_create("input")
    with open(stdin, "wb", closefd=False) as file:
        file.write(given)
    os.lseek(stdin, 0, os.SEEK_SET)
    started = monotonic()
    ends = Ends((stdin, to_output, to_errors), to_result, to_report)
    parent = confine.start(code, rules, inside, ends)
    ends.close()
    watcher = _Watcher(rules, parent, started, namespaces.PROCESSES in inside)
    watcher.follow({output: "output", errors: "errors", result: "result", report: "report"})
    return msgspec.msgpack.encode(watcher.seen())


class _Watcher:
    """Reads what confined code writes. If the `parent` of all its processes is the first in their
    namespace, all end with it.
    """

    def __init__(self, rules: Rules, parent: int, started: float, is_first: bool) -> None:
        self._rules = rules
        self._parent = parent
        self._is_first = is_first
        self._started = started
        self._read = {name: bytearray() for name in ("output", "errors", "result", "report")}
        self._stopped: Outcome | None = None
        self._because = ""
        self._wall_s = math.nan
        self._folder_due = started + _LOOK_AT_FOLDER_S

    def follow(self, names: Mapping[int, str]) -> None:
        """Read all pipes until the processes that write to them have ended."""
        poll = select.poll()
        for descriptor in names:
            poll.register(descriptor, select.POLLIN)
        still_open = set(names)
        deadline = self._started + self._rules.limits.time_s
        due = self._started + _LOOK_S
        while still_open:
            now = monotonic()
            wait_s = max(0.0, min(due, deadline) - now) if self._stopped is None else 1.0
            ready = poll.poll(wait_s * 1000 + 1)
            if not ready and self._stopped is not None:
                break  # what was killed cannot be waited for
            for descriptor, _ in ready:
                piece = os.read(descriptor, _PIECE)
                if not piece:
                    poll.unregister(descriptor)
                    still_open.remove(descriptor)
                if self._stopped is None or names[descriptor] == "report":
                    self._read[names[descriptor]] += piece
            if self._stopped is None:
                now = monotonic()
                if now >= due:
                    due = now + _LOOK_S
                    self._look(now)
                self._check(now, deadline)
        self._wall_s = monotonic() - self._started

    def seen(self) -> Report:
        """What was seen until the end."""
        lines = self._read["report"].decode().split("\n")
        end = lines.index("") if "" in lines else len(lines)
        status = next((int(line) for line in lines[end + 1 :] if line), None)
        return Report(
            output=bytes(self._read["output"]),
            errors=bytes(self._read["errors"]),
            result=bytes(self._read["result"]),
            stopped=self._stopped,
            because=self._because,
            status=status,
            wall_s=self._wall_s,
            lacking=lines[:end],
        )

    def _check(self, now: float, deadline: float) -> None:
        limits = self._rules.limits
        if now >= deadline:
            self._stop(Outcome.TIMEOUT, f"the time limit of {limits.time_s:g} s")
        elif sum(len(read) for read in self._read.values()) > limits.output_bytes:
            self._stop(Outcome.CRASHED, f"{limits.output_bytes} bytes printed")

    def _look(self, now: float) -> None:
        limits, most = self._rules.limits, self._rules.processes
        pids = list(with_descendants(self._parent))[1:]
        if len(pids) > most:
            self._stop(Outcome.CRASHED, f"{most} processes")
        elif sum(map(_resident, pids)) > limits.memory_bytes and (
            sum(map(_proportional, pids)) > limits.memory_bytes
        ):
            self._stop(Outcome.MEMOUT, f"the memory limit of {limits.memory_bytes} bytes")
        elif now >= self._folder_due:
            if _is_larger(self._rules.folder, self._rules.file_bytes):
                self._stop(Outcome.CRASHED, f"{self._rules.file_bytes} bytes in its folder")
            self._folder_due = now + _LOOK_AT_FOLDER_S

    def _stop(self, outcome: Outcome, because: str) -> None:
        if self._stopped is None:
            self._stopped, self._because = outcome, because
            if self._is_first:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._parent, signal.SIGKILL)
            else:
                kill_tree(self._parent)


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
        return (int(resident) - int(shared)) * _PAGE_BYTES
    return 0


def _proportional(pid: int) -> int:
    """The memory of a process; what several share counts once for all together."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        _, _, remainder = Path(f"/proc/{pid}/smaps_rollup").read_text().partition("\nPss:")
        return int(remainder.split(None, 1)[0]) * 1024
    return _resident(pid)


def _is_larger(folder: Path, most_bytes: int) -> bool:
    """Whether a folder has more bytes than that, or very many files."""
    size = 0
    for number, entry in enumerate(_entries(folder)):
        with contextlib.suppress(OSError):
            size += entry.stat(follow_symlinks=False).st_blocks * 512
        if size > most_bytes or number > _MOST_FILES:
            return True
    return False


def _entries(folder: Path) -> Iterator["os.DirEntry[str]"]:
    folders = [str(folder)]
    while folders:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
