"""A family whose rules have negative literals, as an installed plugin."""

import pytest
from addons import needs_addon
from conftest import plugin

import nqbench as library
from nqbench.campaign.optimum import State

MODULE = '''
from dataclasses import dataclass

import numpy as np

from nqbench.plugin import (
    Better, Box, Constraints, Counted, FamilyOfK, LexLeader, ProblemOfK, Rows, Rules,
)


def literals(n):
    """1, -2, 3 and so on."""
    return [v if v % 2 else -v for v in range(1, n + 1)]


@dataclass(frozen=True)
class Signs(ProblemOfK):
    """At least k of 1, -2, 3 .. are true, and no two neighbours."""

    n: int
    k: int
    family: str = "signs"
    symmetry: str = "none"
    largest_n = 20

    @property
    def options(self):
        return Box(self.n)

    def constraints(self):
        row = np.array([literals(self.n)], np.int32)
        neighbours = np.stack([row[0, :-1], row[0, 1:]], axis=1)
        return Constraints.of(self.n, Rows.at_least(row, self.k), Rows.at_most(neighbours, 1))

    def rules(self):
        row = literals(self.n)
        pairs = [Counted(pair, 0, 1) for pair in zip(row, row[1:])]
        return Rules(self.options, None, [], counted=[Counted(row, self.k, self.n), *pairs])

    def lex_leader(self):
        order = np.arange(1, self.n + 1, dtype=np.int32)
        return LexLeader(order[np.newaxis, ::-1], order)


class SignsFamily(FamilyOfK):
    meaning = reference = "a test"
    problem = Signs
    better = Better.MORE

    def of_size(self, n):
        return Signs(n, self.k(n, (), 1), self.name, self.symmetry)


'''
ENTRIES = """
[nqbench.families]
signs = signs:SignsFamily
"""


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugin")
    about = folder / "signs-1.0.dist-info"
    about.mkdir()
    (folder / "signs.py").write_text(MODULE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: signs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRIES)
    with plugin(folder):
        yield


@pytest.mark.parametrize("symmetry", ["none", "eight"])
def test_the_optimum_of_negative_literals_is_proven(symmetry):
    (found,) = library.optimum(f"signs:symmetry={symmetry}", 5, encoding="totalizer")
    assert (found.best, found.state) == (3, State.OPTIMAL)  # of a path of five, every other one


@needs_addon("certify")
def test_an_encoding_of_them_is_certified_with_symmetries():
    (problem,) = library.problems_of("signs:symmetry=eight:k=2", 5)
    (found,) = library.certify("sequential", problem)
    assert (found.only_solutions.state, found.every_solution.state) == ("proved", "proved")
