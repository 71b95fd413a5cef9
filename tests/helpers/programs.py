"""Programs that pip cannot install, and those that a test writes."""

import pytest

from nqbench.plugins.programs import find

READERS_OF_DIMACS = {
    "minisat": ["minisat"],
    "cadical": ["cadical", "-q"],
    "cryptominisat5": ["cryptominisat5", "--verb", "0"],
    "picosat": ["/usr/bin/picosat"],
}
"""Solvers, and how they are called."""


def needs(program):
    """Skip a test if this program is missing."""
    return pytest.mark.skipif(find(program) is None, reason=f"no {program}: apt install {program}")


def write_program(path, script=""):
    """A program of the shell at this path."""
    path.write_text(f"#!/bin/sh\n{script}")
    path.chmod(0o755)
    return path
