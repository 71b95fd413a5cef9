"""Runs a program on a formula and reads its answer.

The files are in memory and have no names on disk; no shell is used.
"""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import BinaryIO, Final

import numpy as np

from nqbench.backends.base import Solver
from nqbench.backends.program import solver_output, statistics
from nqbench.errors import InputError, NqbenchError
from nqbench.instances import dimacs
from nqbench.instances.base import Formula
from nqbench.instances.cnf import CNF, Assignment, CNFBuilder
from nqbench.instances.cnf_plus import CNFPlus
from nqbench.isolate import guard, write_all
from nqbench.solver_counters import Counters
from nqbench.vocabulary import Answer

OUTPUT_LIMIT: Final = 64 * 2**20
"""Bytes that a program may print before it is stopped."""

_PIECE: Final = 1 << 20
_STANDARD_OUTPUT: Final = 1

# clasp sets both bits if it has found a model and searched everything.
_EXIT_STATUS: Final = {10: Answer.SAT, 20: Answer.UNSAT, 30: Answer.SAT}

FORMULA, RESULT = "{cnf}", "{result}"
"""Placeholders for the names of files in a command."""


def names(file: str, words: Sequence[str]) -> bool:
    """Whether a word contains the placeholder of the file."""
    return any(file in word for word in words)


class ProgramSolver(Solver):
    """Runs a command at each `solve`; FORMULA and RESULT in its words are replaced by files.

    `limits` has the argument for each limit of work, with `{}` for the number.
    """

    def __init__(
        self,
        name: str,
        words: list[str],
        formula: Formula,
        limits: Mapping[str, str] | None = None,
    ) -> None:
        self._name = name
        self._words = words
        self._limits = limits or {}
        self._values: Assignment = np.zeros(formula.num_variables, dtype=np.bool_)
        self._printed = ""
        self._shows = False
        self._write(formula)

    def _write(self, formula: Formula) -> None:
        self._written = formula
        self._formula = os.memfd_create("cnf")
        with os.fdopen(os.dup(self._formula), "wb") as file:
            dimacs.write(formula, file)

    def limit(self, work: Mapping[str, int]) -> None:
        program, *arguments = self._words
        stated = [self._limits[counter].format(limit) for counter, limit in work.items()]
        words = [part for argument in stated for part in argument.split()]
        self._words = [program, *words, *arguments]

    def show_output(self) -> None:
        self._shows = True

    def solve(self) -> Answer:
        if not names(RESULT, self._words):
            return self._understood(*self._run(self._words, {FORMULA: self._formula}))
        result = os.memfd_create("result")
        status, _ = self._run(self._words, {FORMULA: self._formula, RESULT: result})
        return self._understood(status, _contents(result, OUTPUT_LIMIT))

    def prove(self, proof: BinaryIO) -> None:
        """Run the program with the file of a proof as its last argument."""
        words = [*self._words, RESULT]
        self._understood(*self._run(words, {FORMULA: self._formula, RESULT: proof.fileno()}))

    def _run(self, words: list[str], files: dict[str, int]) -> tuple[int, str]:
        """Run the words, with placeholders replaced; return the exit status and the output."""
        for place, descriptor in files.items():
            words = [word.replace(place, f"/proc/self/fd/{descriptor}") for word in words]
        guard.kill_own_group()
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=files.values(),
        )
        self._printed = self._read(process).decode(errors="replace")
        return process.wait(), self._printed

    def _read(self, process: subprocess.Popen[bytes]) -> bytearray:
        """Return what the program prints, and show it at once, since it may be killed any time."""
        assert process.stdout is not None
        printed = bytearray()
        while piece := os.read(process.stdout.fileno(), _PIECE):
            printed += piece
            if len(printed) > OUTPUT_LIMIT:
                process.kill()
                raise NqbenchError(f"{self._name} printed more than {OUTPUT_LIMIT} bytes")
            if self._shows:
                write_all(_STANDARD_OUTPUT, piece)
        return printed

    def _understood(self, status: int, text: str) -> Answer:
        try:
            answer, self._values = solver_output.parse(
                text, self._written.num_variables, f"output of {self._name}"
            )
        except InputError as error:
            raise NqbenchError(f"{error}; {_ended(status, text or self._printed)}") from error
        expected = _EXIT_STATUS.get(status, Answer.UNKNOWN)
        if answer is not expected:
            raise NqbenchError(f"{self._name} says '{answer}' and exits with {status}")
        return answer

    def model(self) -> Assignment:
        return self._values

    def counters(self) -> Counters:
        return statistics.read(self._words[0], self._printed)

    def add(self, clause: Sequence[int]) -> None:
        os.close(self._formula)
        self._write(_with(self._written, clause))


def _with(formula: Formula, clause: Sequence[int]) -> Formula:
    """The formula with one more clause."""
    if isinstance(formula, CNFPlus):
        return replace(formula, cnf=_extended(formula.cnf, clause))
    return _extended(formula, clause)


def _extended(cnf: CNF, clause: Sequence[int]) -> CNF:
    longer = CNFBuilder(cnf.num_main)
    longer.fresh(cnf.num_variables - cnf.num_main)
    for block in cnf.blocks:
        longer.add(block)
    longer.add([list(clause)])
    return longer.build()


def _ended(status: int, text: str) -> str:
    """How a program without an answer ended, and a hint at what would work."""
    lines = text.strip().splitlines() or [""]
    last = next((line for line in lines if "error" in line.lower()), lines[-1])[:200]
    how = f"exit status {status}"
    if status < 0:
        how = f"ended by signal {signal.Signals(-status).name}"
    hint = ""
    if status in _EXIT_STATUS and last:
        hint = f"; if it writes its answer to a file, add {RESULT} to its arguments"
    return f"{how}, last line '{last}'{hint}"


def _contents(descriptor: int, limit: int) -> str:
    """Return the content of a file in memory from its start, and close it."""
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read(limit).decode(errors="replace")
