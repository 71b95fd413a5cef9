"""The command watch, where it cannot draw on a terminal."""

import pytest


def test_watch_prints_the_last_state_where_there_is_no_terminal(nqbench):
    shown = nqbench("watch", "--n", 8)
    assert shown.returncode == 0
    rows = shown.stdout.replace(" ", "").splitlines()
    # The published first solution of backtracking is 1 5 8 6 3 7 2 4.
    assert [row.index("♛") + 1 for row in rows] == [1, 5, 8, 6, 3, 7, 2, 4]
    assert shown.stderr.startswith("a solution after ")
    assert nqbench("watch", "--n", 3).stderr.startswith("unsatisfiable after ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--n", 8, "--backend", "glucose4"],
            "does not report its steps: choose from astar, backtr",
        ),
        (["--n", 61], "queens n=61 is too large to watch: at most 60 rows"),
        (["--n", 8, "--output", "x.mp4"], "name a file that ends in .gif or .html"),
        (["--n", 8, "--output", "no/such/x.gif"], "cannot write no/such/x.gif: No such file"),
        (["--n", 8, "--output", "no/such/x.html"], "cannot write no/such/x.html: No such file"),
        (["--window", "--output", "x.gif"], "--window cannot be combined with --output"),
        ([], "give one problem"),
    ],
)
def test_what_cannot_be_watched_gets_one_line(nqbench, arguments, message):
    shown = nqbench("watch", *arguments)
    assert shown.returncode == 2
    assert message in shown.stderr
    assert shown.stderr.count("\n") == 1
