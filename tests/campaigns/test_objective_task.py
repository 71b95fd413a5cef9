"""What is asked of files with an objective if nobody names the task: the best value."""

import re

import pytest

import nqbench
from nqbench.campaign import defaults, optimum
from nqbench.campaign.grid import Campaign
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Task

KNAPSACK = """* #variable= 6 #constraint= 1
max: +7 x1 +5 x2 +4 x3 +9 x4 +3 x5 +6 x6 ;
-4 x1 -3 x2 -2 x3 -6 x4 -1 x5 -4 x6 >= -10 ;
"""


@pytest.fixture
def knapsack(tmp_path):
    path = tmp_path / "knap.opb"
    path.write_text(KNAPSACK)
    return nqbench.formulas(path)


def test_the_best_value_is_asked_for_and_every_default_backend_finds_it(knapsack):
    records = nqbench.run(knapsack, repeat=1)
    assert set(records["task"]) == {"best"}
    assert "rc2" in set(records["backend"])
    assert records.filter(outcome="finished")["objective"].to_list() == [19] * len(records)


def test_rows_with_weights_are_asked_of_a_solver_that_takes_them(knapsack, tmp_path, monkeypatch):
    monkeypatch.setattr(optimum.defaults, "installed_optimisers", lambda: ["rc2", "clasp"])
    assert list(optimum.able_optimisers(knapsack[0])) == ["clasp", "rc2"]
    (tmp_path / "rows.opb").write_text("min: +7 x1 +5 x2 +4 x3 ;\n+1 x1 +1 x2 +1 x3 >= 2 ;\n")
    (rows,) = nqbench.formulas(tmp_path / "rows.opb")
    assert optimum.usual_backend(rows) == "rc2"


def test_another_backend_is_named_if_a_value_stays_open(nqbench, tmp_path):
    terms = [f"{7919 * v % 997 + 9} x{v}" for v in range(1, 41)]
    rows = " ".join(f"-{term}" for term in terms)
    hard = f"max: {' '.join(f'+{term}' for term in terms)} ;\n{rows} >= -9999 ;\n"
    (tmp_path / "hard.opb").write_text(hard)
    tried = nqbench("optimum", "hard.opb", "--backend", "rc2", "--time-limit", "100ms")
    assert tried.returncode == 1
    assert "it is open" in tried.stderr
    other = re.search(r"; try --backend (.+)\n", tried.stderr)[1]
    assert other in set(defaults.installed_optimisers()) - {"rc2"}


@pytest.mark.parametrize(
    ("backends", "message"),
    [
        (
            ["cp-sat", "cadical195"],
            "knap.opb has an objective, and cadical195 does not optimise: --task best leaves it "
            "out, --task first asks for any model",
        ),
        (["minisat22"], "knap.opb has an objective, and minisat22 does not optimise"),
    ],
)
def test_a_backend_that_does_not_optimise_is_refused_with_both_ways_out(
    knapsack, backends, message
):
    with pytest.raises(InputError, match=message):
        Campaign(problems=knapsack, backends=backends).runs()


def test_of_default_backends_those_that_take_the_named_encoding_are_asked(knapsack):
    """CP-SAT takes rows, and RC2 clauses: neither is named, so neither stops the other."""
    clauses = Campaign(problems=knapsack, encodings=["adder"])
    asked = {run.backend for run in clauses.runs()}
    assert "rc2" in asked
    assert "cp-sat" not in asked
    # Nor is an encoding left out for the defaults of files without an objective.
    assert Campaign(problems=knapsack, encodings=["adder", "native"]).notes == []


def test_both_ways_out_work(knapsack):
    campaign = Campaign(problems=knapsack, backends=["rc2", "cadical195"], task=Task.BEST)
    assert {run.backend for run in campaign.runs()} == {"rc2"}
    assert campaign.notes == ["left out: cadical195 does not optimise, as knap.opb needs"]
    first = Campaign(problems=knapsack, backends=["cadical195"], task=Task.FIRST).runs()
    assert {(run.backend, str(run.task)) for run in first} == {("cadical195", "first")}


def test_what_has_no_objective_is_asked_for_the_first_solution(tmp_path):
    (tmp_path / "rows.opb").write_text("* #variable= 2 #constraint= 1\n+1 x1 +1 x2 >= 1 ;\n")
    runs = Campaign(problems=nqbench.formulas(tmp_path), backends=["minisat22"]).runs()
    assert {str(run.task) for run in runs} == {"first"}
