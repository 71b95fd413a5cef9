"""The scores of searches for the best value of files, against values worked out by hand and against
an integration by brute force.
"""

import random

import polars as pl
import pytest
from addons import needs_addon
from made_records import DONE, LATE, labelled, table

from nqbench.results import Results
from nqbench.show import plots
from nqbench.summary.objectives import gap_over_time, objective_scores, primal_gap

LIMIT = 10.0
SCHEMA = table((4, DONE, 1.0)).schema


def run(backend, file, path, ideal=0, **changes):
    """A run on a file that was stopped after it had found the values of this path."""
    value = path[-1][1] if path else None
    text = " ".join(f"{s:.6g}:{v}" for s, v in path) or None
    facts = {"instance": file, "n": None, "task": "best", "objective": value, "ideal": ideal}
    facts |= {"incumbents": text, "time_limit_s": LIMIT, "solve_s": None}
    made = labelled(table((4, LATE, None)), "cnf", backend, "native")
    return made.with_columns(
        pl.lit(fact, SCHEMA[name]).alias(name) for name, fact in (facts | changes).items()
    )


def search(*steps):
    """The runs of a search by `a`, one after the other: of each its name, the value that it found,
    or None if there was none, and its seconds.
    """
    done = {"outcome": "finished", "verdict": "verified", "task": "first", "incumbents": None}
    sat, unsat = (
        {"answer": "sat", "checked_by": "rules"},
        {"answer": "unsat", "checked_by": "proof"},
    )
    return [
        run(
            "a", name, [] if value is None else [(0, value)], 100, solve_s=took,
            started_at=1.0 + at, **done, **(unsat if value is None else sat),
        )
        for at, (name, value, took) in enumerate(steps)
    ]  # fmt: skip


def scores_of(*runs):
    rows = objective_scores(pl.concat(runs)).to_dicts()
    return {row.pop("backend"): row for row in rows}


@pytest.mark.parametrize(
    ("value", "best", "gap"),
    [
        (0, 0, 0), (7, 7, 0), (0, 5, 1), (5, 0, 1), (-1, 1, 1), (10, 20, 0.5), (-20, -10, 0.5),
        (12, 10, 1 / 6), (2**62, 2**61, 0.5), (None, 5, None),
    ],
)  # fmt: skip
def test_the_primal_gap_is_that_of_bertholds_definition(value, best, gap):
    numbers = pl.DataFrame(
        {"value": [value], "best": [best]}, {"value": pl.Int64, "best": pl.Int64}
    )
    found = numbers.select(primal_gap(pl.col("value"), pl.col("best"))).item()
    assert found == (None if gap is None else pytest.approx(gap))


def test_the_primal_integral_is_the_area_below_the_steps():
    slow = run("slow", "f", [(1, 20), (3, 12), (5, 10)])
    found = scores_of(slow, run("soon", "f", [(0.5, 12)]), run("never", "f", []))
    # 1 x 1 + 2 x 1/2 + 2 x 1/6, and 0.5 x 1 + 9.5 x 1/6.
    assert found["slow"]["integral_s"] == pytest.approx(1 + 1 + 1 / 3)
    assert found["soon"]["integral_s"] == pytest.approx(0.5 + 9.5 / 6)
    assert found["never"]["integral_s"] == pytest.approx(LIMIT)
    assert [found[name]["gap"] for name in ("slow", "soon", "never")] == pytest.approx(
        [0, 1 / 6, 1]
    )


def test_the_score_of_the_maxsat_evaluation_compares_costs():
    paths = {"best": [(1, 9)], "twice": [(1, 19)], "none": []}
    found = scores_of(*(run(name, "f", path) for name, path in paths.items()))
    assert [found[name]["mse_score"] for name in paths] == pytest.approx([1, 0.5, 0])
    # A knapsack of at most 40: what is left out is its cost.
    paths = {"best": [(1, 31)], "twice": [(1, 21)], "none": []}
    found = scores_of(*(run(name, "f", path, ideal=40) for name, path in paths.items()))
    assert [found[name]["mse_score"] for name in paths] == pytest.approx([1, 0.5, 0])


def test_a_file_counts_once_however_often_it_was_repeated():
    often = [run("a", "f", [(1, 20)], repeat=r) for r in range(3)]
    found = scores_of(*often, run("a", "g", [(1, 10)]), run("b", "f", [(1, 10)]),
                      run("b", "g", [(1, 10)]))  # fmt: skip
    assert found["a"]["gap"] == pytest.approx((0.5 + 0) / 2)
    assert (found["a"]["at_best"], found["b"]["at_best"]) == (1, 2)


def test_only_files_count_that_every_combination_was_asked_for():
    runs = [run("a", "f", [(1, 10)]), run("b", "f", [(1, 20)]), run("a", "g", [(1, 5)])]
    assert scores_of(*runs)["a"]["at_best"] == 1
    missing = run("c", "g", [], outcome="unavailable")
    assert scores_of(*runs, missing) == scores_of(*runs)


def test_files_of_which_no_value_is_known_are_not_scored():
    assert objective_scores(pl.concat([run("a", "f", []), run("b", "f", [])])).is_empty()
    assert objective_scores(table((4, DONE, 1.0))).is_empty()
    refuted = {"outcome": "finished", "answer": "sat", "verdict": "refuted"}
    found = scores_of(run("a", "f", [(1, 3)], **refuted), run("b", "f", [(1, 10)]))
    assert (found["a"]["gap"], found["b"]["gap"]) == (1, 0)


def test_a_run_without_a_path_found_its_value_at_its_end():
    done = {"outcome": "finished", "answer": "sat", "verdict": "verified", "solve_s": 4.0}
    found = scores_of(run("a", "f", [(1, 10)], incumbents=None, **done))
    assert found["a"]["integral_s"] == pytest.approx(4)
    without = run("a", "f", [(1, 10)], **done).drop("incumbents", "objective_s")
    assert objective_scores(without)["integral_s"].to_list() == pytest.approx([4])


def test_each_step_of_a_search_is_a_value_of_its_path():
    runs = search(("f", 10, 1.0), ("f >=11", 16, 2.0), ("f >=17", 20, 3.0), ("f >=21", None, 1.0))
    # 1 x 1 + 2 x 1/2 + 3 x 1/5, whatever the order of the records.
    for order in (1, -1):
        assert scores_of(*runs[::order])["a"]["integral_s"] == pytest.approx(1 + 1 + 0.6)


def by_brute_force(paths, best, steps=100):
    """The mean gap of paths at the middle of many equal slices of the time, and its integral. No
    path has a step within a slice.
    """
    gaps = []
    for at in range(steps):
        time, every = (at + 0.5) * LIMIT / steps, []
        for path, known in zip(paths, best, strict=True):
            value = next((v for s, v in reversed(path) if s <= time), None)
            if value is None or value * known < 0:
                every.append(1.0)
            else:
                larger = max(abs(value), abs(known))
                every.append(abs(value - known) / larger if larger else 0.0)
        gaps.append(sum(every) / len(every))
    return gaps, sum(gaps) * LIMIT / steps


def some_path(dice):
    value, path = dice.randint(-5, 60), []
    for second in sorted(dice.sample(range(1, 120), dice.randint(0, 6))):
        path.append((second / 10, value))
        value -= dice.randint(1, 30)
    return path


@pytest.mark.parametrize("seed", range(5))
def test_integrals_and_curves_are_those_of_a_brute_force_integration(seed):
    dice = random.Random(seed)
    paths = {name: [some_path(dice) for _ in range(4)] for name in "abc"}
    values = [[p[at][-1][1] for p in paths.values() if p[at]] for at in range(4)]
    best = [min(found) for found in values if found]
    kept = [at for at in range(4) if values[at]]
    runs = [
        run(name, f"f{at}", own[at], ideal=-200) for name, own in paths.items() for at in range(4)
    ]
    scores, curves = scores_of(*runs), gap_over_time(pl.concat(runs))
    for name, own in paths.items():
        gaps, integral = by_brute_force([own[at] for at in kept], best)
        assert scores[name]["integral_s"] == pytest.approx(integral, abs=1e-9)
        curve = curves.filter(backend=name).rows_by_key("time_s", named=True, unique=True)
        for at in range(len(gaps)):
            time = (at + 0.5) * LIMIT / len(gaps)
            before = [row["gap"] for second, row in curve.items() if second <= time]
            assert (before[-1] if before else 1.0) == pytest.approx(gaps[at], abs=1e-9)


def test_the_figure_has_a_line_for_each_combination_from_all_to_what_is_left():
    paths = {"slow": [(1, 20), (3, 12), (5, 10)], "soon": [(0.5, 12)], "never": []}
    runs = [run(name, "f", path) for name, path in paths.items()]
    figure = plots.draw(pl.concat(runs), "gap-over-time")
    (axes,) = figure.axes
    lines = [line for line in axes.lines if line.get_drawstyle() == "steps-post"]
    ends = sorted((line.get_ydata()[0], line.get_ydata()[-1]) for line in lines)
    assert ends == [(1, 0), (1, pytest.approx(1 / 6)), (1, 1)]
    assert {text.get_text() for text in axes.texts} == set(paths)
    assert "gap-over-time" in plots.kinds_of(pl.concat(runs))
    assert "gap-over-time" not in plots.kinds_of(table((4, DONE, 1.0)))


def test_the_steps_of_a_search_are_one_problem_in_figures():
    steps = pl.concat(search(("f", 10, 1.0), ("f >=11", 16, 1.0)))
    assert plots.draw(steps, "time-over-instances").records["instance"].to_list() == ["f"]


@needs_addon("compare")
def test_searches_with_other_bounds_are_compared_as_one_run(tmp_path):
    for side, first in (("old", 10), ("new", 12)):
        steps = search(("f", first, 1.0), (f"f >={first + 1}", 16, 1.0), ("f >=17", None, 1.0))
        ids = pl.format("{}", pl.int_range(pl.len())).str.pad_start(32, "0").alias("run_id")
        pl.concat(steps).with_columns(ids).write_parquet(tmp_path / f"{side}.parquet")
    compared = Results(tmp_path / "old.parquet").compare(tmp_path / "new.parquet")
    assert compared.missing.is_empty()
    assert compared.common_runs == 1
