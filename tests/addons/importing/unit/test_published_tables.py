"""Tables as competitions and BenchExec publish them. These are made, after the public ones."""

import pytest

import nqbench as library
from nqbench.common.errors import InputError

EXACT = """\
Name,loud,loud-sbva,quiet,loud-sbva,VBS
a.wcnf,1.5,FAILED,2.5,3.5,1.5
b.wcnf,FAILED,20.5,unknown,memout,20.5
c.wcnf,3600.0,8.5,7.25,not run,7.25
"""
"""As of MaxSAT Evaluation 2024: two solvers of one name, and the virtual best one."""

PARALLEL = """\
cnf,solution,one,two
a.cnf,SATISFIABLE,1.5,INCORRECT
b.cnf,UNSATISFIABLE,TIMEOUT,20.5
c.cnf,UNKNOWN,FAILED,UNKNOWN
"""
"""As of the parallel track of SAT Competition 2020."""


def imported(folder, text, **settings):
    """The table of the solvers of a file, by their names."""
    path = folder / "results.csv"
    path.write_text(text)
    results = library.Results(folder / "r")
    results.import_file(path, **{"time_limit": 1000.0, **settings})
    table = results.summary(by="none")
    return {row["backend"]: row for row in table.to_dicts()}


def test_two_solvers_of_one_name_are_told_apart(tmp_path):
    with (
        pytest.warns(UserWarning, match="1 run that never started is left out"),
        pytest.warns(UserWarning, match="2 columns are named 'loud-sbva'"),
    ):
        found = imported(
            tmp_path, EXACT, kind="wide-csv", columns={"instance": "Name"}, ignore=["VBS"],
            time_limit=3600,
        )  # fmt: skip
    solved = {name: (row["runs"], row["solved"]) for name, row in found.items()}
    assert solved == {
        "loud": (3, 1), "loud-sbva": (3, 2), "quiet": (3, 2), "loud-sbva (2)": (2, 1)
    }  # fmt: skip


def test_right_answers_are_no_solver(tmp_path):
    settings = {"kind": "wide-csv", "columns": {"instance": "cnf"}}
    with pytest.raises(InputError, match="--map expected=solution"):
        imported(tmp_path, PARALLEL, **settings)
    settings["columns"]["expected"] = "solution"
    with pytest.warns(UserWarning, match="1 answer is wrong"):
        found = imported(tmp_path, PARALLEL, **settings)
    assert {name: (row["solved"], row["wrong"], row["par2_s"]) for name, row in found.items()} == {
        "one": (1, 0, pytest.approx((1.5 + 2 * 2000) / 3)),
        "two": (1, 1, pytest.approx((20.5 + 2 * 2000) / 3)),
    }


def of_benchexec(*lines):
    """A table of BenchExec with these lines, in which | is a tab."""
    return "".join(f"{line}\n" for line in lines).replace("|", "\t")


def test_columns_of_benchexec_in_other_words(tmp_path):
    text = of_benchexec(
        "tool|T 1|T 1|T 1", "run set|r|r|r", "t/|status|category|CPU Time (s)",
        "a.yml|true|correct|1.5", "b.yml|true|wrong|2.5",
    )  # fmt: skip
    with pytest.warns(UserWarning, match="1 answer is wrong"):
        (row,) = imported(tmp_path, text).values()
    assert (row["solved"], row["wrong"], row["par2_s"]) == (1, 1, (1.5 + 2000) / 2)


def test_expected_verdicts_and_equal_run_sets_of_benchexec(tmp_path):
    """What BenchExec calls wrong itself, if the table does not: by the verdict that it expects."""
    text = of_benchexec(
        "tool||T |T |T |T ", "run set||0|0|0|0",
        "t/||status|cputime (s)|status|cputime (s)",
        "a.yml|false(part)|true|1|false(part)|2", "b.yml|true|true|1|true|2",
        "c.yml||true|1|true|2", "d.yml|false(part)|TIMEOUT|9|false(other)|2",
    )  # fmt: skip
    with (
        pytest.warns(UserWarning, match="2 answers are wrong"),
        pytest.warns(UserWarning, match="2 run sets are named 'T'"),
    ):
        found = imported(tmp_path, text)
    assert {name: (row["runs"], row["solved"], row["wrong"]) for name, row in found.items()} == {
        "T": (4, 2, 1), "T (2)": (4, 3, 1)
    }  # fmt: skip
    assert "t/a.yml" in set(library.read(tmp_path / "r")["instance"])


def test_answers_of_benchexec_without_a_time_are_not_solved(tmp_path):
    """As in a table that shows the numbers of correct answers only."""
    text = of_benchexec(
        "tool|T|T", "run set|r|r", "t/|status|walltime (s)",
        "a.yml|true|1.5", "b.yml|true|", "c.yml|unknown",
    )  # fmt: skip
    with pytest.warns(UserWarning, match="1 answer without a time: not counted as solved"):
        (row,) = imported(tmp_path, text).values()
    assert (row["runs"], row["solved"], row["par2_s"]) == (3, 1, (1.5 + 2 * 2000) / 3)
    messages = library.read(tmp_path / "r").sort("instance")["message"].to_list()
    assert messages[1:] == ["no time of true", "no time of unknown"]
