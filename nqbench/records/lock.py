"""One command at a time writes to a store. Others wait for it, and then see what it has recorded.

The lock is that of the kernel on a file beside the store (flock). It ends with the process, however
that ends, and no process that it has started has it: the descriptor is closed there. The file says
who has the lock. It is removed at the end, or left behind by a process that was killed, and then
says nothing.
"""

import fcntl
import os
import signal
import stat
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from nqbench.common.printable import printable

_SUFFIX: Final = "-lock"
_MOST_BYTES: Final = 4096
_LONGEST: Final = 200
"""Characters of a command that are shown."""

_SETTLE_S: Final = 0.1
"""How long another command may take between the lock and its name in the file."""

Tell = Callable[[str], None]

_Key = tuple[int, int, int]  # device and inode of a file, and a thread
_held: dict[_Key, int] = {}


class Holder(msgspec.Struct, frozen=True):
    """Who writes to a store. `since` is a local time."""

    command: str
    pid: int
    host: str
    since: str

    @classmethod
    def here(cls, command: str) -> "Holder":
        """What others read of this process."""
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        return cls(printable(command, _LONGEST), os.getpid(), os.uname().nodename, since)

    def __str__(self) -> str:
        where = "" if self.host == os.uname().nodename else f" on {printable(self.host, _LONGEST)}"
        command, since = printable(self.command, _LONGEST), printable(self.since, _LONGEST)
        return f"`{command}` (process {self.pid}{where}, since {since})"


def warn(line: str) -> None:
    """Say it as a warning of Python."""
    warnings.warn(line, stacklevel=2)


@contextmanager
def alone(store: Path, command: str, tell: Tell = warn) -> Iterator[float]:
    """Wait until no other command writes to this store, and keep others out for the block. The
    value is how many seconds that took. The folder is created if missing, and removed if it is
    empty at the end.

    `tell` is called once, with for whom it waits, if it has to. It can be interrupted by Ctrl-C. In
    a thread that has the lock already, it does nothing. On a file system without locks, it says so
    and goes on.
    """
    # SQLite, too, takes all names of a store for one.
    file = Path(os.path.realpath(store) + _SUFFIX)
    if _key(file) in _held:
        yield 0.0
        return
    began, is_new = time.monotonic(), not file.parent.exists()
    descriptor = _locked(file, store, tell)
    if descriptor is None:
        yield 0.0
        return
    key = _key(descriptor)
    assert key is not None, "it is open"
    _held[key] = descriptor
    try:
        with suppress(OSError):  # a full disk: the others do not learn who it is
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, msgspec.json.encode(Holder.here(command)), 0)
        yield time.monotonic() - began
    finally:
        del _held[key]
        with suppress(OSError):
            if _key(file) == key:
                file.unlink()
            if is_new:
                file.parent.rmdir()  # which fails if it has a store now
        with suppress(OSError):
            # A process that was forked a moment ago may have the descriptor, too.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _locked(file: Path, store: Path, tell: Tell) -> int | None:
    """A descriptor of the file, with the lock. None if there are no locks here."""
    has_told = False
    while True:
        descriptor = _opened(file, tell)
        if descriptor is None:
            return None
        try:
            if not has_told and not _takes(descriptor):
                tell(f"{store} is in use by {_holder(descriptor)}: waiting until it ends")
                has_told = True
            # Polars, once imported, has calls go on after a Ctrl-C.
            signal.siginterrupt(signal.SIGINT, True)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            os.close(descriptor)
            _tell_unlocked(file, error, tell)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        if _key(file) == _key(descriptor):
            return descriptor
        os.close(descriptor)  # whoever had the lock has removed the file, or the folder


def _takes(descriptor: int) -> bool:
    """Whether nobody else has the lock, who would by now have said who it is."""
    for pause_s in (_SETTLE_S, 0.0):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(pause_s)
        else:
            return True
    return False


def _opened(file: Path, tell: Tell) -> int | None:
    how = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, how, 0o666)
    except OSError as error:
        # Where nothing can be written, the store says so.
        if file.parent.is_dir() and os.access(file.parent, os.W_OK):
            _tell_unlocked(file, error, tell)
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    tell(f"{file} is not a file: start no other command that writes to this folder")
    return None


def _tell_unlocked(file: Path, error: OSError, tell: Tell) -> None:
    tell(f"cannot lock {file} ({error.strerror}): start no other command that writes to it")


def _holder(descriptor: int) -> str:
    """Who has the lock, in words. The file may have any content."""
    with suppress(OSError, msgspec.DecodeError):
        content = os.pread(descriptor, _MOST_BYTES, 0)
        return str(msgspec.json.decode(content, type=Holder))
    return "another command"


def _key(file: Path | int) -> _Key | None:
    """What this thread notes of a file; None if there is none."""
    try:
        status = os.stat(file)  # noqa: PTH116 - a path or a descriptor
    except OSError:
        return None
    return status.st_dev, status.st_ino, threading.get_ident()


def _let_go() -> None:
    """Close the descriptors in a forked process. It may have closed all that it inherited before it
    forked this one, and then a number may be that of another file.
    """
    for (device, inode, _), descriptor in _held.items():
        with suppress(OSError):
            status = os.fstat(descriptor)
            if (status.st_dev, status.st_ino) == (device, inode):
                os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_let_go)
