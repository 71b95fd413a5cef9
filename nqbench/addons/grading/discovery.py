"""Finds the submissions in a folder, and what each of them is."""

import ast
import os
import shlex
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from nqbench import isolate
from nqbench.addons.grading import advice, defaults
from nqbench.addons.grading.advice import LINES, STARTED_BY
from nqbench.addons.grading.assignment import assign_sizes
from nqbench.addons.grading.submission import Kind, Submission, digest_of, own_files
from nqbench.campaign.ranges import parse_range
from nqbench.common import files
from nqbench.common.errors import InputError, Place, at
from nqbench.common.limits import Limits
from nqbench.common.printable import printable
from nqbench.common.spelling import suggestion
from nqbench.problems.families.cnf import is_formula

INTERPRETERS: Final = {suffix: tuple(words.split()) for suffix, words in STARTED_BY.items()} | {
    ".py": (sys.executable,)
}
"""What runs a script that is not executable, by its suffix in lower case."""

_KEYS: Final = ("command", "sizes")
_NO_SUBMISSION: Final = (".md", ".txt", ".toml", ".pdf", ".csv", ".html")
_LARGEST_SOURCE: Final = 2**20
_OF_PARSING: Final = Limits(defaults.TIME_S, defaults.MEMORY_BYTES)


@dataclass(frozen=True, slots=True)
class _Line:
    """What `grade.toml` says about one submission."""

    command: str = ""
    sizes: tuple[int, ...] | None = None


def find_submissions(folder: Path, besides: Path | None = None) -> list[Submission]:
    """The submissions in a folder, one for each file and each subfolder, sorted by name; hidden
    ones, texts such as README.md, what is unpacked beside it, and the folder `besides` are none.

    None of them is run or imported. What is wrong with one is its `flaw`. Raises `InputError` if
    the folder or its `grade.toml` cannot be used.
    """
    shown = printable(str(folder))
    if not folder.is_dir():
        raise InputError(f"no folder {shown}: give the folder that has the submissions")
    try:
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as error:
        raise InputError(f"cannot read {shown}: {error.strerror}") from error
    lines = _read_lines(folder / LINES)
    places = [path for path in entries if _may_be_one(path, lines, besides)]
    unknown = sorted(set(lines) - {path.name for path in places})
    if unknown:
        known = [path.name for path in places]
        raise InputError(f"'{unknown[0]}': {suggestion(unknown[0], known)}", place=Place(LINES))
    if not places:
        raise InputError(f"no submissions in {shown}: expected a file or a folder for each")
    found = [_submission(path, lines.get(path.name, _Line())) for path in places]
    names = _distinct([submission.name for submission in found])
    return [replace(each, name=name) for each, name in zip(found, names, strict=True)]


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number after each that another one has already. A numbered name may also be
    that of another one.
    """
    taken = set(names)
    seen = set[str]()
    result = []
    for name in names:
        own = name
        if name in seen:
            numbered = (f"{name} ({number})" for number in count(2))
            own = next(each for each in numbered if each not in taken)
        taken.add(own)
        seen.add(own)
        result.append(own)
    return result


def _may_be_one(path: Path, lines: Mapping[str, _Line], besides: Path | None) -> bool:
    if path.name in lines:
        return True
    if path.name.startswith((".", "__")) or path.name == LINES or advice.unpacked_beside(path):
        return False
    if besides is not None and os.path.realpath(path) == os.path.realpath(besides):
        return False
    is_folder = not path.is_symlink() and path.is_dir()  # a link may lead to where nobody can look
    return is_folder or is_formula(path) or path.suffix.lower() not in _NO_SUBMISSION


def _read_lines(path: Path) -> dict[str, _Line]:
    """The lines of `grade.toml`; none if there is no such file."""
    if not path.exists():
        return {}
    try:
        table = tomllib.loads(files.decoded(files.content(path, _LARGEST_SOURCE)))
    except tomllib.TOMLDecodeError as error:
        raise InputError(str(error), place=Place(LINES)) from error
    except RecursionError as error:
        raise InputError("nested too deeply", place=Place(LINES)) from error
    return {name: _read_line(name, line) for name, line in table.items()}


def _read_line(name: str, line: object) -> _Line:
    where = f"{LINES}: '{name}'"
    if not isinstance(line, dict):
        raise InputError(f'{where}: write {name} = {{ command = "./program {{n}}" }}')
    for key, value in line.items():
        if key not in _KEYS and isinstance(value, dict):
            raise InputError(
                f'a name with a dot needs quotes: write "{name}.{key}" = {{ ... }}',
                place=Place(where),
            )
        if key not in _KEYS:
            raise InputError(f"'{key}' is unknown: {suggestion(key, _KEYS)}", place=Place(where))
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{key} is a text, such as {_example(key)}", place=Place(where))
    return _Line(_read_command(where, line), _read_sizes(where, line))


def _example(key: str) -> str:
    return '"./program {n}"' if key == "command" else '"4..12"'


def _read_command(where: str, line: Mapping[str, Any]) -> str:
    command = str(line.get("command", ""))
    try:
        shlex.split(command)
    except ValueError as error:
        raise InputError(f"command: {error}", place=Place(where)) from error
    return command


def _read_sizes(where: str, line: Mapping[str, Any]) -> tuple[int, ...] | None:
    if "sizes" not in line:
        return None
    with at(where, field="sizes"):
        return tuple(parse_range(line["sizes"]))


def _submission(path: Path, line: _Line) -> Submission:
    """The submission at this place, whatever is wrong with it."""

    def of(kind: Kind, **facts: Any) -> Submission:
        digest = digest_of(path, (line, kind, facts.get("command"), facts.get("program")))
        return Submission(name, path, kind, sizes=line.sizes, digest=digest, **facts)

    name = printable(path.name)
    if path.is_symlink():
        return Submission(name, path, Kind.UNCLEAR, flaw="it is a link: put the file itself there")
    try:
        own = own_files(path)
        if line.command:
            return of(Kind.PROGRAM, command=line.command)
        programs = [file for file in own if _runs(file)]
        formulas = [file for file in own if is_formula(file)]
        if len(programs) == 1 or (programs and not path.is_dir()):
            return _program(programs[0], path, of)
        if not programs and formulas:
            return of(Kind.FORMULAS, formulas=assign_sizes(formulas))
        flaw, cure = advice.advise(path, own, programs)
        return Submission(name, path, Kind.UNCLEAR, flaw=flaw, cure=cure)
    except (InputError, OSError) as error:
        flaw = str(error) if isinstance(error, InputError) else str(error.strerror)
        return Submission(name, path, Kind.UNCLEAR, flaw=flaw)


def _program(file: Path, path: Path, of: Callable[..., Submission]) -> Submission:
    own = str(file.relative_to(path)) if path.is_dir() else file.name
    if file.suffix == ".py" and has_encoding_class(file):
        return of(Kind.CLASS, command=own)
    # An executable starts by itself. With a folder, no name is an option of the interpreter.
    start = INTERPRETERS.get(file.suffix.lower(), ())
    return of(Kind.PROGRAM, command=shlex.join([*start, "{program}", "{n}"]), program=f"./{own}")


def _runs(file: Path) -> bool:
    if is_formula(file) or advice.is_no_program(file):
        return False
    return file.suffix.lower() in INTERPRETERS or os.access(file, os.X_OK)


def has_encoding_class(file: Path) -> bool:
    """Whether a Python file has the class of an encoding, by its text: it is not imported."""
    try:
        content = files.content(file, _LARGEST_SOURCE)
    except InputError:
        return False
    if b"Encoding" not in content:
        return False
    # Parsing a strange text can take gigabytes, or end the process.
    ending = isolate.call(lambda: bytes([_has_class(content)]), _OF_PARSING)
    return ending.payload == b"\1"


def _has_class(content: bytes) -> bool:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(
        isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith("Encoding") for base in node.bases)
        for node in tree.body
    )
