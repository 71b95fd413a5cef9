"""Finds families, encodings, backends and formats of results by name, through entry points.

Built-ins and plugins use the same mechanism: an entry point in the group `nqbench.families`,
`nqbench.encodings`, `nqbench.backends` or `nqbench.formats` whose value is a class. The class is
called with the name of the entry point and the parameters that the user typed, so it can serve
several names. Users may type names in any case; the spelling of the entry point is recorded.
Nothing is imported before it is loaded by name.
"""

from __future__ import annotations

import contextlib
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.spelling import chosen, find, plain
from nqbench.plugins.component import Component

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

    from nqbench.backends.base import Backend
    from nqbench.encodings.base import Encoding
    from nqbench.problems.families.base import Family

FAMILIES: Final = "nqbench.families"
ENCODINGS: Final = "nqbench.encodings"
BACKENDS: Final = "nqbench.backends"
FORMATS: Final = "nqbench.formats"

C = TypeVar("C", bound=Component)

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


def format_names() -> list[str]:
    """The names of all installed formats of results, sorted."""
    return sorted(_entry_points()[FORMATS])


def complete_backend_names() -> list[str]:
    """The names of the installed backends except those that need a path, such as `exe`."""
    return [name for name in backend_names() if not needs_path(name)]


def plugin_packages() -> set[str]:
    """The names of the packages and modules of plugins, without what is below them."""
    every = (e for named in _entry_points().values() for found in named.values() for e in found)
    return {e.module.partition(".")[0] for e in every} - {__name__.partition(".")[0]}


def needs_path(backend: str) -> bool:
    """Whether a path has to follow the name of this backend, as in `exe:PATH`."""
    try:
        return load_backend(backend).needs_path
    except UnavailableError:
        return False


def entry_of(group: str, name: str) -> EntryPoint | None:
    """The entry point of a component; None if it is not installed."""
    return next(iter(_entry_points()[group].get(name, [])), None)


def load_family(name: str) -> Family:
    """Load the family with this name.

    Raises `InputError` if there is none, `UnavailableError` if its module cannot be loaded.
    """
    from nqbench.problems.families.base import Family

    return load(FAMILIES, name, Family)


def load_encoding(name: str) -> Encoding:
    """Load the encoding with this name.

    Raises `InputError` if there is none, `UnavailableError` if its module cannot be loaded.
    """
    from nqbench.encodings.base import Encoding

    return load(ENCODINGS, name, Encoding)  # type: ignore[type-abstract]


def load_backend(name: str) -> Backend:
    """Load the backend with this name.

    Raises `InputError` if there is none, `UnavailableError` if its module cannot be loaded.
    """
    from nqbench.backends.base import Backend

    return load(BACKENDS, name, Backend)  # type: ignore[type-abstract]


@cache
def _entry_points() -> dict[str, dict[str, list[EntryPoint]]]:
    """The entry points of each group, by name. All are found at once: looking through what is
    installed takes 15 ms.
    """
    from importlib.metadata import entry_points

    every = entry_points()
    found: dict[str, dict[str, list[EntryPoint]]] = {
        group: {} for group in (FAMILIES, ENCODINGS, BACKENDS, FORMATS)
    }
    for group, named in found.items():
        for entry in every.select(group=group):
            named.setdefault(entry.name, []).append(entry)
    return found


def _entry_point(group: str, name: str, kind: str) -> EntryPoint:
    known = _entry_points()[group]
    if find(name, known) is None:
        _refuse_other_forms(name, kind)
    entry, *others = found = known[chosen(kind, name, sorted(known))]
    if others:
        owners = " and ".join(sorted(map(owner, found)))
        raise UnavailableError(
            f"{kind} '{entry.name}' is provided by {owners}: uninstall one of them"
        )
    return entry


def _refuse_other_forms(name: str, kind: str) -> None:
    """Raise `InputError` for what is more than a wrong name: several, or a program."""
    path = name.partition(" ")[0]
    if kind == "backend" and ("/" in path or _is_file(path)):
        base, what = ("ipasir", "library") if path.endswith(".so") else ("exe", "program")
        written = name if "/" in path else f"./{name}"
        raise InputError(f"unknown backend '{name}': write '{base}:{written}' for this {what}")
    if "," in name:
        raise InputError(f"'{name}' is more than one {kind}: give one")


def _is_file(path: str) -> bool:
    with contextlib.suppress(OSError):
        return Path(path).is_file()
    return False


def load(group: str, name: str, expected: type[C]) -> C:
    """Load the component of this class with this name, from one of the groups.

    Raises `InputError` if there is none, `UnavailableError` if its module cannot be loaded.
    """
    kind = expected.__name__.lower()
    typed, colon, parameters = plain(name).partition(":")
    entry = _entry_point(group, typed, kind)
    try:
        component = entry.load()(entry.name + colon + parameters)
        component.brought_by = owner(entry)
    except InputError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UnavailableError(f"{kind} '{name}' cannot be loaded: {reason}") from error
    if not isinstance(component, expected):
        raise UnavailableError(
            f"{kind} '{name}': {entry.value} does not return an instance of {expected.__name__}"
        )
    if not _has_its_name(component, entry.name):
        raise UnavailableError(f"{kind} '{name}' calls itself by another name: {entry.value}")
    return component


def _has_its_name(component: Component, name: str) -> bool:
    """Whether a component has the name that it was found by, which tells runs, records and evidence
    apart. A class could compute another one each time.
    """
    own = [kind for kind in type(component).__mro__ if kind is not Component]
    computes = any({"name", "base_name", "brought_by"} & vars(kind).keys() for kind in own)
    return not computes and component.name.partition(":")[0] == component.base_name == name


def owner(entry: EntryPoint) -> str:
    """The name of the distribution that declares an entry point."""
    return _name(entry.dist) if entry.dist else "nqbench"


@cache
def _name(distribution: Distribution) -> str:
    """The name of a distribution. Its metadata is read once, which takes a millisecond."""
    return distribution.name
