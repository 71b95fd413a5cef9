"""Instances kept for the runs that share them: encoded once, in a process of their own."""

import fcntl
import mmap
import os
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from nqbench import isolate
from nqbench.encodings.base import Encoding
from nqbench.instances.base import Instance
from nqbench.instances.cnf import CNF
from nqbench.instances.csp import CSP
from nqbench.instances.formula import Formula
from nqbench.isolate import Caller, cgroup
from nqbench.isolate.supervise import Ending
from nqbench.limits import Limits
from nqbench.measure import gate
from nqbench.measure.encode import encode
from nqbench.measure.timing import PhaseTime
from nqbench.problems.base import Problem
from nqbench.vocabulary import Form, Outcome

_SHARE_OF_MEMORY: Final = 0.25
_CHECKED_AT_ONCE: Final = 1 << 22
"""Bytes of an instance that is looked at here once more; answers for a larger one are checked in a
process of their own.
"""

_SEALABLE: Final = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
_SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
_Recipe = tuple[Problem | Formula, str | None, Limits]


@dataclass(frozen=True, slots=True)
class Encoded:
    """An instance, its digest (None of a problem as it is), and what it cost to encode."""

    instance: Instance
    digest: str | None
    spent: PhaseTime
    packed_bytes: int


def share_of_memory(caches: int) -> int:
    """Bytes for each of so many caches: a quarter of the memory of the machine, or container."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    allowed = min(memory, cgroup.memory_limit() or memory)
    return int(allowed * _SHARE_OF_MEMORY) // caches


class InstanceCache:
    """The instances used last, within `capacity` bytes; but the last one always.

    An instance lies in an anonymous file in memory that the workers see but cannot change, and that
    is gone with this process. How an encoding failed is kept as well, so that it fails once and
    not for each of its runs.
    """

    def __init__(self, capacity: int, caller: Caller | None = None) -> None:
        self._caller = caller or Caller()
        self._kept: OrderedDict[_Recipe, Encoded | Ending] = OrderedDict()
        self._capacity = capacity

    def get(
        self, problem: Problem | Formula, encoding: Encoding | None, limits: Limits
    ) -> Encoded | Ending:
        """The instance, or how its encoding ended if that was not well: with the outcome `invalid`
        if the file of a formula is not what it should be.

        Encoding, or reading, is held to the same limits as a run. Raises `supervise.Abandoned`.
        """
        key = (problem, encoding.name if encoding else None, limits)
        if key not in self._kept:
            self._kept[key] = self._encode(problem, encoding, limits)
            self._make_room()
        self._kept.move_to_end(key)
        return self._kept[key]

    def _encode(
        self, problem: Problem | Formula, encoding: Encoding | None, limits: Limits
    ) -> Encoded | Ending:
        makes = encoding.makes if encoding else Form.CNF
        name = f"encoding {encoding.name}" if encoding else str(problem)
        with os.fdopen(os.memfd_create("instance", _SEALABLE), "wb") as file:
            written = file.fileno()
            write = partial(isolate.write_all, written)
            ending = self._caller.call(
                name, lambda: encode(encoding, problem, write), limits, keep=[written]
            )
            if ending.outcome is not Outcome.FINISHED:
                return ending
            report = gate.admitted_encoding(ending, name)
            if isinstance(report, Ending):
                return report
            if report.flaw:
                return replace(ending, outcome=Outcome.INVALID, message=report.flaw)
            if isinstance(problem, Problem) and makes is Form.PROBLEM:
                return Encoded(problem, None, report.spent, 0)
            try:
                # Whoever still holds the file cannot change it any more.
                fcntl.fcntl(written, fcntl.F_ADD_SEALS, _SEALS)
                # Private and read-only: a worker inherits the view, not a way to change it.
                mapped = mmap.mmap(written, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
                packed = memoryview(mapped)
                instance = CSP.unpack(packed) if makes is Form.CSP else CNF.unpack(packed)
                if len(packed) <= _CHECKED_AT_ONCE:
                    instance.check()
            except (OSError, ValueError) as error:
                message = f"{name} returned no instance: {error}"
                return replace(ending, outcome=Outcome.CRASHED, message=message)
        return Encoded(instance, report.digest, report.spent, len(mapped))

    def _make_room(self) -> None:
        def held() -> int:
            return sum(e.packed_bytes for e in self._kept.values() if isinstance(e, Encoded))

        while len(self._kept) > 1 and held() > self._capacity:
            self._kept.popitem(last=False)
