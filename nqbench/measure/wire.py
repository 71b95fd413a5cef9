"""Messages between a slot and its fork server: pickled, each with its length in front."""

import contextlib
import pickle
import socket
import struct
from typing import Final, TypeVar

_LENGTH: Final = struct.Struct("!Q")
T = TypeVar("T")


class Closed(Exception):  # noqa: N818 - an event, not an error
    """The other side has gone."""


class Wire:
    """One end of a stream socket. The two ends trust each other; workers never hold one."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._socket.fileno()

    def send(self, message: object) -> None:
        """Raises `Closed` if the other side has gone."""
        payload = pickle.dumps(message)
        try:
            self._socket.sendall(_LENGTH.pack(len(payload)) + payload)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Closed from error

    def receive(self, kind: type[T]) -> T:
        """Wait for the next message. Raises `Closed` if there will be none."""
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        message = pickle.loads(self._exactly(length))
        if not isinstance(message, kind):
            raise TypeError(f"{type(message).__name__} came instead of {kind.__name__}")
        return message

    def hang_up(self) -> None:
        """Have both ends receive no more, from any thread; a second time is no error."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close this end; the other one notices."""
        self._socket.close()

    def _exactly(self, count: int) -> bytes:
        received = bytearray()
        while len(received) < count:
            try:
                piece = self._socket.recv(min(count - len(received), 1 << 20))
            except ConnectionResetError as error:
                raise Closed from error
            if not piece:
                raise Closed
            received += piece
        return bytes(received)
