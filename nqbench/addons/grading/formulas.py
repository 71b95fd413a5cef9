"""Turns a submission into the formula for one n, inside a sandbox: only bytes leave it."""

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Final, Self

import msgspec

import nqbench
from nqbench import isolate
from nqbench.addons.grading.reading import Left, Text, read_text
from nqbench.addons.grading.sandbox.confine import readable_for_python
from nqbench.addons.grading.sandbox.left_files import GivenFile
from nqbench.addons.grading.sandbox.sandbox import Sandbox, SandboxEnding
from nqbench.addons.grading.submission import LARGEST_BYTES, Kind, Submission, own_files
from nqbench.addons.grading.verdict import Formula
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.printable import printable
from nqbench.common.units import memory
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.frames import MEMORY, RETURNED

_ENDS_WELL: Final = (10, 20)
"""Exit statuses of programs that also solve the formula are 10 and 20."""

_PROCESSES: Final = 64
_FILE_BYTES: Final = 2 * LARGEST_BYTES
_PYTHON: Final = ("python", "python3")
_OUT: Final = "nqbench-formula.cnf"
"""The file that `{out}` stands for."""

_START: Final = """
import importlib.util as util, sys
sys.path += {places!r}
spec = util.spec_from_file_location("nqbench", {package!r})
package = sys.modules["nqbench"] = util.module_from_spec(spec)
spec.loader.exec_module(package)
from nqbench.addons.grading.class_formula import serve
serve()
"""
"""Starts to write formulas of a class, with this package and no other of its name."""

_ONE_THREAD: Final = {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
"""Other threads would reserve memory, and have nothing to do."""

_PYTHON_PLACE: Final = re.compile(r'^ *File "([^"\n]+)", line (\d+)', re.MULTILINE)
"""A line of a traceback."""


def key(submission: Submission, n: int, limits: Limits) -> str:
    """What decides which formula is written: another key means another formula."""
    bounds = (limits.time_s, limits.memory_bytes, limits.output_bytes)
    facts = (version("nqbench"), submission.digest, n, bounds)
    return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def is_in(path: Path, formula: Formula) -> bool:
    """Whether this file has the formula. It may be gone, or be that of an earlier submission with
    the same name.
    """
    try:
        return _digest(files.content(path, LARGEST_BYTES)) == formula.digest
    except InputError:
        return False


class Writer:
    """Writes the formulas of one submission. Leave the `with` block when all are written."""

    def __init__(self, submission: Submission, limits: Limits) -> None:
        self.submission = submission
        self.limits = limits
        self._stack = ExitStack()
        self._ask: Callable[[bytes], SandboxEnding] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def write(self, n: int) -> tuple[Formula, bytes | None]:
        """What there is to know about the formula for n, and it as DIMACS; None if there is none.

        Raises `ExecutorError` if no process can be started.
        """
        try:
            if self.submission.kind is Kind.FORMULAS:
                path = dict(self.submission.formulas)[n]
                return _read(files.content(path, LARGEST_BYTES), self.limits, 0.0)
            given = _given(self.submission)
            box = Sandbox(self.limits, given, processes=_PROCESSES, file_bytes=_FILE_BYTES)
            if self.submission.kind is Kind.CLASS:
                return self._ask_class(box, n, given)
            return _run_program(box, self.submission, n, given, self.limits)
        except (InputError, OSError) as error:
            return Formula(flaw=str(error)), None

    def _ask_class(
        self, box: Sandbox, n: int, names: Collection[bytes]
    ) -> tuple[Formula, bytes | None]:
        """The same for a class. One interpreter writes its formulas, one after another."""
        if self._ask is None:
            words = _interpreter(self.submission.command)
            self._ask = self._stack.enter_context(box.conversation(words, _ONE_THREAD))
        ending = self._ask(b"%d" % n)
        if ending.reply is None:
            self._stack.close()
            self._ask = None
            message = ending.message or "ended without a result"
            return _no_formula(replace(ending, message=message), names), None
        tag, content = ending.reply[:1], ending.reply[1:]
        if tag == RETURNED:
            return _read(Left(content, {}), self.limits, ending.wall_s)
        reason = f"out of memory at {memory(self.limits.memory_bytes)}"
        is_memory = tag == MEMORY
        flaw = reason if is_memory else printable(content.decode(errors="replace")) or "failed"
        return Formula(flaw=flaw, reached_limit=is_memory, encode_s=ending.wall_s), None


def _run_program(
    box: Sandbox,
    submission: Submission,
    n: int,
    given: Mapping[bytes, GivenFile],
    limits: Limits,
) -> tuple[Formula, bytes | None]:
    """The same for a program. Raises `InputError` if there is none."""
    ending = box.run(_words(submission.words(n, _OUT)), b"%d\n" % n)
    if ending.outcome is not Outcome.FINISHED and ending.exit_status not in _ENDS_WELL:
        return _no_formula(ending, given), None
    left = {os.fsdecode(name): content for name, content in ending.files.items()}
    out = _OUT if submission.names_output else ""
    return _read(Left(ending.output, left, out, ending.flaw), limits, ending.wall_s)


def _no_formula(ending: SandboxEnding, names: Collection[bytes]) -> Formula:
    is_limit = ending.outcome in {Outcome.TIMEOUT, Outcome.MEMOUT}
    return Formula(flaw=_why(ending, names), reached_limit=is_limit, encode_s=ending.wall_s)


def _given(submission: Submission) -> dict[bytes, GivenFile]:
    """The files of the submission, by their names in its folder."""
    return {
        os.fsencode(file.relative_to(submission.folder)): GivenFile(
            files.content(file, LARGEST_BYTES), os.access(file, os.X_OK)
        )
        for file in own_files(submission.path)
    }


def _interpreter(file: str) -> list[str]:
    """The words that start an interpreter for the class in this file, with nqbench and the packages
    of this one, and nothing else of it.
    """
    own = readable_for_python()
    places = [p for p in sys.path if p and any(Path(p).is_relative_to(each) for each in own)]
    script = _START.format(places=places, package=nqbench.__file__)
    return [sys.executable, "-I", "-B", "-c", script, f"./{file}"]


def _words(words: Sequence[str]) -> list[str]:
    """The words of a command, with the path of its program. Raises `InputError` without one."""
    program = words[0]
    if "/" in program and not program.startswith("/"):
        return [f"./{program}", *words[1:]]
    # A shim of it would look for files that the sandbox does not have.
    found = sys.executable if program in _PYTHON else shutil.which(program)
    if found is None:
        raise InputError(f"there is no program '{printable(program)}' here: install it")
    return [found, *words[1:]]


def _why(ending: SandboxEnding, names: Collection[bytes]) -> str:
    """Why nothing was written, in words, with the last line of these files that Python names."""
    if ending.outcome is not Outcome.CRASHED:
        return ending.message
    said = f": {ending.last_line}" if ending.last_line else ""
    files_of = {Path(os.fsdecode(name)).name for name in names}
    places = [
        f" ({Path(path).name}, line {line})"
        for path, line in _PYTHON_PLACE.findall(ending.end_of_errors)
        if Path(path).name in files_of
    ]
    return f"{ending.message}{said}{places[-1] if places and said else ''}"


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
    if len(text.content) > LARGEST_BYTES:
        flaw = f"the formula is larger than {LARGEST_BYTES // 2**20} MiB"
        return Formula(flaw=flaw, encode_s=encode_s), None
    return Formula(_digest(text.content), notes=text.notes, encode_s=encode_s), text.content


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
