"""Writes the formula of an encoding class in a file. Called inside a sandbox only."""

import io
from pathlib import Path
from typing import Final

from nqbench.clauses import dimacs
from nqbench.clauses.annotations import NO_ANNOTATIONS
from nqbench.clauses.description import Description
from nqbench.common.errors import InputError
from nqbench.encodings import lines, pairwise
from nqbench.encodings.base import Encoding
from nqbench.problems.families.described import facts_of
from nqbench.problems.queens import Queens

_IMPORTED: Final = (lines, pairwise)
"""What most files import, so that a forked process has it already."""


def write_class(path: Path, n: int) -> bytes:
    """The formula of the only encoding in a Python file as DIMACS, with comment lines that say
    which variable is which square. The file is imported.

    Raises `InputError` if it has no such class, or if that makes no clauses of n queens.
    """
    problem = Queens(n)
    encoding = Encoding.named(str(path))
    if reason := encoding.why_not(problem):
        raise InputError(reason)
    formula = encoding.clauses(problem).with_clauses(encoding.lazy_clauses(problem))
    literals = encoding.option_literals(problem)
    if literals is None:
        raise InputError("it does not say which literal is which square: add option_literals()")
    described = Description(problem.family, facts_of(problem), encoding.name)
    comments = described.with_literals(problem.options, literals).lines()
    file = io.BytesIO()
    dimacs.write(formula, file, NO_ANNOTATIONS.followed_by(comments))
    return file.getvalue()
