"""Files of sequences as problems: what `--cnf FILE.icnf` names."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Several
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from nqbench.addons.sequences.sequence import Query, Sequence, icnf_lines, read_sequence
from nqbench.clauses.cnf import CNF
from nqbench.common import compression
from nqbench.common.errors import InputError
from nqbench.common.printable import as_word
from nqbench.problems.base import Problem
from nqbench.problems.families.base import Family
from nqbench.problems.families.cnf import Formula, formulas


@dataclass(frozen=True, slots=True)
class SequenceFile(Formula):
    """A sequence in a file. Its instance has all clauses in order; the queries are read by who asks
    a solver, and by who judges its answers.
    """

    family: ClassVar[str] = "sequence"  # type: ignore[misc]
    needs_assumptions: ClassVar[bool] = True

    def sequence(self) -> Sequence:
        """The sequence. Raises `InputError` as `read_sequence` does."""
        return read_sequence(self.content(), self.source)

    def asked(self) -> list[tuple[list[list[int]], tuple[int, ...]]]:
        """The clauses before each query, and its assumptions."""
        return [
            ([clause for block in query.added for clause in block.tolist()], query.assumptions)
            for query in self.sequence().queries
        ]

    @staticmethod
    def text_of(asked: Iterable[tuple[Several[Several[int]], Several[int]]]) -> str:
        """The text of a file with these clauses and queries."""
        queries = (
            Query(0, tuple(np.array([clause], np.int32) for clause in clauses), tuple(assumptions))
            for clauses, assumptions in asked
        )
        return "\n".join([*icnf_lines(Sequence(0, tuple(queries))), ""])

    def instance_formula(self) -> CNF:
        """All clauses, in order."""
        return self.sequence().clauses()

    def formula(self) -> CNF:
        """Raises `InputError`: no formula says what is asked."""
        raise InputError(
            f"{self.source} has queries between its clauses, and is no formula: measure them with "
            f"`nqbench run --cnf {as_word(self.source)}`"
        )


class Sequences(Family):
    """Sequences in files and folders."""

    meaning = "queries that one solver answers, in a file: p icnf or p inccnf"
    reference = "K. Fazekas, F. Pollitt, M. Fleury, A. Biere, LPAR 2024"
    problem = SequenceFile
    has_sizes = False
    suffixes = tuple(f".icnf{packed}" for packed in ("", *compression.SUFFIXES))

    def read(self, path: Path) -> list[Problem]:
        """The sequence in a file, or those in a folder and its subfolders."""
        return list(formulas(path))
