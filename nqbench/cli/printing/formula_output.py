"""Writes a formula where a command was told to."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nqbench.common import files

if TYPE_CHECKING:
    from nqbench.clauses.annotations import Annotations
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.cnf_plus import CNFPlus


def write_formula(
    formula: "CNF | CNFPlus", output: Path | None, annotations: "Annotations | None" = None
) -> None:
    """Write DIMACS to this file, whose folder is made if it is missing, packed as its suffix says,
    or to standard output. Raises `InputError` if the file cannot be written, or has the suffix of
    something else.
    """
    from nqbench.clauses import dimacs

    annotations = annotations or dimacs.NO_ANNOTATIONS
    if output is None:
        dimacs.write(formula, sys.stdout.buffer, annotations)
        return
    dimacs.check_name(str(output))
    with files.written(output, folders=True) as file:
        dimacs.write_packed(formula, output.name, file, annotations)
