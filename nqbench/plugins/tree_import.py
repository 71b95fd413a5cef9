"""Imports the module of a source tree, whose content counts and not what its folder has now.

The files are written to a private folder that vanishes with this process. The module itself has a
private name with the digest of the tree. The modules beside it have their own names, as when Python
executes the file. So what one command uses cannot have two contents of one such module.
"""

import contextlib
import re
import sys
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
"""How the names of trees begin: those of their folders, and of their packages."""

_IMPORT_S: Final = 10.0
"""The time limit for importing a file."""

_importing: Final[set[str]] = set()
"""The modules that are being imported, here or in the process that called this one."""


def is_of_tree(file: str) -> bool:
    """Whether code in this file is of a tree."""
    return f"/{_PACKAGE}" in file


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
    _make_way(tree)
    if name in sys.modules:
        return sys.modules[name]
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


def _make_way(tree: SourceTree) -> None:
    """Let imports find the modules beside the tree's own in its folder, and none of their names
    that was imported from elsewhere.
    """
    folder, beside = str(_folder_of(tree)), tree.beside()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name.partition(".")[0] in beside and not file.startswith(f"{folder}/"):
            del sys.modules[name]
    if beside:
        sys.path[:] = [folder, *(each for each in sys.path if each != folder)]


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
    """The folder of all trees, where Python finds their packages."""
    folder = scratch.Folder()
    sys.path.append(str(folder.path))
    return folder


def _folder_of(tree: SourceTree) -> Path:
    """The folder with the files of a tree. Raises `InputError` if they cannot be written."""
    folder = _home().path / f"{_PACKAGE}{tree.digest}"
    if not folder.exists():
        module = f"{_module_name(tree).partition('.')[2]}.py"
        for name, content in {**tree.files, module: tree.files[tree.main]}.items():
            files.make_folder((folder / name).parent, parents=True)
            files.write(folder / name, content)
    return folder
