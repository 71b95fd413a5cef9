"""Writes a formula to the file or the output that a command names."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nqbench.clauses.annotations import Annotations
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.cnf_plus import CNFPlus


def write_formula(
    formula: "CNF | CNFPlus", output: Path | None, annotations: "Annotations | None" = None
) -> None:
    """Write DIMACS to this file as `dimacs.write_file` does, or to standard output."""
    from nqbench.clauses import dimacs

    annotations = annotations or dimacs.NO_ANNOTATIONS
    if output is None:
        dimacs.write(formula, sys.stdout.buffer, annotations)
    else:
        dimacs.write_file(formula, output, annotations)
