"""Messages between a slot and its fork server: MessagePack, each preceded by its kind and length.

Neither end trusts what it receives: a message has a known kind, a bounded length, and the types of
that kind, or it is `Garbled`. Messages contain no code.
"""

import contextlib
import select
import socket
import struct
import time
from typing import Any, Final

import msgspec

from nqbench.measure.messages import Busy, Log, Order, Prepare, Ready
from nqbench.records.record import Record

_HEADER: Final = struct.Struct("!BQ")
_KINDS: Final = (Prepare, Ready, Order, Busy, Record, Log)
_LARGEST: Final = 64 * 2**20
"""The largest message in bytes; the record of a board of 10,000 rows has 60,000."""

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
        if kind not in kinds or length > _LARGEST:
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
