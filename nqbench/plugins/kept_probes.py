"""Which components worked here when they were last tried, kept until something changes: Python,
nqbench, what is installed, or a file of the solver.

Only what works is kept, of what nqbench itself brings. All else is tried each time.
"""

import contextlib
import hashlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from nqbench.common import PACKAGE, files
from nqbench.common.errors import InputError
from nqbench.plugins.availability import load_own, why_each_unavailable
from nqbench.plugins.component import Component

_LARGEST: Final = 2**20
_LIBRARIES: Final = Path("/etc/ld.so.cache")
"""Written anew whenever a package of the system installs a shared library."""


def why_each_not_working(
    kind: type[Component], names: Iterable[str], begin: Callable[[str], object] = lambda _: None
) -> dict[str, str | None]:
    """Return what `why_each_unavailable` does, without trying what worked before and is the same.
    A folder that cannot be written to only means that all are tried each time.
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
        return msgspec.json.decode(files.content(path, _LARGEST), type=dict[str, str])
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
