"""What to use if encoding counts as well, and if the first is a shuffle."""

import polars as pl
import pytest
from addons import needs_addon
from made_records import LIMIT, campaign, encoded, times

import nqbench
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import unshuffled
from nqbench.show.use import Use
from nqbench.summary import Measured, overview
from nqbench.summary.recommendation import in_total, notes, recommend, total_costs

SLOW_TO_MAKE = encoded(2.0, minisat22=times(1))
"""It solves in less time than the other, and takes longer to encode."""

QUICK_TO_MAKE = encoded(0.001, minisat22=times(1.5))


def winner(records):
    measured = Measured(records)
    return Use.of_recommendation(measured, recommend(measured, "solve_s"))


def test_another_is_named_if_encoding_and_solving_take_longer_together():
    both = pl.concat([SLOW_TO_MAKE, QUICK_TO_MAKE])
    use = winner(both)
    assert use.name == "takes-2.0 x minisat22"
    assert use.note.startswith("If encoding counts as well, use takes-0.001 x minisat22: ")
    assert "typically faster than takes-2.0 x minisat22 by " in use.note
    assert use.note.endswith("on 12 of 12).")
    assert notes(both, "total_s", "takes-0.001 x minisat22") == []


@pytest.mark.parametrize("encode_s", [0.0, 0.002])
def test_nothing_is_said_where_encoding_changes_little(encode_s):
    both = pl.concat([encoded(encode_s, minisat22=times(1)), QUICK_TO_MAKE])
    assert winner(both).note == ""


def test_others_that_a_race_stopped_say_nothing_about_the_sum():
    stopped = QUICK_TO_MAKE.with_columns(outcome=pl.lit("capped"))
    said = in_total(pl.concat([SLOW_TO_MAKE, stopped]), "takes-2.0 x minisat22")
    assert "takes 2 s on average and solving" in said
    assert "total_s" in said
    quick = in_total(pl.concat([encoded(0.001, minisat22=times(1)), stopped]), "takes-0.001 x a")
    assert quick is None


def test_after_a_race_the_one_that_leads_in_total_is_compared_with_the_winner():
    """Though a race compares its leader only, which is another one by solve time."""
    stopped = encoded(0.001, glucose4=times(3)).with_columns(outcome=pl.lit("capped"))
    raced = pl.concat([SLOW_TO_MAKE, QUICK_TO_MAKE, stopped])
    said = in_total(raced, "takes-2.0 x minisat22")
    assert said == in_total(pl.concat([SLOW_TO_MAKE, QUICK_TO_MAKE]), "takes-2.0 x minisat22")


def test_no_shuffle_is_recommended():
    shuffled = campaign(minisat22=times(1)).with_columns(encoding=pl.lit("file:shuffle=1"))
    plain = campaign(glucose4=times(2), minisat22=times(1.1)).with_columns(encoding=pl.lit("file"))
    use = winner(pl.concat([shuffled, plain]))
    assert "shuffle" not in use.show
    assert "--backend minisat22" in use.show
    assert use.note == (
        "file:shuffle=1 x minisat22 is minisat22 with the clauses in another order: that is luck."
    )
    unmeasured = winner(pl.concat([shuffled, plain.filter(backend="glucose4")]))
    assert "shuffle" not in unmeasured.show
    assert "minisat22 with the clauses in another order, which was not measured" in unmeasured.note


def test_other_parameters_stay():
    assert unshuffled("commander:group=3") == "commander:group=3"


NEVER = """instance,solver,time,status
a.cnf,fast,0.1,sat
a.cnf,slow,0.6,sat
a.cnf,never,,timeout
b.cnf,fast,0.2,unsat
b.cnf,slow,,timeout
b.cnf,never,,timeout
"""


@pytest.fixture
def never(tmp_path):
    """Results with imported runs, of which no total time is known, and a solver without answers."""
    (tmp_path / "never.csv").write_text(NEVER)
    results = nqbench.Results(tmp_path / "results")
    results.import_files(tmp_path / "never.csv", time_limit=10)
    return results


@needs_addon("importing")
def test_nobody_has_a_total_time_where_nobody_states_it(never):
    table = never.summary()
    assert table["backend"].to_list() == ["fast", "slow", "never"]
    assert table["total_s"].to_list() == [None, None, None]
    assert total_costs(Measured(never.records)).is_empty()
    assert not [sentence for sentence in never.findings() if "total time" in sentence]


@needs_addon("importing")
@pytest.mark.parametrize("metric", ["total_s", "encode_s", "decode_s", "conflicts"])
def test_a_metric_that_no_solved_run_has_is_refused(never, metric):
    with pytest.raises(InputError, match=r"no solved run reports .*: choose another metric"):
        never.summary(metric)


@needs_addon("importing")
def test_a_combination_without_a_time_is_named(never):
    records = pl.concat([never.records, encoded(0.5, minisat22=times(1))], how="diagonal_relaxed")
    with pytest.raises(InputError, match=r"fast, slow do not report total time.*'fast', 'slow'"):
        nqbench.findings(records, "total_s")


def test_what_solved_nothing_is_not_the_least_in_total():
    records = pl.concat([SLOW_TO_MAKE, encoded(0.1, unable=[None] * len(times(1)))])
    assert total_costs(Measured(records))["backend"].to_list() == ["minisat22"]
    assert overview(records).filter(backend="unable")["total_s"].item() == LIMIT
