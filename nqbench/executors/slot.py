"""A fork server, from outside: where one run at a time is measured."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from nqbench.errors import ExecutorError
from nqbench.measure.messages import Prepare, Ready
from nqbench.measure.wire import Closed, Wire
from nqbench.record import Record, Run

_STOP_S: Final = 5.0
# A fork copies one thread only: the linear algebra behind NumPy must not start any of its own.
_SINGLE_THREADED: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Stopped(Exception):  # noqa: N818 - an event, not an error
    """The slot was stopped while a run was under way."""


class Slot:
    """One fork server, pinned to `cpus` if there are any, and the run that it is busy with."""

    def __init__(self, prepare: Prepare, cpus: Sequence[int] = ()) -> None:
        self.prepare = prepare
        self._cpus = list(cpus)
        self.run: Run | None = None
        self.ready: Ready
        self._stopped = False
        self._start()

    def fileno(self) -> int:
        """Readable when the run has ended."""
        return self._wire.fileno()

    def until_ready(self) -> None:
        """Wait until the server has imported what it needs. Raises `ExecutorError` if it dies."""
        try:
            self.ready = self._wire.receive(Ready)
        except Closed as error:
            raise ExecutorError("a fork server ended before its first run") from error

    def begin(self, run: Run) -> None:
        """Have the run done; `finish` waits for its record."""
        self.run = run
        with contextlib.suppress(Closed):  # of a server that has died, `finish` will tell
            self._wire.send(run)

    def finish(self) -> Record:
        """The record of the run. If the server dies, that is recorded, and a new one is started.

        Raises `Stopped` if `stop` was called meanwhile.
        """
        assert self.run is not None
        run, self.run = self.run, None
        try:
            return self._wire.receive(Record)
        except Closed:
            if self._stopped:
                raise Stopped from None
        status = self._process.wait()
        self._wire.close()
        record = Record.of(run, self.ready.environment.id)
        self._start()
        self.until_ready()
        return replace(record, message=f"the fork server died with status {status}")

    def stop(self) -> None:
        """Have the server kill the run under way and end. From any thread."""
        self._stopped = True
        self._wire.hang_up()

    def close(self) -> None:
        """Wait for the end of the server, which comes with `stop`."""
        self.stop()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._wire.close()

    def _start(self) -> None:
        path = [] if _imports_from_here() else ["-P"]
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *path, "-m", "nqbench.measure.server", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=os.environ | _SINGLE_THREADED,
                # Ctrl-C is for the parent, which decides what becomes of its servers.
                start_new_session=True,
            )
        self._wire = Wire(ours)
        self._wire.send(replace(self.prepare, cpus=self._cpus))


def _imports_from_here() -> bool:
    """Whether this process imports from the current folder, as `python -m` does and `nqbench` does
    not: its servers do the same, so that they find the same modules.
    """
    here = Path.cwd()
    return not sys.flags.safe_path and any(Path(entry).absolute() == here for entry in sys.path)
