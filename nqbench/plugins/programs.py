"""Programs, by name or path: how to find, identify and install them; why one does not start."""

import contextlib
import errno
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

from nqbench import isolate
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.limits import PatientLimits
from nqbench.common.printable import as_utf8, printable
from nqbench.common.spelling import nearest
from nqbench.isolate import guard
from nqbench.plugins import install
from nqbench.plugins.known_programs import known

_ASKED: Final = PatientLimits(time_s=2.0, memory_bytes=2**36)
"""Limits for asking a program for its version or its help: it may not know the option."""

_MOST_SAID: Final = 64 * 2**10
"""Bytes that are read of what a program prints."""

_SHORT: Final = 4096
"""Characters in which a version is looked for: a program may print something else instead."""


def find(program: str) -> str | None:
    """Return the path of a program, given by its path, on the PATH, or in a wheel; None if there is
    none.

    PyEDA also installs a Python script named picosat, which fails beyond a thousand clauses.
    Scripts of that name are ignored.
    """
    if "/" in program:
        return program if shutil.which(program) else None
    for folder in os.get_exec_path():
        path = shutil.which(program, path=folder)
        if path is not None and not (program == "picosat" and _is_script(path)):
            return path
    wheel = known(program).wheel
    return install.script(program, wheel) if wheel else None


def _is_installed(distribution: str) -> bool:
    try:
        return bool(metadata.version(distribution))
    except metadata.PackageNotFoundError:
        return False


def _is_script(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(2) == b"#!"


def split_command(name: str, example: str) -> list[str]:
    """The words of the command in a name such as `exe:./solver --fast`, split as a shell does,
    without one. Raises `InputError` with the example if there are none.
    """
    command = name.partition(":")[2]
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"'{name}': {error}") from error
    if as_utf8(command) != command:
        raise InputError(
            f"'{as_utf8(name)}' has a name that is not UTF-8: rename it, or link to it"
        )
    if not command.isprintable():
        raise InputError(f"'{name}' has characters that cannot be shown")
    if not words:
        raise InputError(f"'{name}' needs a program: write for instance {example}")
    # As in a shell, a word with a slash is a path and is not looked up on the PATH.
    if "/" in words[0]:
        words[0] = str(Path(words[0]).expanduser().absolute())
    return words


def version(command: Sequence[str], *, asks: bool = True) -> str | None:
    """Identify what a command would run: the name of the program, the version that it prints, if
    any, its path if it was given by path, and hashes of its content and of each file among the
    arguments. None if the program is not found.

    An edited program or script is another version, even if it prints the same one. Only if it
    `asks`, the program is run to print its version.
    """
    path = find(command[0])
    if path is None:
        return None
    where = f" at {as_utf8(path)}" if "/" in command[0] else ""
    name = _name_and_version(path) if asks else Path(path).name
    return f"{name}{where}, {digests(path, command[1:])}"


def digests(path: str, arguments: Sequence[str]) -> str:
    """Hashes of the content of a program and of each file among its arguments."""
    return " ".join(digest(file) for file in _files(path, arguments))


def _name_and_version(path: str) -> str:
    """The name of the program, and the version that it prints, if any."""
    version_text = _reply([path, "--version"], subprocess.DEVNULL)[:_SHORT]
    number = re.search(r"\d+\.\d+[\w.\-]*|\A\S{1,20}$", version_text.strip())
    return f"{Path(path).name} {number[0]}" if number else Path(path).name


def _files(path: str, arguments: Sequence[str]) -> Iterator[Path]:
    """Yield the program and the files that its arguments name, also as `--config=FILE`."""
    yield Path(path)
    for word in arguments:
        for name in (word, word.rpartition("=")[2]):
            if name and Path(name).is_file():
                yield Path(name)
                break


def digest(file: Path) -> str:
    """12 hexadecimal digits of the file's content, or 'unreadable'."""
    try:
        return files.digest(file)
    except OSError:
        return "unreadable"


def help_text(path: str) -> str:
    """What a program prints if it is asked for help; empty if it prints nothing soon."""
    return _reply([path, "--help"], subprocess.STDOUT)  # MiniSat prints it as an error


def _reply(command: list[str], errors: int) -> str:
    """Return up to 64 KiB that a program prints until its limits. `errors` is where its standard
    error goes.
    """
    # In a separate process, so that anything the program leaves behind is killed.
    pieces = isolate.stream(lambda emit: _run_briefly(command, errors, emit), _ASKED)
    return b"".join(pieces).decode(errors="replace")


def _run_briefly(command: list[str], errors: int, emit: isolate.Emit) -> None:
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            preexec_fn=guard.kill_new_group(),  # noqa: PLW1509 - this process has one thread
        )
    except OSError:
        return
    assert process.stdout is not None
    left = _MOST_SAID
    while left > 0 and (piece := os.read(process.stdout.fileno(), left)):
        emit(piece)
        left -= len(piece)


def as_typed(program: str) -> str:
    """The program as a shell finds it: its name if it is on the PATH, otherwise its path."""
    path = find(program)
    return program if path is None or shutil.which(program) == path else path


def place_in_packages(program: str) -> str:
    """The path of a program that only a wheel has, in the folder of packages of any environment;
    empty for another program.
    """
    path = find(program)
    if path is None or not known(program).wheel or shutil.which(program) == path:
        return ""
    packages = Path(sysconfig.get_path("platlib")).resolve()
    return str(Path(path).relative_to(packages)) if Path(path).is_relative_to(packages) else ""


def installation(program: str) -> str:
    """The shell command that installs a program; empty if it is unknown, or if it has a path."""
    if distribution := known(program).wheel:
        is_here = _is_installed(distribution)
        return f"pip install {distribution}" + (
            f"=={metadata.version(distribution)}" if is_here else ""
        )
    line = known(program).install
    return line if line.startswith("apt") else f"# {line}" if line else ""


def how_to_get(program: str) -> str:
    """How to install the program, or which backend to use instead; empty if unknown."""
    hints, facts = [], known(program)
    if facts.install:
        hints.append(f"try: {facts.install}")
    elif facts.wheel:
        hints.append(f"try: {install.command(f'nqbench[{program}]')}")
    if facts.library and _is_installed(facts.library[1]):
        hints.append(f"or use backend '{facts.library[0]}', the same solver as a library")
    return "".join(f"; {hint}" for hint in hints)


_LONGEST_LINE: Final = 4096

_HINTS: Final = {
    errno.ENOEXEC: "a script needs a first line such as '#!/bin/sh', and a program has to be built "
    "for this machine",
    errno.ENOENT: "its loader is not here: build it on this machine",
}
"""What the words of the system leave out."""


def why_not_found(program: str) -> str:
    """Why `find` finds no such program."""
    name, path = as_utf8(program), Path(program)
    try:
        if path.is_dir():
            return f"'{name}' is a folder: name the program in it, as in exe:{path}/NAME"
        if path.is_file() and "/" not in program:
            return (
                f"no program '{name}' on the PATH; for the file in this folder write exe:./{name}"
            )
        if path.is_file():
            return f"'{name}' is not executable; try: chmod +x {shlex.quote(name)}"
        if "/" in program:
            return f"no program '{name}'{_suggest(path)}"
    except OSError as error:  # a name that the system refuses
        return f"no program '{name}': {error.strerror}"
    return f"no program '{name}' on the PATH{how_to_get(program)}"


def _suggest(path: Path) -> str:
    """A file beside this path that is perhaps meant."""
    with contextlib.suppress(OSError):
        near = nearest(path.name, [file.name for file in path.parent.iterdir()])
        if near and near.isprintable():
            return f": did you mean '{path.parent / near}'?"
    return ""


def why_not_started(path: str, error: Exception) -> str | None:
    """Why the program that was found at this path ended with this error at its start; None if its
    file does not explain it.
    """
    with contextlib.suppress(OSError), Path(path).open("rb") as file:
        if reason := _flaw_of_script(path, file.readline(_LONGEST_LINE)):
            return f"'{as_utf8(path)}' {reason}"
    if not isinstance(error, OSError):
        return None
    hint = f": {_HINTS[error.errno]}" if error.errno in _HINTS else ""
    return f"'{as_utf8(path)}' cannot be started: {error.strerror or error}{hint}"


def _flaw_of_script(path: str, line: bytes) -> str:
    """What is wrong with the first line of a script; empty if nothing is, or if it is another file.

    The system only says "No such file or directory", or nothing if `env` looks for the interpreter.
    """
    if not line.startswith(b"#!"):
        return ""
    if line.endswith(b"\r\n"):
        return f"has lines that end as on Windows; try: sed -i 's/\\r$//' {shlex.quote(path)}"
    words = line[2:].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if words and shutil.which(words[0]) is None:
        usual = Path(words[0]).name
        instead = f", or write 'exe:{usual} {shlex.quote(path)}'" if shutil.which(usual) else ""
        return f"needs '{printable(words[0])}', which is not there: correct its first line{instead}"
    return ""
