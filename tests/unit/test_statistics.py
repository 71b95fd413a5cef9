"""Statistics of campaigns, compared with values calculated by hand and with SciPy."""

import itertools
import math
import tracemalloc

import numpy as np
import polars as pl
import pytest
from made_records import LIMIT, THREE, campaign
from places import REFERENCE
from polars.testing import assert_frame_equal
from scipy import stats

from nqbench import read, summary
from nqbench.summary import shared
from nqbench.summary.comparisons import decided
from nqbench.summary.intervals import hodges_lehmann
from nqbench.summary.overview import work
from nqbench.summary.paired import Pair, decide, log_ratios
from nqbench.summary.shuffles import holm


def test_a_portfolio_takes_the_best_of_each_board():
    """The fastest on each board: a, a and b, b, only c, a. An unsolved board has a PAR-2 of 20."""
    rows = {row["backend"]: row for row in summary.portfolio(THREE).iter_rows(named=True)}
    assert [row["backend"] for row in summary.portfolio(THREE).iter_rows(named=True)] == [*"abc"]
    assert {name: row["par2_s"] for name, row in rows.items()} == {
        "a": (1 + 1 + 4 + 20 + 2) / 5, "b": (2 + 1 + 2 + 20 + 8) / 5, "c": (27 + 3 + 20) / 5
    }  # fmt: skip
    assert {name: row["wins"] for name, row in rows.items()} == {"a": 2.5, "b": 1.5, "c": 1.0}
    shares = {name: row["share"] for name, row in rows.items()}
    assert shares == pytest.approx({"a": 0.5, "b": 0.3, "c": 0.2})
    assert {name: row["only"] for name, row in rows.items()} == {"a": 0, "b": 0, "c": 1}
    assert {row["vbs_par2_s"] for row in rows.values()} == {(1 + 1 + 2 + 3 + 2) / 5}
    assert {name: row["vbs_without_s"] for name, row in rows.items()} == {
        "a": (2 + 1 + 2 + 3 + 8) / 5, "b": (1 + 1 + 4 + 3 + 2) / 5, "c": (1 + 1 + 2 + 20 + 2) / 5
    }  # fmt: skip


def test_what_solvers_did_is_of_boards_that_all_solved():
    """Of five boards, all three solved the first three. What a solver does not count is null."""
    conflicts = pl.col("backend").replace_strict({"a": 9, "b": 2, "c": None}, return_dtype=pl.Int64)
    sizes = {"propagations": 100, "decisions": 0, "variables": 4, "clauses": 10, "literals": 25}
    rows = work(
        THREE.with_columns(
            conflicts=conflicts, **{name: pl.lit(size) for name, size in sizes.items()}
        )
    ).rows(named=True)
    assert [(row["backend"], row["conflicts"]) for row in rows] == [("b", 2), ("a", 9), ("c", None)]
    assert [row["median_s"] for row in rows] == [2, 1, 9]
    assert [row["propagation_s"] for row in rows] == [0.02, 0.01, 0.09]
    assert {(row["problems"], row["literals_per_clause"]) for row in rows} == {(3, 2.5)}


def test_two_are_compared_on_the_boards_that_both_were_measured_on():
    """Of three, c ran on four boards of eight, which are too few to decide anything about it. The
    signs of a board are the same in all pairs, so that these are tested together.
    """
    base = [1.0 + board / 7 for board in range(8)]
    three = campaign(a=base, b=[2 * s for s in base], c=[3 * s for s in base][:4])
    table = summary.comparisons(three)
    rows = table.select("first", "second", "problems", "typical_ratio", "mean_ratio", "p").rows()
    assert {row[:3] for row in rows} == {
        ("e x a", "e x b", 8), ("e x a", "e x c", 4), ("e x b", "e x c", 4)
    }  # fmt: skip
    assert [row[5] for row in rows] == pytest.approx([2 / 2**8, 2 / 2**4, 2 / 2**4], abs=0.01)
    assert {row[:2]: row[3] for row in rows}["e x b", "e x c"] == pytest.approx(2 / 3)
    assert {row[:2]: row[4] for row in rows}["e x b", "e x c"] == pytest.approx(2 / 3)
    copies = pl.concat([three, three.with_columns(machine=pl.lit("another"))])
    assert_frame_equal(summary.comparisons(copies), table)


def test_one_matrix_of_costs_answers_as_a_table_for_each_two_sets(monkeypatch):
    """Of six combinations that ran different problems, some of them twice, by both ways."""
    rng = np.random.default_rng(0)
    times = {name: rng.lognormal(0, 1, 30).tolist() for name in "abcdef"}
    left_out = dict(zip("abcdef", [None, 0, 1, 1, 2, None], strict=True))
    records = campaign(**times).filter(
        (pl.col("n") % 3).ne_missing(
            pl.col("backend").replace_strict(left_out, return_dtype=pl.Int64)
        )
    )
    again = records.filter(pl.col("n") % 2 == 0).with_columns(repeat=pl.lit(1, pl.Int64))
    records = pl.concat([records, again])
    found = summary.comparisons(records)
    monkeypatch.setattr(shared, "_is_alike", lambda _: False)
    expected = summary.comparisons(records)
    assert_frame_equal(found, expected)
    assert found["problems"].n_unique() > 1


def test_many_pairs_of_many_problems_need_little_memory():
    """Of 34 combinations and 1,200 problems, all log ratios are 5 MB, and 9,999 flips of 2 x 561
    columns 45 MB. Of all problems, the signs of the flips are 96 MB.
    """
    random = np.random.default_rng(1)
    logs, solved = random.normal(0, 1, (1200, 34)), random.random((1200, 34)) < 0.9
    pairs = (
        Pair(log_ratios(logs[:, i], logs[:, j], solved[:, i], solved[:, j]))
        for i, j in itertools.combinations(range(34), 2)
    )
    tracemalloc.start()
    decide(pairs, len(logs))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 120e6


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1, 2, 3, 4], [2, 4],
         {"problems": 2, "faster": 2, "slower": 0, "typical_ratio": 0.5, "mean_ratio": 0.5}),
        ([1, 1, 2, 6], [1, 1, 3, 5], {"problems": 4, "faster": 1, "slower": 1}),
        ([1, 1, 1, 2], [1, 1, 1, 3], {"problems": 4, "faster": 1, "slower": 0}),
        ([1, 2, 3], [1, 2, 3], {"p": 1, "p_solved": 1, "mean_ratio": 1, "typical_ratio": 1}),
        ([1, 2, 3, None, None, 4, 5], [2, 4, 6, None, None, 8, 9],
         {"faster": 5, "equal": 2, "only_first": 0, "mean_ratio": (15 + 40) / (29 + 40)}),
    ],
    ids=["of uneven pairs, common boards", "one each", "one", "the same", "nobody solved two"],
)  # fmt: skip
def test_two_are_compared_by_the_boards_that_both_ran_on(a, b, expected):
    """A board on which both are as fast, or that nobody solved, counts for neither."""
    (row,) = summary.comparisons(campaign(a=a, b=b)).to_dicts()
    assert {name: row[name] for name in expected} == pytest.approx(expected)


def test_the_strongest_difference_comes_first():
    """On eight boards b is always twice, c always four times as slow as a, and d has a's times
    but for one board: of equal p, the ratio farthest from 1 decides.
    """
    a = [1, 1.1, 1.3, 1.7, 2, 2.3, 2.5, 1.9]
    twice, four = [2 * t for t in a], [4 * t for t in a]
    table = summary.comparisons(campaign(a=a, b=twice, c=four, d=[*a[:-1], 1.8]))
    assert table["p"].is_sorted()
    rows = table.select("first", "second").rows()
    assert {row[:2] for row in rows[:2]} == {("e x a", "e x c"), ("e x c", "e x d")}
    assert rows[-1][:2] == ("e x a", "e x d")


def test_the_winner_is_compared_with_the_others_as_in_all_comparisons():
    """That is c. Eight boards that agree have p = 2 / 2^8. The pairs of four combinations differ by
    the same signs, so that six pairs are no more chances to err than one.
    """
    c = [1, 1.1, 1.3, 1.7, 2, 2.3, 2.5, 1.9]
    others = {name: [factor * t for t in c] for name, factor in (("a", 2), ("b", 3), ("d", 4))}
    table = summary.comparisons_with_best(campaign(c=c, **others))
    assert table.select("first", "second").rows() == [("e x c", f"e x {n}") for n in "dba"]
    assert table["mean_ratio"].to_list() == pytest.approx([1 / 4, 1 / 3, 1 / 2])
    assert table["typical_ratio"].to_list() == pytest.approx([1 / 4, 1 / 3, 1 / 2])
    assert table["faster"].to_list() == [8, 8, 8]
    assert table["slower"].to_list() == [0, 0, 0]
    assert table["p"].to_list() == pytest.approx([2 / 2**8] * 3)
    assert summary.comparisons_with_best(campaign(a=[1, 2])).is_empty()


def test_who_solves_more_is_another_question():
    """Of 24 boards, b solves eight less than a, and is otherwise as often faster as slower."""
    base = [0.1 * 1.1**board for board in range(24)]
    rest = [s * (1.2 if i % 2 else 0.8) for i, s in enumerate(base[:16])]
    (row,) = summary.comparisons(campaign(a=base, b=[*rest, *[None] * 8])).iter_rows(named=True)
    assert (row["only_first"], row["only_second"], row["equal"]) == (8, 0, 0)
    assert row["p_solved"] == pytest.approx(2 / 2**8, abs=0.01)
    assert (row["faster"], row["slower"]) == (16, 8)


def doubtful():
    """Twelve combinations on 14 boards. The difference of the first two is negative for the eighth
    smallest alone: of one pair p = 2 * 25 / 2^14, since 25 sets of different ranks have a sum of at
    most 8.
    """
    base = np.linspace(0.1, 0.5, 14)
    steps = 0.02 * np.arange(1, 15)
    steps[7] *= -1
    close = base * np.exp(steps)
    rng = np.random.default_rng(3)
    rest = {f"z{i}": base * 1.3 * rng.lognormal(0, 0.3, 14) for i in range(10)}
    return campaign(**{name: t.tolist() for name, t in {"a": base, "b": close, **rest}.items()})


@pytest.mark.parametrize("source", ["doubtful", "main-job", "hard"])
def test_one_question_has_one_answer(source):
    """`--pairs`, `--best`, the findings, the main table and the ranks say the same."""
    from nqbench.summary.findings.leaders import standings

    records = doubtful() if source == "doubtful" else read(REFERENCE / source / "records.csv")
    for own in summary.by_family(records).values():
        table = summary.comparisons(own)
        rows = summary.comparisons_with_best(own)
        found = standings(own, summary.common(own).select(summary.PAIR).unique(), "solve_s")
        assert set(rows["first"]) == {found.best}
        all_p = {frozenset(row[:2]): row[2] for row in table.select("first", "second", "p").rows()}
        said = {rival.name: rival.verdict != "undecided" for rival in found.rivals}
        assert dict(rows.select("second", pl.col("p") < 0.05).rows()) == said
        for other, p in rows.select("second", "p").rows():
            assert all_p[frozenset((found.best, other))] == p
        different = table.filter(pl.col("p") < 0.05)
        is_first = pl.col("faster") > pl.col("slower")
        beats = different.select(pl.when(is_first).then("first").otherwise("second"))["first"]
        expected = dict(beats.value_counts().rows())
        ranks = summary.ranks(own)
        if table["problems"].max() < 6:
            assert ranks["beats"].null_count() == len(ranks)
            continue
        assert {name: n for name, n in ranks.select("pair", "beats").rows() if n} == expected
        assert ranks["beats"].sum() == ranks["beaten_by"].sum() == len(different)
        overview = summary.overview(own).with_columns(summary.NAMED)
        assert sorted(overview.select("pair", "beats").rows()) == sorted(
            ranks.select("pair", "beats").rows()
        )


@pytest.mark.parametrize(
    ("source", "family", "pairs", "solved"),
    [
        ("campaign", "queens", 179, 0),
        ("hard", "excluded-diagonals", 23, 0),
        ("main-job", "queens", 24, 0),
        ("start", "queens", 65, 0),
        ("native", "queens", 37, 9),
        ("why-minisat", "queens", 62, 12),
        ("pigeonhole", "pigeonhole", 4, 0),
        ("hard", "torus", 0, 0),
    ],
)
def test_reference_campaigns_decide_as_many_pairs_as_an_independent_program(
    source, family, pairs, solved
):
    """These were counted by another implementation of the rule."""
    records = read(REFERENCE / source / "records.csv").filter(family=family)
    table = decided(summary.Measured(records), "solve_s")
    assert table.filter(pl.col("typical") != 0).height == pytest.approx(pairs, abs=1)
    assert table.filter(pl.col("solves_more") != 0).height == pytest.approx(solved, abs=1)


def test_holm_corrects_as_worked_out_by_hand():
    """The smallest times three, the next times two, the last unchanged, and never decreasing."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_ranks_have_how_many_each_beats():
    rng = np.random.default_rng(2)
    base = rng.lognormal(-3, 0.5, 40)
    times = {
        "a": base, "b": base * rng.lognormal(0, 0.1, 40), "c": base * 3, "d": base * 3.01
    }  # fmt: skip
    table = summary.ranks(campaign(**{k: v.tolist() for k, v in times.items()}))
    expected = stats.rankdata(np.stack(list(times.values())), axis=0).mean(axis=1)
    found = dict(table.select("pair", "rank").rows())
    assert [found[f"e x {name}"] for name in "abcd"] == pytest.approx(expected)
    beats = {row["pair"][-1]: (row["beats"], row["beaten_by"]) for row in table.to_dicts()}
    assert beats == {"a": (2, 0), "b": (2, 0), "c": (1, 2), "d": (0, 3)}


def test_equals_and_few_boards_beat_nobody():
    equal = summary.ranks(campaign(a=[1] * 6, b=[1] * 6, c=[1] * 6))
    assert equal["rank"].to_list() == [2, 2, 2]
    assert equal["beats"].to_list() == [0, 0, 0]
    few = summary.ranks(campaign(a=[1] * 5, b=[2] * 5))
    assert few["beats"].to_list() == few["beaten_by"].to_list() == [None, None]


@pytest.mark.parametrize(
    ("grows", "verdict", "b"),
    [(lambda n: 1e-5 * n**3, "polynomial", 3), (lambda n: 1e-4 * 1.4**n, "exponential", 1.4)],
)
def test_growth_is_recognised_with_an_interval_that_mostly_holds_the_truth(grows, verdict, b):
    """Of 40 intervals at 95 %, 38 are expected to contain the truth, and rarely fewer than 34."""
    held = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        times = [grows(n) * rng.lognormal(0, 0.05) for n in range(4, 34)]
        fits = summary.scaling(campaign(a=[None if s > LIMIT else s for s in times]))
        (chosen,) = fits.filter(model=verdict).iter_rows(named=True)
        assert set(fits["verdict"]) == {verdict}
        assert chosen["high"] - chosen["low"] < 0.4
        assert chosen["residual"] == pytest.approx(0.05 / math.log(10), rel=0.6)
        assert abs(chosen["sizes"] - sum(1e-3 <= s <= LIMIT for s in times)) <= 1
        assert chosen["unsolved"] == sum(s > LIMIT for s in times)
        held += chosen["low"] < b < chosen["high"]
    assert held >= 34


FIVE = [0.1, 0.21, 0.38, 0.85, 1.5]


@pytest.mark.parametrize("model", ["polynomial", "exponential"])
def test_a_fit_is_that_of_the_textbook(model):
    """Least squares by SciPy, and the quantile of Student's t with 3 degrees of freedom
    from the table: 3.182.
    """
    x, y = np.arange(4.0, 9), np.log(FIVE)
    x = np.log(x) if model == "polynomial" else x
    line = stats.linregress(x, y)
    half = 3.182446 * line.stderr
    bounds = np.array([line.slope, line.slope - half, line.slope + half])
    squares = ((y - line.intercept - line.slope * x) ** 2).sum()
    (fit,) = summary.scaling(campaign(a=FIVE)).filter(model=model).iter_rows(named=True)
    assert [fit["b"], fit["low"], fit["high"]] == pytest.approx(
        bounds if model == "polynomial" else np.exp(bounds), rel=1e-6
    )
    assert fit["a"] == pytest.approx(math.exp(line.intercept))
    assert fit["residual"] == pytest.approx(math.sqrt(squares / 3) / math.log(10))
    assert (fit["sizes"], fit["first_n"], fit["last_n"], fit["unsolved"]) == (5, 4, 8, 0)


@pytest.mark.parametrize(
    ("bend", "verdict"), [(0, "exponential"), (0.09, "exponential"), (0.115, "undecided")]
)
def test_a_model_is_chosen_if_its_aic_is_less_by_four(bend, verdict):
    """2 k + m ln(squares / m) for k = 3 and m = 5 (K. Burnham, D. Anderson, 2004)."""
    n = np.arange(4.0, 9)
    y = -2 + 0.5 * n + bend * np.array([1, -1, 1, -1, 1])
    squares = [float(np.polyfit(x, y, 1, full=True)[1][0]) for x in (np.log(n), n)]
    aic = [2 * 3 + 5 * math.log(max(each, 1e-300) / 5) for each in squares]
    if bend:
        assert abs(aic[0] - aic[1] - 4) < 0.6
    assert (aic[0] - aic[1] >= 4) == (verdict == "exponential")
    assert set(summary.scaling(campaign(a=np.exp(y).tolist()))["verdict"]) == {verdict}


def test_rounding_decides_no_growth():
    for time_s in np.random.default_rng(0).uniform(0.01, 9, 20):
        assert set(summary.scaling(campaign(a=[time_s] * 12))["verdict"]) == {"undecided"}


SIZES = np.arange(4.0, 16)


@pytest.mark.parametrize(
    ("times", "verdict"),
    [
        ([0.1, 0.2, 0.4, 0.8], "undecided"),
        (np.random.default_rng(4).lognormal(-2, 1, 12).clip(1e-3, LIMIT), "undecided"),
        # A power of n fits these times exactly, and an exponential does not: but the time falls.
        (8 * SIZES**-1.9, "undecided"),
        (1e-3 * SIZES**1.9, "polynomial"),
    ],
    ids=["few sizes", "noise", "falling", "rising"],
)
def test_growth_is_decided_by_enough_sizes_of_times_that_grow(times, verdict):
    assert set(summary.scaling(campaign(a=list(times)))["verdict"]) == {verdict}


def test_times_below_the_floor_have_no_fit():
    assert summary.scaling(campaign(a=[1e-5, 1e-5, None]))["b"].to_list() == [None, None]


def test_a_line_needs_three_sizes():
    assert summary.scaling(campaign(a=FIVE[:3]))["b"].null_count() == 0
    assert summary.scaling(campaign(a=FIVE[:2]))["b"].null_count() == 2


@pytest.mark.parametrize(
    ("times", "first"),
    [
        ([1e-3] * 5, 4),
        ([1e-4] * 3 + [1e-3] * 4, 7),
        ([1.5e-4, 2e-3, 4e-3, 8e-3], 5),
        ([1e-4, 3e-3, 1e-4, 1e-4, 5e-3], 5),
    ],
)
def test_sizes_count_from_the_first_that_reaches_the_floor(times, first):
    """A fast size before it is left out, and one after it stays, whatever its neighbours."""
    fits = summary.scaling(campaign(a=times))
    assert fits["first_n"].to_list() == [first] * 2
    assert fits["sizes"].to_list() == [4 + len(times) - first] * 2


def of_backend_b(outcome):
    """Records of a and b on boards of n = 4 and 5; the record of b on n = 5 has this outcome."""
    late = (pl.col("backend") == "b") & (pl.col("n") > 4)
    return campaign(a=[1, 2], b=[0.5, None]).with_columns(
        outcome=pl.when(late).then(pl.lit(outcome)).otherwise("outcome")
    )


@pytest.mark.parametrize("outcome", ["unavailable", "invalid"])
def test_runs_that_never_could_be_say_nothing_of_a_pair(outcome):
    records = of_backend_b(outcome)
    assert summary.boards(records).filter(backend="b")["n"].to_list() == [4]
    assert summary.common(records)["n"].unique().to_list() == [4]


def test_who_gives_up_early_is_not_compared_where_it_is_good_alone():
    """Skipped boards cost as much as unsolved ones in every table."""
    skipped, timed_out = of_backend_b("skipped"), of_backend_b("timeout")
    assert dict(summary.overview(skipped).select("backend", "par2_s").rows()) == {
        "a": 1.5, "b": (0.5 + 2 * LIMIT) / 2
    }  # fmt: skip
    for table_of in (summary.boards, summary.common, summary.comparisons, summary.portfolio):
        assert table_of(skipped).equals(table_of(timed_out))


def test_growth_is_that_of_boards_alone():
    records = campaign(a=[4, 5, 6, 7, 8, 9])
    formula = records.head(1).with_columns(n=pl.lit(None, pl.Int64), solve_s=pl.lit(5.0))
    assert summary.scaling(pl.concat([records, formula])).equals(summary.scaling(records))


def test_means_of_equals_are_equal_whatever_threads_do():
    """A mean that is added in another order may differ in its last digit."""
    same = campaign(**{name: [0.123456789] * 200 for name in "abcde"})
    equals = pl.concat(same.with_columns(encoding=pl.lit(name)) for name in "vwxyz")
    for _ in range(5):
        costs = summary.common(equals.clone())
        means = costs.group_by(summary.PAIR).agg(pl.col("par2_s").mean())
        assert means["par2_s"].n_unique() == 1


@pytest.mark.parametrize("size", [1, 2, 5, 6, 30, 200])
def test_the_centre_by_selection_is_that_of_all_pairs(size):
    """With ties, zeros, far values, and values that differ by little beside their size."""
    random = np.random.default_rng(size)
    drawn = random.normal(0.2, 1, size)
    for sample in (drawn, drawn.round(1), np.zeros(size), drawn**9 * 1e8, drawn + 1e12):
        i, j = np.triu_indices(size)
        assert hodges_lehmann(sample) == np.median((sample[i] + sample[j]) / 2)


def test_the_centre_of_many_values_needs_little_memory():
    """All pairs of 20,000 values are 1.6 GB; most of these are equal, as of unsolved runs."""
    random = np.random.default_rng(0)
    sample = np.where(random.random(20_000) < 0.6, 0.0, random.standard_cauchy(20_000) + 0.1)
    tracemalloc.start()
    assert math.isfinite(hodges_lehmann(sample))
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()
