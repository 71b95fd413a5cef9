"""The command watch, where it cannot draw on a terminal."""

import itertools
import json
import re

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from nqbench.addons.teaching import gif
from nqbench.addons.teaching.steps import Watched
from nqbench.problems.queens import Queens
from nqbench.show.boards import scene


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
        (
            ["--n", 8, "--output", "no/such/x.gif"],
            "x.gif: there is no folder no/such",
        ),
        (
            ["--n", 8, "--output", "no/such/x.html"],
            "x.html: there is no folder no/such",
        ),
        (["--window", "--output", "x.gif"], "--window cannot be combined with --output"),
        ([], "give one problem"),
    ],
)
def test_what_cannot_be_watched_gets_one_line(nqbench, arguments, message):
    shown = nqbench("watch", *arguments)
    assert shown.returncode == 2
    assert message in shown.stderr
    assert shown.stderr.count("\n") == 1


START = Queens(6, "blocked", ((1, 3),), ((0, 0), (5, 2)))


def test_a_long_search_is_thinned_and_stopped(nqbench, tmp_path):
    arguments = ["watch", "--n", 12, "--all", "--frames", 10, "--time-limit", "500ms"]
    shown = nqbench(*arguments, "--output", "search.html")
    assert shown.returncode == 0, shown.stderr
    assert re.search(
        r"wrote search\.html\nstopped at the time limit .* after \d{3,} steps \(1 in \d+ shown\)",
        shown.stderr,
    )
    page = (tmp_path / "search.html").read_text()
    assert 5 <= len(steps_of(page)) <= 10


def steps_of(page):
    return json.loads(re.search(r'id="steps">(.*?)</script>', page)[1])


def drawn(picture, colour, down):
    """The squares of a board of 6 rows that have this colour at this height in the middle."""
    pixels = np.asarray(picture.convert("RGB")) / 255
    side, left, top = 60, 32, 16
    return {
        (row, column)
        for row, column in itertools.product(range(6), repeat=2)
        if np.allclose(
            pixels[round(top + (row + down) * side), round(left + (column + 0.5) * side)],
            to_rgb(colour),
            atol=0.05,
        )
    }


def test_a_frame_shows_its_step_and_nothing_of_others(tmp_path):
    moments = list(Watched.named(START, None, "backtracking").moments())
    gif.write(START, moments, tmp_path / "search.gif", 4)
    with Image.open(tmp_path / "search.gif") as picture:
        assert picture.n_frames == len(moments)
        for position, moment in enumerate(moments):
            picture.seek(position)
            assert drawn(picture, scene.GIVEN, 0.7) == set(START.placed)
            assert drawn(picture, scene.FOUND, 0.7) == set(moment.chosen) - set(START.placed)
            assert drawn(picture, scene.DOT, 0.5) == set(moment.free)
        assert picture.info["duration"] == 16 * 250
