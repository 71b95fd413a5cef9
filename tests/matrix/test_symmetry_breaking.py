"""Families with the option symmetry: one solution of each class is kept, and that is checked."""

from dataclasses import replace

import numpy as np
import pytest
from addons import needs_addon

import nqbench
from nqbench.checking import automorphisms
from nqbench.encodings.base import Encoding
from nqbench.problems.families.base import Family
from nqbench.problems.lex_leader import LexLeader
from nqbench.testing import check_family, solutions
from nqbench.testing.encodings import check_instances

pytestmark = pytest.mark.usefixtures("called_directly")

SMALL = [
    ("queen-domination:symmetry=eight", (1, 2, 3, 4)),
    ("queen-domination:k=5:symmetry=eight", (3, 4)),
    ("squares-free:symmetry=eight", (2, 3, 4)),
    ("squares-free:squares=all:symmetry=eight", (3,)),
    ("peaceable-queens:k=1:symmetry=eight", (1, 2)),
    ("colouring:graph=mycielski:colours=3:symmetry=clique", (1, 2)),
    ("colouring:colours=4:symmetry=clique", (2,)),
]
PROBLEMS = [Family.named(name).of_size(n) for name, sizes in SMALL for n in sizes]


def chosen(problem, solution):
    options = list(problem.options)
    return frozenset(options.index(each) + 1 for each in solution)


def is_kept(leader, chosen):
    """By comparing as sequences of truth values, as the papers say it."""
    own = [v in chosen for v in leader.order.tolist()]
    return all(
        own >= [int(image[v - 1]) in chosen for v in leader.order.tolist()]
        for image in leader.images
    )


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_every_class_keeps_a_solution(problem):
    leader = problem.lex_leader()
    found = {chosen(problem, each) for each in solutions(problem)}
    kept = {each for each in found if is_kept(leader, each)}
    assert all(leader.orbit(each) & kept for each in found)
    assert not found or len(kept) < len(found) or len(leader.orbit(next(iter(found)))) == 1
    assert automorphisms.flaw(problem.rules(), leader) is None


@pytest.mark.parametrize("scheme", ["pairwise", "sequential", "native"])
def test_encodings_keep_one_of_each_class_and_only_solutions(scheme):
    encoding = Encoding.named(scheme)
    check_instances(encoding, [each for each in PROBLEMS if not encoding.why_not(each)])


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


def test_what_is_no_symmetry_is_found():
    problem = Family.named("queen-domination:symmetry=eight").of_size(3)
    leader, rules = problem.lex_leader(), problem.rules()
    swapped = leader.images.copy()
    swapped[0, [0, 1]] = swapped[0, [1, 0]]
    assert "symmetry 1 is none of the rules" in automorphisms.flaw(
        rules, replace(leader, images=swapped)
    )
    twice = leader.images.copy()
    twice[2, 0] = twice[2, 1]
    assert "symmetry 3 is no permutation" in automorphisms.flaw(
        rules, replace(leader, images=twice)
    )
    beyond = replace(leader, order=np.array([10], np.int32))
    assert "does not exist" in automorphisms.flaw(rules, beyond)


def test_colours_of_neighbours_alone_are_not_symmetric():
    """A vertex whose colour is given: the colours cannot be swapped any more."""
    problem = Family.named("colouring:symmetry=clique:colours=4").of_size(2)
    rules = replace(problem.rules(), chosen=[(0, 2)])
    assert "given" in automorphisms.flaw(rules, problem.lex_leader())


def faulty(monkeypatch, change):
    kind = type(Family.named("queen-domination").of_size(3))
    right = kind.lex_leader
    monkeypatch.setattr(kind, "lex_leader", lambda self: change(right(self)))


@needs_addon("certify")
def test_a_wrong_symmetry_refutes_the_certificate(monkeypatch):
    def rolled(leader):
        return LexLeader(np.roll(leader.images, 1, axis=1), leader.order)

    faulty(monkeypatch, rolled)
    problem = Family.named("queen-domination:symmetry=eight").of_size(3)
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


def test_what_does_not_break_symmetries_says_so():
    problem = Family.named("colouring:symmetry=clique").of_size(4)
    assert "does not break symmetries" in Encoding.named("cover").why_not(problem)


@pytest.mark.parametrize(
    "name",
    [
        "queen-domination:symmetry=eight",
        "squares-free:symmetry=eight",
        "peaceable-queens:symmetry=eight",
        "magic-square:symmetry=eight",
        "colouring:symmetry=clique",
    ],
)
def test_families_with_symmetry_conform(name):
    check_family(Family.named(name))
