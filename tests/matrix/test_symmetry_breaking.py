"""Families with the option symmetry: one solution of each class is kept, and that is checked."""

import numpy as np
import pytest
from addons import needs_addon

import nqbench
from nqbench.problems.families.base import Family
from nqbench.problems.lex_leader import LexLeader
from nqbench.testing import check_family

pytestmark = pytest.mark.usefixtures("called_directly")

SMALL = [
    ("queen-domination:symmetry=eight", (1, 2, 3)),
    ("queen-domination:k=5:symmetry=eight", (3,)),
    ("squares-free:symmetry=eight", (2, 3)),
    ("squares-free:squares=all:symmetry=eight", (3,)),
    ("peaceable-queens:symmetry=eight", (1, 2)),
    ("peaceable-queens:k=1:symmetry=eight", (1, 2)),
    ("colouring:graph=mycielski:colours=3:symmetry=clique", (1, 2)),
    ("colouring:colours=4:symmetry=clique", (2,)),
]
"""Larger boards are in `test_lex_leaders`, and magic squares in a file of their own."""


@pytest.mark.parametrize(("name", "sizes"), SMALL)
def test_families_conform_with_every_encoding(name, sizes):
    """Of each class, a solution is allowed, and only solutions are."""
    family = Family.named(name)
    check_family(family, [family.of_size(n) for n in sizes])


@needs_addon("certify")
@pytest.mark.parametrize("scheme", ["pairwise", "log", "order", "product"])
def test_colourings_are_certified(scheme):
    problems = [Family.named("colouring:symmetry=clique").of_size(n) for n in (3, 4, 5)]
    found = nqbench.certify(scheme, problems)
    assert {each.result for each in found} == {"certified"}
    assert all("symmetries" in " ".join(each.relied_on) for each in found)


@needs_addon("certify")
def test_boards_are_certified():
    problems = [Family.named("queen-domination:symmetry=eight").of_size(n) for n in (3, 4)] + [
        Family.named("squares-free:symmetry=eight").of_size(3)
    ]
    assert {each.result for each in nqbench.certify("sequential", problems)} == {"certified"}


def test_the_optimum_stays():
    found = nqbench.optimum("queen-domination:symmetry=eight", [4, 6])
    assert [(each.best, each.is_proven) for each in found] == [(2, True), (3, True)]


@needs_addon("certify")
def test_a_wrong_symmetry_refutes_the_certificate(monkeypatch):
    problem = Family.named("queen-domination:symmetry=eight").of_size(3)
    right = problem.lex_leader()
    wrong = LexLeader(np.roll(right.images, 1, axis=1), right.order)
    monkeypatch.setattr(type(problem), "lex_leader", lambda self: wrong)
    (found,) = nqbench.certify("sequential", [problem])
    assert found.result == "refuted"


@needs_addon("certify")
def test_a_constraint_in_the_wrong_direction_refutes_the_certificate(monkeypatch):
    """The encoding keeps the smallest, where the problem says that it keeps the greatest."""
    from nqbench.encodings import boards

    right = boards._at_least
    monkeypatch.setattr(boards, "_at_least", lambda cnf, x, y: right(cnf, y, x))
    problem = Family.named("queen-domination:k=2:symmetry=eight").of_size(4)
    (found,) = nqbench.certify("sequential", [problem])
    assert found.result == "refuted"


def test_unsat_of_a_colouring_is_shown_with_symmetries():
    """Seven colours are needed for n = 6 (OEIS A088202)."""
    families = [f"colouring:colours={colours}:symmetry=clique" for colours in (6, 7)]
    records = nqbench.run(
        [Family.named(name).of_size(6) for name in families],
        encodings="pairwise",
        backends="cadical195",
        repeat=1,
        pin=False,
    )
    assert set(records["verdict"]) == {"verified"}
    assert dict(records.select("family", "answer").rows()) == dict(
        zip(families, ["unsat", "sat"], strict=True)
    )
