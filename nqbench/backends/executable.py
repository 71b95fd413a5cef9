"""Any program that reads a DIMACS file, found by name on the PATH or given as `exe:PATH`.

In its arguments `{cnf}` stands for the name of the formula's file, which else comes last, and
`{result}` for that of a file into which it writes its answer instead of printing it, as MiniSat
does. Exit status, `s` line and model must agree (SAT competition output format; MiniSat's result
file). The files lie in memory and have no names on disk; there is no shell.
"""

import hashlib
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Final

import numpy as np

from nqbench import isolate
from nqbench.backends import solver_output
from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.errors import InputError, NqbenchError, UnavailableError
from nqbench.instances import dimacs
from nqbench.instances.cnf import CNF, Assignment, CNFBuilder
from nqbench.limits import Limits
from nqbench.plugins import install, loading
from nqbench.vocabulary import Answer

OUTPUT_LIMIT: Final = 64 * 2**20
"""Bytes that a program may print before it is stopped."""

# clasp sets both bits when it has found a model and searched everything.
_EXIT_STATUS: Final = {10: Answer.SAT, 20: Answer.UNSAT, 30: Answer.SAT}
_QUIET: Final = {
    "cadical": ["-q"],
    "cryptominisat5": ["--verb", "0"],
    "clasp": ["--outf=1", "--quiet=0"],
    "glucose": ["-model", "-verb=0"],
    "kissat": ["-q"],
}
"""What makes a program print its model and little else."""

_CNF, _RESULT = "{cnf}", "{result}"

_ASKED: Final = Limits(time_s=5.0, memory_bytes=2**36)
"""What a program may use to tell its version."""

_HASHED: Final = 1 << 20

_PROOF: Final = {"cadical": ["--no-binary"]}
"""Programs that write a proof into a second file, and what makes it text. Kissat would, but not
into a file without a name.
"""

_IN_WHEEL: Final = {"kissat": "passagemath-kissat"}
"""Programs that a wheel brings, in a folder that is not on the PATH."""

_INSTALL: Final = {
    "cadical": "apt install cadical",
    "clasp": "apt install clasp",
    "cryptominisat5": "apt install cryptominisat",
    "glucose": "build it from https://github.com/audemard/glucose",
    "minisat": "apt install minisat",
    "picosat": "apt install picosat",
}

_LIBRARIES: Final = {
    "cadical": "cadical195",
    "cryptominisat5": "cryptominisat",
    "glucose": "glucose4",
    "kissat": "kissat404",
    "minisat": "minisat22",
}
"""The backend that is the same solver as a library."""


class Executable(Backend[CNF]):
    """A program on the PATH, or `exe:PATH` with arguments as in `exe:/opt/kissat --sat` or
    `exe:/opt/solver -f {cnf} -o {result}`.
    """

    def __init__(self, name: str) -> None:
        if name.startswith("exe:"):
            super().__init__("exe")
            self.name = name
            self._words = self._split(name.removeprefix("exe:"))
        else:
            super().__init__(name)
            self._words = [] if name == "exe" else [name, *_QUIET.get(name, [])]

    @staticmethod
    def _split(command: str) -> list[str]:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise InputError(f"'exe:{command}': {error}") from error
        if not command.isprintable():
            raise InputError(f"'exe:{command}' has characters that cannot be shown")
        if not words:
            raise InputError("'exe:' needs a program: write for instance exe:/opt/kissat")
        program = words[0]
        # A word with a slash is a path, as in a shell: never looked up on the PATH.
        return [
            str(Path(program).expanduser().absolute()) if "/" in program else program,
            *words[1:],
        ]

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(proof=self.base_name in _PROOF)

    @cached_property
    def version(self) -> str | None:
        """What ran: the name of the program, the version that it states, if any, where it lies if
        that was asked for, and hashes of its content and of each file among its arguments. None if
        it is not there.

        An edited program or script is another version, whatever it says of itself.
        """
        path = find(self._words[0]) if self._words else None
        if path is None:
            return None
        said = _first_words([path, "--version"])
        number = re.search(r"\d+\.\d+[\w.\-]*|\A\S{1,20}$", said.strip())
        stated = f"{Path(path).name} {number[0]}" if number else Path(path).name
        where = f" at {path}" if "/" in self._words[0] else ""
        return f"{stated}{where}, {' '.join(_digest(file) for file in self._files(path))}"

    def _files(self, path: str) -> Iterator[Path]:
        """The program, and the files that its arguments name, as in `--config=FILE` too."""
        yield Path(path)
        for word in self._words[1:]:
            for named in (word, word.rpartition("=")[2]):
                if named and Path(named).is_file():
                    yield Path(named)
                    break

    def probe(self) -> None:
        if not self._words:
            raise UnavailableError("name a program: exe:PATH, or 'exe:PATH ARGUMENTS'")
        program = self._words[0]
        if find(program) is None:
            if Path(program).is_file():
                raise UnavailableError(f"'{program}' is not executable; try: chmod +x {program}")
            where = "" if "/" in program else " on the PATH"
            raise UnavailableError(f"no program '{program}'{where}{_what_to_do(program)}")
        super().probe()

    def load(self, cnf: CNF) -> Solver:
        return self._loaded(cnf)

    def prove(self, cnf: CNF) -> str:
        return self._loaded(cnf).prove(_PROOF[self.base_name])

    def _loaded(self, cnf: CNF) -> "_ExecutableSolver":
        program, *arguments = self._words
        words = [find(program) or program, *arguments]
        if not _names(_CNF, arguments):
            words.append(_CNF)
        if Path(program).name.startswith("minisat") and not _names(_RESULT, arguments):
            words.append(_RESULT)
        return _ExecutableSolver(self.name, words, cnf)


def _what_to_do(program: str) -> str:
    """How to install the program, and which backend needs none."""
    hints = []
    if program in _INSTALL:
        hints.append(f"try: {_INSTALL[program]}")
    elif program in _IN_WHEEL:
        hints.append(f"try: {install.command(f'nqbench[{program}]')}")
    library = _LIBRARIES.get(program)
    if library and loading.load_backend(library).version:
        hints.append(f"or use backend '{library}', the same solver as a library")
    return "".join(f"; {hint}" for hint in hints)


def _names(file: str, words: Sequence[str]) -> bool:
    return any(file in word for word in words)


def find(program: str) -> str | None:
    """The path of a program given by its path, on the PATH, or in a wheel; None if there is none.

    PyEDA installs a Python script that is called picosat as well and fails beyond a thousand
    clauses: scripts of that name are passed over.
    """
    if "/" in program:
        return program if shutil.which(program) else None
    for folder in os.get_exec_path():
        path = shutil.which(program, path=folder)
        if path is not None and not (program == "picosat" and _is_script(path)):
            return path
    return _find_in_wheel(program)


def _find_in_wheel(program: str) -> str | None:
    try:
        files = metadata.files(_IN_WHEEL[program]) if program in _IN_WHEEL else None
    except metadata.PackageNotFoundError:
        return None
    return next((str(f.locate()) for f in files or () if f.parts[-2:] == ("bin", program)), None)


def _digest(file: Path) -> str:
    """12 hexadecimal digits of the content; of a file that cannot be read, a word that says so."""
    state = hashlib.blake2b(digest_size=6)
    try:
        with file.open("rb") as opened:
            while piece := opened.read(_HASHED):
                state.update(piece)
    except OSError:
        return "unreadable"
    return state.hexdigest()


def _first_words(command: list[str]) -> str:
    """What a program prints, up to 4 KiB and for at most 2 s: it may not know what it is asked.

    In a process of its own, with which everything ends that the program leaves behind.
    """
    ending = isolate.call(lambda: _said(command), _ASKED)
    return ending.payload.decode(errors="replace")


def _said(command: list[str]) -> bytes:
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return b""
    assert process.stdout is not None
    said, deadline = b"", time.monotonic() + 2
    while len(said) < 4096:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
            break
        piece = os.read(process.stdout.fileno(), 4096)
        if not piece:
            break
        said += piece
    return said


def _is_script(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(2) == b"#!"


class _ExecutableSolver(Solver):
    def __init__(self, name: str, words: list[str], cnf: CNF) -> None:
        self._name = name
        self._words = words
        self._values: Assignment = np.zeros(cnf.num_variables, dtype=np.bool_)
        self._write(cnf)

    def _write(self, cnf: CNF) -> None:
        self._cnf = cnf
        self._formula = os.memfd_create("cnf")
        with os.fdopen(os.dup(self._formula), "wb") as file:
            dimacs.write(cnf, file)

    def solve(self) -> Answer:
        if not _names(_RESULT, self._words):
            return self._understood(*self._run(self._words, {_CNF: self._formula}))
        result = os.memfd_create("result")
        status, _ = self._run(self._words, {_CNF: self._formula, _RESULT: result})
        return self._understood(status, _contents(result, OUTPUT_LIMIT))

    def prove(self, arguments: list[str]) -> str:
        proof = os.memfd_create("proof")
        words = [*self._words, *arguments, _RESULT]
        self._understood(*self._run(words, {_CNF: self._formula, _RESULT: proof}))
        return _contents(proof)

    def _run(self, words: list[str], files: dict[str, int]) -> tuple[int, str]:
        """The exit status and what was printed; the names of the files stand in the words."""
        for place, descriptor in files.items():
            words = [word.replace(place, f"/proc/self/fd/{descriptor}") for word in words]
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=files.values(),
        )
        assert process.stdout is not None
        printed = process.stdout.read(OUTPUT_LIMIT + 1)
        if len(printed) > OUTPUT_LIMIT:
            process.kill()
            raise NqbenchError(f"{self._name} printed more than {OUTPUT_LIMIT} bytes")
        return process.wait(), printed.decode(errors="replace")

    def _understood(self, status: int, text: str) -> Answer:
        try:
            answer, self._values = solver_output.parse(
                text, self._cnf.num_variables, f"output of {self._name}"
            )
        except InputError as error:
            last = text.strip().rpartition("\n")[2][:200]
            how = f"exit status {status}"
            if status < 0:
                how = f"ended by signal {signal.Signals(-status).name}"
            hint = ""
            if status in _EXIT_STATUS and last:
                hint = f"; if it writes its answer into a file, add {_RESULT} to its arguments"
            raise NqbenchError(f"{error}; {how}, last line '{last}'{hint}") from error
        expected = _EXIT_STATUS.get(status, Answer.UNKNOWN)
        if answer is not expected:
            raise NqbenchError(f"{self._name} says '{answer}' and exits with {status}")
        return answer

    def model(self) -> Assignment:
        return self._values

    def add(self, clause: Sequence[int]) -> None:
        cnf = CNFBuilder(self._cnf.board)
        cnf.fresh(self._cnf.num_variables - self._cnf.board)
        for block in self._cnf.blocks:
            cnf.add(block)
        cnf.add([list(clause)])
        os.close(self._formula)
        self._write(cnf.build())


def _contents(descriptor: int, limit: int = -1) -> str:
    """What a file in memory holds, from its start; it is closed, and gone."""
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read(limit).decode(errors="replace")
