"""Runs programs that read OPB: clasp on rows with weights and on objectives, others on everything.

M. Gebser, B. Kaufmann, T. Schaub, "Conflict-driven answer set solving: from theory to practice",
Artificial Intelligence 187-188, 2012. It keeps weights in 32 bits. Of a best model, such a program
prints the last one that it has found, and `s OPTIMUM FOUND` if no other is better.
"""

import contextlib
import re
from dataclasses import replace
from typing import BinaryIO, Final

from nqbench.backends.base import Listener
from nqbench.backends.program import solver_output
from nqbench.backends.program.process import Finished, ProgramSolver
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.clauses.linear import check_sums
from nqbench.clauses.opb import write_opb
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer

LARGEST_SUM: Final = 2**31 - 1
"""What the weights of a row or objective add up to at most."""

_OPTIMUM: Final = re.compile(rb"^s OPTIMUM FOUND\s*$", re.MULTILINE)
_VALUES: Final = re.compile(rb"^v .*$", re.MULTILINE)


class WeighingProgram(ProgramSolver):
    """Runs a command on OPB if there are weights or an objective, and else on DIMACS or CNF+."""

    def _write_formula(self, formula: Formula, file: BinaryIO) -> None:
        if not self._gets_opb(formula):
            super()._write_formula(formula, file)
            return
        self._check(formula)
        write_opb(_minimised(formula), file)

    def _gets_opb(self, formula: Formula, /) -> bool:
        return isinstance(formula, Constraints) and bool(formula.weighted or formula.objective)

    def _check(self, formula: Formula, /) -> None:
        check_sums(formula, LARGEST_SUM, "clasp")

    def _read_answer(self, run: Finished) -> Answer:
        if not self._gets_opb(self._written):
            return super()._read_answer(run)
        output = _VALUES.sub(_numbered, run.output)
        answer = super()._read_answer(replace(run, output=output))
        is_best = _minimised(self._written).objective is not None
        if answer is Answer.SAT and is_best and not _OPTIMUM.search(output):
            return Answer.UNKNOWN
        return answer

    def report_to(self, listener: Listener) -> None:
        self._hears = PrintedModels(self._written, listener).hear

    def _model(self, output: solver_output.Output) -> solver_output.Model:
        return output.models[-1] if output.models else output.model


class OpbProgram(WeighingProgram):
    """Runs a command on OPB, with weights of any size."""

    _suffix = "opb"

    def _gets_opb(self, _formula: Formula, /) -> bool:
        return True

    def _check(self, _formula: Formula, /) -> None:
        pass


class PrintedModels:
    """Finds the models in what a program prints, while it prints. A model is in `v` lines, and
    whole when it has every variable, or when another line follows.
    """

    def __init__(self, formula: Formula, listener: Listener) -> None:
        self._formula, self._listener = formula, listener
        self._line = b""
        self._model: list[bytes] = []

    def hear(self, piece: bytes) -> None:
        """Take the next piece of the output."""
        *lines, self._line = (self._line + piece).split(b"\n")
        for line in lines:
            if not _VALUES.match(line):
                self._report()
                continue
            self._model.append(_VALUES.sub(_numbered, line))
            num_values = sum(len(values.split()) - 1 for values in self._model)
            if num_values >= self._formula.num_variables:
                self._report()

    def _report(self) -> None:
        printed, self._model = b"\n".join(self._model), []
        if not printed:
            return
        # What is no model is none so far; if the program ends, its whole output is read again, and
        # the error is raised.
        with contextlib.suppress(InputError):
            model = solver_output.read(printed, "a model").models[-1]
            self._listener.hear_model(model.values(self._formula))


def _numbered(line: re.Match[bytes]) -> bytes:
    """The line with numbers for the variables x1, x2, and so on."""
    return line[0].replace(b"x", b"")


def _minimised(formula: Formula) -> Constraints:
    """The constraints with an objective as clasp reads it: one to be minimised, with literals."""
    constraints = formula if isinstance(formula, Constraints) else Constraints(formula)
    objective = constraints.objective
    if objective is not None:
        has_literals = len(objective.literals) > 0
        objective = replace(objective, is_maximised=False) if has_literals else None
    return replace(constraints, objective=objective)
