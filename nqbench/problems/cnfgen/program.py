"""Runs the program `cnfgen` in a separate process, under limits and without a shell."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec

from nqbench import isolate
from nqbench.errors import InputError
from nqbench.limits import Limits
from nqbench.plugins import install
from nqbench.printable import printable
from nqbench.problems.cnfgen.command import Command
from nqbench.vocabulary import Outcome

_NAME: Final = "cnfgen"
_LIMITS: Final = Limits(time_s=60.0)

LARGEST: Final = 240 * 2**20
"""The largest formula in bytes; a process cannot return much more."""

_LONGEST_MESSAGE: Final = 1 << 14
_ERROR: Final = "c ERROR: "


class _Ended(msgspec.Struct):
    """What the program left: its exit status, its output, and the start of its messages."""

    status: int
    text: bytes
    messages: bytes


def found() -> str:
    """The path of the program: installed with the running Python, or on the PATH. Raises
    `InputError` with the command that installs it.
    """
    beside = Path(sys.executable).with_name(_NAME)
    path = beside if os.access(beside, os.X_OK) else install.script(_NAME, _NAME)
    path = path or shutil.which(_NAME)
    if path is None:
        raise InputError(f"CNFgen is not installed; try: {install.command('nqbench[cnfgen]')}")
    return str(Path(path).absolute())


def text(command: Command) -> bytes:
    """The formula that CNFgen makes, as DIMACS text without comments.

    Raises `InputError` with the first line of CNFgen's message if it makes none, if it takes more
    than a minute, or if the formula is larger than `LARGEST`.
    """
    program = found()
    ending = isolate.call(lambda: _run(program, command), _LIMITS)
    if ending.outcome is Outcome.TIMEOUT:
        raise _failed(command, f"CNFgen takes more than {_LIMITS.time_s:g} s: ask for less")
    if ending.outcome is not Outcome.FINISHED:
        raise _failed(command, ending.message)
    ended = msgspec.msgpack.decode(ending.payload, type=_Ended)
    if len(ended.text) > LARGEST:
        raise _failed(command, f"the formula is larger than {LARGEST // 2**20} MiB: ask for less")
    if ended.status:
        reason = _reason(ended.messages.decode(errors="replace"))
        raise _failed(command, f"{reason.removesuffix('.')}: see `cnfgen --help`")
    return ended.text


def _run(program: str, command: Command) -> bytes:
    messages = os.memfd_create("messages")
    process = subprocess.Popen(
        [program, *command.arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=messages,
        cwd="/",
    )
    assert process.stdout is not None
    made = process.stdout.read(LARGEST + 1)
    if len(made) > LARGEST:
        process.kill()
    status = process.wait()
    said = os.pread(messages, _LONGEST_MESSAGE, 0)
    return msgspec.msgpack.encode(_Ended(status, made, said))


def _reason(messages: str) -> str:
    """The first line of an error message, or the last line of a traceback."""
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    errors = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)]
    return next(iter([*errors, *reversed(lines)]), "CNFgen failed without a message")


def _failed(command: Command, reason: str) -> InputError:
    return InputError(printable(f"CNFgen '{command}': {reason}"))
