"""How much memory processes of a stranger hold together, and how many threads they have, without
rights to ask the kernel.

Memory is resident pages, also shared ones, what is in swap, the tables of pages, and what may
wait in sockets and pipes, which belongs to no process. What several share counts once, where the
kernel tells.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

_KEPT_BY_SOCKET: Final = 212_992
"""Bytes that a socket lets another one send before it is read: the kernel's default for each."""

_KEPT_BY_PIPE: Final = 65_536
_UNSEEN: Final = 256
"""A process that does not show its descriptors counts as having so many sockets."""

_OF_PROCESS: Final = (b"VmRSS:", b"VmSwap:", b"VmPTE:", b"HugetlbPages:")
_OF_SHARE: Final = (b"Pss:", b"SwapPss:")


def is_larger(pids: Iterable[int], most_bytes: int) -> bool:
    """Whether these processes hold more memory than that together."""
    sizes = dict(filter(None, map(_size, pids)))
    kept = _kept_by_kernel(sizes)
    if kept + sum(sizes.values()) <= most_bytes:
        return False
    # The same pages may be part of many processes: after a fork, or as libraries.
    shares = (_sum(thread, "smaps_rollup", _OF_SHARE) or size for thread, size in sizes.items())
    return kept + sum(shares) > most_bytes


def count_threads(pids: Iterable[int]) -> int:
    """How many threads these processes have together."""
    count = 0
    for pid in pids:
        with suppress(OSError):  # it has ended
            count += len(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208
    return count


def _size(pid: int) -> tuple[int, int] | None:
    """A thread of the process that still runs, and the bytes of the process; None if it has ended.
    Its first thread may have ended before the others.
    """
    if size := _sum(pid, "status", _OF_PROCESS):
        return pid, size
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - done 20 times a second
            if size := _sum(int(name), "status", _OF_PROCESS):
                return int(name), size
    return None


def _sum(thread: int, name: str, labels: Sequence[bytes]) -> int:
    """The bytes in these lines of a file about a process; 0 if it cannot be read."""
    with suppress(OSError, ValueError, IndexError):
        lines = Path(f"/proc/{thread}/{name}").read_bytes().split(b"\n")
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(tuple(labels)))
    return 0


def _kept_by_kernel(threads: Iterable[int]) -> int:
    """Bytes that may wait in the sockets and pipes that the processes of these have open."""
    seen = set()
    unseen = 0
    for thread in threads:
        try:
            for name in os.listdir(f"/proc/{thread}/fd"):  # noqa: PTH208
                with suppress(OSError):
                    seen.add(os.readlink(f"/proc/{thread}/fd/{name}"))  # noqa: PTH115
        except PermissionError:
            unseen += _UNSEEN
        except OSError:  # it has ended
            pass
    sockets = sum(name.startswith("socket:") for name in seen) + unseen
    pipes = sum(name.startswith("pipe:") for name in seen)
    return sockets * _KEPT_BY_SOCKET + pipes * _KEPT_BY_PIPE
