"""Writes a formula where a command was told to."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nqbench import files

if TYPE_CHECKING:
    from nqbench.instances.cnf import CNF
    from nqbench.instances.cnf_plus import CNFPlus


def write_formula(formula: "CNF | CNFPlus", output: Path | None) -> None:
    """Write DIMACS to this file, whose folder is made if it is missing, or to standard output.
    Raises `InputError` if the file cannot be written.
    """
    from nqbench.instances import dimacs

    if output is None:
        dimacs.write(formula, sys.stdout.buffer)
        return
    with files.written(output, folders=True) as file:
        dimacs.write(formula, file)
