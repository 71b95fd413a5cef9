"""Reads the formula in what a submission has written. Called in a separate process."""

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

import msgspec

from nqbench.clauses import dimacs
from nqbench.clauses.comment_lines import NO_ANNOTATIONS, read_description
from nqbench.common.errors import InputError
from nqbench.encodings.program_formula import ProgramFormula, find_formula, read_formula

_SOLVER: Final = re.compile(
    rb"^[ \t]*(?:s[ \t]+(?:UN)?SAT|v[ \t]+-?\d|(?:UN)?SAT(?:ISFIABLE)?\b)", re.MULTILINE
)
_BOARD: Final = re.compile(rb"^[ \t|]*(?:[Qq.*_#x01\-][ \t|]*){3,}$", re.MULTILINE)
_SOLVES: Final = "a program that solves the problem itself has no formula to judge"


@dataclass(frozen=True, slots=True)
class Left:
    """What a submission has printed, and the files that it has left, by name; in the file `out` if
    it was given that name. `flaw` says why the files cannot be used.
    """

    printed: bytes
    files: Mapping[str, bytes]
    out: str = ""
    flaw: str = ""

    @property
    def formula(self) -> ProgramFormula:
        """The formula in it. Raises `InputError` if there is none, and says if the submission has
        printed a solution.
        """
        try:
            return find_formula(self.printed, self._left, self.out)
        except InputError as error:
            if _SOLVER.search(self.printed):
                raise InputError(f"printed a solver's output: {_SOLVES}") from error
            if len(_BOARD.findall(self.printed)) >= 4 and b"p cnf" not in self.printed:
                raise InputError(f"printed a board: {_SOLVES}") from error
            raise

    def _left(self) -> Mapping[str, bytes]:
        if self.flaw:
            raise InputError(self.flaw)
        return self.files


class Text(msgspec.Struct, array_like=True):
    """A formula as DIMACS with exact counts in its header, and `notes` on what was accepted."""

    content: bytes
    notes: tuple[str, ...]

    @classmethod
    def of(cls, formula: ProgramFormula) -> Self:
        """The text of a formula, with the comment lines that say which variable is which square.
        Raises `InputError` if these cannot be read.
        """
        lines = read_description(formula.text, formula.source).lines()
        file = io.BytesIO()
        dimacs.write(formula.cnf, file, NO_ANNOTATIONS.preceded_by(lines))
        return cls(file.getvalue(), formula.notes)


def read_text(left: Left | bytes) -> Text:
    """The formula in what a submission left, or in the file that it is. Raises `InputError`."""
    return Text.of(read_formula(left, "the file") if isinstance(left, bytes) else left.formula)
