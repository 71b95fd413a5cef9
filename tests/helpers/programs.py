"""Programs that pip cannot install; tests that need one are skipped if it is missing."""

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
    return pytest.mark.skipif(find(program) is None, reason=f"no {program}: apt install {program}")
