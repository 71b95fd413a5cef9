"""How much memory processes of a stranger hold together, without rights to ask the kernel.

Counted are resident pages, also shared ones, what is in swap, the tables of pages, and what may
wait in sockets and pipes, which belongs to no process. What several share counts once, where the
kernel tells.
"""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_KEPT_BY_SOCKET: Final = 212_992
"""Bytes that a socket lets another one send before it is read: the kernel's default for each."""

_KEPT_BY_PIPE: Final = 65_536
_UNSEEN: Final = 256
"""A process that does not show its descriptors counts as having so many sockets."""

_OF_PROCESS: Final = (b"VmRSS:", b"VmSwap:", b"VmPTE:")
_OF_SHARE: Final = (b"Pss:", b"SwapPss:")


def is_larger(pids: Sequence[int], most_bytes: int) -> bool:
    """Whether these processes hold more memory than that together."""
    kept = _kept_by_kernel(pids)
    own = [_sum(f"/proc/{pid}/status", _OF_PROCESS) for pid in pids]
    if kept + sum(own) <= most_bytes:
        return False
    # The same pages may be part of many processes: after a fork, or as libraries.
    shares = (_sum(f"/proc/{pid}/smaps_rollup", _OF_SHARE) for pid in pids)
    return kept + sum(share or all_ for share, all_ in zip(shares, own, strict=True)) > most_bytes


def _sum(path: str, labels: Sequence[bytes]) -> int:
    """The bytes in these lines of a file about a process; 0 if it cannot be read."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path(path).read_bytes().split(b"\n")
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(tuple(labels)))
    return 0


def _kept_by_kernel(pids: Sequence[int]) -> int:
    """Bytes that may wait in the sockets and pipes that these processes have open."""
    seen = set()
    unseen = 0
    for pid in pids:
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208 - done 20 times a second
                with contextlib.suppress(OSError):
                    seen.add(os.readlink(f"/proc/{pid}/fd/{name}"))  # noqa: PTH115
        except PermissionError:
            unseen += _UNSEEN
        except OSError:  # it has ended
            pass
    sockets = sum(name.startswith("socket:") for name in seen) + unseen
    pipes = sum(name.startswith("pipe:") for name in seen)
    return sockets * _KEPT_BY_SOCKET + pipes * _KEPT_BY_PIPE
