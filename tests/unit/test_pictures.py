"""Pictures of solutions: what they show, read back from the SVG and the PNG."""

import xml.etree.ElementTree as ET

import pytest
from matplotlib.image import imread

import nqbench
from nqbench.problems.families.base import Family
from nqbench.problems.picture import Cell, Piece, circle, grid, strip
from nqbench.show.boards import figure, scene, svg

SVG = "{http://www.w3.org/2000/svg}"


def elements(picture, name):
    return list(ET.fromstring(svg.picture_svg(picture)).iter(SVG + name))


def test_svg_has_the_texts_in_their_cells():
    root = grid("six", 2, 3, {(0, 1): Cell("12", 3), (1, 2): Cell("<", is_given=True)})
    texts = elements(root, "text")
    assert [(text.text, text.get("x")) for text in texts] == [("12", "1.5"), ("<", "2.5")]
    assert [text.get("font-weight") for text in texts] == [None, "bold"]
    grounds = [square.get("fill") for square in elements(root, "polygon")]
    assert grounds == [scene.EMPTY, scene.PALETTE[3], *4 * [scene.EMPTY], "none"]


def test_vertices_are_joined_where_they_are():
    picture = circle("a triangle", [Cell("a"), Cell("b"), Cell("c")], [(0, 2)])
    centres = [(disc.get("cx"), disc.get("cy")) for disc in elements(picture, "circle")]
    assert len(set(centres)) == 3
    (line,) = elements(picture, "line")
    ends = [(float(line.get(f"x{end}")), float(line.get(f"y{end}"))) for end in (1, 2)]
    for end, centre in zip(ends, (centres[0], centres[2]), strict=True):
        assert end == pytest.approx(tuple(map(float, centre)), abs=0.01)


def test_strip_continues_below_without_empty_cells():
    picture = strip("five", [Cell(str(k)) for k in range(5)], columns=2)
    assert (picture.width, picture.height, len(picture.cells)) == (2, 3, 5)
    assert picture.cells[0.5, 2.5].text == "4"


def test_png_has_the_colours_of_the_cells(tmp_path):
    picture = grid("two", 1, 2, {(0, 0): Cell(colour=0), (0, 1): Cell(piece=Piece.DOT)})
    figure.write_png(picture, tmp_path / "two.png", 200)
    pixels = imread(tmp_path / "two.png")
    height, width, _ = pixels.shape
    assert width == 200
    colours = [
        "#" + "".join(f"{round(255 * value):02x}" for value in pixels[height // 2, x][:3])
        for x in (width // 4, 3 * width // 4)
    ]
    assert colours == [scene.PALETTE[0], scene.GIVEN]


@pytest.mark.parametrize(
    ("family", "n"),
    [
        ("latin", 4), ("sudoku", 2), ("magic-square", 3), ("queen-domination", 5), ("langford", 4),
        ("peaceable-queens", 4), ("squares-free", 4), ("van-der-waerden", 8), ("colouring", 5),
        ("colouring:graph=mycielski", 2), ("pigeonhole:more=0", 3),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("called_directly")
def test_families_have_pictures_of_their_solutions(family, n):
    """Each option of the solution changes the picture, which the problem alone has as well."""
    problem = Family.named(family).of_size(n)
    solved = nqbench.solve(problem, backend="cadical195")
    whole = problem.picture(solved.solution)
    first, *rest = solved.solution
    assert first
    assert problem.picture(rest).cells != whole.cells
    assert problem.picture(problem.start) is not None
    assert "<img" in solved._repr_html_()


def test_formula_has_no_picture(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cnf").write_text("p cnf 1 1\n1 0\n")
    assert nqbench.formulas("a.cnf")[0].picture(()) is None
