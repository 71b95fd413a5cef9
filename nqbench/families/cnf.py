"""`cnf`: a formula in a DIMACS file, measured as it is.

It has clauses already, and no cover or rules: answers are checked against the clauses.
"""

from pathlib import Path

from nqbench.errors import InputError
from nqbench.families.base import Family
from nqbench.problems.base import Problem
from nqbench.problems.board_files import Diagonals
from nqbench.problems.formula import SUFFIXES, Formula, formulas


class Formulas(Family):
    """Formulas in files and folders."""

    meaning = "a formula in a DIMACS file"
    reference = "SAT competition, 'CNF format'"
    problem = Formula
    has_sizes = False
    suffixes = SUFFIXES

    def read(self, path: Path, diagonals: Diagonals = None, clip: bool = False) -> list[Problem]:
        if diagonals is not None or clip:
            raise InputError(f"{path}: `diagonals` is for boards, not for formulas")
        return list(formulas(path))
