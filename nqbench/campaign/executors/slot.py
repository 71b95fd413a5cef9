"""A slot: one fork server, seen from outside, which measures one run at a time.

A run may take as long as its limits allow. For other work, such as encoding or checking a proof,
the server announces how long it may take. If it then stays silent for several seconds longer, it is
killed with all processes that it has started.
"""

import contextlib
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from nqbench.campaign.executors import interpreter
from nqbench.campaign.executors.interpreter import Interpreter
from nqbench.common.errors import ExecutorError
from nqbench.common.printable import printable
from nqbench.common.units import so_far
from nqbench.common.vocabulary import combination
from nqbench.isolate import processes
from nqbench.measure import validation
from nqbench.measure.wire import Busy, Closed, Garbled, Log, Order, Prepare, Ready, Silent, Wire
from nqbench.records.record import Record, Run

GRACE_S: Final = 4.0
"""How long a server may be silent after its announced time."""

_START_S: Final = 120.0
"""Time limit for starting the interpreter and the imports before a server's first message."""

_MOST_WAITS: Final = 8
"""Messages of another slot in one turn, and some more."""

_LONGEST_S: Final = 1e9
"""The longest time that a server may announce. Infinity, for one, would never be silence."""

_STOP_S: Final = 5.0
_AGAIN_S: Final = 0.5


class _Failed(Exception):  # noqa: N818 - reported in the record
    """The server broke its protocol or died."""


class Stopped(Exception):  # noqa: N818 - an event, not an error
    """The slot was stopped while a run was in progress."""


class Slot:
    """One fork server, pinned to `cpus` if there are any, and its run in progress."""

    def __init__(self, prepare: Prepare, cpus: Sequence[int] = ()) -> None:
        self.prepare = prepare
        self._cpus = list(cpus)
        self.run: Run | None = None
        self.ready: Ready
        self.log: bytes | None = None
        self._unfinished: Record
        self._stopped = False
        self._doing, self._limit_s, self.deadline, self.heard = "", 0.0, 0.0, 0.0
        self._waits = 0
        self._start(interpreter.take())

    def fileno(self) -> int:
        """The descriptor to wait on; it is readable when `look` has something to read."""
        return self._wire.fileno()

    @property
    def step(self) -> tuple[tuple[str, str, float], float] | None:
        """What the server does for the run besides running it: the id of the run, what is done, and
        how many seconds it may take; and how many have passed. None if it runs it.
        """
        run = self.run  # which another thread may change
        if run is None or self._doing == _running(run):
            return None
        left_s = self.deadline - GRACE_S - time.monotonic()
        return (run.id, self._doing, self._limit_s), max(0.0, self._limit_s - left_s)

    @property
    def aside(self) -> str | None:
        """What the server does for the run besides running it, for how long, and how long it may
        take; None if it runs it.
        """
        if self.run is None or (step := self.step) is None:
            return None
        (_, doing, limit_s), passed_s = step
        return aside(self.run, doing, passed_s, limit_s)

    def until_ready(self) -> None:
        """Wait until the server has imported what it needs. Raises `ExecutorError` if it dies or
        falls silent before that.
        """
        try:
            while isinstance(message := self._receive(Ready), Busy):
                self._allow(message.doing, message.limit_s)
            self.ready = message
        except _Failed as failure:
            self._kill()
            raise ExecutorError(f"a fork server {failure} before its first run") from failure

    def wait_on(self) -> None:
        """Set the deadline again if the run may have waited for its turn until now."""
        if self.may_wait:
            self._waits += 1
            self._set_deadline()

    @property
    def has_turn(self) -> bool:
        """Whether it is the turn of this server, as the kernel says: see proc_locks(5)."""
        if not self.prepare.turn:
            return False
        inode = str(os.stat(self.prepare.turn).st_ino)  # noqa: PTH116 - a link of /proc
        own_pids = set(processes.with_descendants(self._process.pid))
        for line in Path("/proc/locks").read_text().splitlines():
            fields = line.split()
            is_held = len(fields) > 5 and fields[1] == "FLOCK"
            if is_held and fields[5].rpartition(":")[2] == inode and int(fields[4]) in own_pids:
                return True
        return False

    @property
    def may_wait(self) -> bool:
        """Whether the run may be waiting for its turn. It has had it if another slot has sent many
        messages since: the kernel grants turns in the order in which they are asked for.
        """
        return self._waits < _MOST_WAITS

    def begin(self, run: Run) -> None:
        """Start the run; `look` returns its record when it has ended."""
        self.run, self.log = run, None
        self._allow(_running(run), run.limits.time_s)
        with contextlib.suppress(Closed, Silent):  # `look` reports a server that has died
            self._wire.send(Order.of(run), self.deadline)
        self._unfinished = Record.of(run, self.ready.environment.id)

    def look(self) -> Record | None:
        """Return the record of the run if it has ended, and set `log` if the run asks for it.
        Return None if the server announced other work.

        Waits for either until `deadline` (`time.monotonic`). A server that dies, falls silent, or
        sends an impossible record is replaced by a new one, and the record says so. Raises
        `Stopped` if `stop` was called.
        """
        assert self.run is not None
        try:
            message: Record | Log | Busy = self._receive(Record, Log)
            if isinstance(message, Busy):
                self._allow(message.doing, message.limit_s)
                return None
            if isinstance(message, Log):
                self.log = self._checked(message, self.run)
                return None
            if flaw := validation.flaw_of_record(message, self._unfinished):
                raise _Failed(f"reported {flaw}")
        except _Failed as failure:
            message, self.log = self._replaced(f"the fork server {failure}"), None
        self.run = None
        return message

    @staticmethod
    def _checked(log: Log, run: Run) -> bytes:
        if flaw := validation.flaw_of_log(log.content, run):
            raise _Failed(f"reported {flaw}")
        return log.content

    def finish(self) -> Record:
        """Wait for the record of the run, as `look` does."""
        while (record := self.look()) is None:
            pass
        return record

    def stop(self) -> None:
        """Have the server kill the run in progress and end. May be called from any thread."""
        self._stopped = True
        self._wire.hang_up()

    def close(self) -> None:
        """Stop the server and wait until it has ended."""
        self.stop()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._kill()
        self._wire.close()

    def _receive(self, *kinds: type[Any]) -> Any:
        """The next message, of one of these kinds or `Busy`."""
        try:
            return self._wire.receive(Busy, *kinds, deadline=self.deadline)
        except Closed:
            if self._stopped:
                raise Stopped from None
            raise _Failed(f"died with status {self._status()}") from None
        except Silent:
            raise _Failed(f"fell silent while {self._doing}") from None
        except Garbled as error:
            raise _Failed(f"sent {error}") from error

    def _allow(self, doing: str, limit_s: float) -> None:
        if not 0 <= limit_s <= _LONGEST_S:
            raise _Failed(f"asked for {limit_s} s for {doing}")
        self._doing, self._limit_s = doing, limit_s
        self.heard, self._waits = time.monotonic(), 0
        self._set_deadline()

    def _set_deadline(self) -> None:
        self.deadline = time.monotonic() + self._limit_s + GRACE_S

    def _replaced(self, why: str) -> Record:
        assert self.run is not None
        self._kill()
        self._wire.close()
        self._restart(self.run.limits.time_s + GRACE_S)
        return replace(self._unfinished, message=printable(why))

    def _restart(self, limit_s: float) -> None:
        """Start a new server. If that fails, try again until the limit: the run of another slot may
        have used up the processes or the memory of this user, and ends in that time.
        """
        deadline = time.monotonic() + limit_s
        while True:
            try:
                self._start(interpreter.start())
                self.until_ready()
            except (ExecutorError, Closed, OSError) as error:
                self._wire.close()
                if self._stopped:
                    raise Stopped from None
                if time.monotonic() > deadline:
                    raise ExecutorError(f"no fork server can be started: {error}") from error
                time.sleep(_AGAIN_S)
            else:
                return

    def _status(self) -> int | str:
        try:
            return self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            return "unknown"

    def _kill(self) -> None:
        processes.kill_tree(self._process.pid)
        self._process.wait()

    def _start(self, started: Interpreter) -> None:
        self._process = started.process
        self._wire = Wire(started.socket)
        self._allow("starting", _START_S)
        with contextlib.suppress(Closed):  # `until_ready` reports a server that has died
            self._wire.send(replace(self.prepare, cpus=self._cpus))


def aside(run: Run, doing: str, passed_s: float, limit_s: float) -> str:
    """What is done for a run besides running it, for how long, and how long it may take."""
    title = f"{run.problem} {combination(run.encoding, run.backend)}"
    return f"{title}: {doing}, {so_far(passed_s, limit_s)}"


def _running(run: Run) -> str:
    """What a server announces before it runs this."""
    return f"running {combination(run.encoding, run.backend)}"
