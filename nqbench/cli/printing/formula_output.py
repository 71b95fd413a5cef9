"""Writes a formula to the file or the output that a command names."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nqbench.clauses.annotations import Annotations
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.constraints import Constraints


def write_formula(
    formula: "CNF | Constraints", output: Path | None, annotations: "Annotations | None" = None
) -> None:
    """Write to this file as `constraint_files.write_file` does, or to standard output."""
    from nqbench.clauses import constraint_files
    from nqbench.clauses.annotations import NO_ANNOTATIONS

    annotations = annotations or NO_ANNOTATIONS
    if output is None:
        constraint_files.write_text(formula, sys.stdout.buffer, annotations)
    else:
        constraint_files.write_file(formula, output, annotations)
