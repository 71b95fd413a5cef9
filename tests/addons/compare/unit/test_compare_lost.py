"""What a gate must not overlook: lost answers and counters, conditions, limits, too few boards."""

import polars as pl
import pytest
from databases import exported
from made_records import campaign

from nqbench import summary
from nqbench.addons.compare import changes
from nqbench.addons.compare.gate import Gate, compared
from nqbench.addons.compare.missing import missing
from nqbench.campaign import campaign_file
from nqbench.common.errors import InputError
from nqbench.common.limits import parse_duration

OLD = campaign(a=[1.0, 2, 3], b=[1.0, 2, 3]).with_columns(conflicts=pl.lit(7, pl.Int64))
OF_B = pl.col("backend") == "b"


def stopped(outcome):
    return OLD.with_columns(
        outcome=pl.when(OF_B).then(pl.lit(outcome)).otherwise("outcome"),
        answer=pl.when(~OF_B).then("answer"),
        conflicts=pl.when(~OF_B).then("conflicts"),
        solve_s=pl.when(~OF_B).then("solve_s"),
    )


@pytest.mark.parametrize("outcome", ["timeout", "memout"])
def test_an_answer_that_is_lost_at_a_limit_is_a_change(outcome):
    new = stopped(outcome)
    found = changes.changes(OLD, new).select("quantity", "backend", "runs", "old", "new").rows()
    assert found == [("answer", "b", 3, "sat", outcome)]
    assert Gate(on_change=True).failures(compared(OLD, new))
    # A machine may be faster, and both may be too slow.
    assert changes.changes(new, OLD).is_empty()
    assert changes.changes(new, new).is_empty()


def test_a_counter_that_only_one_campaign_has_is_a_change():
    none = OLD.with_columns(conflicts=pl.when(~OF_B).then("conflicts"))
    columns = ["quantity", "backend", "runs", "old", "new"]
    assert changes.changes(OLD, none).select(columns).rows() == [("conflicts", "b", 3, "7", None)]
    assert changes.changes(none, OLD).select(columns).rows() == [("conflicts", "b", 3, None, "7")]
    assert changes.changes(none, none).is_empty()


def test_a_condition_does_not_turn_a_crash_into_no_problem():
    crashed = stopped("crashed")
    finished = pl.col("outcome") == "finished"
    states = missing(OLD, crashed.filter(finished), (OLD, crashed))
    assert states.select("old", "new").rows() == [("measured", "crashed")]
    late = stopped("timeout")
    states = missing(OLD, late.filter(finished), (OLD, late))
    assert states.select("old", "new").rows() == [("measured", "left out")]


def test_a_change_is_out_of_reach_only_where_no_times_reach_it():
    """Five boards decide nothing, and the only judge of the machine has the ratio 1."""
    assert changes.reachable([13, 6, 5], []) == [True, True, False]
    assert changes.reachable([6, 6, 6], [0, 1, 2]) == [True] * 3
    assert changes.reachable([20], [0]) == [False]
    assert changes.reachable([9, 9], [0]) == [False, True]
    base = {name: [1.0 + n for n in range(6)] for name in "abc"}
    slow = base | {"c": [3 * s for s in base["c"]]}
    rows = changes.times(campaign(**base), campaign(**slow)).table
    assert changes.slower(rows, 0.1)["backend"].to_list() == ["c"]


def test_a_gate_that_no_times_can_trip_has_nothing_to_compare():
    few = compared(OLD, OLD)
    assert "no combination can be found slower" in Gate(above=0.1).blind(few)
    many = campaign(**{name: [float(n) for n in range(1, 10)] for name in "abcd"})
    assert Gate(above=0.1).blind(compared(many, many)) is None


def test_crashed_and_wrong_runs_are_not_said_to_lack_a_limit():
    crashed = stopped("crashed")
    with pytest.raises(InputError, match="e x b has crashed runs"):
        summary.observed(crashed, "conflicts")
    wrong = OLD.with_columns(verdict=pl.when(OF_B).then(pl.lit("refuted")).otherwise("verdict"))
    with pytest.raises(InputError, match="e x b has runs with a wrong answer"):
        summary.observed(wrong, "conflicts")


def test_the_command_line_says_what_differs_and_what_a_condition_removes(nqbench, tmp_path):
    uncounted = OLD.with_columns(
        conflicts=pl.when(~OF_B).then("conflicts"),
        rejected_models=pl.lit(0, pl.Int64),  # as in every real record
    )
    zero = uncounted.with_columns(time_limit_s=20.0, conflicts=pl.col("conflicts") * 0)
    (tmp_path / "old.csv").write_bytes(exported(uncounted))
    (tmp_path / "new.csv").write_bytes(exported(zero))
    both = ["compare", "old.csv", "new.csv"]
    assert "no counters of b" in nqbench(*both, "--fail-on-change").stderr
    done = nqbench(*both, "--metric", "conflicts", "--where", "conflicts IS NOT NULL")
    told = done.stderr
    assert "3 of 6 runs in OLD" in told
    assert "nothing is left of e x b" in told
    assert done.stdout.startswith(
        "What differs besides\n- time limit (10 s in OLD, 20 s in NEW)\n\n"
    )
    assert "0 counts as 1" in told


def test_a_time_limit_in_a_file_may_be_a_number_of_seconds(tmp_path):
    path = tmp_path / "campaign.toml"
    path.write_text('time-limit = 1\n[[campaign]]\nn = "4"\n')
    (read,) = campaign_file.read(path)
    assert read.limits.time_s == parse_duration("1")
