"""Pictures of boards show what is on the board."""

import io
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from rich.color import ColorSystem
from rich.console import Console

from nqbench.problems.queens import Queens
from nqbench.show.boards import figure, scene, svg, terminal
from nqbench.show.boards.board import Board
from nqbench.show.boards.scene import lines_of
from nqbench.show.boards.text import Style, algebraic, text_board, text_scene

SVG = "{http://www.w3.org/2000/svg}"
POSITION = Queens(8, "blocked", ((4, 1), (3, 3)), ((0, 0), (7, 7)))
FOUND = ((0, 4), (1, 6))
BOARD = Board(POSITION, FOUND)


def paths(board):
    """The squares drawn in each fill colour, as (row, column)."""
    found = {}
    for path in ET.fromstring(svg.svg(board)).findall(f"{SVG}path"):
        starts = [part.split("h")[0].split("m")[0] for part in path.get("d").split("M")[1:]]
        if path.get("fill"):
            corners = [tuple(map(int, start.split())) for start in starts]
            found[path.get("fill")] = {(row, column) for column, row in corners}
    return found


def test_squares_are_named_as_chess_players_do():
    """The position of the 1850 problem: queens on b4 and d5."""
    assert text_board(Queens(8), [(4, 1), (3, 3)], Style.ALGEBRAIC) == "b4 d5"
    assert algebraic((0, 25), 30) == "z30"


def test_the_svg_shows_what_stands_on_the_board():
    drawn = paths(BOARD)
    assert drawn[scene.GIVEN] == set(POSITION.placed)
    assert drawn[scene.FOUND] == set(FOUND)
    assert drawn[scene.BLOCKED] == set(POSITION.blocked)
    labels = [text.text for text in ET.fromstring(svg.svg(BOARD)).iter(f"{SVG}text")]
    assert labels == [*"abcdefgh", *"87654321"]


def test_a_board_draws_itself_in_a_notebook_as_wide_as_asked():
    root = ET.fromstring(Board(Queens(5), width="60%")._repr_svg_())
    assert root.get("width") == "60%"
    assert root.get("aria-label") == "5 x 5 board with 0 queens"
    page = ET.fromstring(Board(Queens(5), width="60%")._repr_html_().replace('%">', '%"/>'))
    assert page.get("style") == "width: 60%; max-width: 100%"
    assert page.get("alt") == "\n".join([". . . . ."] * 5).replace("\n", " ")
    wicked = Board(Queens(5), width='1"><script>')
    assert ET.fromstring(wicked._repr_svg_()).get("width") == '1"><script>'


def test_a_large_board_is_a_small_picture():
    solution = tuple((row, (2 * row) % 1001) for row in range(1001))
    assert len(svg.svg(Board(Queens(1001), solution))) < 150_000


@settings(max_examples=30)
@given(strategies.boards(7, placed=3))
def test_attacked_squares_are_those_from_which_a_queen_attacks(problem):
    board = Board(problem, attacked=True)
    squares = set(product(range(problem.n), repeat=2))
    queens = problem.placed
    expected = {
        square
        for square in squares.difference(queens, problem.blocked)
        if any(problem.attack([queen, square]) for queen in queens)
    }
    assert board.attacked_squares == expected
    assert not Board(problem).attacked_squares
    assert paths(board).get(scene.ATTACKED, set()) == expected


@settings(max_examples=30)
@given(strategies.boards(7))
def test_lines_of_attack_hold_every_square_that_is_attacked_from_there(problem):
    for square in product(range(problem.n), repeat=2):
        on_lines = {other for line in lines_of(problem, square) for other in line} - {square}
        expected = {
            other
            for other in product(range(problem.n), repeat=2)
            if other != square and problem.attack([square, other])
        }
        assert on_lines == expected


def test_a_line_on_a_torus_is_drawn_in_pieces():
    board = Board(Queens(5, "torus"), lines_of=(1, 1))
    pieces = board.attack_lines
    assert [(0, 2), (1, 1), (2, 0)] in [sorted(piece) for piece in pieces]
    for piece in pieces:
        for (r, c), (s, d) in pairwise(piece):
            assert max(abs(r - s), abs(c - d)) == 1
    assert svg.svg(board).count(f'stroke="{scene.LINE}"') == 1


def test_the_png_shows_what_stands_on_the_board(tmp_path):
    figure.write_png(BOARD, tmp_path / "board.png", 800)
    picture = imread(tmp_path / "board.png")
    assert picture.shape == (800, 800, 4)

    def colour(row, column):
        """The colour at the lower middle of a square, where a queen is widest."""
        side = 0.92 * 800 / 8
        y, x = 0.01 * 800 + (row + 0.7) * side, 0.07 * 800 + (column + 0.5) * side
        return picture[int(y), int(x), :3]

    for square in POSITION.placed:
        assert np.allclose(colour(*square), to_rgb(scene.GIVEN), atol=0.02)
    for square in FOUND:
        assert np.allclose(colour(*square), to_rgb(scene.FOUND), atol=0.02)
    assert np.allclose(colour(2, 2), to_rgb(scene.LIGHT), atol=0.02)
    assert np.allclose(colour(2, 3), to_rgb(scene.DARK), atol=0.02)
    assert np.allclose(colour(7, 7), to_rgb(scene.BLOCKED), atol=0.02)


def test_the_terminal_shows_the_same_board_in_colours():
    drawn = terminal.text(BOARD)
    rows = [line[::2] for line in drawn.plain.split("\n")]
    queens = {(r, c) for r, row in enumerate(rows) for c, s in enumerate(row) if s == "♛"}
    assert queens == {*POSITION.placed, *FOUND}
    coloured = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor")
    coloured.print(drawn)
    assert "48;2;201;167;124" in coloured.file.getvalue()


@pytest.mark.parametrize("system", [ColorSystem.EIGHT_BIT, ColorSystem.STANDARD])
def test_attacked_squares_are_told_apart_in_few_colours(system):
    drawn = terminal.text(Board(Queens(4), ((0, 0),), attacked=True))
    grounds = {span.style.bgcolor for span in drawn.spans}
    assert len({ground.downgrade(system).number for ground in grounds}) == 4


def test_attacked_squares_and_lines_are_marked_in_text_that_people_read():
    board = Board(Queens(4, "blocked", ((0, 0),), ((2, 2),)), ((1, 2),), attacked=True)
    assert str(board) == "Q x x x\nx x Q x\nx x # x\nx . x x"
    lines = replace(board, attacked=False, lines_of=(3, 1))
    assert text_scene(lines, Style.UNICODE) == "♛ + · ·\n· + ♛ +\n+ + ▒ ·\n+ + + +"
    both = replace(board, lines_of=(3, 1))
    assert text_scene(both, Style.ASCII) == "Q + x x\nx + Q +\n+ + # x\n+ + + +"
    for style in (Style.BINARY, Style.ALGEBRAIC):
        assert text_scene(both, style) == text_board(board.problem, [(0, 0), (1, 2)], style)


def test_text_shows_what_the_command_is_asked_to_mark(nqbench, tmp_path):
    (tmp_path / "b.txt").write_text("Q..\n...\n...")
    plain = nqbench("board", "--board", "b.txt").stdout
    assert plain == "♛ · ·\n· · ·\n· · ·\n"
    marked = nqbench("board", "--board", "b.txt", "--attacked").stdout
    cross = "\N{MULTIPLICATION SIGN}"
    assert marked == f"♛ {cross} {cross}\n{cross} {cross} ·\n{cross} · {cross}\n"
    lines = nqbench("board", "--board", "b.txt", "--lines-of", "2,1", "--style", "ascii").stdout
    assert lines == "Q + .\n+ + +\n+ + +\n"


@pytest.mark.parametrize("name", ["board.svg", "board.png"])
def test_solve_writes_pictures(nqbench, tmp_path, name):
    option = f"--{name[-3:]}"
    shown = nqbench("solve", "--n", 6, "--style", "ascii", option, name)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("Q") == 6
    start = (tmp_path / name).read_bytes()[:8]
    assert start == (b"\x89PNG\r\n\x1a\n" if name.endswith("png") else b"<svg xml")
    refused = nqbench("solve", "--n", 6, "--all", option, name)
    assert refused.returncode == 2
    assert "holds one picture, not all solutions: leave it out" in refused.stderr
    assert nqbench("solve", "--n", 6, option, "no/such/folder").returncode == 2


def test_a_board_is_drawn_and_written_without_a_solver(nqbench, tmp_path):
    arguments = ["board", "--n", 6, "--family", "blocked", "--density", 0.2, "--json", "b.json"]
    drawn = nqbench(*arguments, "--style", "ascii").stdout
    assert drawn.count("#") == 7
    again = nqbench("board", "--board", "b.json", "--style", "ascii")
    assert again.stdout == drawn
    outside = nqbench("board", "--n", 6, "--lines-of", "6,0")
    assert outside.returncode == 2
    assert "square (6, 0) is outside the board of 6 rows" in outside.stderr
