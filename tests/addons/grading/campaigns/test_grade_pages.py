"""What `grade` writes for a class, and for one student."""

import csv
import re
import shutil

import pytest
from made_records import record_of
from places import ROOT
from sandboxed import needs_sandbox

import nqbench as library
from nqbench.addons.grading.races import letters
from nqbench.addons.grading.refutation import describe, scene
from nqbench.records import frame
from nqbench.show.boards.svg import svg

PLANTED = ROOT / "tests" / "data" / "submissions"
STRIDE = (
    (PLANTED / "right.py").read_text().replace("row * n + column + 1", "10 * row + column + 11")
)

pytestmark = needs_sandbox


COMMAND = ("grade", "handed-in", "--n", "4..5", "--shuffles", 1, "--backend", "minisat22")


@pytest.fixture(scope="module")
def graded(nqbench_in, tmp_path_factory):
    """A folder in which `COMMAND` has graded what is handed in, and what that printed."""
    made = tmp_path_factory.mktemp("graded")
    folder = made / "handed-in"
    folder.mkdir()
    for name in ("right", "from_zero", "diagonal_missing", "exit_1"):
        shutil.copy(PLANTED / f"{name}.py", folder / f"of_{name}.py")
    copied = (PLANTED / "right.py").read_bytes().replace(b"\n", b" \r\n")
    (folder / "of_friend.py").write_bytes(copied)
    done = nqbench_in(made)(*COMMAND)
    assert done.returncode == 0, done.stderr
    return made, done.stdout


@pytest.fixture
def handed_in(graded, tmp_path):
    """What is handed in, in a copy of that folder."""
    shutil.copytree(graded[0], tmp_path, dirs_exist_ok=True)
    return tmp_path / "handed-in"


def test_a_page_for_one_student_names_no_other(graded):
    folder, printed = graded
    handed_in, pages = folder / "handed-in", folder / "results" / "pages"
    names = {path.name for path in handed_in.iterdir()}
    assert {path.stem for path in pages.iterdir()} == names
    for name in names:
        page = (pages / f"{name}.html").read_text()
        assert {other for other in names if other in page} == {name}
        assert ("<figure>" in page) == (name in {"of_from_zero.py", "of_diagonal_missing.py"})
    assert (
        "variables are counted from 1, not from 0" in (pages / "of_from_zero.py.html").read_text()
    )
    assert "the same files as of_right.py" in " ".join(printed.split())


def test_an_anonymous_scoreboard_names_nobody(nqbench, tmp_path, handed_in):
    done = nqbench(*COMMAND, "--anonymous")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "results"
    board = (folder / "scoreboard.html").read_text()
    table = (folder / "scoreboard.csv").read_text()
    for text in (board, table, done.stdout):
        assert "of_" not in text
        assert "no. 3" in text
    with (folder / "names.csv").open(newline="") as file:
        key = {row["number"]: row for row in csv.DictReader(file)}
    assert len(key) == 5
    for number, row in key.items():
        assert number in (folder / "pages" / f"{row['submission']}.html").read_text()
    alike = {row["submission"]: row["same_files_as"] for row in key.values()}
    numbers = {row["submission"]: number for number, row in key.items()}
    assert {name: same for name, same in alike.items() if same} == {
        "of_right.py": numbers["of_friend.py"],
        "of_friend.py": numbers["of_right.py"],
    }
    graded = library.grade(handed_in, "4..5", shuffles=0, anonymous=True, results=folder)
    assert set(graded.table()["submission"]) == set(key)


def test_a_page_of_what_was_replaced_is_not_handed_out(nqbench, tmp_path, handed_in):
    (handed_in / "of_exit_1.py").rename(handed_in / "of_late.py")
    assert nqbench(*COMMAND).returncode == 0
    pages = {path.stem for path in (tmp_path / "results" / "pages").iterdir()}
    assert pages == {path.name for path in handed_in.iterdir()}


def test_a_program_that_ignores_n_is_told_so(nqbench, tmp_path):
    folder = tmp_path / "handed-in"
    folder.mkdir()
    program = (PLANTED / "right.py").read_text()
    (folder / "eight.py").write_text(program.replace("int(sys.argv[1])", "5"))
    done = nqbench("grade", folder, "--n", "4..5", "--shuffles", 0)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "results" / "pages" / "eight.py.html").read_text()
    assert "refuted for n = 4<" in page
    assert "the formula is the same for n = 4..5" in page


def test_the_same_clauses_have_the_same_letters():
    """Others used the machine while one of two was measured."""
    records = frame.of(
        [
            record_of(
                n,
                encoding=name,
                clauses_digest=f"{clauses} {n}",
                instance_digest=f"{name} {n}",
                backend=backend,
                solve_s=time_s * (1 + n / 100),
            )
            for name, clauses, time_s in (("ann", "a", 0.1), ("ben", "a", 3.0), ("cid", "c", 0.5))
            for n in range(4, 14)
            for backend in ("one", "two")
        ]
    )
    found = letters(records, ["ann", "ben", "cid"])
    assert found == {"ann": "a", "ben": "a", "cid": "b"}


@pytest.fixture
def explained(nqbench, tmp_path):
    def run(program, sizes):
        (tmp_path / "one").mkdir()
        (tmp_path / "one" / "ann.py").write_text(program)
        done = nqbench("grade", tmp_path / "one", "--n", sizes, "--shuffles", 0)
        assert done.returncode == 0, done.stderr
        return " ".join(done.stdout.split())

    return run


def test_what_makes_most_formulas_right_is_said(explained):
    """For n = 4, there are several such numberings, and another one may look plainer."""
    assert "10 * row + column + 11, counted from 0" in explained(STRIDE, "4..7")


def test_a_picture_shows_two_queens_that_attack_each_other():
    placement = ((0, 3), (1, 5), (3, 0))
    assert describe(6, placement) == (
        "queens on d6 (row 0, column 3) and a3 (row 3, column 0) share a rising diagonal"
    )
    (piece,) = scene(6, placement, is_allowed=True).attack_lines
    assert piece == [(3, 0), (2, 1), (1, 2), (0, 3)]
    drawn = svg(scene(6, placement, is_allowed=True))
    assert re.findall(r'd="(M[\d. ]+L[\d. ]+)"', drawn) == ["M0.5 3.5L3.5 0.5"]
    assert not scene(6, placement, is_allowed=False).attack_lines


def test_a_picture_shows_a_row_without_a_queen():
    placement = ((0, 1), (1, 3), (3, 2))
    assert describe(4, placement) == "row 2, counted from 0, has no queen"
    assert scene(4, placement, is_allowed=True).dots == tuple((2, column) for column in range(4))
