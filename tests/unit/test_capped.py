"""Runs that a race stopped count nowhere: with them, every summary is as without them."""

import re

import polars as pl
import pytest
from addons import is_here, needs_addon
from made_records import BOTH, GRID, SWEPT, THREE, campaign, one_fact, raced_by_three, table
from polars.testing import assert_frame_equal

import nqbench
from nqbench import summary
from nqbench.common.vocabulary import Outcome
from nqbench.show import plots
from nqbench.summary.findings import in_brief
from nqbench.summary.measured import Measured
from nqbench.summary.other_tools import to_mkplot

if is_here("compare"):
    from nqbench.addons.compare.changes import solved, times

FORMULAS = THREE.with_columns(
    n=pl.lit(None, pl.Int64), instance=pl.format("f{}.cnf", "n"), family=pl.lit("cnf")
)
RECORDS = {"three": THREE, "grid": GRID, "both": BOTH, "swept": SWEPT, "formulas": FORMULAS}
SUMMARIES = (
    "overview", "over_n", "over_instances", "boards", "cactus", "comparisons", "ranks",
    "portfolio", "scaling", "phases", "memory", "satisfiable", "effort",
)  # fmt: skip


def with_capped(records):
    """Each run once more as one that was capped, on its own problem and on another."""
    capped = records.with_columns(
        outcome=pl.lit(str(Outcome.CAPPED)),
        answer=pl.lit(None, pl.String),
        verdict=pl.lit("unchecked"),
        solve_s=pl.lit(None, pl.Float64),
        cap_s=pl.lit(0.5),
        repeat=pl.col("repeat") + 1,
    )
    return pl.concat([records, capped, capped.with_columns(n=pl.col("n") + 50)])


@pytest.mark.parametrize("records", RECORDS)
@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_does_not_see_them(name, records):
    of, whole = getattr(summary, name), RECORDS[records]
    metric = ["solve_s"] if name == "effort" else []
    assert_frame_equal(of(with_capped(whole), *metric), of(whole, *metric))


@needs_addon("compare")
def test_exports_and_comparisons_do_not_see_them():
    whole = campaign(a=[1.0, 2.0, 3.0], b=[2.0, 3.0, None])
    assert to_mkplot(with_capped(whole)) == to_mkplot(whole)
    old, new = with_capped(whole), with_capped(whole)
    assert_frame_equal(times(old, new).table, times(whole, whole).table)
    assert solved(old, whole).is_empty()


@pytest.mark.parametrize("records", ["both", "formulas"])
def test_findings_say_how_many_were_left_out_and_nothing_else(records):
    whole = RECORDS[records]
    capped = with_capped(whole)
    before, after = nqbench.findings(whole), nqbench.findings(capped)
    families = whole.partition_by("family")
    stopped = [one_fact(with_capped(family), "stopped").number for family in families]
    assert sum(stopped) == capped.filter(outcome="capped").height
    assert [each for each in after if each in before] == before
    assert len(after) - len(before) == len(families)


@pytest.mark.parametrize("records", ["both", "formulas"])
def test_what_a_terminal_shows_says_how_many_were_left_out(records):
    capped = with_capped(RECORDS[records])
    said = " ".join(in_brief(Measured.of(capped), "solve_s", None))
    assert str(capped.filter(outcome="capped").height) in re.findall(r"\d+", said)


def test_a_figure_is_drawn_of_them_only_if_it_shows_them():
    records = with_capped(THREE)
    assert set(plots.kinds_of(records)) == {*plots.kinds_of(THREE), "race"}
    assert plots.kinds_of(records.filter(outcome="capped")) == ["race"]


def test_what_only_a_race_tried_has_no_row():
    only = table((4, Outcome.CAPPED, None)).with_columns(backend=pl.lit("other"))
    assert "other" not in summary.overview(pl.concat([THREE, only]))["backend"].to_list()


def raced(**backends):
    """Records of a race: (seconds, whether it was capped there) of each backend on each board."""
    return pl.concat(
        campaign(**{name: [seconds for seconds, _ in runs]}).with_columns(
            is_capped=pl.Series([is_capped for _, is_capped in runs])
        )
        for name, runs in backends.items()
    ).select(
        pl.all().exclude("is_capped", "outcome", "answer", "solve_s", "solve_at_least_s"),
        outcome=pl.when("is_capped").then(pl.lit("capped")).otherwise("outcome"),
        answer=pl.when(~pl.col("is_capped")).then("answer"),
        solve_s=pl.when(~pl.col("is_capped")).then("solve_s"),
        solve_at_least_s=pl.when("is_capped").then("solve_s"),
    )


def test_a_race_compares_its_leader_by_bounds_and_not_where_others_were_close():
    """B is a bit faster on eight boards of sixteen, and capped on the others, where it takes much
    longer. On the boards of which all runs are whole, b is always faster.
    """
    close, far = [1.0 + board / 100 for board in range(8)], [2.0] * 8
    records = raced(
        a=[(s, False) for s in close + far],
        b=[(0.9 * s, False) for s in close] + [(1.5 * s, True) for s in far],
        c=[(1.4 * s, False) for s in close] + [(1.5 * s, True) for s in far],
    )
    without = records.filter(outcome="finished")
    assert summary.comparisons_with_best(without)["first"].unique().to_list() == ["e x b"]
    rows = summary.comparisons(records)
    assert rows.select("first", "second", "problems").rows() == [
        ("e x a", "e x c", 16), ("e x a", "e x b", 16)
    ]  # fmt: skip
    means = sum(close) + 16, 0.9 * sum(close) + 24
    assert rows["mean_ratio"][1] == pytest.approx(means[0] / means[1])
    # Of 16 problems, a race looks twice. b is not shown to be faster by bounds, and c is slower.
    assert rows["p"].to_list()[0] == pytest.approx(2 * 2 / 2**16, abs=1e-3)
    leader = one_fact(records, "race_leader").duel
    assert (leader.leader, leader.leader_cost) == ("e x a", pytest.approx(1.5, abs=0.05))
    assert summary.comparisons_with_best(records).equals(rows)


def test_bounds_show_nothing_of_who_takes_less_by_them():
    records = raced(
        a=[(1.0, False)] * 12, b=[(0.1, True)] * 8 + [(0.2, False)] * 4, c=[(2.0, False)] * 12
    )
    rows = summary.comparisons(records)
    assert rows.filter(second="e x b").select("first", "p").rows() == [("e x a", 1)]
    assert rows.filter(second="e x c")["p"].item() < 0.05


def test_of_a_race_who_is_typically_faster_is_not_called_slower():
    """Of three, only the last one was stopped. The second is faster on all problems but one."""
    records = raced_by_three()
    assert one_fact(records, "race_leader").duel.leader == "e x a"
    (worse,) = one_fact(records, "worse_than_leader").duels
    assert (worse.other, worse.capped, worse.ratio) == ("e x c", 24, pytest.approx(2, abs=0.05))
    (better,) = one_fact(records, "better_than_leader").duels
    assert (better.other, better.capped, better.ratio) == ("e x b", 0, pytest.approx(2.2, abs=0.05))
    best = summary.overview(records).select("backend", "beats", "beaten_by")
    assert best.filter(backend="a").row(0) == ("a", 1, 1)
