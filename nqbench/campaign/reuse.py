"""Finds recorded runs that must not be reused, since the code behind them has changed.

The identity of a run has versions, but an edited encoding often keeps its version. So before
anything is reused, two recorded problems of each encoding are encoded again: the smallest, and the
largest that took little time, because many schemes are the same on the smallest. The digests of
these instances have to be those in the records. For a plugin, the files must be the same as well:
nothing else shows that a backend was edited.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.spelling import ComponentName
from nqbench.common.units import counted
from nqbench.encodings.base import Encoding
from nqbench.measure import source_files
from nqbench.measure.cache import Encoded, InstanceCache
from nqbench.problems.base import Problem
from nqbench.records.record import Run
from nqbench.records.runs import Runs
from nqbench.records.store import Made, Store

_QUICK_S: Final = 0.1
"""Recorded time of encoding up to which the largest problem is encoded again."""

_LIMIT_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Change:
    """Recorded runs with code that has changed since. `asked` of them are in the campaign."""

    what: str
    why: str
    run_ids: frozenset[str]
    asked: int

    def __str__(self) -> str:
        again = "it is" if self.asked == 1 else "they are"
        return (
            f"{self.what} has changed since {counted(self.asked, 'run')} of it "
            f"{'was' if self.asked == 1 else 'were'} recorded ({self.why}): {again} measured again"
        )


def changes(runs: Sequence[Run], store: Store) -> list[Change]:
    """The changes since these runs were recorded, in the order in which they were found. Nothing is
    changed in the store. What cannot be loaded, or encodes for too long, counts as unchanged.
    """
    recorded = store.made()
    planned = Runs.of(runs)
    edited = list(_of_edited_files(recorded, planned.kinds))
    place_of = planned.places({m.run_id for m in recorded})
    if not place_of:
        return edited
    by_component: dict[str, tuple[str, set[str]]] = {}
    for component, why, ids in (
        *_by_files(recorded, place_of, store),
        *_by_instances(recorded, planned, place_of),
    ):
        # A run counts for the first change that is found, so that no run is counted twice.
        earlier: set[str] = set().union(*(run_ids for _, run_ids in by_component.values()))
        by_component.setdefault(component, (why, set()))[1].update(ids - earlier)
    return edited + [
        Change(component, why, frozenset(ids), number)
        for component, (why, ids) in by_component.items()
        if (number := sum(run_id in place_of for run_id in ids))
    ]


def _of_edited_files(recorded: Sequence[Made], runs: Iterable[Run]) -> Iterator[Change]:
    """The changes of components from a file. An edited one has another version, so its runs are
    measured anew; the others would be shown beside them under the same name.
    """
    versions = {
        name: version
        for run in runs
        for name, version in (
            (run.encoding, run.encoding_version),
            (run.backend, run.backend_version),
        )
        if version and ComponentName.parse(name).files
    }
    done: set[str] = set()
    for name, version in versions.items():
        ids = {
            m.run_id
            for m in recorded
            if (m.encoding == name and m.encoding_version not in (None, version))
            or (m.backend == name and m.backend_version not in (None, version))
        } - done
        done |= ids
        if ids:
            yield Change(name, "its file differs", frozenset(ids), len(ids))


def _by_files(
    recorded: Sequence[Made], place_of: Mapping[str, int], store: Store
) -> Iterator[tuple[str, str, set[str]]]:
    """What changed, why that is known, and the runs, for plugins whose files differ."""
    sources_of = {e.id: e.sources for e in store.environments() if e.sources}
    if not sources_of:
        return
    mine = [m for m in recorded if m.run_id in place_of]
    today = source_files.of_runs(
        {m.family for m in mine},
        {m.encoding for m in mine},
        {m.backend for m in mine},
    )
    for key, digest in today.items():
        changed = {id_ for id_, digests in sources_of.items() if digests.get(key, digest) != digest}
        ids = {m.run_id for m in recorded if m.environment_id in changed and key in _keys(m)}
        yield key, "its files differ", ids


def _keys(recorded: Made) -> list[str]:
    return [
        *source_files.keys("family", recorded.family),
        *source_files.keys("encoding", recorded.encoding),
        *source_files.keys("backend", recorded.backend),
    ]


def _by_instances(
    recorded: Iterable[Made], planned: Runs, place_of: Mapping[str, int]
) -> Iterator[tuple[str, str, set[str]]]:
    """The same for encodings that make other instances."""
    # By environment: records of an edited plugin have another one.
    groups: dict[tuple[str, str, str | None, str], list[Made]] = defaultdict(list)
    for made in recorded:
        key = made.encoding, made.family, made.encoding_version, made.environment_id
        groups[key].append(made)
    again = _Again()

    def problem_of(made: Made) -> int:
        return int(planned.problem[place_of[made.run_id]])

    for (encoding, family, *_), group in groups.items():
        mine = [m for m in group if m.run_id in place_of and m.instance_digest]
        for probe in _probes(mine, planned, place_of):
            run = planned[place_of[probe.run_id]]
            if not run.problem.has_rules or run.encoding_version != probe.encoding_version:
                continue
            same = [m.instance_digest for m in mine if problem_of(m) == problem_of(probe)]
            today = again.digest(run)
            if today is not None and set(same) != {today}:
                component = f"encoding {encoding} of {family}"
                yield component, f"{run.problem} is another formula", {m.run_id for m in group}
                break


def _probes(recorded: Sequence[Made], planned: Runs, place_of: Mapping[str, int]) -> list[Made]:
    """The smallest of these runs, and the largest whose problem was encoded quickly."""
    if not recorded:
        return []

    def size(m: Made) -> tuple[int, float]:
        problem = planned.every_problem[planned.problem[place_of[m.run_id]]]
        return problem.n or 0, m.encode_s or 0.0

    smallest = min(recorded, key=size)
    quick = [m for m in recorded if (m.encode_s or 0.0) <= _QUICK_S]
    return list(dict.fromkeys([smallest, max(quick, key=size, default=smallest)]))


class _Again:
    """Encodes problems again, each once."""

    def __init__(self) -> None:
        self._digests: dict[tuple[str, Problem], str | None] = {}

    def digest(self, run: Run) -> str | None:
        """The digest of the run's instance today; None if it cannot be made."""
        key = run.encoding, run.problem
        if key not in self._digests:
            self._digests[key] = self._digest(run)
        return self._digests[key]

    def _digest(self, run: Run) -> str | None:
        try:
            encoding = Encoding.named(run.encoding)
        except (InputError, UnavailableError):
            return None
        if source_files.may_be_edited_since_import(encoding):
            return None  # the files say more
        limits = replace(run.limits, time_s=min(run.limits.time_s, _LIMIT_S))
        encoded = InstanceCache(0).get(run.problem, encoding, limits)
        return encoded.digest if isinstance(encoded, Encoded) else None
