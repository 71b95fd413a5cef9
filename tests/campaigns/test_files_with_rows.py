"""Files of clauses and rows in the commands that read formulas."""

import itertools
import re

import pytest
from addons import needs_addon

import nqbench as library
from nqbench.clauses import constraint_files
from nqbench.cli.guesses import _FORMULA
from nqbench.problems.families.cnf import SUFFIXES

KNF = """\
c t pmc
p knf 6 4
c p show 1 2 3 0
k 3 1 2 3 4 5 6 0
k 3 -1 -2 -3 -4 -5 -6 0
1 -2 0
k 2 1 4 6 0
"""
OPB = "* #variable= 5 #constraint= 2\n+1 x1 +1 x2 +1 ~x3 >= 2 ;\n+1 x1 +1 x4 = 1 ;\n"
UNSAT = "p knf 4 2\nk 3 1 2 3 4 0\nk 2 -1 -2 -3 -4 0\n"


@pytest.fixture
def folder(tmp_path):
    for name, text in (
        ("a.knf", KNF),
        ("all.knf", KNF.replace("c p show 1 2 3 0\n", "")),
        ("b.opb", OPB),
        ("u.knf", UNSAT),
    ):
        (tmp_path / name).write_text(text)
    return tmp_path


def meets(values):
    """Whether values of the variables meet the rows of KNF, which is written down here again."""
    a, b, _, d, _, f = values
    return sum(values) == 3 and (a or not b) and a + d + f >= 2


MODELS = [v for v in itertools.product([False, True], repeat=6) if meets(v)]
SHOWN = {v[:3] for v in MODELS}
OPB_MODELS = [
    v
    for v in itertools.product([False, True], repeat=5)
    if v[0] + v[1] + (not v[2]) >= 2 and v[0] + v[3] == 1
]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("a.knf", len(SHOWN)),
        ("all.knf", len(MODELS)),
        ("u.knf", 0),
        ("a.knf --encoding totalizer", len(SHOWN)),
        ("all.knf --encoding native --backend minicard", len(MODELS)),
    ],
)
def test_models_are_counted_on_the_variables_that_count(typed, folder, words, expected):
    done = typed("count", *words.split())
    assert (done.returncode, done.stdout) == (0, f"{expected}\n"), done.stderr
    assert "verified by proof" in done.stderr


def test_variables_that_occur_nowhere_double_the_models(typed, folder):
    assert typed("count", "b.opb").stdout == f"{len(OPB_MODELS)}\n"
    (folder / "free.cnf").write_text("p cnf 42 1\n1 2 0\n")
    assert typed("count", "free.cnf").stdout == f"{3 * 2**40}\n"
    assert library.count(library.formulas(folder / "b.opb")[0]) == len(OPB_MODELS)


def test_all_models_are_printed_as_literals(typed, folder):
    done = typed("solve", "a.knf", "--all", "--encoding", "sequential")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert {(line[0], line[-1]) for line in lines} == {("v", "0")}
    assert {tuple(int(word) > 0 for word in line[1:-1]) for line in lines} == SHOWN
    assert len(lines) == len(SHOWN)
    assert done.stderr == f"{len(SHOWN)} models: verified by proof\n"
    (formula,) = library.formulas(folder / "a.knf")
    returned = library.solve_all(formula, encoding="sequential")
    assert sorted(map(str, returned)) == sorted(done.stdout.splitlines())


def test_one_answer_is_printed_as_for_clauses(typed, folder):
    assert typed("solve", "a.knf", "--encoding", "totalizer").stdout == "satisfiable\n"
    done = typed("solve", "u.knf")
    assert (done.returncode, done.stdout) == (0, "unsatisfiable\n")
    assert "verified by proof" in done.stderr
    (formula,) = library.formulas(folder / "a.knf")
    model = library.solve(formula, encoding="totalizer")
    assert tuple(literal > 0 for literal in model.literals) in SHOWN
    (formula,) = library.formulas(folder / "u.knf")
    assert str(library.solve(formula)) == "u.knf has no solution (verified by proof)"


def test_an_encoding_that_drops_variables_that_count_is_refused(typed, folder):
    assert typed("encode", "--n", 7, "--encoding", "product", "-o", "q.cnf").returncode == 0
    done = typed("count", "q.cnf", "--encoding", "pairwise")
    assert done.returncode == 1
    assert "does without variables that count" in done.stderr


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("count a.knf --fundamental", "for boards of queens"),
        ("solve a.knf --style ascii", "for boards of queens"),
        ("count beyond.cnf", "names variable 7, but the formula has 2 variables"),
        ("reencode a.knf -o x.knf", "has rows already"),
        ("reencode a.knf --list", "nqbench encode FILE --encoding totalizer"),
        ("encode a.knf --encoding ladder", "choose for instance sequential:one=ladder"),
        ("encode short.knf", "line 1: the file holds 1 constraint, but the header says 2"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(typed, folder, line, refusal):
    (folder / "beyond.cnf").write_text("p cnf 2 0\nc p show 7 0\n")
    (folder / "short.knf").write_text("p knf 3 2\nk 2 1 2 3 0\n")
    done = typed(*line.split())
    assert done.returncode == 2
    assert refusal in done.stderr
    assert len(done.stderr.splitlines()) == 1


def models_in(path):
    """The choices of the first six variables that a file allows, by brute force over all."""
    formula = constraint_files.read(path.read_bytes(), path.name)
    from pysat.solvers import Solver

    with Solver("minisat22", bootstrap_with=list(formula.clauses())) as solver:
        for values in itertools.product([False, True], repeat=6):
            if solver.solve([v if true else -v for v, true in enumerate(values, 1)]):
                yield values


@pytest.mark.parametrize(
    "encoding", [[], ["--encoding", "totalizer"]], ids=["default", "totalizer"]
)
def test_an_encoded_file_has_the_models_of_its_rows(typed, folder, encoding):
    done = typed("encode", "a.knf", *encoding, "-o", "out.cnf")
    assert done.stderr == "wrote out.cnf; 2 lines for model counters kept\n"
    text = (folder / "out.cnf").read_text().splitlines()
    assert (text[0], text[2]) == ("c t pmc", "c p show 1 2 3 0")
    assert list(models_in(folder / "out.cnf")) == MODELS
    # Without `c p show`, auxiliary variables would count.
    doubted = typed("encode", "all.knf", *encoding, "-o", "out.cnf")
    assert "add `c p show` with the variables that count" in doubted.stderr


@pytest.mark.parametrize("name", ["out.opb", "out.cnf+", "out.knf.gz"])
def test_rows_stay_rows_where_the_output_has_them(typed, folder, name):
    assert typed("encode", "a.knf", "-o", name).returncode == 0
    assert typed("count", name).stdout == f"{len(SHOWN)}\n"
    formula = library.formulas(folder / name)[0]
    assert formula.constraints().num_rows == 3
    again = folder / "again.knf"
    assert library.encode(formula, output=again).num_variables == 6
    assert b"c p show 1 2 3 0" in again.read_bytes()


def test_found_constraints_are_written_as_rows(typed, folder):
    assert typed("encode", "--n", 6, "-o", "q.cnf").returncode == 0
    done = typed("reencode", "q.cnf", "-o", "q.knf")
    assert done.returncode == 0, done.stderr
    assert typed("count", "q.knf").stdout == "4\n"
    # Rows and columns, and two diagonals, have six squares; constraints of fewer stay.
    reencoded = library.reencode(folder / "q.cnf", output=folder / "r.opb")
    assert reencoded.formula.num_rows == 14
    assert (folder / "q.knf").read_text().count("\nk 5 ") == 14
    refused = typed("reencode", "q.cnf", "-o", "r.cnf")
    assert (refused.returncode, "-o rows.knf" in refused.stderr) == (2, True)


@needs_addon("race")
def test_files_are_recognised_by_their_suffix(typed, folder):
    assert not [suffix for suffix in SUFFIXES if not _FORMULA.search(f"a{suffix}")]
    assert not re.search(_FORMULA, "board.txt")
    words = ["--backend", "minisat22", "-q"]
    done = typed("run", "a.knf", "b.opb", "--dry-run", *words)
    assert done.returncode == 0, done.stderr
    done = typed("race", "a.knf", "--encoding", "sequential,totalizer", *words)
    assert done.returncode == 0, done.stderr
