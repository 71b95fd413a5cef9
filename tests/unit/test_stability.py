"""Draws of the problems, and by what the first would not be first, against loops."""

import importlib
import json
import math
import random
from collections import Counter
from statistics import fmean, median

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from made_records import LIMIT, campaign, facts, one_fact
from places import REFERENCE
from polars.testing import assert_frame_equal

import nqbench
from nqbench import summary
from nqbench.cli.app import app
from nqbench.common.errors import InputError
from nqbench.show import plots
from nqbench.summary.evidence import in_groups

DRAWS = 6000
CLOSE = 0.025
"""Shares of 2,000 and of 6,000 draws differ by less."""

NAMES = ("a", "b", "c")


def lognormal(seed, count, factors=(1.0, 1.15, 1.6), late=0.05):
    """Times of three combinations on some problems, None if unsolved."""
    rng = np.random.default_rng(seed)
    base = rng.lognormal(-1, 1, count)
    return {
        name: [
            None if missed else float(min(s, 0.99 * LIMIT))
            for s, missed in zip(
                factor * base * rng.lognormal(0, 0.5, count), rng.random(count) < late, strict=True
            )
        ]
        for name, factor in zip(NAMES, factors, strict=True)
    }


def cost(seconds, limit=LIMIT):
    return 2 * limit if seconds is None or seconds > limit else seconds


def by_name(table):
    return {row["backend"]: row for row in table.iter_rows(named=True)}


def least(means):
    return min(means, key=lambda name: (means[name], name))


def first_shares(draw):
    """How often each has the least of the means that are drawn."""
    first = Counter(least(draw()) for _ in range(DRAWS))
    return {name: first[name] / DRAWS for name in NAMES}


def test_shares_are_those_of_draws_of_a_quarter_of_the_problems():
    times = lognormal(0, 30)
    table = summary.stability(campaign(**times))
    rng = random.Random(0)
    first, close = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)
    for _ in range(DRAWS):
        drawn = [rng.randrange(30) for _ in range(8)]
        means = {name: fmean(cost(times[name][i]) for i in drawn) for name in NAMES}
        first[least(means)] += 1
        for name in NAMES:
            close[name] += means[name] <= 1.05 * min(means.values())
    for name, row in by_name(table).items():
        assert abs(row["first_share"] - first[name] / DRAWS) < CLOSE
        assert abs(row["close_share"] - close[name] / DRAWS) < CLOSE
        costs = [cost(seconds) for seconds in times[name]]
        assert row["par2_s"] == pytest.approx(fmean(costs))
        assert row["median_s"] == pytest.approx(median(min(each, LIMIT) for each in costs))
    assert table["par2_s"].is_sorted()
    assert not table["has_seeds"].any()


@pytest.mark.parametrize("seed", range(2))
def test_limits_are_those_at_which_slower_runs_are_unsolved(seed):
    """The last range of limits with two digits. Two repeats of a problem count as one problem."""
    repeats = [lognormal(seed, 20), lognormal(seed + 10, 20)]
    records = pl.concat(
        campaign(**times).with_columns(repeat=pl.lit(repeat, pl.Int64), run_id=pl.lit(str(repeat)))
        for repeat, times in enumerate(repeats)
    )
    found = by_name(summary.stability(records))
    runs = [[s for times in repeats for s in times[name]] for name in NAMES]
    shortest = min(s for own in runs for s in own if s is not None)
    limits = [float(f"{digits}e{power}") for power in (-4, -3, -2, -1) for digits in range(10, 100)]
    order, ahead = list(found), []
    limits = [*(at for at in limits if shortest <= at < LIMIT), LIMIT]
    for limit in limits:
        means = [
            (round(fmean(cost(s, limit) for s in runs[NAMES.index(name)]), 12), place)
            for place, name in enumerate(order)
        ]
        ahead.append(order[min(means)[1]])  # of equals, the one that is first at the last limit
    expected = {}
    for name in set(ahead):
        high = low = max(i for i, other in enumerate(ahead) if other == name)
        while low and ahead[low - 1] == name:
            low -= 1
        expected[name] = [limits[low], limits[high]]
    for name, row in found.items():
        assert [row["limit_low_s"], row["limit_high_s"]] == expected.get(name, [None, None])


def in_folders(records, count):
    """The same records as if they were of formulas in so many folders."""
    return records.with_columns(
        family=pl.lit("cnf"),
        encoding=pl.lit("file"),
        instance=pl.format("folder {}/{}.cnf", pl.col("n") % count, "n"),
        n=pl.lit(None, pl.Int64),
    )


@pytest.mark.parametrize("seed", range(2))
def test_without_names_the_folders_that_decide(seed):
    records = in_folders(campaign(**lognormal(seed, 24, factors=(1.0, 1.02, 1.04))), 5)
    found = by_name(summary.stability(records))
    first = next(iter(found))
    expected = {name: [] for name in NAMES}
    for folder in (f"folder {number}" for number in range(5)):
        rest = records.filter(~pl.col("instance").str.starts_with(f"{folder}/"))
        ahead = summary.overview(rest)["backend"][0]
        if ahead != first:
            expected[ahead].append(folder)
            expected[first].append(folder)
    for name, row in found.items():
        assert row["without"] == (", ".join(expected[name]) or None)
        assert (row["families"], row["family_share"]) == (5, None)


def test_families_are_drawn_as_a_whole_from_six_on():
    times = lognormal(3, 40)
    found = by_name(summary.stability(in_folders(campaign(**times), 8)))
    rng = random.Random(0)

    def drawn():
        folders = [rng.randrange(8) for _ in range(2)]
        problems = [i for folder in folders for i in range(40) if (i + 4) % 8 == folder]
        return {name: fmean(cost(times[name][i]) for i in problems) for name in NAMES}

    shares = first_shares(drawn)
    for name, row in found.items():
        assert abs(row["family_share"] - shares[name]) < CLOSE


def test_groups_on_request_are_drawn_in_place_of_problems():
    """Those of folders are the draws of families; fewer than six say nothing."""
    records = in_folders(campaign(**lognormal(3, 40)), 8)
    grouped = in_groups(records, "formula_family")
    families, groups = (by_name(summary.stability(table)) for table in (records, grouped))
    for name, row in groups.items():
        assert row["first_share"] == families[name]["family_share"]
        assert (row["groups"], row["problems"], row["family_share"]) == (8, 40, None)
    assert one_fact(grouped, "stays_first").table["groups"][0] == 8
    few = in_groups(in_folders(campaign(**lognormal(3, 40)), 5), "formula_family")
    assert summary.stability(few).is_empty()


def test_seeds_are_drawn_within_problems_from_three_on():
    """On 20 problems, of equal hardness, the draws differ by the seeds only."""
    seeds = {"a": [0.2, 1.0, 3.0], "b": [1.2, 1.4, 1.5], "c": [0.5, 2.0, 1.9]}
    records = pl.concat(
        campaign(**{name: [seeds[name][seed]] * 20 for name in NAMES}).with_columns(
            repeat=pl.lit(seed, pl.Int64), solver_seed=pl.lit(seed, pl.Int64),
            run_id=pl.lit(str(seed)),
        )
        for seed in range(3)
    )  # fmt: skip
    found = by_name(summary.stability(records))
    rng = random.Random(0)
    # As many seeds of each of five problems: in all, the mean of fifteen.
    shares = first_shares(lambda: {name: fmean(rng.choices(seeds[name], k=15)) for name in NAMES})
    assert max(shares.values()) < 0.95
    for name, row in found.items():
        assert row["has_seeds"]
        assert abs(row["first_share"] - shares[name]) < 2 * CLOSE
    without = summary.stability(records.with_columns(solver_seed=pl.lit(None, pl.Int64)))
    assert not without["has_seeds"].any()
    assert without["first_share"].to_list() == [1, 0, 0]


def test_copies_of_the_results_of_a_machine_change_nothing():
    records = campaign(**lognormal(1, 25))
    copies = records.with_columns(machine=pl.lit("other"), run_id=pl.format("{} too", "run_id"))
    assert_frame_equal(
        summary.stability(pl.concat([records, copies])), summary.stability(records), rel_tol=1e-12
    )


def test_equals_divide_the_draws_and_nothing_is_said_of_what_solved_nothing():
    records = campaign(a=[1.0] * 24, b=[1.0] * 24, c=[2.0] * 24)
    equal = summary.stability(records)
    assert equal["first_share"].to_list() == [0.5, 0.5, 0]
    assert equal["close_share"].to_list() == [1, 1, 0]
    drawn = plots.draw(records, "stability").axes[0]
    assert [bar.get_width() for bar in drawn.patches] == [1, 1, 0.5, 0.5]
    for lost in (campaign(a=[None] * 24, b=[None] * 24), campaign(a=[1.0] * 24, b=[None] * 24)):
        assert not facts(lost, "stays_first")


def test_what_a_race_left_is_not_drawn_from():
    """The problems of which no run was capped are those where the rival was close."""
    records = campaign(a=[1.0] * 30, b=[2.0] * 30)
    capped = (pl.col("backend") == "b") & (pl.col("n") > 30)
    raced = records.with_columns(
        outcome=pl.when(capped).then(pl.lit("capped")).otherwise("outcome")
    )
    assert len(summary.stability(records)) == 2
    assert summary.stability(raced).is_empty()
    assert not facts(raced, "stays_first")
    assert ["stability" in plots.kinds_of(each) for each in (records, raced)] == [True, False]


@pytest.mark.parametrize(
    ("problems", "factor", "shares"),
    [(19, 3.0, []), (20, 3.0, [(1.0, False)]), (20, 1.01, [(pytest.approx(0.7, abs=0.2), False)])],
)
def test_findings_say_how_often_the_first_stays_first(problems, factor, shares):
    """From 95 % of the draws, and of 20 problems on."""
    rng = np.random.default_rng(0)
    base = rng.lognormal(0, 0.3, problems)
    times = {
        "a": base.tolist(),
        "b": (factor * base * rng.lognormal(0, 0.1, problems)).tolist(),
    }
    tables = [fact.table for fact in facts(campaign(**times), "stays_first")]
    assert [table.select("first_share", "has_seeds").row(0) for table in tables] == shares


def test_the_shifted_geometric_mean():
    times = lognormal(2, 12)
    found = by_name(summary.overview(campaign(**times), sgm=0.5))
    for name, own in times.items():
        seconds = [LIMIT if s is None else s for s in own]
        product = math.prod(s + 0.5 for s in seconds)
        assert found[name]["sgm0.5_s"] == pytest.approx(product ** (1 / 12) - 0.5)
    assert "sgm0.5_s" not in summary.overview(campaign(**times)).columns


def test_the_command_and_python_show_the_same():
    path = str(REFERENCE / "main-job" / "records.csv")
    result = CliRunner().invoke(app, ["summary", "--results", path, "--stability", "--json"])
    rows = json.loads(result.stdout)
    assert rows == nqbench.Results(path).summary(table="stability").to_dicts()
    assert [row["first_share"] for row in rows] == pytest.approx(
        summary.stability(nqbench.Results(path).records)["first_share"].to_list()
    )
    printed = CliRunner().invoke(app, ["summary", "--results", path, "--stability"]).stdout
    assert f"{rows[0]['encoding']} x {rows[0]['backend']} " in printed
    sgm = CliRunner().invoke(app, ["summary", "--results", path, "--sgm", "10ms", "--json"])
    assert "sgm0.01_s" in json.loads(sgm.stdout)[0]
    wrong = CliRunner().invoke(app, ["summary", "--results", path, "--sgm", "1", "--pairs"])
    assert isinstance(wrong.exception, InputError)
    with pytest.raises(InputError, match="sgm is for the table overview"):
        nqbench.Results(path).summary(table="pairs", sgm=1)


def test_what_draws_of_a_quarter_promise_holds_on_problems_that_were_held_out():
    """Draws of as many problems as there are promise more than they hold."""
    tool = importlib.import_module("calibration_of_draws")
    rng = np.random.default_rng(7)
    kept = {"a quarter": [], "all": []}
    for _ in range(250):
        costs, families = tool.simulated(rng)
        is_first_half = tool.halve(np.arange(len(costs)), rng)
        shares, is_kept = tool.keeps(costs, families, is_first_half, of_families=False)
        for way, promised in kept.items():
            if shares[way] >= 0.9:
                promised.append(is_kept)
    assert len(kept["a quarter"]) > 10
    assert fmean(kept["a quarter"]) >= max(0.85, fmean(kept["all"]) + 0.03)
