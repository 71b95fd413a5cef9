"""The table of strengths is that of the code, and rows of 7 literals are those of brute force."""

import importlib.util
from pathlib import Path

import pytest

from nqbench.addons.strength import table
from nqbench.addons.strength.strength import Row, measure
from nqbench.encodings.base import Encoding

UNIT = Path(__file__).parents[1] / "unit" / "test_strength.py"
SPEC = importlib.util.spec_from_file_location("strength_by_brute_force", UNIT)
BRUTE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(BRUTE)


def test_the_table_is_that_of_the_code():
    assert table.measure_table() == table.table(), "python -m nqbench.addons.strength.table"


@pytest.mark.parametrize("name", [*BRUTE.FIND_ALL, *BRUTE.WEAK])
def test_strength_is_that_of_brute_force(name):
    encoding = Encoding.named(name)
    for n in (5, 6, 7):
        for least, most in ((0, 1), (0, n // 2), (2, 2), (2, n - 2), (n // 2 + 1, n)):
            row = Row((1,) * n, least, most)
            assert BRUTE.facts(measure(encoding, row)) == BRUTE.brute_force(encoding, row), row
