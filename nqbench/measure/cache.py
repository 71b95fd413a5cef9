"""Keeps instances for the runs that share them; each is encoded once, in a separate process."""

import fcntl
import mmap
import os
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from nqbench import isolate
from nqbench.encodings.base import Encoding
from nqbench.instances.base import Instance, unpacked
from nqbench.isolate import Caller, cgroup
from nqbench.isolate.pages import Pages
from nqbench.isolate.supervise import Ending
from nqbench.limits import Limits
from nqbench.measure import validation
from nqbench.measure.encode import encode
from nqbench.measure.timing import PhaseTime
from nqbench.problems.base import Problem
from nqbench.vocabulary import Form, Outcome

_SHARE_OF_MEMORY: Final = 0.25
_CHECKED_AT_ONCE: Final = 1 << 22
"""Bytes up to which an instance is checked again in this process. Answers for a larger instance are
checked in a separate process.
"""

_SMALL: Final = 1024
"""Options of a problem."""

_SEALABLE: Final = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
_SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
_Recipe = tuple[Problem, str, Limits]


@dataclass(frozen=True, slots=True)
class Encoded:
    """An instance, its digest (None for an unencoded problem), and what it cost to encode."""

    instance: Instance
    digest: str | None
    spent: PhaseTime
    packed_bytes: int


def share_of_memory(caches: int) -> int:
    """Bytes for each of several caches, which share a quarter of the machine's memory, or of the
    container's.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    allowed = min(memory, cgroup.memory_limit() or memory)
    return int(allowed * _SHARE_OF_MEMORY) // caches


class InstanceCache:
    """The instances used last, up to `capacity` bytes; the very last is always kept.

    An instance is in an anonymous file in memory, which workers can see but not change and which
    ends with this process. Failures are kept as well, so that an encoding fails once and not for
    each of its runs.
    """

    def __init__(
        self, capacity: int, caller: Caller | None = None, at_once: Caller | None = None
    ) -> None:
        """Instances are made by `caller`, small ones by `at_once` if there is one."""
        self._caller = caller or Caller()
        self._at_once = at_once or self._caller
        self._kept: OrderedDict[_Recipe, Encoded | Ending] = OrderedDict()
        self._capacity = capacity
        self._pages: defaultdict[str, Pages] = defaultdict(Pages)

    def get(self, problem: Problem, encoding: Encoding, limits: Limits) -> Encoded | Ending:
        """Return the instance, or how its encoding ended if it failed. The outcome is `invalid` if
        the problem has none, such as a formula whose file is not valid.

        Encoding and reading have the same limits as a run. Raises `supervise.Abandoned`.
        """
        key = (problem, encoding.name, limits)
        if key not in self._kept:
            self._kept[key] = self._encode(problem, encoding, limits)
            self._make_room()
        self._kept.move_to_end(key)
        return self._kept[key]

    def _encode(self, problem: Problem, encoding: Encoding, limits: Limits) -> Encoded | Ending:
        name = f"encoding {encoding.name}" if problem.has_rules else str(problem)
        with os.fdopen(os.memfd_create("instance", _SEALABLE), "wb") as file:
            written = file.fileno()
            write = partial(isolate.write_all, written)
            caller = self._at_once if _is_small(problem) else self._caller
            ending = caller.call(
                name,
                lambda: encode(encoding, problem, write),
                limits,
                keep=[written],
                pages=self._pages[encoding.name],
            )
            if ending.outcome is not Outcome.FINISHED:
                return ending
            report = validation.admitted_encoding(ending, name)
            if isinstance(report, Ending):
                return report
            if report.flaw:
                return replace(ending, outcome=Outcome.INVALID, message=report.flaw)
            if encoding.makes is Form.PROBLEM:
                return Encoded(problem, None, report.spent, 0)
            try:
                # After this, no process that still holds the file can change it.
                fcntl.fcntl(written, fcntl.F_ADD_SEALS, _SEALS)
                # Private and read-only: a worker inherits the view, not a way to change it.
                mapped = mmap.mmap(written, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
                packed = memoryview(mapped)
                instance = unpacked(encoding.makes, packed)
                if len(packed) <= _CHECKED_AT_ONCE:
                    instance.check()
            except (OSError, ValueError) as error:
                message = f"{name} did not return an instance: {error}"
                return replace(ending, outcome=Outcome.CRASHED, message=message)
        return Encoded(instance, report.digest, report.spent, len(mapped))

    def _make_room(self) -> None:
        def held() -> int:
            return sum(e.packed_bytes for e in self._kept.values() if isinstance(e, Encoded))

        while len(self._kept) > 1 and held() > self._capacity:
            self._kept.popitem(last=False)


def _is_small(problem: Problem) -> bool:
    """Whether encoding it does not disturb a run on another core, since it needs little memory and
    little time.
    """
    return problem.has_rules and len(problem.options) <= _SMALL
