"""Why a program is not found or not started, and what would work."""

import contextlib
import errno
import shlex
import shutil
from pathlib import Path
from typing import Final

from nqbench.common.printable import as_utf8, printable
from nqbench.common.spelling import nearest
from nqbench.plugins import programs

_LONGEST_LINE: Final = 4096

_HINTS: Final = {
    errno.ENOEXEC: "a script needs a first line such as '#!/bin/sh', and a program has to be built "
    "for this machine",
    errno.ENOENT: "its loader is not here: build it on this machine",
}
"""What the words of the system leave out."""


def why_not_found(program: str) -> str:
    """Why `programs.find` finds no such program."""
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
    return f"no program '{name}' on the PATH{programs.how_to_get(program)}"


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
