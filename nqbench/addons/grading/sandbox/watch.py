"""Watches a confined program, and stops it at its limits.

What no kernel limits without rights is looked at 20 times a second: the memory and the number of
all processes together, and the size of a folder that is not limited by itself.
"""

import contextlib
import fcntl
import math
import os
import select
import signal
import socket
import struct
from collections.abc import Iterable
from io import FileIO
from time import monotonic
from typing import Final

import msgspec

from nqbench.addons.grading.sandbox import confine, footprint, left_files, namespaces
from nqbench.addons.grading.sandbox.confine import Ends, Program, Rules
from nqbench.addons.grading.sandbox.left_files import collect_files
from nqbench.addons.grading.sandbox.protection import Grants
from nqbench.common.errors import InputError, NqbenchError
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.fork import Emit
from nqbench.isolate.processes import kill_tree, with_descendants

LENGTH: Final = struct.Struct("<q")
"""What comes before each reply of a program in a conversation."""

_LOOK_S: Final = 0.05
_LOOK_AT_FOLDER_S: Final = 0.25
_LONGEST_START_S: Final = 120.0
"""How long a program may take to say that it is ready, before any of a stranger's code runs."""

_PIECE: Final = 1 << 18
_NAMESPACES: Final = (namespaces.NETWORK, namespaces.PROCESSES, namespaces.MESSAGES)
_ADD_SEALS, _ALL_SEALS = 1033, 0b1111


class Report(msgspec.Struct):
    """What was seen of a confined program: see `sandbox.SandboxEnding`. `reply` is what it answered
    to a request, and None if it has ended. `flaw` is why its files were not taken.
    """

    output: bytes = b""
    errors: bytes = b""
    failure: bytes = b""
    reply: bytes | None = None
    stopped: Outcome | None = None
    because: str = ""
    status: int | None = None
    wall_s: float = 0.0
    files: dict[bytes, bytes] = {}
    flaw: str = ""


def watch(program: Program, given: bytes, rules: Rules) -> bytes:
    """Run the program, confined, and return the packed `Report`. It reads `given` from its standard
    input. This process enters namespaces, so it has to be one for this only.
    """
    watcher = _Watcher(program, _sealed(given), rules)
    watcher.begin(rules.limits.time_s)
    watcher.follow()
    return msgspec.msgpack.encode(watcher.final_report())


def ask_kernel(rules: Rules) -> bytes:
    """Return the packed `Grants`, as no program is started."""
    return msgspec.msgpack.encode(_Watcher(Program((), {}, {}), _sealed(b""), rules).grants)


def converse(program: Program, requests: int, rules: Rules, emit: Emit) -> None:
    """The same for a program that gets the lines of `requests`, a pipe, one after another. It
    writes an empty reply when it is ready, and then one to each line; a reply is its length and its
    bytes. The limits are those of each reply. The packed `Report` of each is emitted.
    """
    stdin, to_stdin = os.pipe()
    os.set_blocking(to_stdin, False)
    watcher = _Watcher(program, stdin, rules)
    watcher.begin(_LONGEST_START_S)
    is_ready = watcher.follow_to_reply() is not None
    with FileIO(requests, "rb") as lines:
        # It is watched all the time. If it ends, that is reported when somebody asks.
        while line := watcher.next_request(lines):
            if is_ready:
                watcher.begin(rules.limits.time_s)
                watcher.hand_over(to_stdin, line)
            reply = watcher.follow_to_reply()
            if reply is None:
                emit(msgspec.msgpack.encode(watcher.final_report()))
                return
            emit(msgspec.msgpack.encode(watcher.report(reply)))
    watcher.stop(Outcome.CRASHED, "the end")


def _sealed(content: bytes) -> int:
    """A descriptor to read this from, which cannot be made to hold anything else."""
    descriptor = os.memfd_create("input", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    fcntl.fcntl(descriptor, _ADD_SEALS, _ALL_SEALS)
    return descriptor


def _enter_namespaces() -> set[int]:
    """Enter them; root without a user namespace, so that it can give the program another user."""
    inside = namespaces.enter(*_NAMESPACES) if os.geteuid() == 0 else set()
    if namespaces.PROCESSES not in inside:
        inside |= namespaces.enter(namespaces.USER, *_NAMESPACES)
    return inside


def _readable(descriptors: Iterable[int], wait_s: float) -> set[int]:
    """Those that can be read, or have ended. Waits until there is one, but no longer than that."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return {descriptor for descriptor, _ in poll.poll(wait_s * 1000)}


class _Watcher:
    """Starts a program, and reads what it writes. If the parent of all its processes is the first
    in their namespace, all end with it.
    """

    def __init__(self, program: Program, stdin: int, rules: Rules) -> None:
        inside = _enter_namespaces()
        # In a user namespace there is only one user.
        user = None if namespaces.USER in inside else confine.stranger()
        pipes = {name: os.pipe() for name in ("output", "errors", "failure")}
        self._parent, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for read, _ in pipes.values():  # which the program may also read itself
            os.set_blocking(read, False)
        (_, output), (_, errors), (_, failure) = pipes.values()
        if user is not None:  # a program may open its streams again, as /dev/stdout
            for stream in (stdin, output, errors):
                os.fchown(stream, user, user)
        ends = Ends((stdin, output, errors), failure, theirs)
        self._pid = confine.start(program, rules, inside, user, ends)
        ends.close()
        self._rules = rules
        self._is_first = namespaces.PROCESSES in inside
        self._files = program.files
        self._names = {read: name for name, (read, _) in pipes.items()}
        self._read = {name: bytearray() for name in pipes}
        self._open = {*self._names, self._parent.fileno()}
        self._status: int | None = None
        self._stopped: Outcome | None = None
        self._because = ""
        self.grants, self._folder = self._receive(pipes["failure"][0])

    def begin(self, limit_s: float) -> None:
        """Start to count time and output anew. Raises `NqbenchError` if nothing was started."""
        if self._folder is None:
            raise NqbenchError("the kernel grants no root any more")
        self._began = monotonic()
        self._deadline = self._began + limit_s
        self._due = self._began + _LOOK_S
        self._folder_due = self._began + _LOOK_AT_FOLDER_S
        for read in self._read.values():
            read.clear()

    def follow(self) -> None:
        """Read all that is written, until the program and all that it has started have ended."""
        while self._look_on():
            pass

    def follow_to_reply(self) -> bytes | None:
        """The next reply; None if the program has ended before."""
        while (reply := self._next_reply()) is None and self._look_on():
            pass
        return reply

    def hand_over(self, to_stdin: int, line: bytes) -> None:
        """Write a line to the standard input of the program, which may have ended, or have filled
        it to block this.
        """
        try:
            os.write(to_stdin, line)
        except BrokenPipeError:
            pass
        except BlockingIOError:
            self.stop(Outcome.CRASHED, "a full input")

    def next_request(self, lines: FileIO) -> bytes:
        """The next line of these, for which it waits, and meanwhile watches the program. Empty if
        there are no more.
        """
        self._deadline = math.inf
        while self._look_on(lines.fileno()) and not _readable({lines.fileno()}, 0):
            pass
        return lines.readline()

    def stop(self, outcome: Outcome, because: str) -> None:
        """Kill the program and all that it has started, for this reason."""
        if self._stopped is None:
            self._stopped, self._because = outcome, because
            if self._is_first:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, signal.SIGKILL)
            else:
                kill_tree(self._pid)

    def report(self, reply: bytes | None = None) -> Report:
        """What was seen since it began."""
        return Report(
            output=bytes(self._read["output"]),
            errors=bytes(self._read["errors"]),
            failure=bytes(self._read["failure"]),
            reply=reply,
            stopped=self._stopped,
            because=self._because,
            status=self._status,
            wall_s=monotonic() - self._began,
        )

    def final_report(self) -> Report:
        """The same after the end, with the files that the program has left."""
        report = self.report()
        os.waitpid(self._pid, 0)  # which is the last process of its namespace to end
        assert self._folder is not None
        try:
            report.files = collect_files(self._folder, self._files, self._rules.file_bytes)
        except InputError as error:
            report.flaw = f"left {error}"
        return report

    def _receive(self, failure: int) -> tuple[Grants, int | None]:
        """What the parent of the program could arrange, and the folder of the program, if there is
        one. Raises `NqbenchError` with what is in the pipe `failure` if it has failed.
        """
        message, descriptors, _, _ = socket.recv_fds(self._parent, 1 << 12, 1)
        if not message:
            os.set_blocking(failure, True)
            reason = os.read(failure, _PIECE).decode(errors="replace")
            raise NqbenchError(reason or "the parent of the program has ended")
        return msgspec.msgpack.decode(message, type=Grants), next(iter(descriptors), None)

    def _look_on(self, *others: int) -> bool:
        """Wait for what is written next, and check the limits. Returns whether there may be more.
        One of the `others` that can be read ends the wait.
        """
        if not self._open:
            return False
        wait_s = 1.0
        if self._stopped is None:
            wait_s = max(0.0, min(self._due, self._deadline) - monotonic())
        ready = _readable({*self._open, *others}, wait_s + 0.001)
        if not ready and self._stopped is not None:
            return False  # what was killed cannot be waited for
        for descriptor in self._open & ready:
            self._take(descriptor)
        if self._stopped is None:
            self._check()
        return True

    def _take(self, descriptor: int) -> None:
        try:
            piece = os.read(descriptor, _PIECE)
        except BlockingIOError:
            return
        if not piece:
            self._open.remove(descriptor)
        elif descriptor == self._parent.fileno():
            self._status, has_ended = map(int, piece.split())
            if has_ended:
                self._open.remove(descriptor)
        elif self._stopped is None:
            self._read[self._names[descriptor]] += piece

    def _next_reply(self) -> bytes | None:
        """The first reply in what was read, which is removed from it."""
        read = self._read["output"]
        if len(read) < LENGTH.size:
            return None
        end = LENGTH.size + LENGTH.unpack_from(read)[0]
        if not LENGTH.size <= end <= len(read):
            return None
        reply = bytes(read[LENGTH.size : end])
        del read[:end]
        return reply

    def _check(self) -> None:
        limits, now = self._rules.limits, monotonic()
        if now >= self._due:
            self._due = now + _LOOK_S
            self._look(now)
        if now >= self._deadline:
            self.stop(Outcome.TIMEOUT, f"the time limit of {limits.time_s:g} s")
        elif sum(len(read) for read in self._read.values()) > limits.output_bytes:
            self.stop(Outcome.CRASHED, f"{limits.output_bytes} bytes printed")

    def _look(self, now: float) -> None:
        limits, most = self._rules.limits, self._rules.processes
        pids = list(with_descendants(self._pid))[1:]
        if footprint.count_threads(pids) > most:
            self.stop(Outcome.CRASHED, f"{most} processes and threads")
        elif footprint.is_larger(pids, limits.memory_bytes):
            self.stop(Outcome.MEMOUT, f"the memory limit of {limits.memory_bytes} bytes")
        elif self._rules.folder and self._folder and now >= self._folder_due:
            self._folder_due = now + _LOOK_AT_FOLDER_S
            if flaw := left_files.flaw(self._folder, self._rules.file_bytes):
                self.stop(Outcome.CRASHED, flaw)
