"""The files of plugins, so that an edited plugin is noticed although its version is the same.

These are the module of its class, and the modules of the same top-level package that it imports,
directly or through others. The whole package would be too much: a package often has many encodings,
and an edit of one must not outdate the records of the others. Modules of other packages are left
out; their distributions have versions.
"""

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from nqbench.backends.base import Backend
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.spelling import ComponentName
from nqbench.encodings.base import Encoding
from nqbench.plugins import from_file
from nqbench.plugins.component import Component
from nqbench.plugins.loading import STARTED
from nqbench.plugins.source_tree import SourceTree, digest_of, files_imported, module_file
from nqbench.problems.families.base import Family

_UNREADABLE: Final = (OSError, SyntaxError, ValueError)
_LOADERS: Final[dict[str, Callable[[str], Component]]] = {
    "family": Family.named,
    "encoding": Encoding.named,
    "backend": Backend.named,
}


def key(kind: str, name: str) -> str:
    """The key of a component in `Environment.sources`: kind, and name without parameters."""
    return f"{kind} {ComponentName.parse(name).base}"


def keys(kind: str, name: str) -> list[str]:
    """The keys of a component, and of those that its name names."""
    return [f"{kind} {base}" for base in ComponentName.parse(name).bases]


def of_runs(
    families: Iterable[str], encodings: Iterable[str], backends: Iterable[str]
) -> dict[str, str]:
    """A hash of the source files of each plugin among these components, by `key`, with the files
    that their names mention. Left out: what comes with nqbench, and what cannot be loaded or read.
    """
    names_by_kind = {"family": families, "encoding": encodings, "backend": backends}
    digests: dict[str, str] = {}
    for kind, names in names_by_kind.items():
        components = (base for name in names for base in ComponentName.parse(name).bases)
        for name in dict.fromkeys(components):
            if found := _tree_named(kind, name):
                digests[key(kind, found[0])] = found[1].digest
    return digests


def tree_of(kind: str, name: str) -> SourceTree | None:
    """The files of a component, with the digest that `of_runs` has. None for what comes with
    nqbench, and if the component or a file cannot be read.
    """
    found = _tree_named(kind, name)
    return found[1] if found else None


def _tree_named(kind: str, name: str) -> tuple[str, SourceTree] | None:
    """The name of a component that is a plugin, and its files."""
    with suppress(InputError, UnavailableError):
        component = _LOADERS[kind](name)
        if component.brought_by != "nqbench" and (tree := _tree(type(component))):
            return component.name, tree
    return None


def may_be_edited_since_import(component: Component) -> bool:
    """Whether this process may have imported the component before its files were edited."""
    try:
        _, paths = _files(type(component))
        return any(path.stat().st_mtime >= STARTED for path in paths.values())
    except _UNREADABLE:
        return True


def _tree(kind: type[Component]) -> SourceTree | None:
    """The files of a class; None if there are none, or if one cannot be read. The digest is that of
    the names of their modules.
    """
    if (source := from_file.source_of(kind)) is not None:
        return source
    try:
        folder, paths = _files(kind)
        contents = {module: path.read_bytes() for module, path in paths.items()}
    except _UNREADABLE:
        return None
    if not paths:
        return None
    places = {module: path.relative_to(folder).as_posix() for module, path in paths.items()}
    files = {places[module]: content for module, content in contents.items()}
    return SourceTree(places[kind.__module__], files, digest_of(contents))


def _files(kind: type[Component]) -> tuple[Path, dict[str, Path]]:
    """The folder of the top-level package of a class, and the file of each module that importing
    the class executes, by its name; no files for a class of nqbench.
    """
    module = kind.__module__
    package = module.partition(".")[0]
    file = getattr(sys.modules.get(package), "__file__", None)
    if module.startswith("nqbench.") or file is None:
        return Path(), {}
    top = Path(file)
    folder = top.parent.parent if top.name == "__init__.py" else top.parent

    def find(name: str) -> Path | None:
        return module_file(folder, name) if name.partition(".")[0] == package else None

    return folder, files_imported(module, find)
