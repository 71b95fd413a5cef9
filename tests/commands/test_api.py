"""The Python interface for notebooks."""

import html
import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from addons import calls, needs_addon
from made_records import THREE
from places import ROOT

import nqbench
from nqbench.common.errors import InputError, SolverError
from nqbench.records.record import COLUMNS
from nqbench.records.store import Store


def test_a_campaign_is_a_table_with_a_row_for_each_run():
    records = nqbench.run([6, 8], encodings=["pairwise"], backends=["minisat22"], repeat=2)
    assert set(records.columns) == {*COLUMNS, "total_s"}
    assert sorted(records.select("n", "repeat").rows()) == [(6, 0), (6, 1), (8, 0), (8, 1)]
    assert set(records["verdict"]) == {"verified"}
    assert dict(records.select("n", "clauses").rows()) == {6: 302, 8: 744}


def test_what_is_named_twice_is_measured_once():
    options = {"encodings": ["pairwise"] * 2, "backends": ["minisat22"] * 2, "repeat": 1}
    assert nqbench.run([4, 4], **options)["n"].to_list() == [4]
    placed = [
        nqbench.Queens(6, "completion", placed=((0, column),), instance="a") for column in (1, 2)
    ]
    with pytest.raises(InputError, match="2 different problems have the name 'completion a n=6'"):
        nqbench.run(placed, **options)


def test_boards_with_squares_are_not_taken_for_each_other_or_the_empty_board():
    corner, edge = (nqbench.Queens(6, placed=((0, column),)) for column in (0, 1))
    assert len({str(corner), str(edge), str(nqbench.Queens(6))}) == 3
    records = nqbench.run([6, corner, edge], encodings="pairwise", backends="minisat22", repeat=1)
    # No solution for 6 rows has a queen in a corner; one of the four has it beside the corner.
    answers = dict(zip(records["instance"], records["answer"], strict=True))
    assert answers == {"": "sat", corner.instance: "unsat", edge.instance: "sat"}
    none = nqbench.solve(corner)
    assert "placed" in str(none)
    assert not str(none).startswith("queens n=6")


def test_the_name_of_a_board_follows_its_squares():
    one = nqbench.Queens(6, placed=[[0, 1]], blocked={(5, 5)})
    assert replace(one, placed=((0, 2),)) == nqbench.Queens(6, placed=[(0, 2)], blocked=[(5, 5)])
    assert replace(one, instance="mine").instance == "mine"
    assert nqbench.Queens(6, "torus").instance == ""


@pytest.mark.parametrize(
    ("make", "culprit"),
    [
        (lambda: nqbench.Queens("8"), "n is '8'"),
        (lambda: nqbench.Queens(8.5), "n is 8.5"),
        (lambda: nqbench.Queens(8, placed=(0, 0)), "placed has 0"),
        (lambda: nqbench.Queens(8, blocked=("a1",)), "blocked has 'a1'"),
        (lambda: nqbench.Queens(8, placed=((0, 1, 2),)), r"placed has \(0, 1, 2\)"),
        (lambda: nqbench.Queens(5, "Torus"), "did you mean 'torus'"),
        (lambda: nqbench.Board(8), "8 is not a board"),
        (lambda: nqbench.Board("start.txt"), "'start.txt' is not a board"),
        (lambda: nqbench.run([4, "5..6"]), "'5..6' is not a problem"),
    ],
)
def test_what_is_no_board_is_refused_where_it_is_given(make, culprit):
    with pytest.raises(InputError, match=culprit):
        make()


def test_a_plot_without_a_kind_lists_the_kinds():
    with pytest.raises(InputError, match=r"time-over-n, .*cactus"):
        nqbench.plot(THREE)


@needs_addon("certify", "teaching")
def test_certificates_and_steps_are_shown_in_one_short_line():
    (certificate,) = nqbench.certify("pairwise", 4)
    assert repr(certificate) == "<pairwise on queens n=4: certified>"
    assert "step 1: " in repr(next(nqbench.watch(4)))
    assert len(repr(next(nqbench.watch(4)))) < 80


def test_printed_records_show_what_ran_and_how_it_ended():
    printed = str(nqbench.run(4, encodings="pairwise", backends="minisat22", repeat=1))
    for shown in ("queens", "pairwise", "minisat22", "finished", "verified"):
        assert shown in printed
    assert "null" not in printed


def test_numbers_of_numpy_are_numbers_of_rows():
    asked = np.arange(4, 6)
    assert set(nqbench.run(asked, backends=["backtracking"], repeat=1)["n"]) == {4, 5}


def test_a_plot_that_cannot_be_drawn_is_named():
    with pytest.raises(InputError, match="needs random problems with a density"):
        nqbench.plot(THREE, "transition")
    with pytest.raises(InputError, match="unknown plot 'pie'"):
        nqbench.plot(THREE, "pie")


@pytest.mark.parametrize(
    ("problems", "options", "message"),
    [
        ([], {}, "no problems"),
        ([0], {}, "n is 0"),
        ([8, nqbench.Formula("a", "", "a")], {}, "separate campaigns"),
        ([8], {"backends": ["nosuch"]}, "unknown backend 'nosuch'"),
        ([8], {"time_limit": "soon"}, "'soon' is not a duration"),
        ([8], {"task": "some"}, "task is 'some': choose from first, all"),
        ([8], {"repeat": 0}, "repeat is 0"),
        ([8], {"repeat": 10**12}, "are more than 10000000: ask for fewer at a time"),
        ([8], {"jobs": 0}, "jobs is 0"),
        ([8], {"backends": []}, "at least one problem and one backend"),
        ([8], {"encodings": "pairwize"}, "did you mean 'pairwise'"),
        ([8], {"backends": 3}, "give a list of names"),
        ([8], {"seed": 1.5}, "seed is 1.5"),
        ([8], {"keep_output": True}, "keep_output needs results"),
        ([8], {"check": "later"}, "needs results"),
        ([8], {"check": "soon"}, "choose from now, later"),
        ([8], {"suite": "hard"}, "give only one of problems, suite"),
        (None, {"suite": "hrd"}, "unknown suite 'hrd': did you mean 'hard'"),
        ([8], {"time_limit": []}, "is not a duration"),
        ([8], {"memory_limit": 2.5}, "'2.5' is not a size"),
        ([8], {"results": 3}, "3 is not a path"),
        (None, {}, "no problems: None"),
        ("8..4", {}, "'8..4' is empty: write 4..8"),
        ("boards/start.cnf", {}, "no file or folder boards/start.cnf"),
        (8, {"conflict_limit": 1.5}, "conflict_limit is 1.5: give a whole number"),
        (8, {"progress": "yes"}, "progress is 'yes': give True or False"),
        ([4.5], {}, "4.5 is not a problem: give numbers of rows"),
    ],
)
def test_what_cannot_be_run_is_said(problems, options, message):
    with pytest.raises(InputError, match=message):
        nqbench.run(problems, **options)


def test_what_is_recorded_is_not_measured_again_by_python_or_the_command_line(nqbench, tmp_path):
    import nqbench as api

    options = {"encodings": ["pairwise"], "backends": ["minisat22"]}
    folder = tmp_path / "results"
    first = api.run(range(4, 9), results=folder, **options)
    again = api.run(range(4, 9), results=str(folder), time_limit=30, **options)
    assert first.select("run_id", "started_at").equals(again.select("run_id", "started_at"))
    names = ("--encoding", "pairwise", "--backend", "minisat22", "--no-plots")
    done = nqbench("--n", "4..8", *names)
    assert "all 15 runs are recorded already" in done.stderr
    nqbench("--n", "4..9", *names)
    more = api.run(range(4, 10), results=folder, **options)
    assert len(more) == 18
    with Store(folder / "nqbench.db", read_only=True) as store:
        assert [session.runs for session in store.sessions()] == [15, 3]


def test_a_board_is_solved():
    board = nqbench.solve(8)
    assert board.problem.violation(board.queens) is None
    placed = nqbench.Queens(6, "completion", placed=((0, 1),))
    assert (0, 1) in nqbench.solve(placed, backend="minisat22", encoding="product").queens
    with pytest.raises(SolverError, match="time limit"):
        nqbench.solve(nqbench.Queens(200), backend="backtracking", time_limit=0.2)
    for wrong in ("4..8", [4, 5], None, 0, 8.5, nqbench.Formula("a", "", "a")):
        with pytest.raises(InputError):
            nqbench.solve(wrong)
    with pytest.raises(InputError, match="unknown backend"):
        nqbench.solve(8, backend="nosuch")


def test_a_problem_without_a_solution_is_answered_by_a_sentence_that_is_false():
    """N = 2 and 3 have none; 4, 5 and 6 have 2, 10 and 4 (OEIS A000170)."""
    for n in (2, 3):
        answer = nqbench.solve(n)
        assert not answer
        assert str(answer) == repr(answer)
        assert f"n={n} has no solution" in str(answer)
        assert nqbench.solve_all(n) == []
    assert nqbench.solve("4")
    for n, count in ((4, 2), (5, 10), (6, 4)):
        found = nqbench.solve_all(n)
        assert len({board.queens for board in found}) == len(found) == count
        assert not any(board.problem.violation(board.queens) for board in found)


@pytest.mark.parametrize(
    ("problem", "options", "number"),
    [
        ("8", {"fundamental": True}, 12),
        (8, {"fundamental": True, "backend": "pyeda"}, 12),
        (nqbench.Queens(7, "torus"), {"backend": "minisat22"}, 28),
        (6, {"models": True, "encoding": "pairwise"}, 4),
    ],
)
def test_solutions_are_counted_as_by_the_command(problem, options, number):
    """OEIS A000170, A002562 and A051906."""
    assert nqbench.count(problem, **options) == number


def test_the_models_of_a_formula_are_counted(tmp_path):
    (tmp_path / "a.cnf").write_text("p cnf 3 1\n1 2 0\n")
    (formula,) = nqbench.formulas(tmp_path)
    assert nqbench.count(formula, models=True) == 6
    assert nqbench.count(formula) == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "product"}, "`encoding` needs a solver: add `backend`, `ganak` or `models`"),
        ({"memory_limit": "1GiB"}, "`memory_limit` needs a solver"),
        ({"models": True, "ganak": True}, "`models` cannot be combined with `backend`, `ganak`"),
        ({"ganak": True, "backend": "pyeda"}, "`ganak` cannot be combined with `backend`"),
        ({"fundamental": "yes"}, "fundamental is 'yes': give True or False"),
        ({"backend": "nosuch"}, "unknown backend"),
        ({"backend": "construction"}, "cannot enumerate"),
    ],
)
def test_what_cannot_be_counted_is_said(options, message):
    with pytest.raises(InputError, match=message):
        nqbench.count(6, **options)


@pytest.mark.parametrize(
    ("call", "arguments", "meant"),
    [
        (nqbench.run, {"backend": "minisat22"}, "did you mean 'backends'"),
        (nqbench.solve, {"encodings": "product"}, "did you mean 'encoding'"),
        (nqbench.count, {"zzz": 1}, r"see help\(nqbench\.count\)"),
    ],
)
def test_an_argument_that_is_not_there_is_answered_with_the_one_that_is_meant(
    call, arguments, meant
):
    with pytest.raises(TypeError, match=rf"has no argument '\w+': {meant}"):
        call(4, **arguments)


def test_a_value_without_a_name_is_answered_with_the_names():
    with pytest.raises(TypeError, match="only problem without a name: it has problem, backend"):
        nqbench.solve(8, "cadical195")


def test_a_command_that_is_a_method_of_results_is_named():
    with pytest.raises(AttributeError, match=r"Results\('results'\)\.report\(\)"):
        nqbench.report  # noqa: B018
    assert all(hasattr(nqbench.Results, name) for name in nqbench._OF_RESULTS)


def test_a_formula_is_returned_and_written_as_by_the_command(nqbench, tmp_path):
    import nqbench as api

    product = api.encode(8, "product", output=tmp_path / "new" / "q8.cnf")
    shown = nqbench("encode", "--n", 8, "--encoding", "product")
    assert (tmp_path / "new" / "q8.cnf").read_text() == shown.stdout
    assert f"p cnf {product.num_variables} {product.num_clauses}" in shown.stdout
    assert api.encode("8").num_clauses == 744
    assert api.encode(8, "native").constraints
    for wrong, culprit in (
        ({"encoding": "csp"}, "makes a csp, not clauses"),
        ({"encoding": "pairwize"}, "did you mean 'pairwise'"),
        ({"output": tmp_path / "q8.svg"}, "cannot write .svg"),
    ):
        with pytest.raises(InputError, match=culprit):
            api.encode(8, **wrong)


def test_problems_of_a_family_are_those_of_the_command_line(nqbench, tmp_path):
    import nqbench as api

    drawn = api.problems_of("excluded-diagonals", "6..7", density=0.5, instances=2, seed=3)
    assert [problem.n for problem in drawn] == [6, 6, 7, 7]
    nqbench(
        "run", "--family", "excluded-diagonals", "--n", "6..7", "--density", "0.5", "--instances",
        2, "--seed", 3, "--backend", "minisat22", "--encoding", "pairwise", "--repeat", 1,
        "--no-plots",
    )  # fmt: skip
    recorded = api.read(tmp_path / "results")
    named = [(problem.n, problem.instance) for problem in drawn]
    assert recorded.select("n", "instance").rows() == named
    (tmp_path / "start.txt").write_text("....\n...Q\n....\n....\n")
    (board,) = api.problems_of("completion", files=tmp_path / "start.txt")
    assert board.placed == ((1, 3),)
    for wrong in ({"n": "x"}, {"n": [4], "density": "thick"}, {}, {"n": 2.5}, {"files": 3}):
        with pytest.raises(InputError):
            api.problems_of("excluded-diagonals", **wrong)


@needs_addon("teaching")
def test_a_notebook_plays_a_search_up_to_its_first_solution():
    search = nqbench.watch(4)
    assert repr(search) == "<steps of backtracking on queens n=4>"
    page = html.unescape(search._repr_html_())
    steps = json.loads(re.search(r'id="steps">(.*?)</script>', page)[1])
    assert steps[0]["queens"] == [0]
    assert nqbench.Queens(4).violation([divmod(q, 4) for q in steps[-1]["queens"]]) is None
    first = next(search)  # it was not used up
    assert str(first) == steps[0]["text"]
    assert first.board(nqbench.Queens(4)).queens == ((0, 0),)
    assert nqbench.watch(nqbench.problems_of("latin", 3)[0])._repr_html_() is None


def test_records_come_as_they_are_read(tmp_path):
    """First what identifies a run and what it gave; rows by problem, combination and repeat."""
    asked = {"encodings": "pairwise,product", "backends": "minisat22,glucose4", "repeat": 2}
    records = nqbench.run("4..5", **asked)
    assert records.columns[:7] == [
        "family", "n", "encoding", "backend", "instance", "repeat", "answer",
    ]  # fmt: skip
    assert records.columns[-4:] == ["task", "outcome", "verdict", "wall_s"]
    by = ["n", "encoding", "backend", "repeat"]
    expected = [
        (n, encoding, backend, repeat)
        for n in (4, 5)
        for encoding in ("pairwise", "product")
        for backend in ("glucose4", "minisat22")
        for repeat in (0, 1)
    ]
    assert records.select(by).rows() == expected
    stored = nqbench.run("4..5", results=tmp_path, **asked)
    read = nqbench.read(tmp_path)
    assert read.columns == stored.columns == records.columns
    assert read.equals(stored)
    assert read.select(by).rows() == expected


def test_progress_is_shown_where_somebody_sees_it(capfd):
    options = {"encodings": "pairwise", "backends": "minisat22", "repeat": 1}
    nqbench.run(4, **options)
    nqbench.run(4, progress=False, **options)
    assert capfd.readouterr() == ("", "")
    nqbench.run("4..6", progress=True, **options)
    shown = capfd.readouterr()
    assert "3/3 runs" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("wrong", [None, 3, [], "records"])
def test_what_cannot_be_drawn_or_read_is_said(wrong):
    with pytest.raises(InputError):
        nqbench.plot(wrong, "cactus")
    with pytest.raises(InputError):
        nqbench.read(wrong)


def test_the_names_of_the_package_are_those_it_promises():
    code = "import nqbench, sys; print(*nqbench.__all__); print('polars' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    core = (
        "Board Formula Model NoSolution Problem Queens Results Solved Used check cnfgen "
        "constraints count encode findings formulas optimum plot problems_of read reencode run "
        "solutions solve solve_all use"
    )
    added = [name for addon in calls() for name in getattr(addon, "FUNCTIONS", [])]
    assert said == f"{' '.join(sorted([*core.split(), *added]))}\nFalse\n"


def test_each_public_name_is_shown_once_and_nothing_else():
    """Also after all of them are imported, and beside the rooms of the package."""
    for name in nqbench.__all__:
        assert getattr(nqbench, name).__doc__, name
    assert dir(nqbench) == sorted([*nqbench.__all__, "__version__"])
    rooms = {path.stem for path in (ROOT / "nqbench").iterdir()}
    assert not rooms & set(nqbench.__all__)


def test_each_public_name_is_on_the_page_of_the_interface():
    """Or on that of the add-on which has it."""
    pages = [ROOT / "docs" / "reference" / "python.md", *(ROOT / "docs").glob("*/*.md")]
    shown = "".join(page.read_text() for page in pages)
    for name in nqbench.__all__:
        assert f"\n::: nqbench.{name}\n" in shown
