"""The Python interface for notebooks."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nqbench
from nqbench.errors import InputError, SolverError
from nqbench.records.record import COLUMNS
from nqbench.records.store import Store


def test_a_campaign_is_a_table_with_a_row_for_each_run():
    records = nqbench.run([6, 8], encodings=["pairwise"], backends=["minisat22"], repeat=2)
    assert set(records.columns) == set(COLUMNS)
    assert sorted(records.select("n", "repeat").rows()) == [(6, 0), (6, 1), (8, 0), (8, 1)]
    assert set(records["verdict"]) == {"verified"}
    assert dict(records.select("n", "clauses").rows()) == {6: 302, 8: 744}


def test_what_is_named_twice_is_measured_once():
    options = {"encodings": ["pairwise"] * 2, "backends": ["minisat22"] * 2, "repeat": 1}
    assert nqbench.run([4, 4], **options)["n"].to_list() == [4]
    placed = [nqbench.Queens(6, "completion", placed=((0, column),)) for column in (1, 2)]
    with pytest.raises(InputError, match="2 problems have the name 'completion n=6'"):
        nqbench.run(placed, **options)


def test_numbers_of_numpy_are_numbers_of_rows():
    asked = np.arange(4, 6)
    assert set(nqbench.run(asked, backends=["backtracking"], repeat=1)["n"]) == {4, 5}


def test_problems_and_tasks_of_any_kind():
    torus = nqbench.Queens(5, "torus")
    (row,) = nqbench.run(
        [torus], encodings=["pairwise"], backends=["minisat22"], task="all", repeat=1
    ).iter_rows(named=True)
    assert (row["solutions"], row["verdict"]) == (10, "verified")


def test_formulas(tmp_path):
    (tmp_path / "a.cnf").write_text("p cnf 1 2\n1 0\n-1 0\n")
    found = nqbench.formulas(tmp_path)
    (row,) = nqbench.run(found, backends=["glucose4"], repeat=1).iter_rows(named=True)
    assert (row["instance"], row["answer"], row["checked_by"]) == ("a.cnf", "unsat", "proof")


def test_a_stored_campaign_is_read_and_drawn(nqbench, tmp_path):
    import nqbench as api

    assert nqbench("run", "--n", "4..6", "--repeat", 1, "--no-plots").returncode == 0
    records = api.read(str(tmp_path / "results"))
    assert len(records) == 36
    figure = api.plot(records, "cactus")
    assert figure._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(InputError, match="needs random problems with a density"):
        api.plot(records, "transition")
    with pytest.raises(InputError, match="unknown plot 'pie'"):
        api.plot(records, "pie")


@pytest.mark.parametrize(
    ("problems", "options", "message"),
    [
        ([], {}, "no problems"),
        ([0], {}, "n is 0"),
        ([8, nqbench.Formula("a", "", "a")], {}, "separate campaigns"),
        ([8], {"backends": ["nosuch"]}, "unknown backend 'nosuch'"),
        ([8], {"time_limit": "soon"}, "'soon' is not a duration"),
        ([8], {"task": "some"}, "unknown task 'some': choose from first, all"),
        ([8], {"repeat": 0}, "repeat is 0"),
        ([8], {"repeat": 10**12}, "are more than 10000000: ask for fewer at a time"),
        ([8], {"jobs": 0}, "jobs is 0"),
        ([8], {"backends": []}, "at least one problem and one backend"),
        ([8], {"encodings": "pairwize"}, "did you mean 'pairwise'"),
        ([8], {"backends": [3]}, "give a list of names"),
        ([8], {"backends": 3}, "give a list of names"),
        ([8], {"repeat": "3"}, "repeat is '3': give a whole number"),
        ([8], {"seed": 1.5}, "seed is 1.5"),
        ([8], {"jobs": None}, "jobs is None"),
        ([8], {"time_limit": -5}, "'-5.000000s' is not a duration"),
        ([8], {"time_limit": []}, "is not a duration"),
        ([8], {"memory_limit": 2.5}, "'2.5' is not a size"),
        ([8], {"results": 3}, "3 is not a path"),
        (None, {}, "no problems: None"),
        ("8", {}, "no problems: '8'"),
        (2.5, {}, "no problems: 2.5"),
        ([4.5], {}, "no problems: give numbers of rows"),
        (["8"], {}, "no problems: give numbers of rows"),
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


def test_one_board_is_enough():
    options = {"encodings": ["pairwise"], "backends": ["minisat22"], "repeat": 1}
    (row,) = nqbench.run(8, time_limit=5, memory_limit=2**31, **options).to_dicts()
    assert (row["n"], row["time_limit_s"], row["memory_limit_bytes"]) == (8, 5.0, 2**31)
    (row,) = nqbench.run(nqbench.Queens(5), pin=False, **options).to_dicts()
    assert (row["verdict"], row["cpus"]) == ("verified", "")


def test_a_board_is_solved():
    board = nqbench.solve(8)
    assert board.problem.violation(board.queens) is None
    assert nqbench.solve(3) is None
    placed = nqbench.Queens(6, "completion", placed=((0, 1),))
    assert (0, 1) in nqbench.solve(placed, backend="minisat22", encoding="product").queens
    with pytest.raises(SolverError, match="time limit"):
        nqbench.solve(nqbench.Queens(200), backend="backtracking", time_limit=0.2)
    for wrong in ("8", None, 0, 8.5, nqbench.Formula("a", "", "a")):
        with pytest.raises(InputError):
            nqbench.solve(wrong)
    with pytest.raises(InputError, match="unknown backend"):
        nqbench.solve(8, backend="nosuch")


@pytest.mark.parametrize("wrong", [None, 3, [], "records"])
def test_what_cannot_be_drawn_or_read_is_said(wrong):
    with pytest.raises(InputError):
        nqbench.plot(wrong, "cactus")
    with pytest.raises(InputError):
        nqbench.read(wrong)


def test_the_names_of_the_package_are_those_it_promises():
    code = "import nqbench, sys; print(*nqbench.__all__); print('polars' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    names = (
        "Board Formula Problem Queens Solved certify check cnfgen findings formulas plot read "
        "run solve"
    )
    assert said == f"{names}\nFalse\n"


def test_each_public_name_is_on_the_page_of_the_interface():
    page = (Path(__file__).parents[1] / "docs" / "reference" / "python.md").read_text()
    for name in nqbench.__all__:
        assert f"### `nqbench.{name}`" in page
