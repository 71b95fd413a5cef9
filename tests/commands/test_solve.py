"""`solve`, `count`, and the list of working components, as users see them."""

import importlib.util

import pytest
from installing import is_told
from places import CSPLIB
from programs import needs

from nqbench.problems.queens import Queens
from nqbench.testing import solutions

SOLVABLE = CSPLIB / "diag-8-4-19.param"
HOPELESS = CSPLIB / "diag-8-4-1.param"


def board(text):
    """The squares of the queens in a drawing of any style except algebraic."""
    lines = text.replace(" ", "").splitlines()
    return tuple((r, c) for r, line in enumerate(lines) for c, s in enumerate(line) if s in "♛Q1")


@pytest.mark.parametrize(
    ("backend", "style"),
    [
        ("cadical195", "unicode"),
        ("backtracking", "ascii"),
        ("cp-sat", "binary"),
        ("construction", "unicode"),
    ],
)
def test_a_solution_is_drawn(nqbench, backend, style):
    shown = nqbench("solve", "--n", 8, "--backend", backend, "--style", style)
    assert shown.returncode == 0, shown.stderr
    assert Queens(8).violation(board(shown.stdout)) is None
    # Where that takes long, a line says how far it is.
    assert [line for line in shown.stderr.splitlines() if not line.endswith(" so far")] == []


def test_the_first_solution_of_backtracking_is_the_known_one(nqbench):
    shown = nqbench("solve", "--n", 8, "--backend", "backtracking", "--style", "algebraic")
    columns = [1, 5, 8, 6, 3, 7, 2, 4]
    expected = {f"{'abcdefgh'[column - 1]}{8 - row}" for row, column in enumerate(columns)}
    assert set(shown.stdout.split()) == expected


@pytest.mark.parametrize("backend", ["minisat22", "pyeda", "constraint2"])
def test_all_solutions_are_drawn_each_once(nqbench, backend):
    shown = nqbench("solve", "--n", 6, "--all", "--backend", backend, "--style", "ascii")
    drawn = [board(picture) for picture in shown.stdout.strip().split("\n\n")]
    assert sorted(drawn) == sorted(solutions(Queens(6)))
    assert shown.stderr.strip() == "4 solutions: verified by oracle"


def test_of_the_92_solutions_12_are_fundamental(typed):
    shown = typed("solve", "--n", 8, "--fundamental", "--style", "algebraic")
    assert len(shown.stdout.splitlines()) == 12
    assert "12 of 92 solutions: verified by oracle" in shown.stderr


@pytest.mark.parametrize(
    ("arguments", "checked_by"),
    [
        (["--n", 3, "--backend", "cadical195"], "theorem"),
        (["--n", 3, "--backend", "lingeling", "--encoding", "level2"], "theorem"),
        pytest.param(
            ["--n", 2, "--all", "--backend", "cadical"], "theorem", marks=needs("cadical")
        ),
        (["--board", HOPELESS, "--diagonals", 8, "--backend", "glucose4"], "oracle"),
        (["--board", HOPELESS, "--diagonals", 8, "--backend", "backtracking"], "oracle"),
    ],
)
def test_unsatisfiable_is_said_with_what_it_rests_on(nqbench, arguments, checked_by):
    shown = nqbench("solve", *arguments)
    assert (shown.returncode, shown.stdout) == (0, "unsatisfiable\n"), shown.stderr
    assert f"verified by {checked_by}" in shown.stderr


def test_a_solver_that_gives_up_says_unknown(nqbench):
    shown = nqbench("solve", "--n", 3, "--backend", "min-conflicts")
    assert (shown.returncode, shown.stdout) == (0, "unknown\n")


def test_a_board_of_csplib_is_solved_around_its_blocked_squares(nqbench):
    shown = nqbench("solve", "--board", SOLVABLE, "--diagonals", 8, "--style", "ascii")
    assert shown.returncode == 0
    assert "#" in shown.stdout
    assert Queens(8).violation(board(shown.stdout)) is None


def test_a_start_position_is_completed(typed, tmp_path):
    (tmp_path / "start.txt").write_text("....\n...Q\n....\n....\n")
    shown = typed("solve", "--board", "start.txt", "--style", "binary")
    assert shown.stdout.split() == ["0100", "0001", "1000", "0010"]
    assert typed("count", "--board", "start.txt").stdout == "1\n"


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        (["--n", 12], 14200),
        (["--n", 12, "--fundamental"], 1787),
        (["--n", 3], 0),
        (["--n", 11, "--family", "torus"], 88),
        (["--n", 8, "--backend", "pyeda"], 92),
        (["--n", 8, "--backend", "cryptominisat", "--encoding", "product"], 92),
        (["--n", 8, "--backend", "backtracking", "--fundamental"], 12),
        (["--board", SOLVABLE, "--diagonals", 8], 2),
    ],
)
def test_count_says_the_number_alone(typed, arguments, number):
    counted = typed("count", *arguments)
    assert (counted.returncode, counted.stdout) == (0, f"{number}\n"), counted.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--backend", "faulty-liar-sat"],
            "returned a wrong solution: queens on (0, 0) and (0, 1)",
        ),
        (["--backend", "faulty-liar-unsat"], "queens n=6 has a solution"),
        (["--backend", "faulty-aborts"], "SIGABRT"),
        (["--backend", "faulty-sleeps", "--time-limit", "300ms"], "time limit of 0.3 s"),
        (["--backend", "faulty-skips", "--all"], "3 solutions, but queens n=6 has 4"),
    ],
)
def test_a_solver_that_fails_is_named_with_status_1(nqbench, arguments, message):
    said = nqbench("solve", "--n", 6, *arguments)
    assert said.returncode == 1
    assert message in said.stderr.splitlines()[-1]


def test_a_count_that_is_not_complete_is_not_printed(nqbench):
    said = nqbench("count", "--n", 6, "--backend", "faulty-gives-up")
    assert (said.returncode, said.stdout) == (1, "")
    assert "faulty-gives-up gave up after 1 solution\n" in said.stderr


def test_without_ganak_it_is_said_what_would_install_it(typed):
    assert importlib.util.find_spec("pyganak") is None
    said = typed("count", "--n", 6, "--ganak")
    assert (said.returncode, said.stdout) == (2, "")
    assert is_told(said.stderr, "'nqbench[ganak]'")


def test_a_large_board_is_solved_with_few_clauses_unless_an_encoding_is_named(nqbench):
    """`pairwise` has 2n C(n, 2) clauses for rows and columns alone: 9.9 million at n = 215."""
    limits = ("--n", 215, "--memory-limit", "400MiB", "--style", "algebraic")
    assert nqbench("solve", *limits, "--encoding", "pairwise").returncode == 1
    shown = nqbench("solve", *limits)
    assert shown.returncode == 0, shown.stderr
    assert len(shown.stdout.split()) == 215


def test_a_long_count_is_published_unless_a_limit_says_to_count(nqbench):
    """OEIS A000170."""
    published = nqbench("count", "--n", 18)
    assert published.stdout == "666090624\n"
    assert published.stderr.startswith("OEIS A000170, not counted here: ")
    stopped = nqbench("count", "--n", 18, "--time-limit", "2s")
    assert (stopped.returncode, stopped.stdout) == (1, "")
    progress, end = stopped.stderr.splitlines()
    assert " solutions so far in " in progress
    assert end.startswith("nqbench: stopped at the time limit of 2 s: ")
