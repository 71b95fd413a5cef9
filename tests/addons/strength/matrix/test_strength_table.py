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
    """A quarter of the rows of each scheme, and each row of every fourth one."""
    assert set(table.table()) == set(table.schemes())
    for place, (name, kept) in enumerate(table.table().items()):
        for row, strength in table.measure_rows(name, table.ROWS[place % 4 :: 4]).items():
            assert kept[row] == strength, "python -m nqbench.addons.strength.table"


@pytest.mark.parametrize("name", [*BRUTE.FIND_ALL, *BRUTE.WEAK])
def test_strength_is_that_of_brute_force(name):
    encoding = Encoding.named(name)
    rows = [(5, 0, 2), (5, 2, 2), (5, 3, 5)]
    # The schemes that count in groups, or in digits, differ from one size to the next.
    rows += [(6, 0, 3), (6, 2, 2), (7, 0, 3)] if name in BRUTE.WEAK else []
    for n, least, most in rows:
        row = Row((1,) * n, least, most)
        assert BRUTE.facts(measure(encoding, row)) == BRUTE.brute_force(encoding, row), row
