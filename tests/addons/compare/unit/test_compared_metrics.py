"""Comparisons of records of several machines, and by metrics: times, counters and measures."""

import polars as pl
import pytest
from counted_records import COUNTED, SEVEN, SIX, counting, write_exports
from made_records import campaign

from nqbench.addons.compare import changes
from nqbench.addons.compare.gate import Gate, compared
from nqbench.common import metrics
from nqbench.common.errors import InputError

FAST, SLOW = "fast, 8 CPUs", "slow, 2 CPUs"


@pytest.fixture
def exports(tmp_path):
    return write_exports(tmp_path)


def measured_on(machine, **times):
    return campaign(**times).with_columns(machine=pl.lit(machine))


def test_an_unknown_metric_gets_the_nearest():
    with pytest.raises(InputError, match=r"unknown metric 'solve'.*'solve_s'"):
        changes.times(COUNTED, COUNTED, "solve")


def test_campaigns_that_share_a_machine_are_compared_there():
    old = pl.concat([measured_on(FAST, a=[1, 2, 3, 4]), measured_on(SLOW, a=[7, 7, 7, 7])])
    new = measured_on(FAST, a=[1, 2, 3, 4])
    assert changes.times(old, new).common == pytest.approx(1)


def test_campaigns_of_two_machines_are_compared_board_by_board():
    times = changes.times(measured_on(FAST, a=[1, 2, 3]), measured_on(SLOW, a=[2, 4, 6]))
    assert times.common == pytest.approx(2)


@pytest.mark.parametrize("counter", [*metrics.COUNTERS, *metrics.EVENTS])
def test_a_counter_that_grew_by_5_percent_has_the_ratio_1_05(counter):
    """With one combination, and although the machine is half as fast."""
    old = counting(SIX, **{counter: [100, 200, 400, 1000, 20, 40] * 2})
    new = counting(SIX, **{counter: [105, 210, 420, 1050, 21, 42] * 2})
    slow = pl.col("solve_s") * 2
    new = new.with_columns(solve_s=slow, machine=pl.lit("slow"))
    for pairs in (["a"], ["a", "b"]):
        of = pl.col("backend").is_in(pairs)
        times = changes.times(old.filter(of), new.filter(of), counter)
        assert times.common is None
        for ratio in ("mean_ratio", "typical_ratio"):
            assert times.table[ratio].to_list() == pytest.approx([1.05] * len(pairs))
        assert times.table["boards"].to_list() == [6] * len(pairs)
    assert changes.times(old, new).common == pytest.approx(2)


def test_a_measure_is_not_divided_by_the_speed_of_the_machine_and_a_time_is():
    old = SIX.with_columns(glue=pl.lit(2.0), inner_s=pl.lit(0.5))
    new = SIX.with_columns(glue=pl.lit(3.0), inner_s=pl.lit(0.75), solve_s=pl.col("solve_s") * 1.5)
    for measure in ("glue", "inner_s"):
        for ratio in ("mean_ratio", "typical_ratio"):
            assert set(changes.times(old, new, measure).table[ratio].round(9)) == {1.5}
    assert set(changes.times(old, new).table["mean_ratio"].round(9)) == {1.0}


def test_equal_values_without_a_logarithm_are_a_ratio_of_1_and_others_are_counted():
    old = SIX.filter(backend="a").with_columns(glue=pl.Series([0.0, 0, 1, 2, -1, -1]))
    new = old.with_columns(glue=pl.Series([0.0, 5, 1, 2, -1, -2]))
    times = changes.times(old, new, "glue")
    assert times.table["boards"].to_list() == [4 + 1]  # -2 / -1 is a ratio
    assert times.without_ratio == 1


def test_a_reference_cannot_correct_a_counter():
    with pytest.raises(InputError, match="the machine does not change conflicts"):
        changes.times(COUNTED, COUNTED, "conflicts", ["e x a"])


def test_a_reference_that_solved_nothing_in_common_is_no_equal_machine():
    old, new = campaign(a=[1, 2, None], b=[1, 2, 3]), campaign(a=[None, None, 3], b=[2, 4, 6])
    with pytest.raises(InputError, match="the reference solved no board in both"):
        changes.times(old, new, reference=["e x a"])
    assert changes.times(old, new, reference=["e x b"]).common == pytest.approx(2)


def test_a_campaign_without_the_measure_is_named(nqbench, exports):
    pl.read_csv(exports / "new.csv").drop("confl").write_csv(exports / "without.csv")
    done = nqbench("compare", "old.csv", "without.csv", "--metric", "confl")
    assert done.returncode == 0
    assert "boards without a ratio, as a run has no number of confl" in done.stderr


def test_a_condition_chooses_records_of_both_campaigns(nqbench, exports):
    few = nqbench("compare", "old.csv", "new.csv", "--where", "n < 6", "--metric", "conflicts")
    assert few.stdout.splitlines()[-1].split()[2] == "2"
    none = nqbench("compare", "old.csv", "new.csv", "--where", "conflicts = 210")
    assert none.returncode == 2
    assert "old.csv" in none.stderr


def test_instructions_are_compared_with_a_threshold_and_never_exactly():
    gate = Gate(above=0.002, on_change=True)
    old, noisy, worse = (
        counting(SEVEN, instructions=[count] * len(SEVEN))
        for count in (10**9, 1_000_090_000, 1_010_000_000)
    )
    assert gate.failures(compared(old, noisy, "instructions")) == []
    (failure,) = gate.failures(compared(old, worse, "instructions"))
    assert failure == "1 combination: typically over 0.2 % more instructions"


def test_a_campaign_without_instructions_is_refused_with_what_to_do():
    without = counting(SEVEN, instructions=None)
    blind = Gate(above=0.002).blind(compared(without, without, "instructions"))
    assert "no solved run reports instructions: `nqbench doctor` says" in blind


@pytest.mark.parametrize("name", ["confl", "CONFL"])
def test_a_measure_of_the_records_is_a_metric(nqbench, exports, name):
    assert nqbench("compare", "old.csv", "new.csv", "--metric", name).returncode == 0


def test_the_command_line_shows_the_plain_ratio_of_a_counter(nqbench, exports):
    compared = nqbench("compare", "old.csv", "new.csv", "--metric", "conflicts")
    assert compared.returncode == 0
    (row,) = [line.split() for line in compared.stdout.splitlines() if line.startswith("e  ")]
    assert row[:4] == ["e", "a", "7", "1.05"]
    assert "machine:" not in compared.stdout
    assert compared.stderr == ""
    gate = ["compare", "old.csv", "new.csv", "--metric", "conflicts", "--fail-above"]
    assert nqbench(*gate, "3%").returncode == 1
    assert nqbench(*gate, "10%").returncode == 0
    assert "slowdown" not in nqbench(*gate, "10%").stderr
    refused = nqbench(*gate, "3%", "--reference", "e x a")
    assert refused.returncode == 2
    assert "reference" in refused.stderr
