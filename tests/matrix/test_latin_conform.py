"""Latin squares, quasigroups and sudoku conform, with every encoding."""

import pytest

from nqbench.checking import exhaustive
from nqbench.problems.families.base import Family
from nqbench.testing import check_family


def parsed(text):
    return Family.named("sudoku").parsed(text, "p.sdk", "p")


@pytest.mark.parametrize("family", ["quasigroup", "quasigroup:from=square", "sudoku"])
def test_families_conform(family):
    check_family(Family.named(family))


def test_latin_squares_conform():
    family = Family.named("latin")
    check_family(family, [family.of_size(n) for n in (1, 2, 3)])


def test_puzzles_with_one_solution_or_none_conform():
    problems = parsed("1..43..22..34..1\n123.34..2..44...")
    assert [exhaustive.count(problem) for problem in problems] == [1, 0]
    check_family(Family.named("sudoku"), problems)
