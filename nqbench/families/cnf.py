"""`cnf`: a formula in a DIMACS file, measured as it is.

It has clauses already, and no cover or rules: answers are checked against the clauses.
"""

from pathlib import Path

from nqbench.families.base import Family
from nqbench.problems.base import Problem
from nqbench.problems.formula import SUFFIXES, Formula, formulas


class Formulas(Family):
    """Formulas in files and folders."""

    meaning = "a formula in a DIMACS file"
    reference = "SAT competition, 'CNF format'"
    problem = Formula
    has_sizes = False
    suffixes = SUFFIXES

    def read(self, path: Path) -> list[Problem]:
        return list(formulas(path))
