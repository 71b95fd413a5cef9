"""The files that importing a module executes, by the imports in their text, and their import."""

import ast
import contextlib
import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.limits import PatientLimits
from nqbench.common.printable import printable
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import guard, scratch
from nqbench.isolate.fork import call

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


_PACKAGE: Final = "nqbench_file_"
"""How the names of packages begin that the modules of trees are in."""

_IMPORT_S: Final = 10.0
"""The time limit for importing a file."""

_importing: Final[set[str]] = set()
"""The modules that are being imported, here or in the process that called this one."""


def is_private(module: str) -> bool:
    """Whether this is the name of a module of a tree."""
    return module.startswith(_PACKAGE)


def import_tree(tree: SourceTree) -> ModuleType:
    """The module of a tree, of which the content counts and not what its folder has now.

    The files are written to a private folder that vanishes with this process, and Python imports
    them from there, in a package with the digest in its name. Where they import each other, this
    name is added. So they hide no other module, and two versions of one can be used together.

    It is tried first in a separate process, unless this is one, since it can end the process or
    block it. Raises `InputError` if that fails.
    """
    name = _module_name(tree)
    if name in _importing:
        raise InputError(
            f"{tree.main} measures itself while it is imported: put what it does below "
            "if __name__ == '__main__':"
        )
    if name in sys.modules:
        return sys.modules[name]
    _write(tree)
    _importing.add(name)
    try:
        if not guard.is_called():
            ending = call(lambda: _failure(tree).encode(), PatientLimits(_IMPORT_S))
            if ending.outcome is Outcome.TIMEOUT:
                raise InputError(
                    f"{tree.main} blocks: importing it takes longer than {_IMPORT_S:g} s"
                )
            if ending.outcome is not Outcome.FINISHED:
                raise InputError(
                    f"{tree.main} ends the process that imports it: {printable(ending.message)}"
                )
            if ending.payload:
                raise InputError(printable(ending.payload.decode(errors="replace")))
        if failure := _failure(tree):
            raise InputError(printable(failure))
    finally:
        _importing.discard(name)
    return sys.modules[name]


def _failure(tree: SourceTree) -> str:
    """Import a tree, and return why that failed, in one line; empty if it did not."""
    try:
        # What it prints is not what the command prints.
        with contextlib.redirect_stdout(sys.stderr):
            import_module(_module_name(tree))
    except (Exception, SystemExit) as error:
        if isinstance(error, InputError):
            return str(error)
        lines = [f", line {number}" for number in _lines(error, tree)]
        return (
            f"{tree.main} cannot be imported: {type(error).__name__}: {error}"
            f"{f' ({tree.main}{lines[-1]})' if lines else ''}"
        )
    return ""


def _lines(error: BaseException, tree: SourceTree) -> list[int]:
    """The lines of the file that an exception passed."""
    lines, entry = [], error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_globals.get("__name__") == _module_name(tree):
            lines.append(entry.tb_lineno)
        entry = entry.tb_next
    return lines


def _module_name(tree: SourceTree) -> str:
    stem = re.sub(r"\W", "_", Path(tree.main).stem)
    return f"{_PACKAGE}{tree.digest}.{stem}"


@cache
def _home() -> scratch.Folder:
    """The folder in which Python finds the packages of all trees."""
    folder = scratch.Folder()
    sys.path.append(str(folder.path))
    return folder


def _write(tree: SourceTree) -> None:
    """Write the package of a tree. Raises `InputError`."""
    package, _, module = _module_name(tree).partition(".")
    folder = _home().path / package
    for name, content in tree.files.items():
        try:
            text = _with_package(content, tree.modules, package)
        except (SyntaxError, ValueError, RecursionError) as error:  # in a bundle or a store
            raise InputError(f"{tree.main} cannot be imported: {name}: {error}") from error
        path = folder / (f"{module}.py" if name == tree.main else name)
        files.make_folder(path.parent, parents=True)
        files.write(path, text)


def _with_package(content: bytes, own: Set[str], package: str) -> bytes:
    r"""The text of a module, which imports these modules from a package. Lines stay where they are.

    >>> _with_package(b"import re, a\nfrom a.b import c  # d", {"a"}, "p")
    b'import re; from p import a\nfrom p.a.b import c  # d'
    """
    lines = content.splitlines(keepends=True)
    imports = [node for node in ast.walk(ast.parse(content)) if isinstance(node, _IMPORTS)]
    # Backwards, so that the places of those before do not change.
    for node in sorted(imports, key=lambda each: (each.lineno, each.col_offset), reverse=True):
        first, end = node.lineno - 1, node.end_lineno or node.lineno
        after = lines[end - 1][node.end_col_offset :]
        before = lines[first][: node.col_offset]
        text = b"".join(lines[first:end])[len(before) :].removesuffix(after)
        if isinstance(node, ast.Import):
            if own.isdisjoint(_top(alias.name) for alias in node.names):
                continue
            statements = "; ".join(_import(alias, own, package) for alias in node.names)
            text = statements.encode() + b"\\\n" * (end - node.lineno)
        elif not node.level and _top(node.module or "") in own:
            text = re.sub(rb"^from\W+", lambda match: match[0] + package.encode() + b".", text)
        lines[first:end] = [before + text + after]
    return b"".join(lines)


_IMPORTS: Final = (ast.Import, ast.ImportFrom)


def _import(alias: ast.alias, own: Set[str], package: str) -> str:
    """What imports a module by this name, from the package if it is one of its own."""
    top = _top(alias.name)
    if top not in own:
        return f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
    if alias.asname:
        return f"import {package}.{alias.name} as {alias.asname}"
    named = f"from {package} import {top}"
    return named if alias.name == top else f"import {package}.{alias.name}; {named}"


def _top(module: str) -> str:
    return module.partition(".")[0]
