"""What differs between two campaigns besides what they measured.

A change of a counter or a time may come from another version of a solver, another build, an edited
plugin, another limit or another machine. A reader has to know that before the numbers.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from nqbench.common.machine.environment import Environment
from nqbench.common.spelling import ComponentName
from nqbench.summary.observed import BOARD, MEASURED_HERE, PAIR, builds

Environments = Mapping[str, Environment]
"""The environments of a campaign, by id; empty for an export."""


Values = tuple[tuple[str, ...], tuple[str, ...]]
"""The values of both campaigns."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs, of which encodings, backends or families (empty: the whole campaign), and the
    values in both campaigns as text; no value if it is not recorded.
    """

    what: str
    names: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]


def besides(
    old: pl.DataFrame,
    new: pl.DataFrame,
    environments: tuple[Environments, Environments] = ({}, {}),
) -> list[Difference]:
    """What differs: versions of solvers and encodings, builds, files of plugins, versions of
    nqbench and Python, machines, limits and seeds. Versions, limits and seeds are those of
    encodings, backends and boards that both campaigns have.

    Only stores have the environments, with the digests of plugins; of exports, they are not
    compared.
    """
    return [
        *_versions(old, new),
        *_builds(old, new),
        *_of_environments(old, new, environments),
        *_of_nqbench(old, new),
        *_compare_campaigns("machine", *(_values(records, "machine") for records in (old, new))),
        *_conditions(old, new),
    ]


def _versions(old: pl.DataFrame, new: pl.DataFrame) -> Iterator[Difference]:
    for kind, whose in (("backend", "solver"), ("encoding", "encoding")):

        def versions(name: str, kind: str = kind) -> Values:
            before, after = (
                # The version of nqbench differs as such, and not once for each encoding.
                _distinct(map(_without_nqbench, _values(records, f"{kind}_version")))
                for records in (campaign.filter(pl.col(kind) == name) for campaign in (old, new))
            )
            return before, after

        yield from _group_by_values(f"{whose} version", _common(old, new, kind), versions)


def _without_nqbench(version: str) -> str:
    return ", ".join(part for part in version.split(", ") if not part.startswith("nqbench "))


def _builds(old: pl.DataFrame, new: pl.DataFrame) -> Iterator[Difference]:
    """The backends of which one version was compiled differently for the two campaigns."""
    columns = ["backend", "backend_version", "backend_build"]
    several = builds(pl.concat([old.select(columns), new.select(columns)]))

    def backend_builds(name: str) -> Values:
        before, after = (
            _values(records.filter(backend=name), "backend_build") for records in (old, new)
        )
        return before, after

    names = [name for name in _common(old, new, "backend") if name in several]
    yield from _group_by_values("build", names, backend_builds)


def _of_environments(
    old: pl.DataFrame, new: pl.DataFrame, environments: tuple[Environments, Environments]
) -> Iterator[Difference]:
    """The plugins whose files differ, and the commits of nqbench."""
    old_environments, new_environments = (
        [by_id[digest] for digest in _values(records, "environment_id") if digest in by_id]
        for records, by_id in zip((old, new), environments, strict=True)
    )
    if not old_environments or not new_environments:
        return
    names_with_files = {
        key for environment in (*old_environments, *new_environments) for key in environment.sources
    }
    names_in_common = [
        f"{kind} {name}"
        for kind in ("family", "encoding", "backend")
        for name in dict.fromkeys(
            base for value in _common(old, new, kind) for base in ComponentName.parse(value).bases
        )
    ]

    def files(key: str) -> Values:
        before, after = (
            tuple(sorted({e.sources[key] for e in side if key in e.sources}))
            for side in (old_environments, new_environments)
        )
        return before, after

    yield from _group_by_values(
        "files", [key for key in names_in_common if key in names_with_files], files
    )
    before, after = (
        _distinct(
            f"{environment.git_commit[:12]}{' and changes' if environment.git_dirty else ''}"
            for environment in side
            if environment.git_commit
        )
        for side in (old_environments, new_environments)
    )
    if before and after:
        yield from _compare_campaigns("commit of nqbench", before, after)


_HARNESS: Final = re.compile(r"nqbench (?P<nqbench>.+), Python (?P<python>.+)")


def _of_nqbench(old: pl.DataFrame, new: pl.DataFrame) -> Iterator[Difference]:
    for subject, group in (("nqbench", "nqbench"), ("Python", "python")):
        before, after = (
            _distinct(
                match[group]
                for harness in _values(records.filter(MEASURED_HERE), "harness")
                if (match := _HARNESS.fullmatch(harness))
            )
            for records in (old, new)
        )
        if before and after:
            yield from _compare_campaigns(subject, before, after)


_LIMITS: Final = {
    "time_limit_s": "time limit",
    "cpu_limit_s": "CPU limit",
    "memory_limit_bytes": "memory limit",
    "memory_limit_by": "way to limit memory",
    "conflict_limit": "conflict limit",
    "propagation_limit": "propagation limit",
    "cores": "number of cores",
}
"""The fields of records with limits, and `cores`, with their names in a sentence."""

_SEEDS: Final = {
    "seed": "seed",
    "shuffle": "seed of shuffled clauses",
    "solver_seed": "solver seed",
}


def _conditions(old: pl.DataFrame, new: pl.DataFrame) -> Iterator[Difference]:
    """Each limit and seed that differs, in the combinations and boards that both campaigns have."""
    cpus = pl.col("cpus")
    old, new = (
        records.with_columns(
            # Of a worker that left its CPUs, nobody knows on how many cores it ran.
            cores=pl.when(cpus == "")
            .then(pl.lit("not pinned"))
            .when(~cpus.str.contains("left"))
            .then(cpus.str.split(",").list.len().cast(pl.String))
        )
        for records in (old, new)
    )
    keys = [*PAIR, *BOARD]
    common = [
        own.join(other, on=keys, how="semi", nulls_equal=True)
        for own, other in ((old, new), (new, old))
    ]
    for field, name in (_LIMITS | _SEEDS).items():
        recorded = (
            records.drop_nulls("cores") if field == "cores" else records for records in common
        )
        before, after = (records[field].unique().sort().to_list() for records in recorded)
        if before != after:
            text = _seeds if field in _SEEDS else _limits
            yield Difference(name, (), text(field, before), text(field, after))


def _limits(field: str, values: Iterable[float | str | None]) -> tuple[str, ...]:
    return tuple(_limit(field, value) for value in values)


def _limit(field: str, value: float | str | None) -> str:
    if value is None:
        return "none"
    if isinstance(value, str) or not field.endswith(("_s", "_bytes")):
        return str(value)
    return f"{value:g} s" if field.endswith("_s") else f"{value / 2**20:g} MiB"


def _seeds(_: str, values: Sequence[int | None]) -> tuple[str, ...]:
    numbers = [value for value in values if value is not None]
    least, most = (min(numbers), max(numbers)) if numbers else (0, 0)
    spanned = [f"{least}" if least == most else f"{least} to {most}"] if numbers else []
    return (*(["none"] if None in values else []), *spanned)


def _compare_campaigns(
    subject: str, old: tuple[str, ...], new: tuple[str, ...]
) -> Iterator[Difference]:
    """That a value of the whole campaign differs, if it does."""
    if old != new:
        yield Difference(subject, (), old, new)


def _group_by_values(
    subject: str,
    names: Iterable[str],
    values: Callable[[str], Values],
) -> Iterator[Difference]:
    """The names whose values differ, those with the same values together. Nothing is said of a name
    for which a campaign has no value.
    """
    alike: dict[Values, list[str]] = defaultdict(list)
    for name in names:
        old, new = values(name)
        if old and new and old != new:
            alike[old, new].append(name)
    for (old, new), members in alike.items():
        yield Difference(subject, tuple(members), old, new)


def _common(old: pl.DataFrame, new: pl.DataFrame, column: str) -> list[str]:
    """The values that both campaigns have, sorted."""
    return sorted({*old[column].unique()} & {*new[column].unique()})


def _values(records: pl.DataFrame, column: str) -> tuple[str, ...]:
    return tuple(records[column].drop_nulls().unique().sort())


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if value}))
