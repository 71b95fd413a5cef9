"""Time and memory limits: how to parse them, and how to apply them to a process."""

import re
import resource
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from nqbench.common.errors import InputError
from nqbench.common.vocabulary import When

SECONDS: Final = {
    "ms": 1e-3,
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
}
"""Seconds, by the names of units in lower case."""

BYTES: Final = {"b": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
"""Bytes, by the names of units in lower case."""

_LARGEST: Final = 2**53
"""Up to this, a float holds every whole number."""

LARGEST_COUNT: Final = 2**31 - 1
"""The largest limit of work that every solver takes."""


class MemoryBy(StrEnum):
    """What a memory limit counts.

    `address-space`: what each process reserves (RLIMIT_AS); works everywhere and costs nothing.
    `cgroup`: what all processes of a run use together; needs a writable control group.
    """

    ADDRESS_SPACE = "address-space"
    CGROUP = "cgroup"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use: wall time, CPU time of all its processes together (None: no limit),
    memory, and output; and the work of the solver, in conflicts and propagations (None: no limit).

    A limit of work is reached at the same point on every machine, whatever its load.
    """

    time_s: float = 30.0
    memory_bytes: int = 4 * 2**30
    cpu_s: float | None = None
    output_bytes: int = 64 * 2**20
    memory_by: MemoryBy = MemoryBy.ADDRESS_SPACE
    conflicts: int | None = None
    propagations: int | None = None

    def __post_init__(self) -> None:
        # Always floats, so that equal limits give the same run id.
        object.__setattr__(self, "time_s", float(self.time_s))
        if self.cpu_s is not None:
            object.__setattr__(self, "cpu_s", float(self.cpu_s))
        for counter, limit in self.work.items():
            if not 1 <= limit <= LARGEST_COUNT:
                raise InputError(f"the limit of {counter} is {limit}: write 1 to {LARGEST_COUNT}")

    @property
    def work(self) -> dict[str, int]:
        """The limits of work, by the counter that they limit."""
        limits = {"conflicts": self.conflicts, "propagations": self.propagations}
        return {counter: limit for counter, limit in limits.items() if limit is not None}

    @property
    def longest_s(self) -> float:
        """The most seconds that may pass, whatever else the machine does."""
        return self.time_s


class PatientLimits(Limits):
    """Limits of what must not depend on the load of the machine, such as whether a solver works:
    while other processes have the CPUs, the time limit stands still.
    """

    __slots__ = ()

    @property
    def longest_s(self) -> float:
        """Far more than the time limit, as a load of twice as many processes may take."""
        return 30 * self.time_s


@dataclass(frozen=True, slots=True)
class ProofLimits:
    """What the check of one proof may use: wall time, by default (None) four times that of the run,
    once to find the proof again and once to check it; and the size of the proof.
    """

    time_s: float | None = None
    size_bytes: int = 4 * 2**30


@dataclass(frozen=True, slots=True)
class Checking:
    """When answers are checked, and what the check of a proof may use. This is not part of a run's
    identity, since it changes only the verdict.
    """

    when: When = When.NOW
    proofs: ProofLimits = ProofLimits()


def parse_duration(text: str) -> float:
    """Return the seconds in '500ms', '10s', '2m', '1.5h' or a plain number. Raises `InputError`."""
    return _parse(text, {"": 1.0} | SECONDS, "duration", "write for instance 500ms, 10s, 2m or 1h")


def parse_size(text: str) -> int:
    """Return the bytes in '512MiB' or '2GiB'. Raises `InputError`."""
    return int(_parse(text, BYTES, "size", f"write {_likely_sizes(text)}"))


def parse_count(text: str, least: int = 1, most: int = LARGEST_COUNT) -> int:
    """The whole number in '1000000', '1_000_000', '1e6' or '1.5e6'. Raises `InputError`."""
    match = re.fullmatch(r"\d{1,20}(?:_\d{1,3})*(?:\.\d{1,20})?(?:[eE]\+?\d{1,3})?", text.strip())
    number = Decimal(match[0].replace("_", "")) if match else None
    if number is None or number != number.to_integral_value():
        raise InputError(f"'{text[:40]}' is not a whole number: write {_likely_count(text)}")
    if not least <= number <= most:
        raise InputError(f"'{text[:40]}' is out of range: write a number from {least} to {most}")
    return int(number)


def _likely_count(text: str) -> str:
    match = re.fullmatch(r"(\d{1,4}(?:\.\d+)?)\s*([kmg])", text.strip().lower())
    if match:
        return f"{match[1]}e{ {'k': 3, 'm': 6, 'g': 9}[match[2]] }"
    digits = text.replace(",", "").replace(" ", "")
    return digits if digits.isdigit() else "for instance 3, 1000000 or 1e6"


def _likely_sizes(text: str) -> str:
    """What to write for a number whose unit is missing, or is one of 1000 to some and 1024 to
    others.
    """
    match = re.fullmatch(r"(\d+)\s*(?:([kmgt])b?)?", text.strip().lower())
    if match is None:
        return "for instance 512MiB or 2GiB"
    number, prefix = match.groups()
    return f"{number}{prefix.upper()}iB" if prefix else f"{number}GiB or {number}MiB"


def _parse(text: str, units: dict[str, float] | dict[str, int], kind: str, instead: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)\s*([a-zA-Z]*)", text.strip())
    if match is None or match[2].lower() not in units:
        raise InputError(f"'{text}' is not a {kind}: {instead}")
    value = float(match[1]) * units[match[2].lower()]
    if not value:
        raise InputError(f"'{text}' is not a {kind}: it must be more than 0")
    if value > _LARGEST:
        raise InputError(f"'{text[:40]}' is not a limit: it is more than any machine has")
    return value


def apply_to_this_process(limits: Limits, inherited_bytes: int = 0) -> None:
    """Limit the address space of this process and of each that it forks; disable core dumps.

    `inherited_bytes` is what the process started with; it does not count against the limit. Time is
    not limited here: a solver may hold the interpreter for any time, so only another process that
    kills it can limit that.
    """
    # With a limit of 0, the kernel would still start a program that keeps core dumps: see core(5).
    core = 1 if resource.getrlimit(resource.RLIMIT_CORE)[1] else 0
    resource.setrlimit(resource.RLIMIT_CORE, (core, core))
    if limits.memory_by is MemoryBy.ADDRESS_SPACE:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        bound = limits.memory_bytes + inherited_bytes
        if hard != resource.RLIM_INFINITY:
            bound = min(bound, hard)  # only root may raise the hard limit
        resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
