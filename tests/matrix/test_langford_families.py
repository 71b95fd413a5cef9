"""Langford pairs, pigeons and colourings against published numbers and brute force."""

from itertools import combinations

import numpy as np
import pytest
from colourings import QUEEN_COLOURS, answers, colouring

from nqbench.checking import exhaustive
from nqbench.common.errors import InputError
from nqbench.encodings.base import Encoding
from nqbench.problems.families import colouring as graphs
from nqbench.problems.families.base import Family
from nqbench.problems.families.colouring import Colouring, Graph
from nqbench.problems.families.langford import Langford
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.testing import full_placements

LANGFORD = (0, 0, 1, 1, 0, 0, 26, 150)
"""OEIS A014552 from n = 1."""


@pytest.mark.parametrize(("n", "published"), list(enumerate(LANGFORD, 1)))
def test_langford_pairs_are_as_many_as_published(n, published):
    problem = Langford(n)
    assert exhaustive.count(problem) == published
    assert problem.satisfiable == (published > 0)


def test_langford_pairs_and_their_mirror_images_are_all_rows():
    rows = {tuple(row) for row in _langford_rows([0] * 14, 7)}
    assert len(rows) == 2 * LANGFORD[6]
    problem = Langford(7)
    options = problem.options
    found = [[options[v - 1] for v in each] for each in exhaustive.solutions(problem)]
    drawn = {tuple(map(int, problem.drawing(each).split())) for each in found}
    assert drawn | {row[::-1] for row in drawn} == rows


def _langford_rows(row, k):
    """Every row with the numbers up to k in its free places, by trying each place."""
    if k == 0:
        yield list(row)
        return
    for first in range(len(row) - k - 1):
        if row[first] == row[first + k + 1] == 0:
            row[first] = row[first + k + 1] = k
            yield from _langford_rows(row, k - 1)
            row[first] = row[first + k + 1] = 0


def test_a_solver_finds_all_langford_pairs():
    records = answers([Langford(n) for n in (7, 8)], task="all")
    assert sorted(records["solutions"]) == [26, 150]


@pytest.mark.parametrize(
    ("solution", "broken"),
    [
        ([(0, 1), (1, 2), (2, 0)], None),
        ([(0, 2), (1, 0), (2, 1)], "3 has its middle in the right half: take the mirror image"),
        ([(0, 1), (1, 2)], "3 is missing"),
        ([(0, 1), (1, 1), (2, 0)], "1 and 2 are both in place 2"),
        ([(0, 1), (0, 2)], "1 is there more than twice"),
        ([(2, 2)], "no 3 in the places 3 and 7"),
        ([(-1, -1)], "no 0 in the places 0 and 1"),
    ],
)
def test_the_rules_of_langford_pairs(solution, broken):
    assert Langford(3).violation(solution) == broken


def test_pigeons_do_not_fit():
    records = answers([Pigeonhole(n) for n in range(1, 8)])
    assert set(records["answer"]) == {"unsat"}
    assert set(records["checked_by"]) == {"theorem"}


def test_as_many_pigeons_as_holes_fit_in_every_order():
    family = Family.named("pigeonhole:more=0")
    assert [exhaustive.count(family.of_size(n)) for n in range(1, 6)] == [1, 2, 6, 24, 120]
    assert set(answers([family.of_size(4)], task="all")["solutions"]) == {24}


@pytest.mark.parametrize(
    ("solution", "broken"),
    [
        ([(0, 1), (1, 0), (2, 1)], "hole 2 has 2 pigeons"),
        ([(0, 1), (2, 0)], "pigeon 2 is in 0 holes"),
        ([(0, 1), (0, 0)], "pigeon 1 is in 2 holes"),
        ([(0, 2)], "no pigeon 1 in hole 3"),
    ],
)
def test_the_rules_of_pigeons(solution, broken):
    assert Pigeonhole(2).violation(solution) == broken


def test_mycielski_graphs_have_the_published_sizes():
    made = [graphs.mycielski(k) for k in (3, 4, 5, 6, 7)]
    published = [(11, 20), (23, 71), (47, 236), (95, 755), (191, 2360)]
    assert [(graph.vertices, len(graph.edges)) for graph in made] == published


def test_queen_graphs_have_the_published_sizes():
    made = [graphs.queen(n) for n in (5, 6, 7, 8)]
    published = [(25, 160), (36, 290), (49, 476), (64, 728)]
    assert [(graph.vertices, len(graph.edges)) for graph in made] == published
    assert tuple(graphs.queen(n).chromatic for n in range(1, 13)) == QUEEN_COLOURS
    assert graphs.queen(27).chromatic is None


@pytest.mark.parametrize("n", range(5, 10))
def test_the_lines_of_a_queen_graph_are_its_cliques_of_n(n):
    board = np.arange(n * n).reshape(n, n)
    lines = [*board, *board.T, board.diagonal(), board[:, ::-1].diagonal()]
    found = graphs.cliques(graphs.queen(n), n)
    assert {tuple(sorted(line.tolist())) for line in lines} <= set(map(tuple, found))
    edges = set(graphs.queen(n).edges)
    assert all(edge in edges for each in found for edge in combinations(each, 2))


@pytest.mark.parametrize(("family", "n"), [("colouring", 5), ("colouring:colours=6", 6)])
def test_stated_cliques_exclude_no_colouring(family, n):
    """The queen graph of 5 has 240 colourings with 5 colours, that of 6 none with 6."""
    plain, stated = (Family.named(name).of_size(n) for name in (family, f"{family}:cliques=stated"))
    assert stated.constraints().num_rows > plain.constraints().num_rows
    expected = 240 if n == 5 else 0
    assert len(full_placements(Encoding.named("pairwise"), stated)) == expected
    assert plain.digest != stated.digest


def test_a_cycle_of_five_in_a_file_has_thirty_colourings(tmp_path):
    file = tmp_path / "five.col"
    file.write_text("c a cycle\np edge 5 5\ne 1 2\ne 2 3\ne 3 4\ne 4 5\ne 5 1\n")
    (problem,) = Family.named("colouring:colours=3").read(file)
    assert str(problem) == "five"
    assert problem.n is None
    assert problem.satisfiable is None
    assert exhaustive.count(problem) == 30  # (k-1)^5 - (k-1) for k = 3 colours
    with pytest.raises(InputError, match="how many colours"):
        Family.named("colouring").read(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.col: no graph: expected a line 'p edge VERTICES EDGES'"),
        ("e 1 2\n", "f.col, line 1: 'e 1 2': expected 'p edge VERTICES EDGES'"),
        ("p edge 0 0\n", "f.col, line 1: 0 vertices: expected 1 to 1000000"),
        ("p col 3 1\ne 1\n", "f.col, line 2: 'e 1': expected an edge, 'e U V'"),
        (
            "c\np col 3 1\n\ne 1 4\n",
            "f.col, line 4: 'e 1 4': expected two different vertices from 1 to 3",
        ),
        (
            "p col 3 1\ne 2 2\n",
            "f.col, line 2: 'e 2 2': expected two different vertices from 1 to 3",
        ),
        (
            "c\np edge 3 2\ne 1 2\n",
            "f.col, line 2: 2 edges stated, but 1 lines with edges",
        ),
    ],
)
def test_bad_files_are_reported_with_the_line(text, message):
    with pytest.raises(InputError) as caught:
        Family.named("colouring:colours=3").parsed(text, "f.col", "f")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("solution", "broken"),
    [
        ([(0, 0), (1, 1), (2, 0)], None),
        ([(0, 0), (1, 1), (2, 1)], "the neighbours 2 and 3 both have colour 2"),
        ([(0, 0), (2, 0)], "vertex 2 has no colour"),
        ([(0, 0), (0, 1)], "vertex 1 has two colours"),
        ([(0, 2)], "no vertex 1 with colour 3"),
    ],
)
def test_the_rules_of_colourings(solution, broken):
    assert Colouring(Graph(3, ((0, 1), (2, 1))), 2).violation(solution) == broken


def test_colourings_are_drawn_as_boards_or_lists():
    board = colouring("queen", 2, 4)
    assert board.drawing([(0, 0), (1, 1), (2, 2), (3, 3)]) == "1 2\n3 4"
    assert colouring("mycielski", 1, 2).drawing([(1, 1), (0, 0)]) == "1: 1\n2: 2"


@pytest.mark.parametrize(
    ("make", "wrong"),
    [(Langford, 0), (Langford, 201), (Pigeonhole, 0), (graphs.queen, 65), (graphs.mycielski, 13)],
)
def test_sizes_without_a_problem_are_errors(make, wrong):
    with pytest.raises(InputError, match=f"n is {wrong}: "):
        make(wrong)
