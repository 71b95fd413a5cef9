"""Turns a submission into the formula for one n, inside a sandbox: only bytes leave it."""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Collection, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from nqbench import isolate
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.printable import printable
from nqbench.common.vocabulary import Outcome
from nqbench.grading.reading import Left, Text, read_text
from nqbench.grading.submission import LARGEST_BYTES, Kind, Submission, own_files
from nqbench.grading.verdict import Formula
from nqbench.isolate import sandbox
from nqbench.isolate.sandbox import Sandbox, SandboxEnding

_ENDS_WELL: Final = (10, 20)
"""Exit statuses of programs that also solve the formula are 10 and 20."""

_PROCESSES: Final = 64
_FILE_BYTES: Final = 2 * LARGEST_BYTES
_OUT: Final = "nqbench-formula.cnf"
"""The file that `{out}` stands for."""

_PYTHON_PLACE: Final = re.compile(r'^ *File "([^"\n]+)", line (\d+)', re.MULTILINE)
"""A line of a traceback."""


def lacking(submissions: Sequence[Submission]) -> tuple[str, ...]:
    """What this machine does not offer to confine these submissions, in words."""
    runs = any(each.kind in {Kind.CLASS, Kind.PROGRAM} for each in submissions)
    return sandbox.lacking() if runs else ()


def key(submission: Submission, n: int, limits: Limits) -> str:
    """What decides which formula is written: another key means another formula."""
    bounds = (limits.time_s, limits.memory_bytes, limits.output_bytes)
    facts = (version("nqbench"), submission.digest, n, bounds)
    return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def write(submission: Submission, n: int, limits: Limits) -> tuple[Formula, bytes | None]:
    """The formula for n as DIMACS, and what there is to know about it; None if there is none.

    Raises `ExecutorError` if no process can be started.
    """
    try:
        if submission.kind is Kind.FORMULAS:
            content = files.content(dict(submission.formulas)[n], LARGEST_BYTES)
            return _read(content, limits, 0.0)
        with Sandbox(limits, processes=_PROCESSES, file_bytes=_FILE_BYTES) as box:
            return _write_in(box, submission, n, limits)
    except (InputError, OSError) as error:
        return Formula(flaw=str(error)), None


def _write_in(
    box: Sandbox, submission: Submission, n: int, limits: Limits
) -> tuple[Formula, bytes | None]:
    """The same for one that runs in this sandbox. Raises `InputError` if it cannot be started."""
    copied = _copy(submission, box.folder)
    if submission.kind is Kind.CLASS:
        ending = box.call(_class_writer(box.folder / submission.command, n))
        left = Left(ending.result, {})
    else:
        words = _words(submission.words(n, _OUT), box.folder)
        ending = box.run(words, f"{n}\n".encode())
        out = _OUT if submission.names_output else ""
        left = Left(ending.output, _new_files(box, copied), out)
    if ending.outcome is not Outcome.FINISHED and ending.exit_status not in _ENDS_WELL:
        is_limit = ending.outcome in {Outcome.TIMEOUT, Outcome.MEMOUT}
        formula = Formula(flaw=_why(ending, copied), reached_limit=is_limit, encode_s=ending.wall_s)
        return formula, None
    return _read(left, limits, ending.wall_s)


def _copy(submission: Submission, folder: Path) -> dict[str, str]:
    """Copy the submission into the folder, and return the digest of each of its files."""
    root = submission.path if submission.path.is_dir() else submission.path.parent
    copied = {}
    for file in own_files(submission.path):
        place = folder / file.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        content = files.content(file, LARGEST_BYTES)
        place.write_bytes(content)
        place.chmod(0o755 if os.access(file, os.X_OK) else 0o644)
        copied[str(file.relative_to(root))] = _digest(content)
    return copied


def _words(words: Sequence[str], folder: Path) -> list[str]:
    """The words of a command, with the path of its program. Raises `InputError` without one."""
    program = words[0]
    if "/" in program and not program.startswith("/"):
        return [str(folder / program), *words[1:]]
    found = shutil.which(program)
    if found is None:
        raise InputError(f"there is no program '{printable(program)}' here: install it")
    return [found, *words[1:]]


def _why(ending: SandboxEnding, names: Collection[str]) -> str:
    """Why nothing was written, in words, with the last line of these files that Python names."""
    if ending.outcome is not Outcome.CRASHED:
        return ending.message
    said = f": {ending.last_line}" if ending.last_line else ""
    files_of = {Path(name).name for name in names}
    places = [
        f" ({Path(path).name}, line {line})"
        for path, line in _PYTHON_PLACE.findall(ending.errors.decode(errors="replace"))
        if Path(path).name in files_of
    ]
    return f"{ending.message}{said}{places[-1] if places and said else ''}"


def _new_files(box: Sandbox, copied: dict[str, str]) -> dict[str, bytes]:
    """The files that the program left: new ones, and those that it changed."""
    new = {}
    for file in box.files():
        name = str(file.relative_to(box.folder))
        try:
            content = box.content(file)
        except OSError:  # which the program has made unreadable
            continue
        if copied.get(name) != _digest(content):
            new[name] = content
    return new


def _read(left: Left | bytes, limits: Limits, encode_s: float) -> tuple[Formula, bytes | None]:
    """The formula in what was written, read in a separate process."""

    def read() -> bytes:
        try:
            return msgspec.msgpack.encode(read_text(left))
        except InputError as error:
            return msgspec.msgpack.encode(str(error))

    ending = isolate.call(read, limits)
    if ending.outcome is not Outcome.FINISHED:
        return Formula(flaw=f"reading the formula: {ending.message}", encode_s=encode_s), None
    text = msgspec.msgpack.decode(ending.payload, type=Text | str)
    if isinstance(text, str):
        return Formula(flaw=text, encode_s=encode_s), None
    return Formula(_digest(text.content), notes=text.notes, encode_s=encode_s), text.content


def _class_writer(path: Path, n: int) -> Callable[[], bytes]:
    """A function that writes the formula of the encoding in a file."""
    from nqbench.grading.class_formula import write_class

    return lambda: write_class(path, n)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
