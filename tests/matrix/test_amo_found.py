"""The at-most-one constraints that formulas were written from, by nqbench and by CNFgen."""

import itertools
import re

import pytest
from cnfgen.clitools import cnfgen

from nqbench.clauses import dimacs
from nqbench.clauses.rewriting.detection import find_constraints
from nqbench.encodings.base import Encoding
from nqbench.problems.families.base import Family

FAMILIES = {
    "queens": 8,
    "torus": 7,
    "pigeonhole": 7,
    "langford": 7,
    "latin": 5,
    "quasigroup": 5,
    "sudoku": 3,
}
"""The n of families that are stated by at-most-one constraints."""

BY_NAME = {
    "php 8 7": {"p": (2,)},
    "php 7 9 --functional": {"p": (1, 2)},
    "php 6 5 --onto --functional": {"p": (1, 2)},
    "parity 9": {"p": "each"},
    "count 7 3": {"p": "each"},
    "matching complete 8": {"e": "each"},
    "matching grid 4 5": {"e": "each"},
    "kcolor 6 grid 3 3": {"x": (1,)},
    "kcolor 5 complete 7": {"x": (1, 2)},
    "kclique 4 complete 6": {"s": (1, 2)},
    "iso complete 6 -e complete 6": {"x": (1, 2)},
    "cliquecoloring 7 4 5": {"q": (1, 2), "r": (1,)},
}
"""Commands of CNFgen and, for each letter of a variable's name, the places of the indices that
variables of one constraint share; `each` for variables that have an index in common, whatever its
place. By CNFgen's own names of variables.
"""

MORE = {"count 7 3": 1, "kclique 4 complete 6": 3}
"""How many more constraints are found than were stated: any two of seven triples have an element
in common, but no element is in all; and the nodes of a clique are in order, by other pairs.
"""


def compared(formula, generating):
    """Check what is found in the formula, and return how many more constraints that is than were
    generated, of at least three literals.
    """
    pairs = {frozenset(clause) for clause in formula.clauses() if len(clause) == 2}
    every = find_constraints(formula)
    assert every.is_exact
    inside = [set(each.literals) for each in every.constraints]
    covered = {frozenset((-a, -b)) for each in inside for a, b in itertools.combinations(each, 2)}
    assert every.left == len(pairs - covered)
    assert covered <= pairs
    near = {}
    for a, b in pairs:
        near.setdefault(-a, set()).add(-b)
        near.setdefault(-b, set()).add(-a)
    for pair in pairs - covered:  # they are in no triangle
        assert not set.intersection(*(near[-literal] for literal in pair))
    wide = [each for each in map(set, generating) if len(each) > 2]
    for each in wide:
        is_maximal = not set.intersection(*(near[literal] for literal in each))
        assert (each in inside) == is_maximal, each
    return len(inside) - len(wide)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_family_states_is_found(family):
    (problem,) = [Family.named(family).of_size(FAMILIES[family])]
    stated = Encoding.named("native").formula(problem)
    generating = [row for rows in stated.rows for row in rows.literals.tolist()]
    assert len(generating) > 3
    assert compared(Encoding.named("pairwise").clauses(problem), generating) <= 4


@pytest.mark.parametrize("command", BY_NAME)
def test_what_cnfgen_states_is_found(command):
    made = cnfgen(["cnfgen", *command.split()], mode="formula")
    groups = {}
    for variable, name in enumerate(made.all_variable_labels(), 1):
        letter, text = re.fullmatch(r"([a-z])_\{([\d,]+)\}", name).groups()
        indices = text.split(",") if "," in text else [text[:1], text[1:]]
        places = BY_NAME[command].get(letter, ())
        shared = indices if places == "each" else [(p, indices[p - 1]) for p in places]
        for key in shared:
            groups.setdefault((letter, key), set()).add(variable)
    assert len(groups) > 3
    more = compared(dimacs.read(made.to_dimacs().encode(), command), groups.values())
    assert more == MORE.get(command, 0)
