"""Watching a search: the steps shown are the steps taken."""

import contextlib
import itertools
import json
import os
import pty
import re
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from nqbench.addons.teaching import gif
from nqbench.addons.teaching.history import History
from nqbench.addons.teaching.player import Player
from nqbench.addons.teaching.sampling import Thinned
from nqbench.addons.teaching.steps import Watched
from nqbench.backends.base import Backend, StepKind
from nqbench.common.errors import InputError
from nqbench.problems.queens import Queens
from nqbench.show.boards.text import text_board

SEARCHES = [
    "backtracking",
    "backtracking:order=mrv",
    "backtracking:forward=on:order=mrv",
    "astar",
    "astar:heuristic=free:branch=all",
]
START = Queens(6, "blocked", ((1, 3),), ((0, 0), (5, 2)))


@pytest.mark.parametrize("backend", SEARCHES)
@pytest.mark.parametrize("problem", [START, Queens(5), Queens(3), Queens(5, "torus")], ids=str)
def test_every_state_obeys_the_rules_and_every_solution_is_shown(problem, backend):
    watched = Watched.named(problem, None, backend)
    moments = list(watched.moments())
    solutions = [m.chosen for m in moments if m.kind is StepKind.SOLUTION]
    for moment in moments:
        assert problem.attack(moment.chosen) is None
        assert not set(moment.chosen).intersection(problem.blocked)
        for square in moment.free:
            assert problem.attack([*moment.chosen, square]) is None
            assert square not in problem.blocked
    assert all(problem.violation(queens) is None for queens in solutions)
    assert len(set(solutions)) == len(solutions)
    expected = {("blocked", 6): 1, ("queens", 5): 10, ("queens", 3): 0, ("torus", 5): 10}
    assert len(solutions) == expected[problem.family, problem.n]


@pytest.mark.parametrize("backend", SEARCHES)
def test_the_search_that_is_watched_is_the_search_that_is_measured(backend):
    """Both do the same work up to the first solution."""
    watched = Watched.named(Queens(7), None, backend)
    for moment in watched.moments():
        if moment.kind is StepKind.SOLUTION:
            break
    solver = Backend.named(backend).load(watched.encoding.encode(Queens(7)))
    solver.solve()
    assert moment.counters == solver.counters()


def test_the_states_of_backtracking_are_those_of_a_search_by_hand():
    """On 4 rows, a queen on a1 has no solution, and a queen on b1 has the first one."""
    moments = Watched.named(Queens(4), None, "backtracking").moments()
    columns = []
    for moment in moments:
        columns.append("".join(str(column) for _, column in moment.chosen))
        if moment.kind is StepKind.SOLUTION:
            break
    assert columns == [
        "0", "02", "02", "03", "031", "031", "03", "0", "1", "13", "130", "1302",
    ]  # fmt: skip


@given(st.integers(2, 40), st.integers(0, 2000))
def test_thinning_keeps_few_evenly_and_the_last(most, count):
    thinned = Thinned(most)
    for item in range(count):
        thinned.add(item)
        assert len(thinned.items()) <= most
    items = thinned.items()
    assert thinned.added == count
    if count:
        assert (items[0], items[-1]) == (0, count - 1)
        assert len(items) >= min(count, most // 2)
        assert {b - a for a, b in pairwise(items[:-1])} <= {thinned.every}


def test_after_a_search_for_all_solutions_the_last_one_is_shown(nqbench):
    shown = nqbench("watch", "--n", 4, "--all")
    rows = shown.stdout.replace(" ", "").splitlines()
    assert [row.index("♛") + 1 for row in rows] == [3, 1, 4, 2]
    assert shown.stderr.startswith("all 2 solutions after ")


def steps_of(page):
    return json.loads(re.search(r'id="steps">(.*?)</script>', page)[1])


def test_a_page_holds_the_steps_and_needs_no_network(nqbench, tmp_path):
    (tmp_path / "start.txt").write_text(text_board(Queens(6), [(0, 1)]))
    nqbench("watch", "--board", "start.txt", "--backend", "astar", "--output", "search.html")
    page = (tmp_path / "search.html").read_text()
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    last = steps_of(page)[-1]
    queens = [(0, 1), *(divmod(square, 6) for square in last["queens"])]
    assert Queens(6).violation(queens) is None


def test_a_gif_has_a_frame_for_each_step(nqbench, tmp_path):
    shown = nqbench("watch", "--n", 5, "--output", "search.gif", "--speed", 4)
    steps = int(re.search(r"after (\d+) steps", shown.stderr)[1])
    with Image.open(tmp_path / "search.gif") as picture:
        assert picture.n_frames >= steps
        assert picture.info["duration"] == 250


def test_an_animation_that_is_interrupted_leaves_no_file(tmp_path):
    watched = Watched.named(Queens(5), None, "backtracking")

    def interrupted():
        yield from itertools.islice(watched.moments(), 3)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gif.write(Queens(5), interrupted(), tmp_path / "search.gif", 4)
    assert not list(tmp_path.iterdir())


def test_a_player_steps_previews_and_keeps_its_board_when_a_file_is_wrong(tmp_path):
    player = Player(START, None, "backtracking")
    assert player.board.queens == ()
    player.preview()
    assert player.board.attacked_squares
    assert player.step()
    assert len(player.board.queens) == 1
    while player.run(5, seconds=60):
        assert player.board.problem == START
    assert player.what.startswith("step ")
    (tmp_path / "bad.txt").write_text("Q.\n.Q")
    with pytest.raises(InputError, match=r"line 2, column 2: queens on"):
        player.choose(tmp_path / "bad.txt")
    assert player.board.problem == START
    (tmp_path / "good.txt").write_text("Q.\n..")
    player.choose(tmp_path / "good.txt")
    while player.step():
        pass
    assert player.what == "no solutions: the search is over"


@pytest.mark.parametrize("backend", ["backtracking", "astar"])
def test_a_player_goes_back_over_the_steps_that_it_took(backend):
    """Forward and back and forward again are the same states as the search has without it."""
    moments = list(Watched.named(Queens(5), None, backend).moments())
    texts = ["queens n=5", *map(str, moments), "10 solutions: the search is over"]
    boards = [(), *(moment.chosen for moment in moments), moments[-1].chosen]
    player = Player(Queens(5), None, backend)
    shown = [(player.what, player.board.queens)]
    while player.step():
        shown.append((player.what, player.board.queens))
    assert shown == list(zip(texts, boards, strict=True))
    assert player.is_over
    there = [(player.what, player.board.queens)]
    while player.back():
        there.append((player.what, player.board.queens))
    assert there == shown[::-1]
    again = [(player.what, player.board.queens)]
    while player.step():
        again.append((player.what, player.board.queens))
    assert again == shown


def test_a_player_changes_rows_and_backend_and_keeps_what_was_there_if_it_cannot():
    player = Player(Queens(5, "torus"), None, "backtracking")
    player.resize("7")
    assert player.problem == Queens(7, "torus")
    player.step()
    player.search_with("AStar")
    assert (player.backend, player.what) == ("astar", "torus n=7")
    for change in (lambda: player.search_with("minisat22"), lambda: player.resize("99")):
        with pytest.raises(InputError):
            change()
    assert (player.backend, player.problem) == ("astar", Queens(7, "torus"))


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 8), st.integers(0, 20))
def test_a_history_is_a_list_of_which_the_last_items_are_kept(moves, most, count):
    history = History(iter(range(count)), most)
    position, taken = -1, 0
    for forward in moves:
        if forward and position + 1 < count:
            position += 1
            taken = max(taken, position + 1)
            assert history.forward() == position
        elif forward:
            assert history.forward() is None
        elif position > max(0, taken - most):
            position -= 1
            assert history.back() == position
        else:
            assert history.back() is None


def on_a_terminal(*arguments, **environment):
    """What a command writes to a terminal of 80 columns."""
    try:
        leader, follower = pty.openpty()
    except OSError as error:
        pytest.skip(f"no pseudo-terminal can be opened here: {error}")
    process = subprocess.Popen(
        [sys.executable, "-m", "nqbench", *arguments],
        stdout=follower,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment},
    )
    os.close(follower)
    written = b""
    # Reading from a terminal whose other end is closed is an error and not an end.
    with contextlib.suppress(OSError):
        while piece := os.read(leader, 65536):
            written += piece
    os.close(leader)
    assert process.wait() == 0
    return written.decode()


def test_on_a_terminal_every_step_is_shown_in_colours():
    shown = on_a_terminal("watch", "--n", "4", "--speed", "60")
    steps = dict.fromkeys(map(int, re.findall(r"step (\d+):", shown)))
    assert list(steps) == list(range(1, 13))
    assert "\x1b[48;2;201;167;124m" in shown


def test_colours_can_be_refused():
    assert "\x1b[" in on_a_terminal("solve", "--n", "6")
    plain = on_a_terminal("solve", "--n", "6", NO_COLOR="1")
    assert "\x1b[" not in plain
    assert plain.count("♛") == 6
