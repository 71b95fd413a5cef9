"""Why a program is not found or not started, and what would work.

The kernel says little: a script whose interpreter is missing is "No such file or directory", and so
is a program without its loader.
"""

import contextlib
import os
import platform
import re
import shlex
import shutil
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from nqbench.common.printable import as_utf8, printable
from nqbench.common.spelling import nearest
from nqbench.machine.elf import Elf
from nqbench.plugins import programs

_READ: Final = 4096
_BOM: Final = b"\xef\xbb\xbf"
_ELF: Final = b"\x7fELF"
_OBJECT: Final = 1

_INTERPRETERS: Final = {".jl": "julia", ".pl": "perl", ".py": "python3", ".rb": "ruby"}
"""By the suffix of a script; others are for `sh`."""

_KINDS: Final = {
    b"MZ": "a program for Windows: build it here",
    b"\xcf\xfa\xed\xfe": "a program for macOS: build it here",
    b"\xca\xfe\xba\xbe": "a class of Java or a program for macOS: name what starts it",
    b"PK": "an archive: unpack it, or name what starts it, as in 'exe:java -jar {}'",
    b"\x1f\x8b": "packed: unpack it",
    b"\xfd7zXZ": "packed: unpack it",
    b"BZh": "packed: unpack it",
    b"(\xb5/\xfd": "packed: unpack it",
    b"!<arch>": "a static library: link it to a program",
}
"""What a file is whose content starts like this, and what would work."""

_MACHINES: Final = {
    3: "x86", 8: "MIPS", 21: "PowerPC", 22: "s390", 40: "ARM", 62: "x86-64", 183: "AArch64",
    243: "RISC-V", 258: "LoongArch",
}  # fmt: skip
"""The instruction sets that ELF has numbers for."""


def why_not_found(program: str) -> str:
    """Why `programs.find` finds no such program."""
    try:
        return _why_not_found(program)
    except OSError as error:  # a name that the system refuses
        return f"no program '{as_utf8(program)}': {error.strerror}"


def _why_not_found(program: str) -> str:
    if "/" not in program:
        return _why_not_on_path(program)
    path = Path(program)
    path_text = as_utf8(program)
    # Raises for a name that the system refuses; since Python 3.14 the calls below would not.
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        path.lstat()
    if path.is_dir():
        return f"'{path_text}' is a folder: name the program in it, as in exe:{path_text}/NAME"
    if path.is_file():
        return f"'{path_text}' is not executable; try: chmod +x {shlex.quote(path_text)}"
    if path.is_symlink():
        target = as_utf8(str(path.readlink()))
        return f"'{path_text}' is a link to '{target}', which is not there"
    if path.exists():
        return f"'{path_text}' is not a file"
    return f"no program '{path_text}'{_suggest_file(path)}"


def _why_not_on_path(program: str) -> str:
    message = f"no program '{program}' on the PATH"
    for folder in os.get_exec_path():
        if (path := Path(folder, program)).is_file() and not os.access(path, os.X_OK):
            return f"{message}: '{path}' is not executable; try: chmod +x {path}"
    if Path(program).is_dir():
        message += f", but a folder in this one: name the program in it, as in exe:./{program}/NAME"
    elif Path(program).is_file():
        chmod = "" if os.access(program, os.X_OK) else f"chmod +x {shlex.quote(program)}, then "
        message += f", but a file in this folder: {chmod}write exe:./{program}"
    return f"{message}{programs.how_to_get(program)}"


def _suggest_file(path: Path) -> str:
    """A file beside this path that is perhaps meant."""
    names: Sequence[str] = []
    with contextlib.suppress(OSError):
        names = [file.name for file in path.parent.iterdir() if file.name.isprintable()]
    longer = sorted(name for name in names if name.startswith(f"{path.name},"))
    if longer:
        escaped = longer[0].replace(",", "\\,")
        return f"; write exe:{path.parent}/{escaped} if you mean '{longer[0]}'"
    near = nearest(path.name, names)
    return f": did you mean '{path.parent / near}'?" if near else ""


def why_not_started(path: str, error: Exception) -> str | None:
    """Why the program that was found at this path ended with this error at its start; None if its
    file does not explain it.
    """
    try:
        with Path(path).open("rb") as file:
            start = file.read(_READ)
            interpreter = Elf(file).interpreter if start.startswith(_ELF) else None
    except OSError:
        return _system_error(path, error)
    path_text = as_utf8(path)
    if start.startswith(b"#!"):
        reason = _flaw_of_script(path_text, start)
    elif not isinstance(error, OSError):  # it was started
        reason = None
    elif start.startswith(_ELF):
        reason = _flaw_of_elf(start, interpreter)
    else:
        reason = _flaw_of_other(path_text, start)
    return f"'{path_text}' {reason}" if reason else _system_error(path, error)


def _system_error(path: str, error: Exception) -> str | None:
    if not isinstance(error, OSError):
        return None
    return f"'{as_utf8(path)}' cannot be started: {error.strerror or error}"


def _flaw_of_script(path: str, start: bytes) -> str | None:
    line = start.removeprefix(b"#!").partition(b"\n")[0]
    if line.endswith(b"\r"):
        return f"has lines that end as on Windows; try: sed -i 's/\\r$//' {shlex.quote(path)}"
    words = line.decode(errors="replace").split()
    if not words:
        return f"has no interpreter after '#!': write for instance '#!/bin/sh'{_or_by(path)}"
    interpreter, *arguments = words
    if shutil.which(interpreter if "/" in interpreter else f"./{interpreter}") is None:
        is_there = Path(interpreter).exists()
        return _lacks_interpreter(interpreter, "not executable" if is_there else "not there", path)
    if Path(interpreter).name == "env":
        programs = [w for w in arguments if not w.startswith("-") and "=" not in w]
        if programs and shutil.which(programs[0]) is None:
            return _lacks_interpreter(programs[0], "not on the PATH", path)
    return None


def _lacks_interpreter(interpreter: str, state: str, path: str) -> str:
    name = printable(interpreter)
    return f"needs '{name}', which is {state}: correct its first line{_or_by(path, interpreter)}"


def _or_by(path: str, interpreter: str = "") -> str:
    """The other way to start a script: by an interpreter that is installed."""
    usual = _usual(path)
    kind = re.sub(r"[\d.]+$", "", Path(interpreter).name)
    candidates = [Path(interpreter).name, *([f"{kind}3", kind] if kind else []), usual]
    installed = next((name for name in candidates if name and shutil.which(name)), None)
    return f", or write 'exe:{installed} {shlex.quote(path)}'" if installed else ""


def _flaw_of_elf(start: bytes, interpreter: str | None) -> str | None:
    with Path(sys.executable).open("rb") as file:
        own = file.read(20)
    kind, machine = struct.unpack_from(">HH" if start[5:6] == b"\x02" else "<HH", start, 16)
    if own.startswith(_ELF) and (start[4:6], start[18:20]) != (own[4:6], own[18:20]):
        bits = 64 if start[4:5] == b"\x02" else 32
        built = f"{_MACHINES.get(machine, f'machine {machine}')} ({bits} bits)"
        return f"is built for {built}, not for {platform.machine()}: build it here"
    if kind == _OBJECT:
        return "is an object file: link it"
    if interpreter and not Path(interpreter).exists():
        return (
            f"needs the loader '{printable(interpreter)}', which is not there: build it here, or "
            "link it with -static"
        )
    return None


def _flaw_of_other(path: str, start: bytes) -> str | None:
    if not start:
        return "is empty"
    if start.startswith(_BOM + b"#!"):
        return (
            "has a byte order mark before '#!'; try: "
            f"sed -i '1s/^\\xef\\xbb\\xbf//' {shlex.quote(path)}"
        )
    for magic, kind in _KINDS.items():
        if start.startswith(magic):
            return f"is {kind.format(shlex.quote(path))}"
    if b"\0" in start:
        return "is no program for this system"
    first_line = f"#!/usr/bin/env {_usual(path)}"
    return f"has no interpreter: write '{first_line}' in its first line{_or_by(path)}"


def _usual(path: str) -> str:
    """The interpreter of a script with this name."""
    return _INTERPRETERS.get(Path(path).suffix.lower(), "sh")
