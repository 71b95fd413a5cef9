"""Messages between a slot and its fork server: MessagePack, each with its kind and length in front.

Neither end believes what comes: a message is of a known kind, of bounded length, and has the types
of that kind, or it is `Garbled`. Nothing in it is code.
"""

import contextlib
import select
import socket
import struct
import time
from typing import Any, Final

import msgspec

from nqbench.measure.messages import Busy, Order, Prepare, Ready
from nqbench.records.record import Record

_HEADER: Final = struct.Struct("!BQ")
_KINDS: Final = (Prepare, Ready, Order, Busy, Record)
_LARGEST: Final = 64 * 2**20
"""Bytes: the record of a board of 10,000 rows has 60,000."""

_LONGEST_WAIT_S: Final = 2e6  # the kernel counts milliseconds in 31 bits


class Closed(Exception):  # noqa: N818 - an event, not an error
    """The other side has gone."""


class Silent(Exception):  # noqa: N818 - an event, not an error
    """Nothing came in time."""


class Garbled(Exception):  # noqa: N818 - an event, not an error
    """What came is no message."""


class Wire:
    """One end of a stream socket."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._socket.fileno()

    def send(self, message: object, deadline: float | None = None) -> None:
        """Raises `Closed` if the other side has gone, `Silent` if it has not taken the message by
        the deadline, which is by `time.monotonic`.
        """
        payload = msgspec.msgpack.encode(message)
        rest = memoryview(_HEADER.pack(_KINDS.index(type(message)), len(payload)) + payload)
        while rest:
            try:
                rest = rest[self._socket.send(rest, _flags(deadline)) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)
            except (BrokenPipeError, ConnectionResetError) as error:
                raise Closed from error

    def receive(self, *kinds: type[Any], deadline: float | None = None) -> Any:
        """Wait for the next message, which is of one of these kinds.

        Raises `Closed` if there will be none, `Silent` if it is
        not there by then, `Garbled` if something else came.
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
        """Have both ends receive no more, from any thread; a second time is no error."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close this end; the other one notices."""
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
    """With a deadline the kernel does not wait, and `Wire._wait` does. It is called only if it has
    to be: what is there is taken at once.
    """
    return 0 if deadline is None else socket.MSG_DONTWAIT
