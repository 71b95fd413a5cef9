"""Gives versions of one backend, such as two commits of a solver, one name, so that they can be
compared.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from nqbench.common.errors import InputError
from nqbench.common.printable import listed
from nqbench.plugins.name_rules import expanded, unversioned


def common_names(campaigns: Sequence[pl.DataFrame]) -> dict[str, str]:
    """The common name of each version of a backend of which each campaign has one version, and not
    all the same.
    """
    versions = [_versions(records) for records in campaigns]
    renamed: dict[str, str] = {}
    for name in versions[0]:
        each = [of_one.get(name, []) for of_one in versions]
        if all(len(names) == 1 for names in each) and any(names != each[0] for names in each):
            renamed |= dict.fromkeys((names[0] for names in each), name)
    return renamed


def of_backends(
    campaigns: Sequence[pl.DataFrame], stated: Sequence[str], sources: Sequence[str]
) -> tuple[list[pl.DataFrame], dict[str, str]]:
    """The records of one backend of each campaign, as it is typed, and the name that all of them
    have in common. Raises `InputError` for one that means several, or was not measured.
    """
    meant = [
        _meant(name, sorted(records["backend"].unique()), source)
        for name, records, source in zip(stated, campaigns, sources, strict=True)
    ]
    common = {*map(unversioned, meant)}
    name = common.pop() if len(common) == 1 else ", ".join(dict.fromkeys(meant))
    chosen = [
        records.filter(pl.col("backend") == own)
        for records, own in zip(campaigns, meant, strict=True)
    ]
    return chosen, dict.fromkeys(meant, name)


def renamed(records: pl.DataFrame, names: Mapping[str, str]) -> pl.DataFrame:
    """The records with these names of backends in place of theirs."""
    return records.with_columns(pl.col("backend").replace(names)) if names else records


def unmatched(old: pl.DataFrame, new: pl.DataFrame) -> dict[str, list[str]]:
    """The backends of which both campaigns have versions that the other one lacks, by their common
    name.
    """
    before, after = _versions(old), _versions(new)
    return {
        name: sorted({*before[name], *after[name]})
        for name in sorted(before.keys() & after.keys())
        if {*before[name]} - {*after[name]} and {*after[name]} - {*before[name]}
    }


def _versions(records: pl.DataFrame) -> dict[str, list[str]]:
    """The backends of records by their common names."""
    versions: dict[str, list[str]] = {}
    for name in records["backend"].unique().sort():
        versions.setdefault(unversioned(name), []).append(name)
    return versions


def _meant(stated: str, backends: Sequence[str], source: str) -> str:
    """The backend of a campaign that is meant by what is typed."""
    if stated in backends:
        return stated
    meant = expanded([stated])
    if len(meant) != 1:
        raise InputError(f"'{stated}' are {len(meant)} backends: name one")
    if meant[0] not in backends:
        raise InputError(
            f"no run of '{meant[0]}' in {source}, but of {listed(backends, 5)}: measure it there "
            "as well"
        )
    return meant[0]
