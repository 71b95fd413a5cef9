"""Boards in files: what is read, and the messages for wrong files."""

import re
from dataclasses import replace

import pytest
import strategies
from hypothesis import given, settings
from places import CSPLIB

from nqbench.checking import oracle
from nqbench.common.errors import InputError
from nqbench.problems import board_files, excluded_diagonals
from nqbench.problems.queens import Queens

GOOD = "n =  3\nnumdiags =  2\ndiags =  [[0, 0], [1, 1]]\n"


def board_of(text):
    return board_files.of_picture(text, "start.txt", "start")


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
    expected = Queens(4, "blocked", ((0, 1),), ((1, 2), (3, 0)), "start")
    assert board_of(text) == expected


def test_a_picture_belongs_to_the_family_that_it_shows():
    assert board_of("..\n..") == Queens(2)
    assert board_of("Q.\n..").family == "completion"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "start.txt: no board"),
        (" \n\n", "start.txt: no board"),
        ("..\n.x\n", "start.txt, line 2, column 2: 'x' is not a square: expected Q . # or 1 0"),
        ("Q.\n. Q\n", "start.txt, line 2, column 3: queens on (0, 0) and (1, 1) share a falling"),
        ("..\n\n...\n", "start.txt, line 3, column 3: 3 squares in a board of 2 rows"),
        ("....\n", "start.txt, line 1, column 2: 4 squares in a board of 1 rows"),
    ],
)
def test_a_wrong_picture_is_refused_with_its_place(text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        board_of(text)


JSON = '{"n": 4, "family": "torus",\n "placed": [[0, 1]],\n "blocked": [[1, 2], [3, 0]]}\n'


def test_a_board_in_json_is_read_and_written(tmp_path):
    problem = board_files.of_json(JSON, "x.json", "x")
    assert problem == Queens(4, "torus", ((0, 1),), ((1, 2), (3, 0)), "x")
    assert board_files.of_json('{"n": 5}', "x.json", "x") == Queens(5)
    assert board_files.of_json('{"n": 5, "placed": [[4, 4]]}', "", "x").family == "completion"
    (tmp_path / "y").write_text(" " + JSON)
    assert board_files.read(tmp_path / "y").instance == "y"


@settings(max_examples=30)
@given(strategies.boards(9))
def test_every_board_without_attacking_queens_survives_json(problem):
    problem = replace(problem, instance="x", density=0.5)
    if problem.attack(problem.placed) is None:
        assert board_files.of_json(board_files.as_json(problem), "x.json") == problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "x.json, line 1, column 2: not JSON"),
        (JSON.replace("[0, 1]", "[0 1]"), "x.json, line 2, column 16: not JSON"),
        ('{"family": "torus"}', "x.json, line 1, column 1: Object missing required field `n`"),
        (JSON.replace("4,", "1,"), "x.json, line 2, column 13: square (0, 1) is outside"),
        ('{"n": 0}', "x.json, line 1, column 7: n is 0: a board has at least 1 row"),
        ('{"n":\n "8"}', "x.json, line 2, column 2: Expected `int`, got `str`"),
        (JSON.replace("placed", "queens"), "x.json, line 2, column 12: Object contains unknown f"),
        (JSON.replace("[1, 2]", "[1]"), "x.json, line 3, column 14: Expected `array` of length 2"),
        (JSON.replace("[3, 0]", "[3, 4]"), "x.json, line 3, column 22: square (3, 4) is outside"),
        (JSON.replace("[3, 0]", '[3, "a"]'), "x.json, line 3, column 22: Expected `int`"),
        (JSON.replace("torus", "donut"), "x.json, line 1, column 20: unknown family 'donut'"),
        (JSON.replace("[3, 0]", "[0, 1]"), "x.json, line 3, column 22: square (0, 1) holds a"),
        (JSON.replace("[[0, 1]]", "[[0, 1], [3, 2]]"), "x.json, line 2, column 21: queens on"),
        ('{"n": 3, "placed": ' + "[" * 10**5, "x.json: not a board: nested too deeply"),
        ('{"n": ' + "9" * 5000 + "}", "x.json: not a board: Exceeds the limit (4300 digits)"),
    ],
)
def test_a_wrong_board_in_json_is_refused_with_its_place(text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        board_files.of_json(text, "x.json")


def test_the_diagonals_of_csplib_are_those_of_its_description():
    """[k, 1]: row + column = k; [k, 0]: row - column = k - (n - 1)."""
    problem = excluded_diagonals.parse(GOOD, "x.param", "x").problem(2)
    falling = {(r, c) for r in range(3) for c in range(3) if r - c == 0 - 2}
    rising = {(r, c) for r in range(3) for c in range(3) if r + c == 1}
    assert set(problem.blocked) == falling | rising
    assert (problem.family, problem.instance) == ("excluded-diagonals", "x d=2")


def test_the_first_diagonals_can_be_chosen():
    assert excluded_diagonals.parse(GOOD, "x.param").problem(0).blocked == ()
    assert excluded_diagonals.parse(GOOD, "x.param").problem(1).blocked == ((0, 2),)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (GOOD.replace("n =  3", "n = three"), "line 1, column 5: n is 'three': expected a whole"),
        (GOOD.replace("numdiags =  2\n", ""), "no line 'numdiags = ...'"),
        (GOOD.replace("n =  3", "n = 0"), "line 1, column 5: n is '0': expected a whole number"),
        (GOOD.replace("=  2", "=  3"), "line 3, column 10: 2 pairs, but numdiags is 3"),
        (GOOD.replace("[1, 1]", "[1, 2]"), "line 3, column 19: expected a list of pairs"),
        (GOOD.replace("[1, 1]", "[1"), "line 3, column 19: expected a list of pairs"),
        (GOOD.replace("[[0", "(0"), "line 3, column 10: expected a list of pairs"),
        (GOOD.replace("[1, 1]", "[5, 1]"), "line 3, column 19: no diagonal 5: they go up to 4"),
    ],
)
def test_a_wrong_instance_is_refused_with_its_place(wrong, message):
    with pytest.raises(InputError, match=re.escape(message)):
        excluded_diagonals.parse(wrong, "x.param")


def test_a_file_is_recognised_by_its_content(tmp_path):
    (tmp_path / "a").write_text(GOOD)
    (tmp_path / "b").write_text("Q.\n..")
    assert board_files.read(tmp_path / "a", 1).instance == "a d=1"
    assert board_files.read(tmp_path / "b").placed == ((0, 0),)
    with pytest.raises(InputError, match="`diagonals` needs a CSPLib"):
        board_files.read(tmp_path / "b", 1)
    with pytest.raises(InputError, match="3 diagonals were asked for, but it lists 2"):
        board_files.read(tmp_path / "a", 3)


def test_a_list_of_diagonals_may_go_over_lines():
    """As in the example of CSPLib's own description."""
    text = GOOD.replace("], [", "],\n    [").replace("n =  3", "letting n = 2\nn = 3")
    assert excluded_diagonals.parse(text, "x.param").diagonals == [(0, 0), (1, 1)]


def test_a_file_of_a_hundred_megabytes_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "big.txt").open("wb") as file:
        file.truncate(100 * 2**20)
    with pytest.raises(InputError, match=r"big.txt: it is larger than 32 MiB"):
        board_files.read(tmp_path / "big.txt")


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*nothing: No such file"):
        board_files.read(tmp_path / "nothing")
    for content in (b"\xff\xfe\x00", b"Q.\n.\0"):
        (tmp_path / "binary").write_bytes(content)
        with pytest.raises(InputError, match="is not a text file"):
            board_files.read(tmp_path / "binary")


@pytest.mark.parametrize(
    ("size", "files", "satisfiable"),
    [(8, range(1, 21), {19}), (12, range(1, 21), {19}), (16, range(1, 17), {2, 8})],
)
def test_the_satisfiable_instances_of_csplib_are_those_that_are_stated(size, files, satisfiable):
    """With the first n diagonals, or all diagonals of a shorter list."""
    found = set()
    for number in files:
        path = CSPLIB / f"diag-{size}-4-{number}.param"
        listed = int(re.search(r"numdiags = *(\d+)", path.read_text())[1])
        if oracle.has_solution(board_files.read(path, min(size, listed))):
            found.add(number)
    assert found == satisfiable
