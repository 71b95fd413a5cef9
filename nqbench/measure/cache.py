"""Instances kept for the runs that share them: encoded once, in a process of their own."""

import mmap
import os
from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import msgspec

from nqbench import isolate
from nqbench.cnf import CNF
from nqbench.csp import CSP
from nqbench.encodings.base import Encoding
from nqbench.formula import Formula
from nqbench.instance import Instance
from nqbench.isolate import cgroup
from nqbench.isolate.supervise import Ending
from nqbench.limits import Limits
from nqbench.measure.encode import EncodeReport, encode
from nqbench.measure.timing import PhaseTime
from nqbench.problem import Problem
from nqbench.vocabulary import Form, Outcome

_SHARE_OF_MEMORY: Final = 0.25
_Recipe = tuple[Problem | Formula, str | None, Limits]


@dataclass(frozen=True, slots=True)
class Encoded:
    """An instance, its digest (None of a problem as it is), and what it cost to encode."""

    instance: Instance
    digest: str | None
    spent: PhaseTime
    packed_bytes: int


def share_of_memory(caches: int) -> int:
    """Bytes for each of so many caches on this machine: together a quarter of its memory, or of
    what a container has of it.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    allowed = min(memory, cgroup.memory_limit() or memory)
    return int(allowed * _SHARE_OF_MEMORY) // caches


class InstanceCache:
    """The instances used last, within `capacity` bytes; but the last one always.

    An instance lies in an anonymous file in memory that the workers see but cannot change, and that
    is gone with this process. How an encoding failed is kept as well, so that it fails once and
    not for each of its runs.
    """

    def __init__(self, capacity: int, stop_fd: int | None = None) -> None:
        self._stop_fd = stop_fd
        self._kept: OrderedDict[_Recipe, Encoded | Ending] = OrderedDict()
        self._capacity = capacity

    def get(
        self, problem: Problem | Formula, encoding: Encoding | None, limits: Limits
    ) -> Encoded | Ending:
        """The instance, or how its encoding ended if that was not well: with the outcome `invalid`
        if the file of a formula is not what it should be.

        Encoding, or reading, is held to the same limits as a run. Raises `supervise.Stopped`.
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
        with os.fdopen(os.memfd_create("instance"), "wb") as file:
            write = partial(isolate.write_all, file.fileno())
            ending = isolate.call(
                lambda: encode(encoding, problem, write), limits, self._stop_fd, [file.fileno()]
            )
            if ending.outcome is not Outcome.FINISHED:
                return ending
            report = msgspec.msgpack.decode(ending.payload, type=EncodeReport)
            if report.flaw:
                return replace(ending, outcome=Outcome.INVALID, message=report.flaw)
            if isinstance(problem, Problem) and makes is Form.PROBLEM:
                return Encoded(problem, None, report.spent, 0)
            # Private and read-only: a worker inherits the view, not a way to change it.
            mapped = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
        packed = memoryview(mapped)
        instance = CSP.unpack(packed) if makes is Form.CSP else CNF.unpack(packed)
        return Encoded(instance, instance.digest(), report.spent, len(mapped))

    def _make_room(self) -> None:
        def held() -> int:
            return sum(e.packed_bytes for e in self._kept.values() if isinstance(e, Encoded))

        while len(self._kept) > 1 and held() > self._capacity:
            self._kept.popitem(last=False)
