"""Finds out safely whether an encoding or a backend works here, and keeps which ones do."""

import contextlib
import hashlib
import importlib.util
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from nqbench.common import PACKAGE, files
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.limits import PatientLimits
from nqbench.common.printable import printable
from nqbench.isolate import Isolation
from nqbench.plugins.component import Component
from nqbench.plugins.loading import entry_of, owner

Load = Callable[[str], Component]


def why_unavailable(load: Load, name: str, caller: Isolation | None = None) -> str | None:
    """Return in one line why the component cannot be used; None if it can.

    The probe runs in a separate process, since an import can crash or hang. A component that needs
    more time than others says so there, and is probed again. On a busy machine, the limit is later.
    """
    caller = caller or Isolation()
    result = _probed(load, name, caller, Component.probe_s)
    if isinstance(result, float):
        result = _probed(load, name, caller, result)
    return printable(str(result or "")) or None


def why_each_unavailable(
    kind: type[Component], names: Iterable[str], begin: Callable[[str], object] = lambda _: None
) -> dict[str, str | None]:
    """Return what `why_unavailable` does for each of these names, sooner: as many processes as
    there are CPUs, and those of nqbench that import the same modules in one process. `begin` is
    called with a name before it is tried.

    What does not work there is tried again with nothing beside it: it may have been stopped, or
    another one in its process.
    """
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in (names := list(names)):
        component = load_own(kind, name)
        groups[component.modules if component else ("", name)].append(name)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = pool.map(lambda group: _working(kind, group, begin), groups.values())
        working = {name for group in found for name in group}
    reasons: dict[str, str | None] = {}
    for name in names:
        begin(name)
        reasons[name] = None if name in working else why_unavailable(kind.named, name)
    return reasons


def load_own(kind: type[Component], name: str) -> Component | None:
    """The component of this name that nqbench itself brings; None if another distribution does,
    whose module is not imported in this process before it has been tried, or a file.
    """
    entry = entry_of(kind.group, name)
    if entry is None or owner(entry) != "nqbench":
        return None
    try:
        return kind.named(name)
    except UnavailableError:
        return None


def why_rejected(load: Load, name: str) -> str | None:
    """Return in one line why the library of a component rejects one of its options; None if it
    takes all, or if it is not installed, which `why_unavailable` reports.
    """
    ending = Isolation().call(
        f"trying {name}", lambda: _rejection(load, name), PatientLimits(Component.probe_s)
    )
    reason = ending.payload.decode() or ending.message
    return printable(reason) or None


def _rejection(load: Load, name: str) -> bytes:
    try:
        load(name).check_options()
    except InputError as error:
        return str(error).encode()
    except (UnavailableError, ImportError):
        return b""
    return b""


def _working(kind: type[Component], names: list[str], begin: Callable[[str], object]) -> list[str]:
    """Those of these names that work, tried one after the other in one process; none if one of them
    ends it.
    """
    begin(names[0])
    own = [component for name in names if (component := load_own(kind, name))]
    limit_s = max([Component.probe_s, *(component.probe_s for component in own)])
    ending = Isolation().call(
        f"trying {', '.join(names)}",
        lambda: msgspec.json.encode([n for n in names if not _result(kind.named, n, limit_s)]),
        PatientLimits(limit_s),
    )
    return msgspec.json.decode(ending.payload or b"[]", type=list[str])


def _probed(load: Load, name: str, caller: Isolation, limit_s: float) -> str | float | None:
    """The reason why a component is unavailable, or the time that its probe needs if that is more
    than `limit_s`; None if it works.
    """
    ending = caller.call(
        f"trying {name}",
        lambda: msgspec.json.encode(_result(load, name, limit_s)),
        PatientLimits(limit_s),
    )
    if ending.message:
        return ending.message
    result: str | float | None = msgspec.json.decode(ending.payload, type=str | float | None)
    return result


def _result(load: Load, name: str, limit_s: float) -> str | float | None:
    try:
        component = load(name)
        if component.probe_s > limit_s:
            return component.probe_s
        component.probe()
    except UnavailableError as error:
        return str(error)
    return None


_LARGEST_FILE: Final = 2**20
_LIBRARIES: Final = Path("/etc/ld.so.cache")
"""Written anew whenever a package of the system installs a shared library."""


def why_each_not_working(
    kind: type[Component], names: Iterable[str], begin: Callable[[str], object] = lambda _: None
) -> dict[str, str | None]:
    """Return what `why_each_unavailable` does, without trying what worked when it was last tried,
    until something changes: Python, nqbench, what is installed, or a file of the solver.

    Only what works is kept, of what nqbench itself brings. A folder that cannot be written to only
    means that all are tried each time.
    """
    names = list(names)
    path = files.cache_folder() / f"working-{_digest(sys.prefix)}.json"
    now = _facts_of_each(kind, names)
    kept = _read(path)
    same = {name for name, facts in now.items() if kept.get(name) == facts}
    reasons = why_each_unavailable(kind, [name for name in names if name not in same], begin)
    working = {name: facts for name, facts in now.items() if not reasons.get(name)}
    if working != kept:
        with contextlib.suppress(InputError):
            files.make_folder(path.parent, parents=True)
            files.write(path, msgspec.json.encode(working))
    return {name: reasons.get(name) for name in names}


def _read(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(files.content(path, _LARGEST_FILE), type=dict[str, str])
    except (InputError, msgspec.DecodeError):
        return {}


def _facts_of_each(kind: type[Component], names: Iterable[str]) -> dict[str, str]:
    """A digest of what decides whether each of these works, of those that nqbench brings."""
    everywhere = repr(list(_facts_of_all()))
    own = {name: component for name in names if (component := load_own(kind, name))}
    return {name: _digest(everywhere, *_facts(component)) for name, component in own.items()}


def _facts_of_all() -> Iterator[object]:
    """Python, where it looks for modules and libraries, and the source of nqbench. To install or
    remove a distribution changes the folder that it is in. The first folder is left out: it is that
    of the script, or the current one, where results are written.
    """
    yield sys.version
    yield [(name, os.environ.get(name)) for name in ("LD_LIBRARY_PATH", "LD_PRELOAD")]
    source = (Path(folder, name) for folder, _, found in os.walk(PACKAGE) for name in found)
    own = sorted(path for path in source if path.suffix in {".py", ".so"})
    yield from map(_stated, [*map(Path, sys.path[1:]), _LIBRARIES, *own])


def _facts(component: Component) -> Iterator[str]:
    """The files of the solver, or the first file of each module."""
    yield component.name
    for path in getattr(component, "binaries", ()):
        yield _stated(path)
    for module in component.modules:
        with contextlib.suppress(ImportError):
            spec = importlib.util.find_spec(module)
            yield _stated(Path(spec.origin)) if spec and spec.origin else module


def _stated(path: Path) -> str:
    """What is another if a file or a folder has changed."""
    try:
        facts = path.stat()
    except OSError:
        return str(path)
    return f"{path} {facts.st_mtime_ns} {facts.st_ctime_ns} {facts.st_size} {facts.st_ino}"


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=8).hexdigest()
