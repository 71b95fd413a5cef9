"""Symmetries of problems: one solution of each class is kept, and a wrong symmetry is noticed."""

from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
import pytest

from nqbench.backends import fit
from nqbench.backends.base import Backend
from nqbench.checking import automorphisms, exhaustive
from nqbench.clauses.cnf import CNF
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import CheckedBy, Task
from nqbench.encodings.base import Encoding
from nqbench.measure.run_judge import certifier
from nqbench.problems.families.base import Family
from nqbench.problems.families.colouring import Colouring, Graph, clique, queen
from nqbench.problems.lex_leader import LexLeader
from nqbench.testing import full_placements, solutions
from nqbench.testing.brute_force import AnyCover
from nqbench.testing.encodings import models

pytestmark = pytest.mark.usefixtures("called_directly")

PETERSEN = Graph(
    10,
    (
        *((v, (v + 1) % 5) for v in range(5)),
        *((v, v + 5) for v in range(5)),
        *((5 + v, 5 + (v + 2) % 5) for v in range(5)),
    ),
)
CYCLE = Graph(5, tuple((v, (v + 1) % 5) for v in range(5)))


def board(name, n):
    return Family.named(f"{name}:symmetry=eight").of_size(n)


def coloured(graph, colours):
    return Colouring(graph, colours, None, "colouring:symmetry=clique", symmetry="clique")


def turned_and_flipped(solution, n):
    """The eight images of options whose last numbers are a row and a column, by turns of 90 degrees
    and by flips of the columns.
    """
    images = set()
    for flips, turns in product(range(2), range(4)):
        moved = [(*rest, r, n - 1 - c if flips else c) for *rest, r, c in solution]
        for _ in range(turns):
            moved = [(*rest, c, n - 1 - r) for *rest, r, c in moved]
        images.add(tuple(sorted(moved)))
    return images


def swapped(solution):
    """The armies of a board with two armies, in the other colours."""
    return [(1 - colour, row, column) for colour, row, column in solution]


def recoloured(solution, colours):
    return {
        tuple((vertex, new[colour]) for vertex, colour in solution)
        for new in permutations(range(colours))
    }


BOARDS = [
    *(("queen-domination", n) for n in (1, 2, 3, 4)),
    *(("queen-domination:independent=yes", n) for n in (3, 4)),
    *(("squares-free", n) for n in (1, 2, 3, 4)),
    *(("squares-free:squares=all", n) for n in (3, 4)),
    *(("peaceable-queens", n) for n in (1, 2, 3, 4)),
    ("peaceable-queens:k=1", 2),
]


@pytest.mark.parametrize("encoding", ["pairwise", "totalizer"])
@pytest.mark.parametrize(("name", "n"), BOARDS)
def test_exactly_one_board_of_each_class_is_kept(name, n, encoding):
    problem = board(name, n)
    every = {tuple(sorted(each)) for each in listed(problem)}
    kept = [tuple(sorted(each)) for each in full_placements(Encoding.named(encoding), problem)]
    assert set(kept) <= every
    classes = set()
    for solution in every:
        images = turned_and_flipped(solution, n)
        if problem.family.startswith("peaceable"):
            images |= turned_and_flipped(swapped(solution), n)
        assert images <= every
        assert {*problem.images(solution), solution} == images
        classes.add(frozenset(images))
    assert [len(each & set(kept)) for each in classes] == [1] * len(classes)
    assert len(kept) == len(classes)


def listed(problem):
    """All solutions, by trying all sets of options, or by the exhaustive search."""
    if len(problem.options) <= 16:
        return solutions(problem)
    options = problem.options
    return (tuple(options[v - 1] for v in each) for each in exhaustive.solutions(problem))


@pytest.mark.parametrize(("n", "classes"), [(1, 1), (2, 1), (3, 1), (4, 3), (5, 37), (6, 1)])
def test_boards_to_dominate_are_as_many_as_published_up_to_symmetry(n, classes):
    """OEIS A002563; all of them are A002564."""
    kept = full_placements(Encoding.named("sequential"), board("queen-domination", n))
    assert len(kept) == classes


@pytest.mark.parametrize("encoding", ["pairwise", "product", "native", "order", "log"])
@pytest.mark.parametrize(
    ("graph", "colours", "kept"),
    [
        (queen(5), 5, 240 // 120),
        (CYCLE, 3, 30 // 6),
        (CYCLE, 4, 240 // 12),  # the two other colours are not told apart
        (PETERSEN, 3, 120 // 6),
        (Graph(4, ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))), 4, 1),
        (Graph(4, ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))), 3, 0),
        (Graph(1, ()), 1, 1),
    ],
)
def test_the_colours_of_a_clique_are_fixed(graph, colours, kept, encoding):
    """Numbers by the chromatic polynomials; the queen graph of 5 rows has 240 colourings."""
    problem = coloured(graph, colours)
    found = {tuple(sorted(each)) for each in full_placements(Encoding.named(encoding), problem)}
    assert len(found) == kept
    first = clique(graph, colours)
    assert all(solution[v][1] == at for solution in found for at, v in enumerate(first))
    assert all(problem.violation(solution) is None for solution in found)
    every = {tuple(sorted(each)) for each in listed(problem)}
    assert every == {image for each in found for image in recoloured(each, colours)}


def test_a_graph_without_edges_keeps_a_colouring_of_each_class():
    problem = coloured(Graph(3, ()), 3)
    for encoding in ("pairwise", "order"):
        found = full_placements(Encoding.named(encoding), problem)
        assert {colours[0][1] for colours in found} == {0}
        assert len(found) == 9


@pytest.mark.parametrize(("n", "colours"), [(8, 8), (8, 9), (9, 9)])
def test_the_clique_of_a_queen_graph_is_a_middle_column(n, colours):
    found = clique(queen(n), colours)
    assert sorted(found) == [row * n + (n - 1) // 2 for row in range(n)]


def test_a_problem_without_symmetry_is_what_it_was():
    """Records of earlier versions have no such field."""
    plain = Family.named("colouring").of_size(4)
    assert "symmetry" not in plain.identity
    assert plain.digest == "16228f5a710cfd95"
    assert not plain.has_symmetries
    assert not Encoding.named("pairwise").breaks_symmetry(plain)
    assert Family.named("colouring:symmetry=clique").of_size(4).digest != plain.digest


@pytest.mark.parametrize(
    ("encoding", "backend", "task", "message"),
    [
        ("cover", "cp-sat-cover", Task.FIRST, "'cover' does not break symmetries, as queen-dom"),
        ("sequential", "cadical195", Task.ALL, "'sequential' leaves out solutions"),
    ],
)
def test_what_cannot_break_symmetries_says_so(encoding, backend, task, message):
    with pytest.raises(InputError, match=message):
        fit.loaded(board("queen-domination", 4), encoding, backend, task)


def test_counts_are_those_of_all_solutions():
    assert certifier().count(board("queen-domination", 4)) == (12, CheckedBy.ORACLE)
    assert certifier().count(board("queen-domination", 5)) == (186, CheckedBy.ORACLE)


@dataclass(frozen=True, slots=True)
class WithImages(AnyCover):
    """Any cover, with permutations that may be no symmetries, all options compared in order."""

    images_of: tuple[tuple[int, ...], ...] = ()
    order: tuple[int, ...] = ()
    symmetry: str = "given"

    def lex_leader(self):
        return LexLeader(np.array(self.images_of, np.int32), np.array(self.order, np.int32))


RIGHT = WithImages(
    6,
    primary=((1, 2),),
    secondary=((2, 3),),
    given=(4, -5),
    bounded=(((1, 3, 6), 1, 2), ((4, 5), 1, 1)),
    images_of=((1, 2, 3, 4, 5, 6),),
    order=(6, 2, 1),
)


@pytest.mark.parametrize(
    ("changes", "flaw"),
    [
        ({"images_of": ((1, 2, 3, 4, 5, 5),)}, "1 is no permutation"),
        ({"images_of": ((1, 2, 3, 4, 5, 7),)}, "1 is no permutation"),
        ({"images_of": ((1, 2, 3, 4, 5),)}, "1 is no permutation"),
        ({"order": (1, 7)}, "does not exist"),
        ({"order": (0,)}, "does not exist"),
        ({"images_of": ((1, 2, 3, 4, 5, 6), (3, 2, 1, 4, 5, 6))}, "2 is none of the rules: it"),
        ({"primary": (), "images_of": ((1, 3, 2, 4, 5, 6),)}, "counted"),
        ({"secondary": (), "images_of": ((2, 1, 3, 4, 5, 6),)}, "counted"),
        ({"secondary": ((1, 2),), "images_of": ((1, 2, 6, 4, 5, 3),)}, None),
        ({"secondary": ((2, 3), (1, 3)), "images_of": ((3, 2, 1, 4, 5, 6),)}, "needed"),
        ({"images_of": ((1, 2, 3, 5, 4, 6),)}, "given"),
        ({"given": (), "images_of": ((1, 2, 3, 5, 4, 6),)}, None),
        ({"given": (4, 5), "bounded": (), "images_of": ((1, 2, 3, 5, 4, 6),)}, None),
        ({"bounded": (((1, 2), 0, 1), ((3, 6), 0, 2)), "primary": (), "secondary": ((1, 2), (3, 6)),
          "given": (), "images_of": ((3, 6, 1, 4, 5, 2),)}, "counted"),
    ],
)  # fmt: skip
def test_a_permutation_that_changes_the_rules_is_no_symmetry(changes, flaw):
    from dataclasses import replace

    problem = replace(RIGHT, **changes)
    found = automorphisms.flaw(problem.rules(), problem.lex_leader())
    assert found is None if flaw is None else flaw in found


def test_flaws_name_what_changes():
    assert automorphisms.flaw(RIGHT.rules(), RIGHT.lex_leader()) is None


def test_every_symmetry_takes_solutions_to_solutions():
    """What is accepted is right: compared with all permutations of the options of a small problem,
    of which the symmetries of the solutions are known.
    """
    problem = AnyCover(5, secondary=((1, 2), (2, 3), (3, 4), (4, 1)), bounded=(((1, 2, 5), 1, 2),))
    every = {frozenset(v + 1 for (v,) in each) for each in solutions(problem)}
    accepted = 0
    for image in permutations(range(1, 6)):
        leader = LexLeader(np.array([image], np.int32), np.array([1], np.int32))
        if automorphisms.flaw(problem.rules(), leader) is None:
            accepted += 1
            assert every == {frozenset(image[v - 1] for v in each) for each in every}
    assert accepted == 2  # the identity, and the flip of the cycle that leaves 1 and 2 together


def kept_of(leader, options):
    """The sets of options that `kept` allows, by a solver."""
    free = CNF(options, options, ())
    formula = automorphisms.add_lex_leaders(free, leader, options)
    return {tuple(model[:options]) for model in models(formula)}


def test_what_is_kept_is_lexicographically_at_least_its_images():
    """On random permutations and orders, by trying all sets of options; one of each class remains,
    whatever the order lists.
    """
    random = np.random.default_rng(7)
    for _ in range(60):
        images = np.array([random.permutation(5) + 1 for _ in range(random.integers(1, 4))])
        order = random.integers(1, 6, random.integers(0, 7))
        leader = LexLeader(images.astype(np.int32), order.astype(np.int32))
        every = list(product((False, True), repeat=5))
        expected = {
            values
            for values in every
            if all(
                [values[v - 1] for v in order] >= [values[image[v - 1] - 1] for v in order]
                for image in images
            )
        }
        assert kept_of(leader, 5) == expected
        chosen = [[v for v in range(1, 6) if values[v - 1]] for values in every]
        kept = [set(np.flatnonzero(values) + 1) for values in expected]
        for one in chosen:
            assert any(each in kept for each in leader.orbit(one))


def test_two_orders_would_lose_a_class():
    """Why there is one order: 1 before 2 for one swap, and 2 before 1 for the other, which is the
    same, loses the class of {1} and {2}.
    """
    swap = np.array([[2, 1]], np.int32)
    one, other = (kept_of(LexLeader(swap, np.array(order, np.int32)), 2) for order in ([1], [2]))
    assert one & other == {(False, False), (True, True)}


def parsed(n, colours):
    """The queen graph from a file, of which no theorem is known."""
    graph = queen(n)
    edges = "\n".join(f"e {one + 1} {other + 1}" for one, other in graph.edges)
    text = f"p edge {graph.vertices} {len(graph.edges)}\n{edges}\n"
    family = Family.named(f"colouring:colours={colours}:symmetry=clique")
    (problem,) = family.parsed(text, "a file", "queens")
    return problem


LIMITS = Limits(time_s=60.0)


def test_unsat_is_shown_by_the_rules_and_their_symmetries(monkeypatch):
    monkeypatch.setattr(exhaustive, "is_possible", lambda _: False)
    known = certifier().decide_problem(parsed(6, 6), LIMITS)
    assert (known.satisfiable, known.source) == (False, CheckedBy.PROOF)
    assert known.message == "by cadical195 on the rules and their symmetries"


def test_sat_is_shown_by_a_solution_that_is_kept():
    known = certifier().decide_problem(parsed(7, 7), LIMITS)
    assert known.satisfiable is True


def test_wrong_symmetries_are_not_used_by_the_judge(monkeypatch):
    """Two options, one of which has to be chosen, but each only if the third one is, which is
    excluded by both: no solution would be kept.
    """
    monkeypatch.setattr(exhaustive, "is_possible", lambda _: False)
    wrong = WithImages(
        3, ((1, 2),), ((1, 3), (2, 3)), images_of=((3, 2, 1), (1, 3, 2)), order=(3, 1, 2)
    )
    assert not full_placements(Encoding.named("pairwise"), wrong)
    known = certifier().decide_problem(wrong, LIMITS)
    assert (known.satisfiable, known.source) == (True, CheckedBy.RULES)


def test_symmetries_that_cannot_be_checked_are_not_used(monkeypatch):
    monkeypatch.setattr(exhaustive, "is_possible", lambda _: False)

    def fails(*_):
        raise MemoryError

    monkeypatch.setattr(automorphisms, "flaw", fails)
    known = certifier().decide_problem(parsed(5, 4), LIMITS)
    assert (known.satisfiable, known.message) == (False, "by cadical195 on the rules")


def test_solvers_get_a_smaller_search():
    """The queen graph of 6 rows has no colouring with 6 colours."""
    conflicts = {}
    for symmetry in ("none", "clique"):
        problem = Family.named(f"colouring:colours=6:symmetry={symmetry}").of_size(6)
        solver = Backend.named("minisat22").load(Encoding.named("pairwise").clauses(problem))
        solver.solve()
        conflicts[symmetry] = solver.counters().conflicts
    assert conflicts["clique"] * 10 < conflicts["none"]
