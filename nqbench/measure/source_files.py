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
from nqbench.common.spelling import base_of
from nqbench.encodings.base import Encoding
from nqbench.plugins import from_file
from nqbench.plugins.component import Component
from nqbench.plugins.imported_files import digest_of, files_imported
from nqbench.plugins.loading import STARTED
from nqbench.plugins.parameters import named_components
from nqbench.problems.families.base import Family

_UNREADABLE: Final = (OSError, SyntaxError, ValueError)
_LOADERS: Final[dict[str, Callable[[str], Component]]] = {
    "family": Family.named,
    "encoding": Encoding.named,
    "backend": Backend.named,
}


def key(kind: str, name: str) -> str:
    """The key of a component in `Environment.sources`: kind, and name without parameters."""
    return f"{kind} {base_of(name)}"


def keys(kind: str, name: str) -> list[str]:
    """The keys of a component, and of those that its name names."""
    return [key(kind, component) for component in named_components(name)]


def of_runs(
    families: Iterable[str], encodings: Iterable[str], backends: Iterable[str]
) -> dict[str, str]:
    """A hash of the files of each of these components that is a plugin, and of those that their
    names name, by `key`. What cannot be loaded or read is left out, and so is what comes with
    nqbench.
    """
    names_by_kind = {"family": families, "encoding": encodings, "backend": backends}
    digests: dict[str, str] = {}
    for kind, names in names_by_kind.items():
        components = (component for name in names for component in named_components(name))
        for name in dict.fromkeys(components):
            with suppress(InputError, UnavailableError):
                component = _LOADERS[kind](name)
                if component.brought_by != "nqbench" and (digest := _digest(type(component))):
                    digests[key(kind, component.name)] = digest
    return digests


def files_of(kind: str, name: str) -> tuple[str, dict[str, Path]] | None:
    """The hash of the files of a component, as `of_runs` has it, and these files by their path
    below the folder of their top-level package. None for what comes with nqbench, and if the
    component or a file cannot be read.
    """
    digest = of_runs(*([name] if kind == k else [] for k in ("family", "encoding", "backend")))
    if not digest:
        return None
    modules = _files(type(_LOADERS[kind](name)))
    (hashed,) = digest.values()
    return hashed, {_relative(module, path): path for module, path in modules.items()}


def _relative(module: str, path: Path) -> str:
    folders = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    return "/".join([*folders, path.name])


def may_be_edited_since_import(component: Component) -> bool:
    """Whether this process may have imported the component before its files were edited."""
    try:
        files = _files(type(component)).values()
        return any(path.stat().st_mtime >= STARTED for path in files)
    except _UNREADABLE:
        return True


def _digest(kind: type[Component]) -> str | None:
    """16 hexadecimal digits; None if there are no files, or if one cannot be read."""
    if (source := from_file.source_of(kind)) is not None:
        return source.digest
    try:
        files = _files(kind)
        contents = {name: path.read_bytes() for name, path in files.items()}
    except _UNREADABLE:
        return None
    return digest_of(contents) if files else None


def _files(kind: type[Component]) -> dict[str, Path]:
    """The file of each module that importing this class executes, by its name; none for a class of
    nqbench.
    """
    module = kind.__module__
    file = getattr(sys.modules.get(module.partition(".")[0]), "__file__", None)
    if module.startswith("nqbench.") or file is None:
        return {}
    top = Path(file)
    return files_imported(module, lambda name: _file(name, top))


def _file(module: str, top: Path) -> Path | None:
    """The file of a module of the same top-level package; None if it has none."""
    package, *submodules = module.split(".")
    if package != (top.parent.name if top.name == "__init__.py" else top.stem.partition(".")[0]):
        return None
    if not submodules:
        return top
    path = top.parent.joinpath(*submodules)
    candidates = [path.with_suffix(".py"), path / "__init__.py"]
    candidates += sorted(path.parent.glob(f"{path.name}.*.so"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)
