"""The entry points of families, encodings, backends and other components.

Built-ins and plugins use the same mechanism: an entry point in the group `nqbench.families`,
`nqbench.encodings`, `nqbench.backends` or that of an add-on whose value is a class; see
`Component.named`. Users may type names in any case; the spelling of the entry point is recorded.
Nothing is imported before it is loaded by name.
"""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.spelling import find_name, match_name

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

FAMILIES: Final = "nqbench.families"
ENCODINGS: Final = "nqbench.encodings"
BACKENDS: Final = "nqbench.backends"

STARTED: Final = time.time()
"""A moment before this process imported the first plugin by name, in seconds since 1970."""


def family_names() -> list[str]:
    """The names of all installed families, sorted."""
    return sorted(_entry_points()[FAMILIES])


def encoding_names() -> list[str]:
    """The names of all installed encodings, sorted."""
    return sorted(_entry_points()[ENCODINGS])


def backend_names() -> list[str]:
    """The names of all installed backends, sorted; some may be unavailable."""
    return sorted(_entry_points()[BACKENDS])


def component_names(group: str) -> list[str]:
    """The names of all installed components of a group, sorted."""
    return sorted(_entry_points()[group])


def plugin_packages() -> set[str]:
    """The names of the packages and modules of plugins, without what is below them."""
    every = (
        e for by_name in _entry_points().values() for entries in by_name.values() for e in entries
    )
    return {e.module.partition(".")[0] for e in every} - {__name__.partition(".")[0]}


def entry_of(group: str, name: str) -> EntryPoint | None:
    """The entry point of a component; None if it is not installed."""
    return next(iter(_entry_points()[group].get(name, [])), None)


def names_of(kind: type) -> list[str]:
    """The names of the installed components that this class makes, sorted."""
    value = f"{kind.__module__}:{kind.__qualname__}"
    return sorted(
        entry.name
        for by_name in _entry_points().values()
        for entries in by_name.values()
        for entry in entries
        if entry.value == value
    )


@cache
def _entry_points() -> dict[str, dict[str, list[EntryPoint]]]:
    """The entry points of each group, by name. All are found at once: looking through what is
    installed takes 15 ms.
    """
    from importlib.metadata import entry_points

    by_group: dict[str, dict[str, list[EntryPoint]]] = defaultdict(dict)
    every = entry_points()
    for group in every.groups:
        for entry in every.select(group=group) if group.startswith("nqbench.") else ():
            by_group[group].setdefault(entry.name, []).append(entry)
    return by_group


def entry_point(group: str, name: str, kind: str) -> EntryPoint:
    """The entry point with this name, in any case.

    Raises `InputError` if there is none, and `UnavailableError` if there are several.
    """
    by_name = _entry_points()[group]
    if find_name(name, by_name) is None:
        _refuse_other_forms(name, kind)
    entry, *other_entries = entries = by_name[match_name(kind, name, sorted(by_name))]
    if other_entries:
        owners = " and ".join(sorted(map(owner, entries)))
        raise UnavailableError(
            f"{kind} '{entry.name}' is provided by {owners}: uninstall one of them"
        )
    return entry


def _refuse_other_forms(name: str, kind: str) -> None:
    """Raise `InputError` for what is more than a wrong name: several, or a program."""
    path = name.partition(" ")[0]
    if kind == "backend" and ("/" in path or _is_file(path)):
        base, noun = ("ipasir", "library") if path.endswith(".so") else ("exe", "program")
        argument = name if "/" in path else f"./{name}"
        raise InputError(f"unknown backend '{name}': write '{base}:{argument}' for this {noun}")
    if kind == "encoding" and ("/" in path or _is_file(path)):
        argument = name if "/" in path else f"./{name}"
        raise InputError(
            f"unknown encoding '{name}': write 'exe:{argument}', perhaps with {{n}}, for a program"
        )
    if "," in name:
        raise InputError(f"'{name}' is more than one {kind}: give one")


def _is_file(path: str) -> bool:
    with contextlib.suppress(OSError):
        return Path(path).is_file()
    return False


def owner(entry: EntryPoint) -> str:
    """The name of the distribution that declares an entry point."""
    return _name(entry.dist) if entry.dist else "nqbench"


@cache
def _name(distribution: Distribution) -> str:
    """The name of a distribution. Its metadata is read once, which takes a millisecond."""
    return distribution.name
