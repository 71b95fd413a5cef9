"""How the searches for the best value of files ended: what tables and the page say of that."""

import json
import re
from dataclasses import replace

import polars as pl
import pytest
from made_records import DONE, LATE, RUN, labelled, results_of, table

from nqbench import summary
from nqbench.common.vocabulary import Outcome, State
from nqbench.problems.families.cnf import formulas
from nqbench.records.record import Record
from nqbench.records.where import fulfilling
from nqbench.show.report import tables
from nqbench.show.report.contents import Unit
from nqbench.summary.objectives import best_known, best_values, files_by_state
from nqbench.summary.searches import as_searches

SHOWN = {"answer": "sat", "verdict": "verified", "checked_by": "proof"}
CLAIMED = {"answer": "sat", "verdict": "unchecked", "checked_by": "none"}
BY_FORMULA = SHOWN | {"checked_by": "formula"}
REFUTED = {"answer": "sat", "verdict": "refuted", "checked_by": "proof"}
STOPPED = {"outcome": "timeout", "answer": None, "verdict": "unchecked", "checked_by": "none"}
INFEASIBLE = {"answer": "unsat", "verdict": "verified", "checked_by": "proof"}
SAYS_INFEASIBLE = {"answer": "unsat", "verdict": "unchecked", "checked_by": "none"}
BROKEN = STOPPED | {"outcome": "invalid"}
SCHEMA = table((4, DONE, 1.0)).schema


def run(backend, file, value, how, ideal=100, **changes):
    """A run on a file whose objective is to be maximised, if its values are below 100."""
    facts = {"instance": file, "n": None, "task": "best", "objective": value, "ideal": ideal}
    facts |= how | changes
    made = table((4, LATE, None) if how in (STOPPED, BROKEN) else (4, DONE, 1.0))
    return labelled(made, "cnf", backend, "native").with_columns(
        pl.lit(fact, SCHEMA[name]).alias(name) for name, fact in facts.items()
    )


def end(*runs, file="f"):
    """The state and the value of the first one of these combinations."""
    every = best_values(pl.concat(runs)).filter(instance=file)
    (row,) = every.filter(backend=runs[0]["backend"].item()).to_dicts()
    return row["state"], row["value"]


@pytest.mark.parametrize(
    ("value", "how", "state"),
    [
        (19, SHOWN, State.OPTIMAL),
        (19, CLAIMED, State.CLAIMED),
        (19, BY_FORMULA, State.CLAIMED),
        (19, SHOWN | {"merged_from": "elsewhere"}, State.CLAIMED),
        (19, STOPPED, State.BEST_FOUND),
        (None, INFEASIBLE, State.INFEASIBLE),
        (None, SAYS_INFEASIBLE, State.OPEN),
        (None, STOPPED, State.OPEN),
        (None, BROKEN, State.INVALID),
        (None, BROKEN | {"message": "f is ambiguous: of line 3 ..."}, State.AMBIGUOUS),
    ],
)
def test_a_run_ends_in_the_state_that_optimum_says(value, how, state):
    assert end(run("a", "f", value, how)) == (state, value)


@pytest.mark.parametrize(
    ("how", "claim"),
    [(SHOWN, "optimal"), (REFUTED, "optimal"), (SAYS_INFEASIBLE, "infeasible"), (STOPPED, None)],
)
def test_records_can_be_chosen_by_what_the_solver_claims(how, claim):
    runs = pl.concat([run("a", "f", 19, how), run("b", "f", 19, SHOWN, task="first")])
    where = "claim IS NULL" if claim is None else f"claim = '{claim}'"
    assert fulfilling(runs, where)["backend"].to_list() == (["a", "b"] if claim is None else ["a"])


def test_a_refuted_value_is_none():
    assert end(run("a", "f", 21, REFUTED)) == (State.OPEN, None)


@pytest.mark.parametrize(("ideal", "best"), [(100, 19), (0, 15)])
def test_the_best_value_is_the_one_nearest_to_the_ideal(ideal, best):
    runs = [run(name, "f", v, STOPPED, ideal) for name, v in (("a", 15), ("b", 19), ("c", 17))]
    (known,) = best_known(best_values(pl.concat(runs))).to_dicts()
    by = {19: "native x b", 15: "native x a"}[best]
    assert (known["best"], known["state"], known["by"]) == (best, State.BEST_FOUND, by)


def test_without_an_ideal_only_what_is_optimal_is_better():
    runs = [run("a", "f", 15, STOPPED, None), run("b", "f", 19, STOPPED, None)]
    (known,) = best_known(best_values(pl.concat(runs))).to_dicts()
    assert (known["best"], known["state"]) == (None, State.BEST_FOUND)
    shown = [*runs, run("c", "f", 17, SHOWN, None)]
    (known,) = best_known(best_values(pl.concat(shown))).to_dicts()
    assert (known["best"], known["by"]) == (17, "native x c")


def test_a_claim_is_none_where_a_better_value_is_known():
    assert end(run("a", "f", 17, CLAIMED), run("b", "f", 19, STOPPED)) == (State.BEST_FOUND, 17)
    assert end(run("a", "f", 19, CLAIMED), run("b", "f", 17, STOPPED)) == (State.CLAIMED, 19)


def test_who_claims_too_much_is_neither_first_nor_solved():
    """A solver that stops at the first model and calls it the best is faster than all others."""
    files = [f"f{at}" for at in range(8)]
    liar = [run("liar", file, 17, CLAIMED, solve_s=0.001) for file in files]
    right = [run("right", file, 19, CLAIMED, solve_s=0.5) for file in files]
    results = results_of(pl.concat([*liar, *right]))
    rows = json.loads(results.summary_text("json"))
    assert [(row["backend"], row["solved"]) for row in rows] == [("right", 8), ("liar", 0)]
    said = "\n".join(results.findings())
    assert "liar is" not in said
    assert "8 claimed an optimum that others beat: native x liar (8 of 8)" in said
    # A value that nobody beats is solved, whoever is faster.
    alone = pl.concat(liar)
    assert as_searches(alone).equals(alone)


def test_repeats_are_one_search_and_those_who_did_not_run_are_none():
    runs = [run("a", "f", 17, STOPPED), run("a", "f", 19, SHOWN, repeat=1)]
    assert end(*runs[::-1]) == (State.OPTIMAL, 19)
    missing = run("b", "f", None, STOPPED, outcome=Outcome.UNAVAILABLE)
    assert files_by_state(pl.concat([*runs, missing]))["files"].to_list() == [1]


CAMPAIGN = pl.concat(
    [
        run("a", "one", 19, SHOWN), run("a", "two", 30, CLAIMED), run("a", "no", None, INFEASIBLE),
        run("b", "one", 17, STOPPED), run("b", "two", None, STOPPED),
        run("b", "no", None, SAYS_INFEASIBLE),
    ]
)  # fmt: skip
COUNTS = ("files", "optimal", "claimed", "best_found", "infeasible", "open")
ENDS = {"a": (3, 1, 1, 0, 1, 0), "b": (3, 0, 0, 1, 0, 2)}


def test_the_main_table_counts_how_searches_ended():
    rows = json.loads(results_of(CAMPAIGN).summary_text("json"))
    assert {row["backend"]: tuple(row[name] for name in COUNTS) for row in rows} == ENDS
    for kind in ("csv", "markdown", "latex"):
        text = results_of(CAMPAIGN).summary_text(kind)
        words = {name.partition("_")[0] for name in COUNTS}  # a paper wraps titles
        assert words <= set(re.findall("[a-z]+", text)), kind


def test_other_campaigns_have_no_such_columns():
    plain = table((4, DONE, 1.0), (5, LATE, None))
    assert not {*COUNTS} & {*summary.overview(plain).columns}
    assert not {"best", "state", "by"} & {*summary.by_problem(plain).columns}


def test_each_file_has_a_row_with_what_is_known_and_by_whom():
    rows = {row["problem"]: row for row in results_of(CAMPAIGN).by_problem().to_dicts()}
    known = {name: (row["best"], row["state"], row["by"]) for name, row in rows.items()}
    assert known == {
        "one": (19, "optimal", "native x a"),
        "two": (30, "claimed", "native x a"),
        "no": (None, "infeasible", "native x a"),
    }
    assert rows["one"]["native x b: objective"] == 17
    text = results_of(CAMPAIGN).summary_text("markdown", table="by-problem")
    assert "timeout (17)" in text
    assert "(19)" not in text


def test_the_page_shows_the_same():
    rows = summary.overview(CAMPAIGN).to_dicts()
    shown = tables.overview_table(rows, Unit("s", 1.0))
    assert [*COUNTS[1:]] == [column.name for column in shown.columns if column.name in COUNTS]
    assert "files 3" in shown.below_of(shown.columns)  # the same in every row
    of_files = tables.problem_table(CAMPAIGN, Unit("s", 1.0))
    cells = {row.name.text: [cell.text for cell in row.of_file] for row in of_files.rows}
    assert cells["one"] == ["19", "optimal", "native x a"]
    assert cells["no"] == ["", "infeasible", "native x a"]


def step(bound, value, how, seconds):
    """A step of a search, as `optimum` records it."""
    name = "f" if bound is None else f"f >={bound}"
    made = run("a", name, value, how, task="first", problem_digest=name)
    return made.with_columns(solve_s=pl.lit(seconds, pl.Float64))


@pytest.mark.parametrize(
    ("last", "state"),
    [(INFEASIBLE, State.OPTIMAL), (SAYS_INFEASIBLE, State.CLAIMED), (STOPPED, State.BEST_FOUND)],
)
def test_the_steps_of_a_search_are_one_run_on_one_file(last, state):
    seconds = None if last is STOPPED else 4.0
    steps = [step(None, 12, SHOWN, 1.0), step(13, 19, SHOWN, 2.0), step(20, None, last, seconds)]
    records = pl.concat(steps)
    assert end(*steps) == (state, 19)
    (row,) = summary.overview(records).to_dicts()
    assert (row["runs"], row["files"], row["solved"]) == (1, 1, int(last is not STOPPED))
    (of_file,) = summary.by_problem(records).to_dicts()
    assert (of_file["problem"], of_file["best"], of_file["state"]) == ("f", 19, state)
    if last is not STOPPED:
        assert row["solve_s"] == 7.0


def test_a_search_of_one_step_is_one_beside_others():
    one = step(None, None, INFEASIBLE, 1.0).with_columns(instance=pl.lit("g"))
    steps = [step(None, 12, SHOWN, 1.0), step(13, None, INFEASIBLE, 4.0)]
    assert end(one, *steps, file="g") == (State.INFEASIBLE, None)
    any_model = one.with_columns(answer=pl.lit("sat"), objective=pl.lit(5, pl.Int64))
    assert best_values(pl.concat([any_model, *steps]))["instance"].to_list() == ["f"]


def test_a_search_that_reached_the_ideal_needs_no_further_step():
    steps = [step(None, 12, SHOWN, 1.0), step(13, 100, SHOWN, 2.0)]
    assert end(*steps) == (State.OPTIMAL, 100)


def test_a_search_that_was_interrupted_is_not_solved():
    steps = [step(None, 12, SHOWN, 1.0), step(13, 19, SHOWN, 2.0)]
    assert end(*steps) == (State.BEST_FOUND, 19)
    assert summary.overview(pl.concat(steps))["solved"].item() == 0


def test_the_order_of_the_rows_of_a_search_does_not_matter():
    steps = [step(101, None, INFEASIBLE, 1.0), step(13, 100, SHOWN, 2.0), step(None, 12, SHOWN, 4)]
    least = [run.with_columns(ideal=pl.lit(150, pl.Int64)) for run in steps]
    assert end(*least) == end(*least[::-1]) == (State.OPTIMAL, 100)


def test_a_wrong_step_makes_the_search_wrong():
    wrong = INFEASIBLE | {"verdict": "refuted"}
    steps = [step(None, 12, SHOWN, 1.0), step(13, None, wrong, 2.0)]
    assert summary.overview(pl.concat(steps)).select("solved", "wrong").row(0) == (0, 1)
    assert end(*steps) == (State.BEST_FOUND, 12)


def test_any_model_of_a_file_that_was_asked_for_is_no_search():
    any_model = run("a", "f", 12, SHOWN, task="first")
    assert best_values(any_model).is_empty()
    assert summary.overview(any_model)["solved"].item() == 1


@pytest.mark.parametrize(
    ("objective", "ideal"),
    [
        ("max: +7 x1 +5 x2 ;", 12),
        ("min: +7 x1 -5 x2 ;", -5),
        ("max: +9223372036854775807 x1 +1 x2 ;", None),
        ("", None),
    ],
)
def test_a_record_has_the_value_that_none_is_better_than(tmp_path, objective, ideal):
    (tmp_path / "f.opb").write_text(f"{objective}\n+1 x1 +1 x2 >= 1 ;\n")
    (formula,) = formulas(tmp_path)
    assert Record.of(replace(RUN, problem=formula), "here").ideal == ideal
