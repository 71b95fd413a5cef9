"""The messages between a slot and its fork server, and how they are sent: as MessagePack, each
preceded by its kind and length.

Neither end trusts what it receives: a message has a known kind, a bounded length, and the types of
that kind, or it is `Garbled`. Messages contain no code.
"""

import contextlib
import select
import socket
import struct
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Final

import msgspec

from nqbench.common.limits import Checking, Limits
from nqbench.common.machine.environment import Environment
from nqbench.common.spelling import ComponentName
from nqbench.common.vocabulary import Task
from nqbench.plugins import from_file
from nqbench.plugins.from_file import Carried
from nqbench.problems.families.base import Family
from nqbench.records.record import Record, Run
from nqbench.records.runs import Runs


@dataclass(frozen=True, slots=True)
class Prepare:
    """The first message to a server: the components of its runs, how their answers are checked, the
    CPUs to pin it and its workers to, if any, and the bytes that its instances may use; the
    families of the problems; the file by which servers take turns, if there is one; and the
    components that are from files, with these.
    """

    encodings: list[str]
    backends: list[str]
    checking: Checking = field(default_factory=Checking)
    cpus: list[int] = field(default_factory=list)
    cache_bytes: int = 0
    families: list[str] = field(default_factory=list)
    turn: str = ""
    files: list[Carried] = field(default_factory=list)

    @classmethod
    def of(cls, runs: Iterable[Run], checking: Checking | None = None) -> "Prepare":
        """The message for these runs."""
        used = {(run.encoding, run.backend, run.problem.family) for run in Runs.of(runs).kinds}
        encodings, backends, families = (sorted(set(names)) for names in zip(*used, strict=True))
        files = from_file.carried([*encodings, *backends, *families])
        return cls(encodings, backends, checking or Checking(), families=families, files=files)


@dataclass(frozen=True, slots=True)
class Ready:
    """The reply to `Prepare`: where the server runs, the versions of encodings and backends there,
    and which of them do not work there and why.
    """

    environment: Environment
    versions: dict[str, str | None]
    unavailable: dict[str, str]


@dataclass(frozen=True, slots=True)
class Order:
    """A run to do: the family of its problem, the fields of the problem, and the other fields of
    the run.
    """

    family: str
    problem: dict[str, Any]
    rest: dict[str, Any]

    @classmethod
    def of(cls, run: Run) -> "Order":
        """The message for this run."""
        values = {f.name: getattr(run, f.name) for f in fields(run) if f.name != "problem"}
        return cls(run.problem.family, _spell_large(msgspec.to_builtins(run.problem)), values)

    @property
    def run(self) -> Run:
        """The run to do. Raises `msgspec.ValidationError` or `InputError` if it is not one."""
        is_of_file = bool(ComponentName.parse(self.family).files)  # and may be edited later
        kind = Family.recorded(self.family).problem if is_of_file else _class(self.family)
        problem = msgspec.convert(_read_large(self.problem), kind)
        limits = msgspec.convert(self.rest["limits"], Limits)
        typed = {
            "problem": problem,
            "limits": limits,
            "task": Task(self.rest["task"]),
            "measures": tuple(self.rest["measures"]),
        }
        return Run(**self.rest | typed)


@dataclass(frozen=True, slots=True)
class Busy:
    """What the server does next, and the seconds within which it sends its next message."""

    doing: str
    limit_s: float


@dataclass(frozen=True, slots=True)
class Log:
    """What the run printed, compressed; sent before its record if the run asks for it."""

    content: bytes


_LARGE: Final = "\0integer "
"""What begins the text in place of an integer that MessagePack does not have."""


def _spell_large(value: Any) -> Any:
    """The value with text in place of integers beyond 64 bits, also in dictionaries within it."""
    if isinstance(value, dict):
        return {key: _spell_large(part) for key, part in value.items()}
    is_large = isinstance(value, int) and abs(value) >= 2**63
    return f"{_LARGE}{value}" if is_large else value


def _read_large(value: Any) -> Any:
    """The value that `_spell_large` has spelled."""
    if isinstance(value, dict):
        return {key: _read_large(part) for key, part in value.items()}
    is_large = isinstance(value, str) and value.startswith(_LARGE)
    return int(value.removeprefix(_LARGE)) if is_large else value


@cache
def _class(family: str) -> type[Any]:
    """The class of a family's problems. Loading a family takes 0.2 ms."""
    return Family.named(family).problem


_HEADER: Final = struct.Struct("!BQ")
_KINDS: Final = (Prepare, Ready, Order, Busy, Record, Log)
_LARGEST_MESSAGE: Final = 64 * 2**20
"""Bytes; the record of a board of 10,000 rows has 60,000."""

_LONGEST_WAIT_S: Final = 2e6  # the kernel counts milliseconds in 31 bits


class Closed(Exception):  # noqa: N818 - an event, not an error
    """The other end is closed."""


class Silent(Exception):  # noqa: N818 - an event, not an error
    """The deadline has passed."""


class Garbled(Exception):  # noqa: N818 - an event, not an error
    """The received data is not a valid message."""


class Wire:
    """One end of a stream socket."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._socket.fileno()

    def send(self, message: object, deadline: float | None = None) -> None:
        """Send a message. Raises `Closed` if the other end is closed, and `Silent` if it has not
        taken the message by the deadline (`time.monotonic`).
        """
        payload = msgspec.msgpack.encode(message)
        unsent = memoryview(_HEADER.pack(_KINDS.index(type(message)), len(payload)) + payload)
        while unsent:
            try:
                unsent = unsent[self._socket.send(unsent, _flags(deadline)) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)
            except (BrokenPipeError, ConnectionResetError) as error:
                raise Closed from error

    def receive(self, *kinds: type[Any], deadline: float | None = None) -> Any:
        """Wait for the next message, which has to be of one of these kinds.

        Raises `Closed` if the other end is closed, `Silent` if the deadline passes, and `Garbled`
        for anything but such a message.
        """
        number, length = _HEADER.unpack(self._exactly(_HEADER.size, deadline))
        kind = _KINDS[number] if number < len(_KINDS) else None
        if kind not in kinds or length > _LARGEST_MESSAGE:
            raise Garbled(f"a message of kind {number} and {length} bytes")
        payload = self._exactly(length, deadline)
        try:
            return msgspec.msgpack.decode(payload, type=kind)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise Garbled(f"a broken {kind.__name__}: {error}") from error

    def hang_up(self) -> None:
        """Shut down both directions. May be called from any thread, and more than once."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close this end; the other end then raises `Closed`."""
        self._socket.close()

    def _exactly(self, count: int, deadline: float | None) -> bytes:
        received = bytearray()
        while len(received) < count:
            try:
                piece = self._socket.recv(min(count - len(received), 1 << 20), _flags(deadline))
            except BlockingIOError:
                self._wait(select.POLLIN, deadline)
                continue
            except ConnectionResetError as error:
                raise Closed from error
            if not piece:
                raise Closed
            received += piece
        return bytes(received)

    def _wait(self, event: int, deadline: float | None) -> None:
        poll = select.poll()
        poll.register(self._socket, event)
        left_s = _LONGEST_WAIT_S if deadline is None else deadline - time.monotonic()
        if left_s <= 0 or not poll.poll(min(left_s, _LONGEST_WAIT_S) * 1000):
            raise Silent


def _flags(deadline: float | None) -> int:
    """With a deadline, the call does not wait in the kernel. `Wire._wait` is called only if there
    is nothing to read or no room to write.
    """
    return 0 if deadline is None else socket.MSG_DONTWAIT
