"""The process of a fork server: an interpreter that imports what every server needs."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

# A fork copies one thread only, so NumPy's linear algebra library must not start any, nor must the
# allocator of PyArrow, which OR-Tools imports by way of pandas where both are installed.
_SINGLE_THREADED: Final = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}

_ahead: list["Interpreter"] = []


class Interpreter(NamedTuple):
    """A process that becomes a fork server, and the socket on which it waits for orders. It ends
    when the socket closes.
    """

    process: subprocess.Popen[bytes]
    socket: socket.socket


def start_ahead() -> None:
    """Start an interpreter for the first slot, while it is still being planned what will run."""
    if not _ahead:
        _ahead.append(start())


def stop_ahead() -> None:
    """End an interpreter that was started ahead and that no slot has taken."""
    while _ahead:
        interpreter = _ahead.pop()
        interpreter.socket.close()
        interpreter.process.kill()
        interpreter.process.wait()


def take() -> Interpreter:
    """The interpreter that was started ahead if it is alive, or a new one."""
    while _ahead:
        interpreter = _ahead.pop()
        if interpreter.process.poll() is None:
            return interpreter
        interpreter.socket.close()
    return start()


def start() -> Interpreter:
    """Start an interpreter."""
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            process = subprocess.Popen(
                command("nqbench.measure", str(theirs.fileno())),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=os.environ | _SINGLE_THREADED,
                # Only the parent handles Ctrl-C, and then stops its servers.
                start_new_session=True,
            )
    except BaseException:
        ours.close()
        raise
    return Interpreter(process, ours)


def command(module: str, *arguments: str) -> list[str]:
    """The command that executes a module with the interpreter and the imports of this process."""
    path = [] if _imports_from_here() else ["-P"]
    return [sys.executable, *path, "-m", module, *arguments]


def _imports_from_here() -> bool:
    """Whether this process imports from the current folder, as `python -m` does and `nqbench` does
    not. Its servers have to do the same, to find the same modules.
    """
    folder = Path.cwd()
    return not sys.flags.safe_path and any(Path(entry).absolute() == folder for entry in sys.path)
