"""Finds recorded runs that must not be reused, since the code behind them has changed.

The identity of a run has versions, but an edited encoding often keeps its version. So before
anything is reused, two recorded problems of each encoding are encoded again: the smallest, and the
largest that took little time, because many schemes are the same on the smallest. The digests of
these instances have to be those in the records. For a plugin, the files must be the same as well:
nothing else shows that a backend was edited.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.units import counted
from nqbench.encodings.base import Encoding
from nqbench.measure import source_files
from nqbench.measure.cache import Encoded, InstanceCache
from nqbench.problems.base import Problem
from nqbench.records.record import Run
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
    made = store.made()
    asked = {run.id: run for run in runs}
    if not any(each.run_id in asked for each in made):
        return []
    found: dict[str, tuple[str, set[str]]] = {}
    for what, why, ids in (*_by_files(made, asked, store), *_by_instances(made, asked)):
        seen: set[str] = set().union(*(known for _, known in found.values()))
        found.setdefault(what, (why, set()))[1].update(ids - seen)
    return [
        Change(what, why, frozenset(ids), number)
        for what, (why, ids) in found.items()
        if (number := sum(run_id in asked for run_id in ids))
    ]


def _by_files(
    made: Sequence[Made], asked: dict[str, Run], store: Store
) -> Iterator[tuple[str, str, set[str]]]:
    """What changed, why that is known, and the runs, for plugins whose files differ."""
    recorded = {each.id: each.sources for each in store.environments() if each.sources}
    if not recorded:
        return
    mine = [each for each in made if each.run_id in asked]
    today = source_files.of_runs(
        {each.family for each in mine},
        {each.encoding for each in mine},
        {each.backend for each in mine},
    )
    for key, digest in today.items():
        changed = {each for each, known in recorded.items() if known.get(key, digest) != digest}
        ids = {
            each.run_id for each in made if each.environment_id in changed and key in _keys(each)
        }
        yield key, "its files differ", ids


def _keys(made: Made) -> tuple[str, str, str]:
    return (
        source_files.key("family", made.family),
        source_files.key("encoding", made.encoding),
        source_files.key("backend", made.backend),
    )


def _by_instances(
    made: Iterable[Made], asked: dict[str, Run]
) -> Iterator[tuple[str, str, set[str]]]:
    """The same for encodings that make other instances."""
    # By environment: records of an edited plugin have another one.
    groups: dict[tuple[str, str, str | None, str], list[Made]] = defaultdict(list)
    for each in made:
        groups[each.encoding, each.family, each.encoding_version, each.environment_id].append(each)
    again = _Again()
    for (encoding, family, *_), group in groups.items():
        mine = [each for each in group if each.run_id in asked and each.instance_digest]
        for probe in _probes(mine, asked):
            run = asked[probe.run_id]
            if not run.problem.has_rules or run.encoding_version != probe.encoding_version:
                continue
            same = [m.instance_digest for m in mine if asked[m.run_id].problem == run.problem]
            today = again.digest(run)
            if today is not None and set(same) != {today}:
                what = f"encoding {encoding} of {family}"
                yield what, f"{run.problem} is another formula", {m.run_id for m in group}
                break


def _probes(made: Sequence[Made], asked: dict[str, Run]) -> list[Made]:
    """The smallest of these runs, and the largest whose problem was encoded quickly."""
    if not made:
        return []

    def size(each: Made) -> tuple[int, float]:
        return asked[each.run_id].problem.n or 0, each.encode_s or 0.0

    smallest = min(made, key=size)
    quick = [each for each in made if (each.encode_s or 0.0) <= _QUICK_S]
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
