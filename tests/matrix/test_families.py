"""The families of boards from end to end: boards in files, random boards, and the torus."""

import os
import shutil

import pytest
from addons import needs_addon
from places import CSPLIB

from nqbench.checking.verify import PROOF_HOLDS
from nqbench.problems.queens import Queens
from nqbench.records.store import Store
from nqbench.show.boards.text import Style, text_board

THREE_KINDS = ["--encoding", "pairwise,product"]
THREE_KINDS += ["--backend", "cadical195,backtracking:forward=on:order=mrv"]


def measured(nqbench, tmp_path, *arguments):
    """The records of a campaign without repeats, which has to succeed."""
    arguments = ["run", *arguments, "--repeat", 1, "--no-plots", "--quiet", "--fresh"]
    shown = nqbench(*arguments)
    assert shown.returncode == 0, shown.stderr
    with Store(tmp_path / "results" / "nqbench.db") as store:
        return store.frame()


def said(records):
    """The answer for each board, and the evidence for it."""
    return {
        instance: (set(rows["answer"]), set(rows["verdict"]), set(rows["checked_by"]))
        for (instance,), rows in records.group_by("instance")
    }


def test_two_encodings_and_a_csp_solver_agree_on_csplib(nqbench, tmp_path):
    """CSPLib states which of the 60 are satisfiable with n diagonals, except for files 17 to
    20 with 16 rows. Of the larger ones, which take longest, one of each kind is enough.
    """
    larger = [CSPLIB / f"diag-{name}.param" for name in ("12-4-1", "12-4-19", "16-4-2", "16-4-17")]
    for path in [*CSPLIB.glob("diag-8-*"), *larger]:
        shutil.copy(path, tmp_path)
    records = measured(nqbench, tmp_path, "--board", ".", "--diagonals", "n", *THREE_KINDS)
    by_board = said(records)
    assert len(by_board) == 24
    proved = records.filter(answer="unsat", backend="cadical195")["message"].str.contains(
        PROOF_HOLDS
    )
    assert proved.all()
    satisfiable = {"diag-8-4-19 d=8", "diag-12-4-19 d=12", "diag-16-4-2 d=16"}
    for board, found in by_board.items():
        if board in satisfiable or (board == "diag-16-4-17 d=16" and "sat" in found[0]):
            assert found == ({"sat"}, {"verified"}, {"board"}), board
        else:
            assert found[:2] == ({"unsat"}, {"verified"}), board
            assert found[2] in ({"proof"}, {"oracle"}), board  # once for all runs on it


def test_they_agree_on_every_number_of_diagonals(nqbench, tmp_path):
    names = ["diag-8-4-1", "diag-12-4-19"]
    for name in names:
        shutil.copy(CSPLIB / f"{name}.param", tmp_path)
    arguments = ["--board", ".", "--diagonals", "0..12", *THREE_KINDS]
    by_board = said(measured(nqbench, tmp_path, *arguments))
    for name, n in zip(names, (8, 12), strict=True):
        answers = []
        for count in range(n + 1):
            (answer,), verdicts, _ = by_board[f"{name} d={count}"]
            assert verdicts == {"verified"}
            answers.append(answer)
        # An unsatisfiable board stays unsatisfiable if more diagonals are excluded.
        assert answers == sorted(answers)
        assert answers[0] == "sat"


def test_random_boards_are_measured_and_recorded_with_their_density(nqbench, tmp_path):
    arguments = ["--family", "excluded-diagonals", "--n", "8", "--density", "0.5..1.5..0.5"]
    arguments += ["--instances", 4, "--encoding", "pairwise", "--backend", "minisat22"]
    records = measured(nqbench, tmp_path, *arguments)
    assert records.group_by("density").len().sort("density").rows() == [(0.5, 4), (1.0, 4)]
    assert set(records["verdict"]) == {"verified"}
    left_out = nqbench("run", *arguments, "--dry-run").stderr
    assert left_out == (
        "nqbench: left out: excluded-diagonals n=8: "
        "4 of the random problems hold fewer than 12 diagonals\n"
    )


def test_a_random_board_is_solved_by_its_seed(nqbench):
    arguments = ["--n", 10, "--family", "completion", "--density", 0.2, "--style", "ascii"]
    first, again, other = (
        nqbench("solve", *arguments, "--seed", seed).stdout for seed in (1, 1, 2)
    )
    assert first == again != other


def test_the_position_of_1850_has_its_two_solutions(nqbench, tmp_path):
    """Nauck's question in the Illustrirte Zeitung: queens on b4 and d5; CSPLib 079 shows both."""
    position = Queens(8, "completion", ((4, 1), (3, 3)), (), "1850")
    (tmp_path / "1850.txt").write_text(text_board(position, position.placed))
    shown = nqbench("solve", "--board", "1850.txt", "--all", "--style", "algebraic")
    assert shown.returncode == 0, shown.stderr
    solutions = shown.stdout.splitlines()
    assert len(set(solutions)) == len(solutions) == 2
    for solution in solutions:
        squares = [(8 - int(name[1]), "abcdefgh".index(name[0])) for name in solution.split()]
        assert position.violation(squares) is None
        assert text_board(position, squares, Style.ALGEBRAIC) == solution


HUGE = None
"""The content of a file that is larger than the limit. It takes no memory, which every process that
a test forks would have to copy.
"""

BAD = {
    "ragged.txt": (b"Q.\n..\n.\n", "ragged.txt, line 1, column 2: 2 squares in a board of 3 rows"),
    "blocked.json": (
        b'{"n": 4, "placed": [[0, 1]], "blocked": [[0, 1]]}',
        "blocked.json, line 1, column 42: square (0, 1) holds a queen and is blocked as well",
    ),
    "binary.txt": (b"\x7fELF\x02\x01\x01\0\xff", "binary.txt is not a text file"),
    "huge.txt": (HUGE, "cannot read huge.txt: it is larger than 32 MiB"),
}
"""One of each kind; there are more in the unit tests of boards."""


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("command", [("solve", "--board"), ("run", "--board")])
def test_a_bad_board_gets_one_line_and_status_2(nqbench, tmp_path, name, command):
    content, message = BAD[name]
    if content is HUGE:
        (tmp_path / name).touch()
        os.truncate(tmp_path / name, 10**8)
    else:
        (tmp_path / name).write_bytes(content)
    shown = nqbench(*command, name)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr.startswith(f"nqbench: {message}")
    assert shown.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x.toml", "--suite", "hard"], "a suite and a campaign file are two campaigns"),
        (["--n", "8", "--density", "x"], "'x' is not a density: write for instance 0.9"),
        (["--n", "8", "--density", "0.5..0.1..0.1"], "'0.5..0.1..0.1' is an empty range"),
        (["--board", "."], "no problems in ."),
    ],
)
def test_a_workload_that_makes_no_sense_gets_one_line(nqbench, tmp_path, arguments, message):
    shown = nqbench("run", *arguments)
    assert shown.returncode == 2
    assert message in shown.stderr
    assert shown.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@needs_addon("certify")
def test_every_family_that_is_named_is_measured(nqbench, tmp_path):
    asked = ["--family", "latin,Queens", "--family", "latin"]
    one = ["--encoding", "pairwise", "--backend", "minisat22"]
    records = measured(nqbench, tmp_path, *asked, "--n", "4..5", *one)
    assert sorted(records.select("family", "n").rows()) == [
        ("latin", 4), ("latin", 5), ("queens", 4), ("queens", 5)
    ]  # fmt: skip
    shown = nqbench("run", *asked, "--n", "4..5", *one, "--repeat", 1, "--no-plots", "-q").stdout
    assert [line for line in shown.splitlines() if line.startswith("family ")] == [
        "family latin",
        "family queens",
    ]
    certified = nqbench("certify", "product", *asked, "--n", 4).stdout
    assert certified.count("queens n=4") == certified.count("latin n=4") == 1


def test_families_that_do_not_fit_get_one_line(nqbench):
    for arguments, message in (
        (["--family", "queens,latin", "--density", "0.5", "--n", 4], "'queens' has no density"),
        (["--family", "queens,latin", "--n", 4, "--encoding", "level1"], "not for latin n=4"),
        (["--family", "queens,latin", "--file", "a.txt"], "problems of one family"),
    ):
        refused = nqbench("run", *arguments)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert message in refused.stderr
