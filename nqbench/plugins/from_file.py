"""Components from a file: `./mine.py:MyScheme` is the class `MyScheme` in that file. An encoding
may also be a function there: see `encodings.from_function`.

In records it is `mine.py:MyScheme`, with a version that has a digest of the file and of the modules
beside it that it imports. Where the file is does not matter. If one command uses two files of one
name, or two versions of one, both have the digest in their names: `mine.py:MyScheme@1a2b3c4d`.

A file is read when its path is named. After that its content counts, which other processes get as
it is: see `source_tree`. A module of the standard library goes before one beside the file.

A path has a slash. So a name in a record is never the path of a file that would be executed.
"""

import contextlib
import inspect
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final, TypeVar
from weakref import WeakKeyDictionary

from nqbench.common.errors import InputError, Place
from nqbench.common.printable import printable
from nqbench.common.spelling import ComponentName, suggestion
from nqbench.plugins.loading import names_of
from nqbench.plugins.source_tree import (
    GO_FIRST,
    SourceTree,
    files_imported,
    import_tree,
    module_file,
)

_FACE: Final = "nqbench.plugin"
"""What a file imports."""

_DIGITS: Final = 8
"""The digits of a digest in a name."""

_EXAMPLE: Final = {
    "encoding": ("LineEncoding", "MyScheme", "constrain(self, cnf, x)"),
    "backend": ("Backend", "MySolver", "load(self, cnf)"),
    "family": ("Family", "MyProblem", "of_size(self, n)"),
}
"""The base class, the class and the method that a file of each kind has at least."""


_OF_FUNCTION: Final = {"encoding": "nqbench.encodings.from_function:encoding_of"}
"""What returns the class of a component that calls a function, for the kinds that have such."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A component from a file for another process: its name without parameters, and the file."""

    name: str
    source: SourceTree


@dataclass(frozen=True, slots=True)
class Located:
    """A component in a file: the class if it was named, and where the file is. A component that was
    found by its name in records has that as `base`.
    """

    source: SourceTree
    class_name: str
    place: str = ""
    base: str = ""


T = TypeVar("T")

_sources: Final[dict[str, SourceTree]] = {}
"""What was read or admitted, by digest."""

_paths: Final[dict[str, str]] = {}
"""Where what was read here is, by digest, with a slash."""

_source_of: Final[WeakKeyDictionary[type, SourceTree]] = WeakKeyDictionary()
"""The files of the classes that were imported."""

_named: Final[dict[str, str]] = {}
"""The digests by the names that components have in records, without parameters."""

_together: Final[dict[str, dict[str, str]]] = {}
"""For each file and class that one command uses, the digest of each place where there is one."""


def locate(name: ComponentName, kind: str) -> Located | None:
    """The component from a file that a name means; None if it means none. Raises `InputError` for a
    file that cannot be used, and for a name in records whose file is not known here.
    """
    base = name.base
    if name.path:
        path = Path(name.path).expanduser()
        return Located(read(path, name.path), name.class_name, str(path.resolve()))
    if base in _named:
        return Located(_sources[_named[base]], name.class_name, base=base)
    if name.is_from_file:
        raise InputError(f"{kind} '{base}' is in a file that is not here: name its path, ./{base}")
    if base.endswith(".py"):
        raise InputError(f"unknown {kind} '{base}': write './{name}' for a file")
    return None


def read(path: Path, shown: str) -> SourceTree:
    """Read a file and the modules beside it that it imports; nothing is executed. `shown` is how
    the user names it. Raises `InputError`.
    """
    folder, stem = path.parent, path.stem

    def find(module: str) -> Path | None:
        if module == stem:
            return path
        if module.partition(".")[0] in GO_FIRST or not module.isprintable():
            return None
        found = module_file(folder, module)
        return found if found and found.suffix == ".py" else None

    if not path.is_file():
        raise InputError(f"there is no file '{shown}'")
    try:
        paths = files_imported(stem, find)
        contents = {
            each.relative_to(folder).as_posix(): each.read_bytes() for each in paths.values()
        }
    except SyntaxError as error:
        place = Place(Path(error.filename or shown).name, error.lineno)
        raise InputError(printable(error.msg), place=place) from error
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{shown} cannot be read: {printable(str(error))}") from error
    source = SourceTree.of(path.name, contents)
    _paths[source.digest] = shown if Path(shown) == path else str(path.absolute())
    return _sources.setdefault(source.digest, source)


def path_of(base: str) -> str | None:
    """Where the file is that was read for a name in records, with a slash; None if none was."""
    return _paths.get(_named.get(base, ""))


def class_of(located: Located, kind: type[T], noun: str) -> type[T]:
    """The class of the component, whose file is imported. Raises `InputError` if the file has no
    such class, or several and none is named, and if it cannot be imported.
    """
    source = located.source
    module = import_tree(source)
    own = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, kind)
        and value.__module__ == module.__name__
    }
    if located.class_name:
        value = vars(module).get(located.class_name)
        if inspect.isfunction(value) and noun in _OF_FUNCTION:
            value = pkgutil.resolve_name(_OF_FUNCTION[noun])(value)
        if not (isinstance(value, type) and issubclass(value, kind)):
            raise InputError(f"{source.main} {_lacks(module, located.class_name, kind, own, noun)}")
        own = {located.class_name: value}
    usable = {
        name: value
        for name, value in own.items()
        if not inspect.isabstract(value) and (located.class_name or not name.startswith("_"))
    }
    if len(usable) > 1:
        named = ", ".join(f"{source.main}:{name}" for name in usable)
        raise InputError(f"{source.main} has {len(usable)} {noun} classes: name one of {named}")
    if not usable:
        raise InputError(f"{source.main} {_missing(module, own, noun)}")
    (only,) = usable.values()
    _source_of[only] = source
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


def is_definition(value: object) -> bool:
    """Whether it is a class or a function, of which `name_of` is the name."""
    return isinstance(value, type) or inspect.isfunction(value)


def name_of(kind: type) -> str:
    """The name of a class or function: that of an installed component, or the path of its file and
    its name. Raises `InputError` for one without a file, such as one of a notebook, and for a class
    that makes components of several names.
    """
    if names := names_of(kind):
        if len(names) > 1:
            raise InputError(
                f"{kind.__qualname__} has several names: give one of {', '.join(names)}"
            )
        return names[0]
    if source := source_of(kind):
        return base_name(Located(source, kind.__name__), kind.__name__)
    path = None
    with contextlib.suppress(TypeError, OSError):
        path = inspect.getsourcefile(kind)
    if (
        path is None
        or not path.endswith(".py")
        or not Path(path).is_file()
        or "<" in kind.__qualname__
    ):
        what = "class" if isinstance(kind, type) else "function"
        raise InputError(
            f"the {what} {kind.__qualname__} is in no file, so other processes cannot import it: "
            "write it to a file at its top level, in a notebook with '%%writefile mine.py', and "
            f"give './mine.py{'' if isinstance(kind, type) else f':{kind.__name__}'}'"
        )
    return f"{Path(path).absolute()}:{kind.__name__}"


def source_of(kind: type) -> SourceTree | None:
    """The files that a class was imported from; None if it is not from a file."""
    return _source_of.get(kind)


def settle(kinds: Iterable[tuple[type[object], Iterable[str]]]) -> None:
    """Read the files of all components of a command, given by their kinds and names. From then on,
    those that would have the same name in records have their digests in it.
    """
    _together.clear()
    for kind, names in kinds:
        noun = kind.__name__.lower()
        files = (file for name in names for file in ComponentName.parse(name).files)
        for located in (locate(file, noun) for file in files):
            if located and located.place:
                plain = f"{located.source.name}:{class_of(located, kind, noun).__name__}"
                _together.setdefault(plain, {})[located.place] = located.source.digest


def carried(names: Iterable[str]) -> list[Carried]:
    """The components from files among these names of records, for another process."""
    bases = dict.fromkeys(file.base for name in names for file in ComponentName.parse(name).files)
    return [Carried(base, _sources[_named[base]]) for base in bases if base in _named]


def admit(components: Iterable[Carried]) -> None:
    """Let this process know components of another one by their names. Nothing is executed before
    one is loaded.
    """
    for component in components:
        digest = component.source.digest
        _sources[digest] = component.source
        _named[component.name] = digest


def _lacks(
    module: ModuleType, class_name: str, kind: type, own: Mapping[str, object], noun: str
) -> str:
    """What is wrong with a class that is not of the kind, in words."""
    if class_name not in vars(module):
        functions = _functions(module) if noun in _OF_FUNCTION else []
        what, known = "class or function" if functions else "class", [*own, *functions]
        return (
            f"has no {what} '{class_name}'{f': {suggestion(class_name, known)}' if known else ''}"
        )
    return f"has '{class_name}', which is no {noun} class: derive it from {kind.__name__}"


def _functions(module: ModuleType) -> list[str]:
    """The functions that are written in this module."""
    return [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    ]


def _missing(module: ModuleType, own: Mapping[str, type], noun: str) -> str:
    """What a file without a usable class lacks, in words."""
    for name, value in own.items():
        if inspect.isabstract(value):
            lacking = sorted(getattr(value, "__abstractmethods__", ()))
            methods = ", ".join(f"{method}()" for method in lacking)
            return f"has the class '{name}', which lacks {methods}"
    functions = _functions(module)
    has = f"has the function '{functions[0]}', but" if functions else "has"
    base, name, method = _EXAMPLE[noun]
    hint = "" if noun == "family" else "; for a program, write 'exe:' before its path"
    if functions and noun in _OF_FUNCTION:
        hint = f"; for a function of literals, write :{functions[0]} behind the file{hint}"
    return (
        f"{has} no {noun} class: it needs 'from {_FACE} import {base}', "
        f"'class {name}({base}):' and in it 'def {method}:'{hint}"
    )
