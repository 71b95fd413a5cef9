"""Runs a program on a formula and reads its answer.

The formula is a real file whose name ends in `.cnf`, or `.opb` for a program that reads OPB, so
that the programs which a program starts can open it too. It is in a private folder in memory: see
`isolate.scratch`. No shell is used.
"""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from nqbench.backends.base import Solver
from nqbench.backends.program import proofs, solver_output, statistics
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNF, Assignment, CNFBuilder
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.common.errors import InputError, NqbenchError
from nqbench.common.metrics import Counters
from nqbench.common.printable import fill
from nqbench.common.vocabulary import AFTER_ANSWER, Answer
from nqbench.isolate import guard, scratch, write_all
from nqbench.isolate.processes import how_ended
from nqbench.isolate.streams import read_apart

OUTPUT_LIMIT: Final = 64 * 2**20
"""Bytes that a program may print before it is stopped."""

_STANDARD_OUTPUT: Final = 1
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)

# clasp sets both bits if it has found a model and searched everything.
_EXIT_STATUS: Final = {10: Answer.SAT, 20: Answer.UNSAT, 30: Answer.SAT}
_USUAL: Final = {Answer.SAT: (10, 30), Answer.UNSAT: (20,)}

FORMULA, RESULT = "{cnf}", "{result}"
"""Placeholders for the names of files in a command."""


_HINT: Final = f"; if it writes its answer to a file, add {RESULT} to its arguments"


def contains_file(file: str, words: Sequence[str]) -> bool:
    """Whether a word contains the placeholder of the file."""
    return any(file in word for word in words)


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that has ended: its exit status, and what it wrote to each stream."""

    status: int
    output: bytes
    errors: bytes


class ProgramSolver(Solver):
    """Runs a command at each `solve`; FORMULA and RESULT in its words are replaced by files.

    `limits` has the argument for each limit of work, with `{}` for the number. `prints` is the name
    of the program whose statistics it prints, if its own name does not say it.
    """

    _suffix = "cnf"

    def __init__(
        self,
        name: str,
        words: list[str],
        formula: Formula,
        limits: Mapping[str, str] | None = None,
        prints: str | None = None,
    ) -> None:
        self._name = name
        self._prints = prints or words[0]
        self._words = words
        self._limits = limits or {}
        self._values: Assignment = np.zeros(formula.num_variables, dtype=np.bool_)
        self._printed = self._note = ""
        self._shows = False
        self._hears: Callable[[bytes], None] | None = None
        self._write(formula)

    def _write(self, formula: Formula) -> None:
        self._written = formula
        try:
            self._write_in(scratch.Folder())
        except OSError as error:
            if error.errno not in _FULL:
                raise
            self._write_in(scratch.Folder(on_disk=True))  # less memory than the formula needs

    def _write_in(self, folder: scratch.Folder) -> None:
        self._folder = folder
        with self._file(self._suffix).open("wb") as file:
            self._write_formula(self._written, file)

    def _write_formula(self, formula: Formula, file: BinaryIO) -> None:
        """Write the formula in a format that the program reads."""
        constraint_files.write_text(formula, file)

    def _file(self, kind: str) -> Path:
        """A file in the private folder. Its name is unique, since programs name files after it."""
        return self._folder.path / f"{self._folder.path.name}.{kind}"

    def limit(self, work: Mapping[str, int]) -> None:
        program, *arguments = self._words
        limit_arguments = [self._limits[counter].format(limit) for counter, limit in work.items()]
        words = [part for argument in limit_arguments for part in argument.split()]
        self._words = [program, *words, *arguments]

    def show_output(self) -> None:
        self._shows = True

    def solve(self) -> Answer:
        return self._read_answer(self._run(proofs.with_file(self._words, os.devnull)))

    def prove(self, proof: BinaryIO) -> None:
        """Run the program with the file of a proof, which is in DRAT afterwards.

        Raises `NqbenchError` if the program does not say that the formula is unsatisfiable, or does
        not write a whole proof.
        """
        words = [*self._words, *proofs.arguments(self._words[0], self._words)]
        answer = self._read_answer(self._run_with_proof(words, proof))
        if answer is not Answer.UNSAT:
            raise NqbenchError(f"{self._name} says '{answer}' when it is asked for a proof")
        try:
            proofs.put_in_drat(proof, self._written, proofs.form_of(words))
        except NqbenchError as error:
            raise NqbenchError(f"{self._name}: {error}") from error

    def prove_about_rows(self, opb: bytes, proof: BinaryIO) -> None:
        """Run the program with these rows and the file of a proof. What it prints is not read."""
        self._file(self._suffix).write_bytes(opb)
        self._run_with_proof(self._words, proof)

    def _run_with_proof(self, words: Sequence[str], proof: BinaryIO) -> Finished:
        # A link, so that the file may be large without being in memory, and need not be copied.
        link = self._file("proof")
        link.unlink(missing_ok=True)
        link.symlink_to(f"/proc/{os.getpid()}/fd/{proof.fileno()}")
        run = self._run(proofs.with_file(words, str(link)))
        if link.is_file() and not link.is_symlink():  # replaced by the program
            with link.open("rb") as replaced, os.fdopen(os.dup(proof.fileno()), "wb") as target:
                shutil.copyfileobj(replaced, target)
        return run

    def _run(self, words: Sequence[str]) -> Finished:
        """Run the words, with the placeholders of the formula and the result replaced."""
        self._file("result").unlink(missing_ok=True)
        program, *arguments = words
        names = {FORMULA: str(self._file(self._suffix)), RESULT: str(self._file("result"))}
        words = [program, *(fill(word, names) for word in arguments)]
        show = (lambda piece: write_all(_STANDARD_OUTPUT, piece)) if self._shows else None
        guard.kill_own_group()
        with subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            try:
                output, errors = read_apart(process, OUTPUT_LIMIT, show, self._hears)
            except NqbenchError as error:
                raise NqbenchError(f"{self._name} {error}") from error
        self._printed = b"\n".join((output, errors)).decode(errors="replace")
        return Finished(process.returncode, output, errors)

    def _read_answer(self, run: Finished) -> Answer:
        """The answer of a run. Its note is noted, and its model, if there is one."""
        lacks_model = False
        try:
            printed = self._result() or run.output
            output = solver_output.read(printed, f"output of {self._name}")
            lacks_model = not output.models
            answer = output.require_answer()
            claimed = _EXIT_STATUS.get(run.status, answer)
            if claimed is not answer and not (output.is_list and claimed is Answer.UNSAT):
                raise NqbenchError(f"{self._name} says '{answer}' and exits with {run.status}")
            if answer is Answer.SAT and (output.models or self._written.num_variables):
                self._values = self._model(output).values(self._written)
        except InputError as error:
            hint = _HINT if lacks_model and run.status in _EXIT_STATUS else ""
            raise NqbenchError(f"{error}; {_describe_end(run)}{hint}") from error
        if claimed is answer and run.status not in _USUAL.get(answer, (run.status,)):
            self._note = f"{how_ended(run.status)} {AFTER_ANSWER} '{answer}'"
        return answer

    def _model(self, output: solver_output.Output) -> solver_output.Model:
        """The model of an answer. Raises `InputError` if there is none."""
        return output.model

    def _result(self) -> bytes:
        """What the program wrote to its result file; empty if there is none."""
        try:
            with self._file("result").open("rb") as file:
                return file.read(OUTPUT_LIMIT)
        except FileNotFoundError:
            return b""

    @property
    def note(self) -> str:
        return self._note

    def model(self) -> Assignment:
        return self._values

    def counters(self) -> Counters:
        return statistics.read(self._prints, self._printed)

    def add(self, clause: Sequence[int]) -> None:
        self._write(_with_clause(self._written, clause))


def _with_clause(formula: Formula, clause: Sequence[int]) -> Formula:
    """The formula with one more clause."""
    if isinstance(formula, Constraints):
        return replace(formula, cnf=_append_clause(formula.cnf, clause))
    return _append_clause(formula, clause)


def _append_clause(cnf: CNF, clause: Sequence[int]) -> CNF:
    longer = CNFBuilder(cnf.num_main)
    longer.fresh(cnf.num_variables - cnf.num_main)
    for block in cnf.blocks:
        longer.add(block)
    longer.add([list(clause)])
    return longer.build()


def _describe_end(run: Finished) -> str:
    """How a program without an answer ended, and what it printed last."""
    lines = [
        line.strip()
        for text in (run.output, run.errors)
        for line in text.decode(errors="replace").strip().splitlines()
    ] or [""]
    last_line = next((line for line in lines if "error" in line.lower()), lines[-1])[:200]
    return f"{how_ended(run.status)}, last line '{last_line}'"
