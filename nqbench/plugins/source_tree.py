"""The files that importing a module executes, by the imports in their text."""

import ast
import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

GO_FIRST: Final = sys.stdlib_module_names | {"nqbench", "numpy"}
"""Modules that no file hides."""

_MOST_FILES: Final = 500
_LARGEST_FILE: Final = 16 * 2**20


@dataclass(frozen=True, slots=True)
class SourceTree:
    """The content of a file and of those that it imports, by their paths below one folder; `main`
    is its own path.
    """

    main: str
    files: Mapping[str, bytes]
    digest: str

    @classmethod
    def of(cls, main: str, files: Mapping[str, bytes]) -> "SourceTree":
        """The tree of a file with components."""
        return cls(main, files, digest_of({**files, "": main.encode()}))

    @property
    def name(self) -> str:
        """Its name in records, without what has a meaning in names, such as a colon."""
        return re.sub(r"[^\w.+-]", "_", self.main)

    @property
    def version(self) -> str:
        """Its name and digest, as records have it."""
        return f"{self.name} {self.digest}"

    @property
    def modules(self) -> frozenset[str]:
        """The top-level names of its modules, without those that no file hides."""
        return frozenset(Path(path.partition("/")[0]).stem for path in self.files) - GO_FIRST


def files_imported(module: str, find: Callable[[str], Path | None]) -> dict[str, Path]:
    """The file of this module and of each one that it imports, directly or through others, by the
    name of the module. `find` returns the file of a module, or None for one that does not count.

    Raises `OSError`, `SyntaxError`, and `ValueError` for too many files, or too large ones.
    """
    path_of: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        # Importing a module executes the packages around it first.
        for depth in range(name.count(".") + 1):
            imported = name.rsplit(".", depth)[0]
            path = None if imported in path_of else find(imported)
            if path is None:
                continue
            if len(path_of) >= _MOST_FILES or path.stat().st_size > _LARGEST_FILE:
                raise ValueError(f"{module} has too many files, or too large ones")
            path_of[imported] = path
            if path.suffix == ".py":
                is_package = path.name == "__init__.py"
                waiting += _imported(path.read_bytes(), imported, str(path), is_package)
    return path_of


def module_file(folder: Path, module: str) -> Path | None:
    """The file of a module below a folder; None if it has none."""
    place = folder.joinpath(*module.split("."))
    candidates = [place.with_name(f"{place.name}.py"), place / "__init__.py"]
    candidates += sorted(place.parent.glob(f"{place.name}.*.so"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def digest_of(contents: Mapping[str, bytes]) -> str:
    """A hash of contents and their names, 16 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(contents):
        digest.update(f"{name} {len(contents[name])} ".encode() + contents[name])
    return digest.hexdigest()


def _imported(content: bytes, module: str, path: str, is_package: bool) -> Iterator[str]:
    """The names of what a module imports; some may be no modules, but names in one."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(content, path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            imported = ".".join(filter(None, [base, node.module]))
            names = (".".join(filter(None, [imported, alias.name])) for alias in node.names)
            yield from filter(None, [imported, *names])
