"""Keeps instances for the runs that share them; each is encoded once, in a separate process."""

import fcntl
import mmap
import os
from collections import OrderedDict, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np

from nqbench import isolate
from nqbench.clauses.cnf import CNF, Block, no_clauses
from nqbench.clauses.constraints import Constraints
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Form, Outcome
from nqbench.encodings.base import Encoding
from nqbench.isolate import Isolation, cgroup
from nqbench.isolate.pages import Pages
from nqbench.isolate.supervise import Ending
from nqbench.measure import validation
from nqbench.measure.encode import EncodeReport, encode
from nqbench.measure.timing import PhaseTime
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.foreign import is_foreign, problem_key
from nqbench.problems.instances import Instance, check_instance, unpack_instance

_SHARE_OF_MEMORY: Final = 0.25
_CHECKED_AT_ONCE: Final = 1 << 22
"""Bytes up to which an instance is checked in this process; a larger one in a separate process."""

_SMALL: Final = 1024
"""Options of a problem."""

_MOST_LITERALS: Final = 4_000_000
"""A digest of clauses in any order takes 0.1 s for so many literals."""

_SEALABLE: Final = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
_SEALS: Final = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
_Recipe = tuple[Hashable, str, Limits]


@dataclass(frozen=True, slots=True)
class Encoded:
    """An instance, its digest (None for an unencoded problem), and what it cost to encode; with
    the encoding's lazy clauses, and what it says of the problem: see `EncodeReport`.
    `clauses_digest` is that of clauses in any order, if they are not too many.
    """

    instance: Instance
    digest: str | None
    spent: PhaseTime
    packed_bytes: int
    lazy: Block = field(default_factory=no_clauses)
    shows_options: bool = True
    breaks_symmetry: bool = False
    row: tuple[int, int] | None = None
    note: str = ""
    clauses_digest: str | None = None

    @property
    def claimed(self) -> Instance:
        """What the answer `unsat` claims to have no model: the instance with the lazy clauses.
        Rejecting models that break one amounts to that.
        """
        match self.instance:
            case CNF() as cnf if len(self.lazy):
                return cnf.with_clauses(self.lazy)
            case Constraints(cnf) as constraints if len(self.lazy):
                return replace(constraints, cnf=cnf.with_clauses(self.lazy))
            case other:
                return other


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
        self, capacity: int, caller: Isolation | None = None, at_once: Isolation | None = None
    ) -> None:
        """Instances are made by `caller`, small ones by `at_once` if there is one."""
        self._caller = caller or Isolation()
        self._at_once = at_once or self._caller
        self._kept: OrderedDict[_Recipe, Encoded | Ending] = OrderedDict()
        self._capacity = capacity
        self._pages: defaultdict[str, Pages] = defaultdict(Pages)

    def get(self, problem: Problem, encoding: Encoding, limits: Limits) -> Encoded | Ending:
        """Return the instance, or how its encoding ended if it failed. The outcome is `invalid` if
        the problem has none, such as a formula whose file is not valid.

        Encoding and reading have the same limits as a run. Raises `supervise.Abandoned`.
        """
        recipe = (problem_key(problem), encoding.name, limits)
        if recipe not in self._kept:
            self._kept[recipe] = self._encode(problem, encoding, limits)
            self._make_room()
        self._kept.move_to_end(recipe)
        return self._kept[recipe]

    def _encode(self, problem: Problem, encoding: Encoding, limits: Limits) -> Encoded | Ending:
        is_formula = isinstance(problem, Clausal) and not is_foreign(problem)
        name = str(problem) if is_formula else f"encoding {encoding.name}"
        with os.fdopen(os.memfd_create("instance", _SEALABLE), "wb") as file:
            descriptor = file.fileno()
            write = partial(isolate.write_all, descriptor)
            is_small = _is_small(problem) and not encoding.is_external
            caller = self._at_once if is_small else self._caller
            ending = caller.call(
                name,
                lambda: encode(encoding, problem, write),
                limits,
                keep=[descriptor],
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
                fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
                # Private and read-only: a worker inherits the view, not a way to change it.
                mapped = mmap.mmap(descriptor, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
                encoded = _read(encoding.makes, memoryview(mapped), report)
                digest, of_clauses = self._digests(encoded, name, limits)
                return replace(encoded, digest=digest, clauses_digest=of_clauses or None)
            except (OSError, ValueError) as error:
                message = f"{name} did not return an instance: {error}"
                return replace(ending, outcome=Outcome.CRASHED, message=message)

    def _digests(self, encoded: Encoded, name: str, limits: Limits) -> tuple[str, str]:
        """The digest of an instance, which names it in records, and that of its clauses in any
        order, which is empty if it has others or very many. They are computed here, from the bytes
        that are solved and proved: the process that made them also ran the encoding. Raises
        `ValueError` if the instance is not well formed.
        """

        def checked() -> bytes:
            instance = encoded.claimed
            assert not isinstance(encoded.instance, Problem)
            check_instance(instance)
            return f"{encoded.instance.digest()} {_clauses_digest(encoded.instance)}".encode()

        if encoded.packed_bytes <= _CHECKED_AT_ONCE:
            return _two(checked())
        ending = self._caller.call(f"{name}: reading the instance", checked, limits)
        if ending.outcome is not Outcome.FINISHED:
            raise ValueError(ending.message)
        return _two(ending.payload)

    def _make_room(self) -> None:
        def held_bytes() -> int:
            return sum(e.packed_bytes for e in self._kept.values() if isinstance(e, Encoded))

        while len(self._kept) > 1 and held_bytes() > self._capacity:
            self._kept.popitem(last=False)


def _clauses_digest(instance: Instance) -> str:
    is_hashed = isinstance(instance, CNF) and instance.num_literals <= _MOST_LITERALS
    return instance.clauses_digest() if isinstance(instance, CNF) and is_hashed else ""


def _two(digests: bytes) -> tuple[str, str]:
    first, _, second = digests.decode().partition(" ")
    return first, second


def _read(form: Form, packed: memoryview, report: EncodeReport) -> Encoded:
    """A view of what was written, without its digest. Raises `ValueError` if it is no instance."""
    length, (rows, width) = report.instance_bytes, report.lazy
    if not 0 <= length <= len(packed) or min(rows, width) < 0:
        raise ValueError(f"an instance of {length} of {len(packed)} bytes")
    lazy = np.frombuffer(packed[length:], np.int32).reshape(rows, width)
    return Encoded(
        unpack_instance(form, packed[:length]),
        None,
        report.spent,
        len(packed),
        lazy,
        report.shows_options,
        report.breaks_symmetry,
        report.row,
        report.note,
    )


def _is_small(problem: Problem) -> bool:
    """Whether encoding it does not disturb a run on another core, since it needs little memory and
    little time.
    """
    if isinstance(problem, Clausal) or is_foreign(problem):
        return False
    return len(problem.options) <= _SMALL
