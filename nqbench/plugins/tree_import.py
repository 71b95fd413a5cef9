"""Imports the module of a source tree, whose content counts and not what its folder has now.

The files are written to a private folder that vanishes with this process, and Python imports them
from there, in a package with the digest in its name. Where they import each other, this name is
added. So they hide no other module, and two versions of one can be used together.
"""

import ast
import contextlib
import re
import sys
from collections.abc import Set
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
from nqbench.plugins.source_tree import SourceTree

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
    """The module of a tree. It is tried first in a separate process, unless this is one, since it
    can end the process or block it. Raises `InputError` if that fails.
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
