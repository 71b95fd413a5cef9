"""What `optimum` and `solve` print of files with an objective."""

import json
import re

import pytest

FILES = {
    "knap.opb": "max: +7 x1 +5 x2 +4 x3 +9 x4 +3 x5 +6 x6 ;\n"
    "-4 x1 -3 x2 -2 x3 -6 x4 -1 x5 -4 x6 >= -10 ;\n",
    "inf.opb": "min: +1 x1 +2 x2 ;\n+1 x1 +1 x2 >= 2 ;\n-1 x1 -1 x2 >= -1 ;\n",
    "soft.wcnf": "h 1 2 0\nh -1 -3 0\n4 -1 0\n3 -2 0\n2 3 0\n",
    "names.opb": "min: +1 apple +2 pear ;\n+1 apple +1 pear >= 1 ;\n+1 ~apple >= 1 ;\n",
    "bad.opb": "min: +1 x1 ;\nnonsense\n",
    "plain.opb": "+1 x1 +1 x2 >= 1 ;\n",
}


@pytest.fixture
def files(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def without_times(text):
    return re.sub(r"[\d.]+ (µs|ms|s)\b", "TIME", text)


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        (
            "knap.opb",
            [
                "knap.opb: 19 by rc2 after TIME; that none has 20: proof on the rules",
                "knap.opb 19 19 optimal rules, proof on the rules optimal",
                "v x1 x2 x3 -x4 x5 -x6",
            ],
        ),
        (
            "inf.opb",
            [
                "inf.opb: no model, by rc2 after TIME: proof on the rules",
                "inf.opb - - infeasible proof on the rules infeasible",
            ],
        ),
        (
            "soft.wcnf",
            [
                "soft.wcnf: 3 by rc2 after TIME; that none has 2: proof on the rules",
                "soft.wcnf 3 3 optimal rules, proof on the rules optimal",
                "v -1 2 3",
            ],
        ),
        (
            "names.opb",
            [
                "names.opb: 2 by rc2 after TIME; that none has 1: proof on the rules",
                "names.opb 2 2 optimal rules, proof on the rules optimal",
                "v -apple pear",
            ],
        ),
    ],
)
def test_the_optimum_of_a_file_with_its_model(typed, files, name, printed):
    """A sentence, a row, whose last cell is a time, and the model, which is also written."""
    sentence, row, *model = printed
    done = typed("optimum", name, "--backend", "rc2", "--solution", "best.txt")
    assert done.returncode == 0, done.stderr
    assert sentence in without_times(done.stderr).splitlines()
    heading, _, shown, *rest = done.stdout.splitlines()
    assert " ".join(heading.split()) == "file best bound state shown by solver says solve (s)"
    assert " ".join(shown.split()[:-1]) == row
    assert rest == model
    written = files / "best.txt"
    assert (written.read_text().splitlines() if written.exists() else []) == model


def test_what_json_says(typed, files):
    done = typed("optimum", "knap.opb", "inf.opb", "--backend", "rc2", "--json")
    knapsack, infeasible = json.loads(done.stdout)
    assert knapsack["solution"] == ["x1", "x2", "x3", "-x4", "x5", "-x6"]
    assert (knapsack["state"], knapsack["best"], knapsack["bound"]) == ("optimal", 19, 19)
    assert (infeasible["state"], infeasible["solution"], infeasible["best"]) == (
        "infeasible",
        None,
        None,
    )


def test_a_wrong_file_does_not_end_the_others(typed, files):
    done = typed("optimum", "bad.opb", "plain.opb", "knap.opb", "--backend", "rc2", "--json")
    assert done.returncode == 2
    states = [each["state"] for each in json.loads(done.stdout)]
    assert states == ["invalid", "invalid", "optimal"]
    alone = typed("optimum", "bad.opb")
    assert (alone.returncode, alone.stdout, alone.stderr.count("\n")) == (2, "", 1)
    both = typed("optimum", "knap.opb", "inf.opb", "--solution", "best.txt")
    assert (both.returncode, "--solution is for one file" in both.stderr) == (2, True)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "knap.opb",
            [
                "o 19",
                "s OPTIMUM FOUND",
                "v x1 x2 x3 -x4 x5 -x6",
                "c by rc2; none is better: proof on the rules",
            ],
        ),
        ("inf.opb", ["s UNSATISFIABLE", "c by rc2; proof on the rules"]),
        (
            "soft.wcnf",
            [
                "o 3",
                "s OPTIMUM FOUND",
                "v -1 2 3 0",
                "c by rc2; none is better: proof on the rules",
            ],
        ),
    ],
)
def test_solve_prints_the_best_value_as_solvers_do(typed, files, name, lines):
    done = typed("solve", name, "--backend", "rc2")
    assert (done.returncode, done.stdout.splitlines()) == (0, lines)


def test_any_model_is_what_has_to_be_asked_for(typed, files):
    assert typed("solve", "knap.opb", "--task", "first").stdout == "satisfiable\n"
    board = typed("solve", "--n", 4, "--task", "best")
    assert (board.returncode, "--task is for files with an objective" in board.stderr) == (2, True)
    refused = typed("use", "knap.opb", "--backend", "cadical195")
    assert (refused.returncode, "cadical195 does not optimise" in refused.stderr) == (2, True)
    assert "--task first" in refused.stderr


KNAPSACKS = {
    "small.opb": ("max: +7 x1 +5 x2 +4 x3 +9 x4 +3 x5 +6 x6 ;", "-4 -3 -2 -6 -1 -4", 10, 19),
    "tight.opb": ("max: +7 x1 +5 x2 +4 x3 +9 x4 +3 x5 +6 x6 ;", "-4 -3 -2 -6 -1 -4", 5, 10),
    "least.opb": ("min: +7 x1 +5 x2 +4 x3 +9 x4 +3 x5 +6 x6 ;", "4 3 2 6 1 4", -8, 13),
}
"""Files with their optima, by trying all 64 choices."""


def test_the_tables_of_a_campaign_show_how_searches_ended_and_what_is_known(typed, files):
    folder = files / "knapsacks"
    folder.mkdir()
    for name, (objective, weights, most, _) in KNAPSACKS.items():
        row = " ".join(f"{weight} x{i}" for i, weight in enumerate(weights.split(), 1))
        (folder / name).write_text(f"{objective}\n{row} >= {-most} ;\n")
    (folder / "inf.opb").write_text(FILES["inf.opb"])
    typed("run", "--cnf", folder, "--repeat", "1", "--backend", "rc2,cp-sat", "--no-plots")
    optima = [folder / name for name in ("small.opb", "least.opb", "inf.opb")]
    steps = ("--backend", "cadical195", "--search", "linear")
    typed("optimum", *optima, *steps)
    counts = ("files", "optimal", "claimed", "best_found", "infeasible", "open")
    rows = json.loads(typed("summary", "--format", "json").stdout)
    assert {row["backend"]: tuple(row[name] for name in counts) for row in rows} == {
        "rc2": (4, 3, 0, 0, 1, 0),
        "cp-sat": (4, 3, 0, 0, 1, 0),
        "cadical195": (3, 2, 0, 0, 1, 0),
    }
    known = json.loads(typed("summary", "--by-problem", "--format", "json").stdout)
    assert {row["problem"]: (row["best"], row["state"]) for row in known} == {
        **{name: (best, "optimal") for name, (*_, best) in KNAPSACKS.items()},
        "inf.opb": (None, "infeasible"),
    }
    (small,) = (row for row in known if row["problem"] == "small.opb")
    assert small["by"] == "adder x cadical195, adder x rc2, native x cp-sat"
    typed("report")
    page = (files / "results" / "report.html").read_text()
    assert '<td class="number" data-key="19">19</td><td>optimal</td>' in page


@pytest.mark.parametrize("name", ["knap.opb", "soft.wcnf", "names.opb"])
def test_encode_says_that_it_leaves_an_objective_out(typed, files, name):
    said = f"the objective of {name} is left out: name an output .opb or .wcnf"
    for output in (["-o", "out.cnf"], []):
        assert said in typed("encode", name, *output).stderr
    for output in ("out.wcnf", "out.opb"):
        assert "left out" not in typed("encode", name, "-o", output).stderr
