"""Boards in files: what is read, and what is said of a file that is wrong."""

import re
from pathlib import Path

import pytest

from nqbench import boards, oracle
from nqbench.errors import InputError
from nqbench.problem import Problem

CSPLIB = Path(__file__).parent / "data" / "csplib079"
GOOD = "n =  3\nnumdiags =  2\ndiags =  [[0, 0], [1, 1]]\n"


def picture(text):
    return boards.parse_picture(text, "start.txt", "start")


@pytest.mark.parametrize(
    "text",
    [
        ". Q . .\n. . # .\n. . . .\n# . . .\n",
        ".Q..\n..#.\n....\n#...",
        "\n0 1 0 0\n\n0 0 # 0\n0000\n#000\n",
        "·♛··\n··▒·\n····\n▒···\n",
    ],
)
def test_a_picture_is_read_in_each_of_its_spellings(text):
    expected = Problem(4, "blocked", ((0, 1),), ((1, 2), (3, 0)), "start")
    assert picture(text) == expected


def test_a_picture_belongs_to_the_family_that_it_shows():
    assert picture("..\n..") == Problem(2)
    assert picture("Q.\n..").family == "completion"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "start.txt: no board"),
        (" \n\n", "start.txt: no board"),
        ("..\n.x\n", "start.txt, line 2, column 2: 'x' is no square: expected Q . # or 1 0"),
        ("..\n\n...\n", "start.txt, line 3: 3 squares in a board of 2 rows"),
        ("....\n", "start.txt, line 1: 4 squares in a board of 1 rows"),
    ],
)
def test_a_wrong_picture_is_refused_with_its_place(text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        picture(text)


def test_the_diagonals_of_csplib_are_those_of_its_description():
    """[k, 1]: row + column = k; [k, 0]: row - column = k - (n - 1)."""
    problem = boards.parse_csplib(GOOD, "x.param", "x")
    falling = {(r, c) for r in range(3) for c in range(3) if r - c == 0 - 2}
    rising = {(r, c) for r in range(3) for c in range(3) if r + c == 1}
    assert set(problem.blocked) == falling | rising
    assert (problem.family, problem.instance) == ("excluded-diagonals", "x d=2")


def test_the_first_diagonals_can_be_chosen():
    assert boards.parse_csplib(GOOD, "x.param", diagonals=0).blocked == ()
    assert boards.parse_csplib(GOOD, "x.param", diagonals=1).blocked == ((0, 2),)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (GOOD.replace("n =  3", "n = three"), "line 1: n is 'three', not a whole number"),
        (GOOD.replace("numdiags =  2\n", ""), "no line 'numdiags = ...'"),
        (GOOD.replace("=  2", "=  3"), "line 3: 2 pairs, but numdiags is 3"),
        (GOOD.replace("[1, 1]", "[1, 2]"), "line 3: diags is no list of pairs"),
        (GOOD.replace("[1, 1]", "[1"), "line 3: diags is no list of pairs"),
        (GOOD.replace("[1, 1]", "[5, 1]"), "line 3: no diagonal 5: they go up to 4"),
    ],
)
def test_a_wrong_instance_is_refused_with_its_place(wrong, message):
    with pytest.raises(InputError, match=re.escape(message)):
        boards.parse_csplib(wrong, "x.param")


def test_a_file_is_recognised_by_its_content(tmp_path):
    (tmp_path / "a").write_text(GOOD)
    (tmp_path / "b").write_text("Q.\n..")
    assert boards.read(tmp_path / "a", 1).instance == "a d=1"
    assert boards.read(tmp_path / "b").placed == ((0, 0),)
    with pytest.raises(InputError, match="diagonals is for CSPLib"):
        boards.read(tmp_path / "b", 1)
    with pytest.raises(InputError, match="3 diagonals asked for, but it lists 2"):
        boards.read(tmp_path / "a", 3)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nothing: No such file"):
        boards.read(tmp_path / "nothing")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not a text file"):
        boards.read(tmp_path / "binary")


@pytest.mark.parametrize(
    ("size", "files", "satisfiable"),
    [(8, range(1, 21), {19}), (12, range(1, 21), {19}), (16, range(1, 17), {2, 8})],
)
def test_the_satisfiable_instances_of_csplib_are_those_that_are_stated(size, files, satisfiable):
    """With the first n diagonals, or with all of a shorter list."""
    found = set()
    for number in files:
        path = CSPLIB / f"diag-{size}-4-{number}.param"
        listed = int(re.search(r"numdiags = *(\d+)", path.read_text())[1])
        if oracle.has_solution(boards.read(path, min(size, listed))):
            found.add(number)
    assert found == satisfiable
