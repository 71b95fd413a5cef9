"""Checks the unchecked answers of a store: makes each instance again, and its proof or count.

Nothing is measured. Evidence is obtained in separate processes, as in a campaign.
"""

import os
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Final, Protocol, TypeVar

from nqbench.backends import permission
from nqbench.backends.base import Backend
from nqbench.backends.permission import Ask
from nqbench.backends.program.backend import Executable
from nqbench.checking.verify import UNCHECKED, Check
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.limits import ProofLimits
from nqbench.common.printable import printable
from nqbench.common.spelling import ComponentName
from nqbench.encodings.base import Encoding
from nqbench.measure import validation
from nqbench.measure.stored_run import unpack_run
from nqbench.measure.unchecked_answer import Case, CaseChecker, case_key, unchecked_because
from nqbench.plugins import from_file
from nqbench.plugins.component import Component
from nqbench.problems.families.base import Family
from nqbench.records import component_files
from nqbench.records.record import Record
from nqbench.records.store import Store

_TELL_EVERY_S: Final = 1.0
C = TypeVar("C", bound=Component)


@dataclass(frozen=True, slots=True)
class Checked:
    """A record with its new verdict, and the check that gave it."""

    record: Record
    check: Check


_OfGroup = list[tuple[Case, Check, float]]
"""The checks of cases, and their seconds."""


class Observer(Protocol):
    """Follows the checks. An exception that it raises ends them; stored verdicts are kept."""

    def begin(self, answers: int) -> None:
        """Called first, with the number of unchecked answers."""

    def start(self, programs: Mapping[str, str]) -> None:
        """Called next, with the paths of the programs that find proofs, by the backend."""

    def note(self, checked: Checked) -> None:
        """Called for each answer when its verdict is stored."""

    def wait(self, doing: Sequence[str]) -> None:
        """Called every second in which no check ends, with what is being done."""


class _Silent(Observer):
    def begin(self, answers: int) -> None: ...

    def start(self, programs: Mapping[str, str]) -> None: ...

    def note(self, checked: Checked) -> None: ...

    def wait(self, doing: Sequence[str]) -> None: ...


def check(
    store: Store,
    observer: Observer | None = None,
    *,
    jobs: int = 1,
    proofs: ProofLimits | None = None,
    allowed: Collection[str] = (),
    ask: Ask | None = None,
    run_ids: Collection[str] | None = None,
    until: Callable[[], bool] = lambda: False,
) -> list[Checked]:
    """Check the unchecked answers of a store, or those of the runs with these ids, `jobs` at the
    same time, and store the verdicts. Returns them in the order in which the checks ended.

    Proofs come from the solvers that the store names. One that has a path, such as `exe:PATH`, or
    options, is started only if `allowed` has it, or if `ask` says so. When `until` says so, the
    checks end.

    An answer that cannot be checked stays unchecked, and its record says why. An exception that
    interrupts the checks leaves the verdicts so far in the store. Raises `InputError` and
    `StoreError` for a store that nqbench would not write.
    """
    store.frame()  # the gate for what is in the records
    records = store.unchecked()
    if run_ids is not None:
        records = [record for record in records if record.run_id in run_ids]
    observer = observer or _Silent()
    observer.begin(len(records))
    allowed = _admit_files(store, records, allowed, ask)
    proving = _proving(records)
    observer.start({backend.name: str(path) for backend in proving for path in _programs(backend)})
    encodings = _known(Encoding.recorded, (record.encoding for record in records))
    families = _known(Family.recorded, (record.family for record in records))
    component_names = [component.name for component in (*proving, *encodings, *families)]
    allowed = permission.granted(component_names, allowed, "the store", ask)
    return _Checks(store, observer, jobs=jobs, proofs=proofs, allowed=allowed, until=until).of(
        records
    )


def _admit_files(
    store: Store, records: Sequence[Record], allowed: Collection[str], ask: Ask | None
) -> Collection[str]:
    """Let this process know the components from files that the store keeps and the user allows.
    Returns what is allowed now.
    """
    components = {
        component
        for record in records
        for component in (
            (record.encoding, record.encoding_version),
            (record.backend, record.backend_version),
            (record.family, None),
        )
        if ComponentName.parse(component[0]).files
    }
    names = sorted({name for name, _ in components})
    allowed = permission.granted(names, allowed, "the store", ask)
    refused = permission.need_permission(names, allowed)
    named = component_files.named_in(components, (each.sources for each in store.environments()))
    permitted = component_files.only(named, [name for name in names if name not in refused])
    from_file.admit(component_files.kept(store.path.parent, permitted))
    return allowed


def _proving(records: Iterable[Record]) -> list[Backend]:
    """The backends of these records that find proofs, as far as they are known here."""
    backends = _known(Backend.recorded, (record.backend for record in records))
    return [backend for backend in backends if backend.capabilities.proof]


def _known(load: Callable[[str], C], names: Iterable[str]) -> list[C]:
    """The components of these names, without those that are unknown here."""
    components = []
    for name in sorted(set(names)):
        with suppress(InputError, UnavailableError):
            components.append(load(name))
    return components


def _programs(backend: Backend) -> list[Path]:
    return backend.binaries if isinstance(backend, Executable) else []


class _Checks:
    """The checks of one store, which only the thread that made this uses."""

    def __init__(
        self,
        store: Store,
        observer: Observer,
        *,
        jobs: int,
        proofs: ProofLimits | None,
        allowed: Collection[str],
        until: Callable[[], bool],
    ) -> None:
        self._store, self._observer, self._until = store, observer, until
        self._jobs, self._proofs, self._allowed = jobs, proofs, allowed
        self._done: list[Checked] = []

    def of(self, records: Sequence[Record]) -> list[Checked]:
        """Check these records."""
        with _threads(self._jobs) as (pool, stop_fd):
            checker = CaseChecker(self._jobs, self._proofs, stop_fd, self._allowed)
            groups = self._groups(records, checker)
            self._follow({pool.submit(_checks_of, group, checker) for group in groups}, checker)
        return self._done

    def _groups(self, records: Sequence[Record], checker: CaseChecker) -> list[list[Case]]:
        """The cases that need the same proof, together."""
        cases: dict[Hashable, Case] = {}
        for record in records:
            try:
                run = unpack_run(self._store.unchecked_run(record.run_id), record)
            except InputError as error:
                # The record stays as it is: it may have nothing to do with that run.
                self._note(_with(record, replace(UNCHECKED, message=str(error))))
                continue
            same = case_key(run, record)
            try:
                if same not in cases:
                    cases[same] = case = checker.case(run)
                    if run.problem.needs_assumptions:
                        case.log = self._store.log(record.run_id)
            except Exception as error:
                self._keep([_with(record, unchecked_because(error))])
            else:
                cases[same].add(run, record)
        groups: dict[Hashable, list[Case]] = {}
        for case in cases.values():
            groups.setdefault(case.proof, []).append(case)
        return list(groups.values())

    def _follow(self, checks: set[Future[_OfGroup]], checker: CaseChecker) -> None:
        while checks and not self._until():
            ended, checks = wait(checks, _TELL_EVERY_S, FIRST_COMPLETED)
            for future in ended:
                for case, check, seconds in future.result():
                    # All but the first have their check from there.
                    times = [seconds] + [0.0] * len(case.records)
                    self._keep(map(_with, case.records, repeat(check), times))
            if not ended:
                self._observer.wait(checker.doing)

    def _keep(self, checked: Iterable[Checked]) -> None:
        """Store these verdicts."""
        verdicts = list(checked)
        self._store.set_verdicts(verdict.record for verdict in verdicts)
        for verdict in verdicts:
            self._note(verdict)

    def _note(self, checked: Checked) -> None:
        self._done.append(checked)
        self._observer.note(checked)


def _checks_of(cases: Sequence[Case], checker: CaseChecker) -> _OfGroup:
    return [(case, *checker.check(case)) for case in cases]


@contextmanager
def _threads(number: int) -> Iterator[tuple[ThreadPoolExecutor, int]]:
    """Threads, and a descriptor that is readable when they should end, which they have done at the
    end of the block.
    """
    pool = ThreadPoolExecutor(number)
    stop_fd, other_end = os.pipe()
    try:
        yield pool, stop_fd
    finally:
        # In this order: no other check may start when those in progress are stopped.
        pool.shutdown(wait=False, cancel_futures=True)
        os.close(other_end)
        pool.shutdown()
        os.close(stop_fd)


def _with(record: Record, check: Check, verify_s: float | None = None) -> Checked:
    """The record with this check in place of the earlier one, which took `verify_s` seconds."""
    message = "; ".join(filter(None, [check.message, *validation.notes(record.message)]))
    changed = replace(
        record,
        verdict=check.verdict,
        checked_by=check.checked_by,
        message=printable(message),
        verify_s=verify_s,
        verify_cpu_s=None,
    )
    return Checked(changed, check)
