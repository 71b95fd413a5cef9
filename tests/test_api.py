"""What a notebook calls."""

import subprocess
import sys

import numpy as np
import pytest

import nqbench
from nqbench.errors import InputError
from nqbench.records.record import Record


def test_a_campaign_is_a_table_with_a_row_for_each_run():
    records = nqbench.run([6, 8], encodings=["pairwise"], backends=["minisat22"], repeat=2)
    assert set(records.columns) == set(Record.__dataclass_fields__)
    assert sorted(records.select("n", "repeat").rows()) == [(6, 0), (6, 1), (8, 0), (8, 1)]
    assert set(records["verdict"]) == {"verified"}
    assert dict(records.select("n", "clauses").rows()) == {6: 302, 8: 744}


def test_what_is_named_twice_is_measured_once():
    options = {"encodings": ["pairwise"] * 2, "backends": ["minisat22"] * 2, "repeat": 1}
    assert nqbench.run([4, 4], **options)["n"].to_list() == [4]
    placed = [nqbench.Problem(6, "completion", placed=((0, column),)) for column in (1, 2)]
    with pytest.raises(InputError, match="2 problems are called 'completion n=6'"):
        nqbench.run(placed, **options)


def test_numbers_of_numpy_are_numbers_of_rows():
    asked = np.arange(4, 6)
    assert set(nqbench.run(asked, backends=["backtracking"], repeat=1)["n"]) == {4, 5}


def test_problems_and_tasks_of_any_kind():
    torus = nqbench.Problem(5, "torus")
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
    with pytest.raises(InputError, match="cannot be drawn of these records"):
        api.plot(records, "transition")
    with pytest.raises(InputError, match="unknown plot 'pie'"):
        api.plot(records, "pie")


@pytest.mark.parametrize(
    ("problems", "options", "message"),
    [
        ([], {}, "no problems"),
        ([0], {}, "n is 0"),
        ([8, nqbench.Formula("a", "", "a")], {}, "two campaigns"),
        ([8], {"backends": ["nosuch"]}, "unknown backend 'nosuch'"),
        ([8], {"time_limit": "soon"}, "'soon' is not a duration"),
        ([8], {"task": "some"}, "unknown task 'some': choose from first, all"),
        ([8], {"repeat": 0}, "repeat is 0"),
        ([8], {"repeat": 10**12}, "are more than 10000000: ask for fewer at a time"),
        ([8], {"jobs": 0}, "jobs is 0"),
        ([8], {"backends": []}, "a backend at least"),
        ([8], {"encodings": "pairwise"}, "lists of names"),
        ([4.5], {}, "no problems: give numbers of rows"),
        (["8"], {}, "no problems: give numbers of rows"),
    ],
)
def test_what_cannot_be_run_is_said(problems, options, message):
    with pytest.raises(InputError, match=message):
        nqbench.run(problems, **options)


def test_the_names_of_the_package_are_those_it_promises():
    code = "import nqbench, sys; print(*nqbench.__all__); print('polars' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert said == "Board Formula Problem formulas plot read run\nFalse\n"
