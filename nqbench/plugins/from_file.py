"""Components from a file: `./mine.py:MyScheme` is the class `MyScheme` in that file.

In records it is `mine.py:MyScheme`, with a version that has a digest of the file and of the modules
beside it that it imports. Where the file is does not matter. If one command uses two files of one
name, or two versions of one, both have the digest in their names: `mine.py:MyScheme@1a2b3c4d`.

A file is read when its path is named. After that its content counts, which other processes get as
it is. Its module has a private name, so that it hides no other. The modules beside it are imported
under private names too, and only by each other; a module of the standard library goes first.

A path has a slash. So a name in a record is never the path of a file that would be executed.
"""

import builtins
import contextlib
import inspect
import linecache
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final, TypeVar

from nqbench.common.errors import InputError
from nqbench.common.limits import PatientLimits
from nqbench.common.printable import printable
from nqbench.common.spelling import base_of, files_in, path_in, suggestion
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import guard
from nqbench.isolate.fork import call
from nqbench.plugins.imported_files import digest_of, files_imported
from nqbench.plugins.loading import names_of

_PACKAGE: Final = "nqbench_file_"
"""How the names of the packages begin that the modules of a file are in."""

_FACE: Final = "nqbench.plugin"
"""What a file imports."""

_GOES_FIRST: Final = sys.stdlib_module_names | {"nqbench", "numpy"}
"""Modules that no file hides."""

_IMPORT_S: Final = 10.0
"""The time limit for importing a file."""

_DIGITS: Final = 8
"""The digits of a digest in a name."""

_EXAMPLE: Final = {
    "encoding": ("LineEncoding", "MyScheme", "constrain(self, cnf, x)"),
    "backend": ("Backend", "MySolver", "load(self, cnf)"),
    "family": ("Family", "MyProblem", "of_size(self, n)"),
}
"""The base class, the class and the method that a file of each kind has at least."""


@dataclass(frozen=True)
class ComponentFile:
    """The content of a file with components and of the modules beside it that it imports, by their
    paths in its folder; `file` is its own name.
    """

    file: str
    contents: Mapping[str, bytes]

    @cached_property
    def digest(self) -> str:
        """A hash of the names and contents, 16 hexadecimal digits."""
        return digest_of({**self.contents, "": self.file.encode()})

    @property
    def name(self) -> str:
        """Its name in records, without what has a meaning in names, such as a colon."""
        return re.sub(r"[^\w.+-]", "_", self.file)

    @property
    def version(self) -> str:
        """Its name and digest, as records have it."""
        return f"{self.name} {self.digest}"

    @property
    def module(self) -> str:
        """The private name of its module."""
        stem = re.sub(r"\W", "_", Path(self.file).stem)
        return f"{_PACKAGE}{self.digest}.{stem}"

    def path_of(self, module: str) -> str | None:
        """The path of a module below the private package; empty for a folder that has modules, and
        None if there is no such module.
        """
        if module == self.module.partition(".")[2]:
            return self.file
        path = module.replace(".", "/")
        candidates = (f"{path}.py", f"{path}/__init__.py")
        known = next((name for name in candidates if name in self.contents), None)
        if known is None and any(name.startswith(f"{path}/") for name in self.contents):
            return ""
        return known


@dataclass(frozen=True, slots=True)
class Carried:
    """A component from a file for another process: its name without parameters, and the file."""

    name: str
    source: ComponentFile


@dataclass(frozen=True, slots=True)
class Located:
    """A component in a file: the class if it was named, the parameters, and where the file is. A
    component that was found by its name in records has that as `base`.
    """

    source: ComponentFile
    class_name: str
    parameters: str
    place: str = ""
    base: str = ""


T = TypeVar("T")

_sources: Final[dict[str, ComponentFile]] = {}
"""What was read or admitted, by digest."""

_named: Final[dict[str, str]] = {}
"""The digests by the names that components have in records, without parameters."""

_together: Final[dict[str, dict[str, str]]] = {}
"""For each file and class that one command uses, the digest of each place where there is one."""


def locate(name: str, kind: str) -> Located | None:
    """The component from a file that a name means; None if it means none. Raises `InputError` for a
    file that cannot be used, and for a name in records whose file is not known here.
    """
    if path := path_in(name):
        text, rest = path
        first, colon, others = rest.partition(":")
        class_name = "" if "=" in first else first
        parameters = f"{colon}{others}" if class_name else f":{rest}" if rest else ""
        source = read(Path(text).expanduser(), text)
        return Located(source, class_name, parameters, str(Path(text).expanduser().resolve()))
    base = base_of(name)
    if base in _named:
        class_name = base[len(_sources[_named[base]].name) + 1 :].partition("@")[0]
        return Located(_sources[_named[base]], class_name, name[len(base) :], base=base)
    if files_in(name)[:1] == [base]:
        raise InputError(f"{kind} '{base}' is in a file that is not here: name its path, ./{base}")
    if base.endswith(".py"):
        raise InputError(f"unknown {kind} '{base}': write './{name}' for a file")
    return None


def read(path: Path, shown: str) -> ComponentFile:
    """Read a file and the modules beside it that it imports; nothing is executed. `shown` is how
    the user names it. Raises `InputError`.
    """
    folder, stem = path.parent, path.stem

    def find(module: str) -> Path | None:
        if module == stem:
            return path
        top, *below = module.split(".")
        if top in _GOES_FIRST or not module.isprintable():
            return None
        place = folder.joinpath(top, *below)
        candidates = (place.with_name(f"{place.name}.py"), place / "__init__.py")
        return next((candidate for candidate in candidates if candidate.is_file()), None)

    if not path.is_file():
        raise InputError(f"there is no file '{shown}'")
    try:
        paths = files_imported(stem, find)
        contents = {
            each.relative_to(folder).as_posix(): each.read_bytes() for each in paths.values()
        }
    except SyntaxError as error:
        place = Path(error.filename or shown).name
        raise InputError(f"{place}, line {error.lineno}: {printable(error.msg)}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{shown} cannot be read: {printable(str(error))}") from error
    source = ComponentFile(path.name, contents)
    return _sources.setdefault(source.digest, source)


def class_of(located: Located, kind: type[T], noun: str) -> type[T]:
    """The class of the component, whose file is imported. Raises `InputError` if the file has no
    such class, or several and none is named, and if it cannot be imported.
    """
    source = located.source
    module = _imported(source)
    own = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, kind) and value.__module__ == source.module
    }
    if located.class_name:
        value = vars(module).get(located.class_name)
        if not (isinstance(value, type) and issubclass(value, kind)):
            raise InputError(f"{source.file} {_lacks(module, located.class_name, kind, own, noun)}")
        own = {located.class_name: value}
    usable = {
        name: value
        for name, value in own.items()
        if not inspect.isabstract(value) and (located.class_name or not name.startswith("_"))
    }
    if len(usable) > 1:
        named = ", ".join(f"{source.file}:{name}" for name in usable)
        raise InputError(f"{source.file} has {len(usable)} {noun} classes: name one of {named}")
    if not usable:
        raise InputError(f"{source.file} {_missing(module, own, noun)}")
    (only,) = usable.values()
    return only


def base_name(located: Located, class_name: str) -> str:
    """The name of a component in records, without parameters. It has the digest if the command uses
    several files of its name with such a class: see `settle`.
    """
    if located.base:
        return located.base
    source = located.source
    plain = f"{source.name}:{class_name}"
    digests = _together.get(plain, {})
    if located.place in digests:
        digests[located.place] = source.digest
    is_only = located.place not in digests or len(set(digests.values())) == 1
    base = plain if is_only else f"{plain}@{source.digest[:_DIGITS]}"
    _named[base] = source.digest
    return base


def name_of(kind: type) -> str:
    """The name of a class: that of an installed component, or the path of its file and the class.
    Raises `InputError` for a class without a file, such as one of a notebook, and for one that
    makes components of several names.
    """
    if names := names_of(kind):
        if len(names) > 1:
            raise InputError(
                f"{kind.__qualname__} has several names: give one of {', '.join(names)}"
            )
        return names[0]
    if source := source_of(kind):
        return base_name(Located(source, kind.__name__, ""), kind.__name__)
    path = None
    with contextlib.suppress(TypeError, OSError):
        path = inspect.getsourcefile(kind)
    if (
        path is None
        or not path.endswith(".py")
        or not Path(path).is_file()
        or "<" in kind.__qualname__
    ):
        raise InputError(
            f"the class {kind.__qualname__} is in no file, so other processes cannot import it: "
            "write it to a file at its top level, in a notebook with '%%writefile mine.py', and "
            "give './mine.py'"
        )
    return f"{Path(path).absolute()}:{kind.__name__}"


def source_of(kind: type) -> ComponentFile | None:
    """The file that a class was imported from; None if it is not from one."""
    package = kind.__module__.partition(".")[0]
    return _sources.get(package.removeprefix(_PACKAGE)) if package.startswith(_PACKAGE) else None


def is_private(module: str) -> bool:
    """Whether this is the name of a module from a file with components."""
    return module.startswith(_PACKAGE)


def settle(kinds: Iterable[tuple[type[object], Iterable[str]]]) -> None:
    """Read the files of all components of a command, given by their kinds and names. From then on,
    those that would have the same name in records have their digests in it.
    """
    _together.clear()
    for kind, names in kinds:
        for name in names:
            for file in files_in(name):
                _note(kind, file)


def _note(kind: type[object], file: str) -> None:
    """Note where the file of a component is."""
    noun = kind.__name__.lower()
    located = locate(file, noun)
    if located and located.place:
        plain = f"{located.source.name}:{class_of(located, kind, noun).__name__}"
        _together.setdefault(plain, {})[located.place] = located.source.digest


def carried(names: Iterable[str]) -> list[Carried]:
    """The components from files among these names of records, for another process."""
    bases = dict.fromkeys(base for name in names for base in files_in(name))
    return [Carried(base, _sources[_named[base]]) for base in bases if base in _named]


def admit(components: Iterable[Carried]) -> None:
    """Let this process know components of another one by their names. Nothing is executed before
    one is loaded.
    """
    for component in components:
        digest = component.source.digest
        _sources[digest] = component.source
        _named[component.name] = digest


def _imported(source: ComponentFile) -> ModuleType:
    """The module of a file. It is tried first in a separate process, unless this is one, since it
    can end the process or block it. Raises `InputError` if that fails.
    """
    if source.module in _importing:
        raise InputError(
            f"{source.file} measures itself while it is imported: put what it does below "
            "if __name__ == '__main__':"
        )
    if source.module in sys.modules:
        return sys.modules[source.module]
    _importing.add(source.module)
    try:
        if not guard.is_called():
            ending = call(lambda: _failure(source).encode(), PatientLimits(_IMPORT_S))
            if ending.outcome is Outcome.TIMEOUT:
                raise InputError(
                    f"{source.file} blocks: importing it takes longer than {_IMPORT_S:g} s"
                )
            if ending.outcome is not Outcome.FINISHED:
                raise InputError(
                    f"{source.file} ends the process that imports it: {printable(ending.message)}"
                )
            if ending.payload:
                raise InputError(printable(ending.payload.decode(errors="replace")))
        if failure := _failure(source):
            raise InputError(printable(failure))
    finally:
        _importing.discard(source.module)
    return sys.modules[source.module]


_importing: Final[set[str]] = set()
"""The modules that are being imported, here or in the process that called this one."""


def _failure(source: ComponentFile) -> str:
    """Import a file, and return why that failed, in one line; empty if it did not."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
    try:
        # What it prints is not what the command prints.
        with contextlib.redirect_stdout(sys.stderr):
            import_module(source.module)
    except (Exception, SystemExit) as error:
        if isinstance(error, InputError):
            return str(error)
        lines = [f", line {number}" for number in _lines(error, source)]
        return (
            f"{source.file} cannot be imported: {type(error).__name__}: {error}"
            f"{f' ({source.file}{lines[-1]})' if lines else ''}"
        )
    return ""


def _lines(error: BaseException, source: ComponentFile) -> list[int]:
    """The lines of the file that an exception passed."""
    lines, entry = [], error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_globals.get("__name__") == source.module:
            lines.append(entry.tb_lineno)
        entry = entry.tb_next
    return lines


def _lacks(
    module: ModuleType, class_name: str, kind: type, own: Mapping[str, object], noun: str
) -> str:
    """What is wrong with a class that is not of the kind, in words."""
    if class_name not in vars(module):
        return f"has no class '{class_name}'{f': {suggestion(class_name, own)}' if own else ''}"
    return f"has '{class_name}', which is no {noun} class: derive it from {kind.__name__}"


def _missing(module: ModuleType, own: Mapping[str, type], noun: str) -> str:
    """What a file without a usable class lacks, in words."""
    for name, value in own.items():
        if inspect.isabstract(value):
            lacking = sorted(getattr(value, "__abstractmethods__", ()))
            methods = ", ".join(f"{method}()" for method in lacking)
            return f"has the class '{name}', which lacks {methods}"
    functions = [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    ]
    has = f"has the function '{functions[0]}', but" if functions else "has"
    base, name, method = _EXAMPLE[noun]
    hint = "" if noun == "family" else "; for a program, write 'exe:' before its path"
    return (
        f"{has} no {noun} class: it needs 'from {_FACE} import {base}', "
        f"'class {name}({base}):' and in it 'def {method}:'{hint}"
    )


class _Finder(MetaPathFinder):
    """Finds the modules of files with components, and no others."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        package, _, module = fullname.partition(".")
        source = _sources.get(package.removeprefix(_PACKAGE)) if is_private(package) else None
        if source is None:
            return None
        place = source.path_of(module) if module else ""
        if place is None:
            return None
        is_package = not place or place.endswith("__init__.py")
        loader = _Loader(source, place)
        return ModuleSpec(fullname, loader, origin=loader.shown, is_package=is_package)


class _Loader(InspectLoader):
    """Executes a module of a file with components."""

    def __init__(self, source: ComponentFile, place: str) -> None:
        self._source = source
        self._content = source.contents[place] if place else b""
        self.shown = f"{_PACKAGE}{source.digest}/{place}"

    def get_source(self, fullname: str) -> str:  # noqa: ARG002
        return self._content.decode(errors="replace")

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        return compile(self._content, self.shown, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        source = self._source
        package = f"{_PACKAGE}{source.digest}"
        own_names = {Path(name.partition("/")[0]).stem for name in source.contents} - _GOES_FIRST

        def import_here(
            name: str,
            globals: Mapping[str, Any] | None = None,  # noqa: A002
            locals: Mapping[str, Any] | None = None,  # noqa: A002
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> ModuleType:
            top = name.partition(".")[0]
            if level or top not in own_names:
                return builtins.__import__(name, globals, locals, fromlist or (), level)
            own = builtins.__import__(f"{package}.{name}", globals, locals, fromlist or (), 0)
            return own if fromlist else sys.modules[f"{package}.{top}"]

        vars(module)["__builtins__"] = vars(builtins) | {"__import__": import_here}
        vars(module)["__file__"] = self.shown
        lines = self.get_source("").splitlines(keepends=True)
        linecache.cache[self.shown] = (len(self._content), None, lines, self.shown)
        exec(self.get_code(module.__name__), vars(module))
