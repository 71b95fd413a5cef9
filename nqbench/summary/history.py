"""The order of versions of a history, such as the commits of a solver, wherever results are shown.

Where each has a place in its history, that is the order: a date says little after a rebase. It
counts where one has no place, as from a shallow clone. The order is not known of those that share a
place, which are on different branches, and of those that share a date. Nor is it where one comes
right after another by its place, but was made after a third: then the shorter branch is left out.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import polars as pl

from nqbench.common.printable import listed, printable
from nqbench.common.units import counted
from nqbench.plugins.name_rules import Revision, revision_of

_LONGEST_SUBJECT: Final = 60
_MOST_NAMED: Final = 5


def revisions(records: pl.DataFrame) -> dict[str, Revision]:
    """Where the backends of records are in a history, by their names, of those that are in one."""
    found: dict[str, Revision] = {}
    has_versions = "backend_version" in records.columns
    version = pl.col("backend_version").fill_null("") if has_versions else pl.lit("")
    versions = records.select("backend", version.alias("backend_version")).unique()
    for name, version in versions.sort("backend", "backend_version").iter_rows():
        revision = revision_of(name, version)
        # What an earlier version recorded may lack the place.
        if revision and (name not in found or _is_known_better(revision, found[name])):
            found[name] = revision
    return found


def _is_known_better(revision: Revision, other: Revision) -> bool:
    known, of_other = ((r.place is not None, bool(r.date)) for r in (revision, other))
    return known > of_other


@dataclass(frozen=True, slots=True)
class History:
    """Revisions by what is shown of them, such as names of backends: `places` are their places in
    the order in which they are shown, source by source, and `unordered` are those of which the
    order is not known.
    """

    revisions: Mapping[str, Revision]
    places: Mapping[str, int]
    unordered: frozenset[str]

    @classmethod
    def of(cls, shown: Mapping[str, Revision]) -> Self:
        """The order of these."""
        of_source = defaultdict[str, list[str]](list)
        for name, revision in shown.items():
            of_source[revision.source].append(name)
        key_of = {
            name: key
            for source in of_source.values()
            for name, key in _keys({name: shown[name] for name in source}).items()
        }
        same = defaultdict[Any, set[str]](set)
        for name, key in key_of.items():
            same[key].add(shown[name].name)
        tied = {name for name, key in key_of.items() if len(same[key]) > 1}
        branched = {
            name
            for source in of_source.values()
            for name in _branched({name: shown[name] for name in source if name not in tied})
        }
        ordered = sorted(shown, key=lambda name: (key_of[name], shown[name].date, name))
        return cls(
            shown,
            {name: place for place, name in enumerate(ordered)},
            frozenset(
                {name for name, (_, place, date) in key_of.items() if not (place or date)}
                | tied
                | branched
            ),
        )


def _branched(of_source: Mapping[str, Revision]) -> set[str]:
    """Those of one source that are on another branch than more of them. A branch is what was made
    one after another.
    """
    by_name = {revision.name: revision for revision in of_source.values()}
    by_place = {revision.place: revision for revision in by_name.values()}
    branch_of: dict[str, str] = {}
    for revision in sorted(by_name.values(), key=lambda revision: revision.place or 0):
        branch_of[revision.name] = branch_of.get(revision.before, revision.name)
    sizes = Counter(branch_of.values())
    left_out: set[str] = set()
    for revision in by_name.values():
        previous = by_place.get((revision.place or 0) - 1)
        if previous and revision.before not in {"", previous.name}:
            branches = branch_of[previous.name], branch_of[revision.name]
            left_out.add(min(branches, key=lambda branch: sizes[branch]))
    return {name for name, r in of_source.items() if branch_of[r.name] in left_out}


def name_unordered(names: Collection[str]) -> str:
    """A sentence about commits of these names, whose order is not known."""
    return (
        f"{counted(len(names), 'commit')} of no known order, by one date or on different branches "
        f"({listed(sorted(names), _MOST_NAMED)})"
    )


def _keys(of_source: Mapping[str, Revision]) -> dict[str, tuple[str, int, str]]:
    """What those of one source are sorted by."""
    has_places = all(revision.place is not None for revision in of_source.values())
    return {
        name: (r.source, r.place or 0 if has_places else 0, "" if has_places else r.date)
        for name, r in of_source.items()
    }


def subject(revision: Revision) -> str:
    """What a revision is about, in brief."""
    return printable(revision.subject, _LONGEST_SUBJECT)


def described(revision: Revision) -> str:
    """The name and the subject of a revision, such as `0123abcd 'Search less'`."""
    return f"{revision.name} '{subject(revision)}'" if revision.subject else revision.name
