"""Records of several machines: what is compared, and what is reported."""

import polars as pl
import pytest
from made_records import campaign, cautioned

from nqbench import summary
from nqbench.show import plots
from nqbench.summary.findings.cautions import Output

FAST, SLOW = "fast, 8 CPUs", "slow, 2 CPUs"


def measured_on(machine, **times):
    return campaign(**times).with_columns(machine=pl.lit(machine))


def test_pairs_are_compared_on_one_machine_at_a_time():
    """`a` is a fifth faster than `b` on each machine, but not in medians over both machines. The
    board that both machines measured counts once.
    """
    fast = measured_on(FAST, a=[0.10, 0.20, 0.40], b=[0.12, 0.24, 0.48])
    slow = measured_on(SLOW, a=[1.0, 2.0, 4.0], b=[1.2, 2.4, 4.8])
    uneven = pl.concat([fast, slow.filter(backend="a"), slow.filter(backend="b").head(1)])
    (row,) = summary.comparisons(uneven).iter_rows(named=True)
    assert (row["problems"], row["faster"], row["slower"]) == (3, 3, 0)
    assert row["mean_ratio"] == pytest.approx(1 / 1.2) == row["typical_ratio"]


def test_pairs_that_never_met_on_a_machine_are_not_compared():
    apart = pl.concat([measured_on(FAST, a=[1, 2, 3]), measured_on(SLOW, b=[1, 2, 3])])
    assert summary.common(apart).is_empty()
    assert not {"portfolio", "ranks"} & set(plots.kinds_of(apart))
    assert cautioned(apart, Output.PAGE)["mixed_machines"] == {FAST: 3, SLOW: 3}


def test_pairs_that_never_met_under_a_limit_are_not_compared():
    """`b` was stopped earlier: what it would cost under the limit of `a` is not known."""
    long, short = (
        campaign(a=[1, 2, 3], b=[4, 5, 6]).with_columns(time_limit_s=pl.lit(limit))
        for limit in (30.0, 10.0)
    )
    apart = pl.concat([long.filter(backend="a"), short.filter(backend="b")])
    assert summary.common(apart).is_empty()
    met = summary.on_common(pl.concat([long, short.filter(backend="b")]))
    assert met["time_limit_s"].unique().to_list() == [30.0]
    assert len(met) == len(long)
    assert summary.time_limits(apart) == {30.0: 3, 10.0: 3}
    for output in (Output.PAGE, Output.FINDINGS, Output.BELOW):
        assert cautioned(apart, output)["mixed_limits"] == {30.0: 3, 10.0: 3}
