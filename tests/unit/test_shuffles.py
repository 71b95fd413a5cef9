"""One formula with many shuffles: the times of two combinations are two samples."""

import numpy as np
import polars as pl
import pytest
from made_records import campaign, facts, one_fact
from scipy import stats

import nqbench
from nqbench import summary
from nqbench.summary.measured import Measured
from nqbench.summary.observed import count_repeats
from nqbench.summary.shuffles import Samples, of_shuffles


def shuffled(**times):
    """Records of one formula, with a shuffle for each of these times."""
    return campaign(**times).with_columns(
        shuffle=pl.col("n"), n=pl.lit(None, pl.Int64), instance=pl.lit("f.cnf"),
        family=pl.lit("cnf"), encoding=pl.lit("file"),
    )  # fmt: skip


def lognormal(factor, count, seed):
    return (factor * np.random.default_rng(seed).lognormal(-1, 1, count)).clip(1e-3, 9).tolist()


def test_shuffles_of_one_formula_decide_what_the_times_show():
    times = {"a": lognormal(1, 40, 0), "b": lognormal(3, 40, 1), "c": lognormal(1.1, 40, 2)}
    records = shuffled(**times)
    rows = {row[:2]: row for row in summary.comparisons(records).select(
        "first", "second", "p", "problems", "mean_ratio").rows()}  # fmt: skip
    known = stats.mannwhitneyu(times["a"], times["b"]).pvalue
    assert known * 3 < 0.05 <= rows["a", "c"][2]
    assert rows["a", "b"][2:] == pytest.approx(
        (3 * known, 1, np.mean(times["a"]) / np.mean(times["b"]))
    )
    (less,) = one_fact(records, "less_on_formula").rivals
    (equal,) = one_fact(records, "undecided_on_formula").rivals
    assert (less.first, less.second, equal.first, equal.second) == ("a", "b", "a", "c")
    average = one_fact(records, "average_of_shuffles")
    assert (average.name, average.shuffles) == ("a", 40)
    # A board that was repeated has no shuffles, and two boards are two problems.
    same = records.with_columns(repeat=pl.col("shuffle"), shuffle=pl.lit(None, pl.Int64))
    assert of_shuffles(Measured(same), "solve_s") is None
    assert of_shuffles(Measured(campaign(a=[1.0, 2.0], b=[2.0, 3.0])), "solve_s") is None


def test_equal_times_need_no_more_shuffles():
    (equal,) = one_fact(shuffled(a=[1.0] * 8, b=[1.0] * 8), "undecided_on_formula").rivals
    assert (equal.second, equal.are_equal) == ("b", True)


def test_seeds_of_solvers_without_one_are_shuffles():
    """`--seeds` gives MiniSat shuffles that are known by one seed and the number of the repeat."""
    records = shuffled(a=lognormal(1, 8, 0), b=lognormal(30, 8, 1))
    repeated = records.with_columns(repeat=pl.col("shuffle"), shuffle=pl.lit(0, pl.Int64))
    assert nqbench.findings(repeated) == nqbench.findings(records)
    assert summary.comparisons(repeated).equals(summary.comparisons(records))
    assert count_repeats(repeated, 8) == "8 shuffles"


def test_another_is_faster_in_total_on_few_shuffles_of_a_board():
    """No mean is compared: there is no sentence, and no error."""
    slow = campaign(a=lognormal(1, 8, 0)).with_columns(encoding=pl.lit("slow"), encode_s=9.0)
    records = pl.concat([slow, campaign(a=lognormal(30, 8, 1))]).with_columns(
        shuffle=pl.lit(0, pl.Int64), repeat=pl.col("n"), n=pl.lit(8, pl.Int64)
    )
    (less,) = one_fact(records, "less_on_formula").rivals
    assert (less.first, less.second) == ("slow x a", "e x a")
    assert not facts(records, "faster_in_total")


def test_few_shuffles_have_no_mean():
    records = shuffled(a=lognormal(1, 8, 0), b=lognormal(30, 8, 1))
    assert summary.comparisons(records)["mean_ratio"].to_list() == [None]
    (less,) = one_fact(records, "less_on_formula").rivals
    assert (less.first, less.second, less.share) == ("a", "b", 1)


def test_the_interval_of_the_share_is_that_of_newcombe():
    """Method 5 is the interval whose ends are as far from the share as their own deviation: by its
    formula, and as often right as it says.
    """
    random = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        one = Samples("a", "b", (random.normal(0, 1, 20), random.normal(0.8, 1, 30)))
        low, high = one.share_interval()
        assert low < one.share < high
        held += low < stats.norm.cdf(0.8 / np.sqrt(2)) < high
    assert held >= 182
    apart = Samples("a", "b", (np.arange(5.0), 9 + np.arange(5.0)))
    low, high = apart.share_interval()
    assert (apart.share, high) == (1, 1)
    assert 0.5 < low < 0.8
