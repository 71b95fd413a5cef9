"""Counts events of this process and of all that it starts, by a counter of the kernel.

See perf_event_open(2). Counted is what happens in user space. A counter that is opened `on_exec`
counts only programs that the process starts, each from its start to its end.
"""

import ctypes
import errno
import fcntl
import os
import platform
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from nqbench.common.errors import UnavailableError


@dataclass(frozen=True, slots=True)
class Event:
    """What is counted: the numbers of its type and of the event in linux/perf_event.h."""

    noun: str
    type: int
    config: int


INSTRUCTIONS: Final = Event("instructions", 0, 1)
"""Instructions that were executed to their end. Virtual machines often have no such counter."""

_SYSTEM_CALL: Final = {"x86_64": 298, "aarch64": 241}
_ATTRIBUTES: Final = struct.Struct("<IIQQQQQIIQ")
_DISABLED, _INHERIT, _NO_KERNEL, _NO_HYPERVISOR, _ON_EXEC = (1 << bit for bit in (0, 1, 5, 6, 12))
_WITH_TIMES: Final = 1 | 2  # the time for which it was to count, and for which it did
_CLOSE_ON_EXEC: Final = 8
_ENABLE, _DISABLE = 0x2400, 0x2401
_COUNT: Final = struct.Struct("<QQQ")

_PARANOID: Final = Path("/proc/sys/kernel/perf_event_paranoid")
_MOST_PARANOID: Final = 2
"""The largest value with which anybody may count what happens in user space."""

# As in `isolate.processes`: called without a change of thread, and with known types.
_syscall = ctypes.PyDLL(None, use_errno=True).syscall
_syscall.argtypes = [ctypes.c_long, ctypes.c_char_p, *[ctypes.c_long] * 4]
_syscall.restype = ctypes.c_long


class EventCounter:
    """A counter of this process, and of the processes and threads that it starts from now on.

    Between `start` and `stop` it counts all of them; opened `on_exec`, the programs among them
    without that. Raises `UnavailableError` with the reason and the remedy if there is no counter.
    """

    def __init__(self, event: Event, *, on_exec: bool = False) -> None:
        flags = _DISABLED | _INHERIT | _NO_KERNEL | _NO_HYPERVISOR | (_ON_EXEC if on_exec else 0)
        attributes = _ATTRIBUTES.pack(
            event.type, _ATTRIBUTES.size, event.config, 0, 0, _WITH_TIMES, flags, 0, 0, 0
        )
        number = _SYSTEM_CALL.get(platform.machine())
        if number is None:
            raise UnavailableError(f"{event.noun} cannot be counted on {platform.machine()}")
        self._descriptor = int(_syscall(number, attributes, 0, -1, -1, _CLOSE_ON_EXEC))
        if self._descriptor < 0:
            raise UnavailableError(_describe_refusal(event, ctypes.get_errno()))

    def start(self) -> None:
        """Count from now on."""
        fcntl.ioctl(self._descriptor, _ENABLE)

    def stop(self) -> None:
        """Stop counting. The count stays, and `start` goes on from there."""
        fcntl.ioctl(self._descriptor, _DISABLE)

    def count(self) -> int | None:
        """The events so far, also those of processes that have ended. None if there were none, as
        some virtual machines say of any process, or if the processor did not count all the time.
        """
        count, wanted_ns, counted_ns = _COUNT.unpack(os.read(self._descriptor, _COUNT.size))
        return count if count and wanted_ns == counted_ns else None

    def close(self) -> None:
        """Release the counter."""
        os.close(self._descriptor)


@cache
def why_uncounted(event: Event) -> str:
    """Why this machine does not count such events, with the remedy if there is one; empty if it
    does.
    """
    try:
        EventCounter(event).close()
    except UnavailableError as error:
        return str(error)
    return ""


def open_counter(event: Event, *, on_exec: bool = False) -> EventCounter | None:
    """A counter of this process; None if this machine does not count such events."""
    return None if why_uncounted(event) else EventCounter(event, on_exec=on_exec)


def _describe_refusal(event: Event, number: int) -> str:
    """Why the kernel opens no counter, in words."""
    if number in {errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP}:
        return (
            f"this machine has no counter of {event.noun}, as most virtual machines; try Valgrind"
        )
    if number == errno.ENOSYS:
        return "this kernel has no perf_event_open"
    if number not in {errno.EACCES, errno.EPERM}:
        return f"the kernel opens no counter of {event.noun}: {os.strerror(number)}"
    try:
        paranoid = int(_PARANOID.read_text())
    except (OSError, ValueError):
        paranoid = 0
    if paranoid > _MOST_PARANOID:
        return (
            f"kernel.perf_event_paranoid is {paranoid}; try: "
            f"sysctl kernel.perf_event_paranoid={_MOST_PARANOID}"
        )
    return f"the container forbids perf_event_open ({os.strerror(number)}); allow PERFMON"
