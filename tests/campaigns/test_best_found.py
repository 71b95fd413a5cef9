"""What a solver had found when it was stopped: its value, as the judge adds it up, is recorded."""

import random
import sys

import pytest

import nqbench
from nqbench.backends.base import Backend
from nqbench.campaign.optimum import State
from nqbench.plugins.availability import why_unavailable

KNAPSACK = """* #variable= 6 #constraint= 1
max: +7 x1 +5 x2 +4 x3 +9 x4 +3 x5 +6 x6 ;
-4 x1 -3 x2 -2 x3 -6 x4 -1 x5 -4 x6 >= -10 ;
"""

# Answers the smallest formula, and for others prints what it is told, and never ends.
ENDLESS = """
import sys, time
if "x6" not in open(sys.argv[1]).read():
    print("s SATISFIABLE\\nv x1 x2")
    sys.exit()
for line in {lines!r}:
    print(line, flush=True)
time.sleep(1000)
"""

NO_MODEL = "x1 x2 x3 x4 x5 x6"


@pytest.fixture
def knapsack(tmp_path):
    (tmp_path / "knap.opb").write_text(KNAPSACK)
    return nqbench.formulas(tmp_path / "knap.opb")


def endless(folder, *lines):
    (folder / "endless.py").write_text(ENDLESS.format(lines=lines))
    return f"exe:{sys.executable} {folder}/endless.py {{opb}}"


def stopped(knapsack, backend, time_limit="3s", **limits):
    return nqbench.run(
        knapsack, backends=[backend], repeat=1, time_limit=time_limit, task="best", **limits
    ).to_dicts()[0]


def test_the_best_of_the_printed_models_is_judged(knapsack, tmp_path):
    """A model may be in several lines, and need not be better than the one before it."""
    backend = endless(
        tmp_path,
        "c it begins",
        "v x1 -x2 -x3 -x4 -x5 -x6",
        "o -7",
        "v x1 x2 x3",
        "v -x4 x5 -x6",
        "o -19",
        "v -x1 x2 -x3 -x4 -x5 -x6",
    )
    record = stopped(knapsack, backend)
    assert (record["outcome"], record["answer"], record["verdict"]) == (
        "timeout",
        None,
        "unchecked",
    )
    assert record["objective"] == 7 + 5 + 4 + 3
    assert list(record["queens"]) == [1, 2, 3, 5]
    assert [point.partition(":")[2] for point in record["incumbents"].split()] == ["7", "19"]
    assert 0 <= record["first_objective_s"] <= record["objective_s"] <= record["wall_s"]


@pytest.mark.parametrize("claimed", ["o -34", "o -19"])
def test_a_model_that_breaks_a_row_is_refused_whatever_is_claimed(knapsack, tmp_path, claimed):
    record = stopped(knapsack, endless(tmp_path, claimed, f"v {NO_MODEL}"))
    assert record["outcome"] == "timeout"
    assert (record["objective"], record["queens"], record["objective_s"]) == (None, None, None)
    assert "the best model so far is wrong: " in record["message"]


@pytest.mark.parametrize(
    "lines",
    [["o -19"], ["v no model", "v"], ["v x1 -x1 x2 x3 x4 x5 x6"]],
)
def test_a_value_without_a_whole_model_does_not_count(knapsack, tmp_path, lines):
    record = stopped(knapsack, endless(tmp_path, *lines))
    assert (record["outcome"], record["objective"], record["incumbents"]) == ("timeout", None, None)


def test_a_program_that_gives_up_by_itself_keeps_its_value(knapsack, tmp_path):
    """As minisat+ and clasp do at a limit of their own: without the answer that none is better."""
    backend = endless(tmp_path, "s SATISFIABLE", "v x1 x2 x3 -x4 x5 -x6")
    path = tmp_path / "endless.py"
    path.write_text(path.read_text().replace("time.sleep(1000)", ""))
    record = stopped(knapsack, backend, "60s")
    assert (record["outcome"], record["answer"]) == ("finished", "unknown")
    assert (record["objective"], record["bound"]) == (19, None)


def test_optimum_says_best_found(knapsack, tmp_path):
    backend = endless(tmp_path, "v x1 -x2 -x3 -x4 -x5 -x6", "o -7")
    (found,) = nqbench.optimum(knapsack, backend=backend, time_limit="3s")
    assert (found.state, found.best, found.claim) == (State.BEST_FOUND, 7, None)
    assert found.literals == (1, -2, -3, -4, -5, -6)


SIZE, ROWS = 200, 60


@pytest.fixture(scope="module")
def hard():
    """Weights and rows of a knapsack in many dimensions, which takes solvers hours."""
    chance = random.Random(5)
    values = [chance.randint(50, 150) for _ in range(SIZE)]
    rows = [[chance.randint(10, 100) for _ in range(SIZE)] for _ in range(ROWS)]
    return values, [(row, sum(row) // 3) for row in rows]


@pytest.mark.parametrize("backend", ["cp-sat", "highs", "exact", "pumpkin", "clasp"])
def test_a_solver_that_is_killed_keeps_its_value(tmp_path, hard, backend):
    if reason := why_unavailable(Backend.named, backend):
        pytest.skip(reason)
    values, rows = hard
    lines = [f"* #variable= {SIZE} #constraint= {ROWS}"]
    lines.append("max: " + " ".join(f"+{w} x{v}" for v, w in enumerate(values, 1)) + " ;")
    for row, most in rows:
        lines.append(" ".join(f"-{w} x{v}" for v, w in enumerate(row, 1)) + f" >= -{most} ;")
    (tmp_path / "hard.opb").write_text("\n".join(lines) + "\n")
    record = stopped(nqbench.formulas(tmp_path / "hard.opb"), backend, "1m", cpu_limit="1s")
    assert record["outcome"] == "timeout"
    chosen = list(record["queens"])
    assert all(sum(row[v - 1] for v in chosen) <= most for row, most in rows)
    assert record["objective"] == sum(values[v - 1] for v in chosen)
    assert record["bound"] is None or record["objective"] <= record["bound"] <= sum(values)
    shown = [point.split(":") for point in record["incumbents"].split()]
    assert [int(value) for _, value in shown] == sorted({int(value) for _, value in shown})
    assert int(shown[-1][1]) == record["objective"]


@pytest.mark.parametrize("backend", ["cp-sat", "highs", "exact", "pumpkin", "clasp", "rc2"])
def test_a_solver_that_ends_says_when_it_found_the_best_value(knapsack, backend):
    if reason := why_unavailable(Backend.named, backend):
        pytest.skip(reason)
    record = stopped(knapsack, backend, "60s")
    assert (record["outcome"], record["objective"], record["bound"]) == ("finished", 19, 19)
    assert record["incumbents"].split()[-1].endswith(":19")
    assert record["first_objective_s"] <= record["objective_s"] <= record["solve_s"]
