"""Time and memory limits: how they are written, and how a process is held to them."""

import re
import resource
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from nqbench.errors import InputError

_SECONDS: Final = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_BYTES: Final = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}

_LARGEST: Final = 2**53


class MemoryBy(StrEnum):
    """What a memory limit counts.

    `address-space`: what each process reserves (RLIMIT_AS); works everywhere and costs nothing.
    `cgroup`: what all processes of a run use together; needs a control group that can be written.
    """

    ADDRESS_SPACE = "address-space"
    CGROUP = "cgroup"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use: seconds on the clock, seconds on the processors (all of its processes
    together; None: as many as it gets), bytes of memory, and bytes printed.
    """

    time_s: float = 30.0
    memory_bytes: int = 4 * 2**30
    cpu_s: float | None = None
    output_bytes: int = 64 * 2**20
    memory_by: MemoryBy = MemoryBy.ADDRESS_SPACE

    def __post_init__(self) -> None:
        # One spelling of a number, so that equal limits are equal runs.
        object.__setattr__(self, "time_s", float(self.time_s))
        if self.cpu_s is not None:
            object.__setattr__(self, "cpu_s", float(self.cpu_s))


def parse_duration(text: str) -> float:
    """Seconds of '500ms', '10s', '2m', '1.5h'. Raises `InputError`."""
    return _parse(text, _SECONDS, "duration", "500ms, 10s, 2m or 1h")


def parse_size(text: str) -> int:
    """Bytes of '512MiB', '2GiB'. Raises `InputError`."""
    return int(_parse(text, _BYTES, "size", "512MiB or 2GiB"))


def _parse(text: str, units: dict[str, float] | dict[str, int], kind: str, examples: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]+)", text.strip())
    if match is None or match[2] not in units:
        raise InputError(f"'{text}' is not a {kind}: write for instance {examples}")
    value = float(match[1]) * units[match[2]]
    if not value:
        raise InputError(f"'{text}' is not a limit: it must be more than 0")
    if value > _LARGEST:
        raise InputError(f"'{text[:40]}' is not a limit: it is more than any machine has")
    return value


def apply_to_this_process(limits: Limits, inherited_bytes: int = 0) -> None:
    """Bound the address space of this process and of each that it forks; no core dumps.

    `inherited_bytes` are what it was born with and what does not count against the limit.
    Time is not bounded here: only another process that kills can do that, since a solver may hold
    the interpreter for as long as it likes.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.memory_by is MemoryBy.ADDRESS_SPACE:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        bound = limits.memory_bytes + inherited_bytes
        if hard != resource.RLIM_INFINITY:
            bound = min(bound, hard)  # only root may raise it
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
