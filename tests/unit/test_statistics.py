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
from nqbench.summary.exchanges import Block, exchange
from nqbench.summary.intervals import hodges_lehmann, signed_rank_interval
from nqbench.summary.signed_ranks import holm, signed_rank
from nqbench.summary.work import work


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
    """Of three, c ran on four boards of eight. The exchanges of a board are the same in all pairs,
    so that these are tested together.
    """
    base = [1.0 + board / 7 for board in range(8)]
    three = campaign(a=base, b=[2 * s for s in base], c=[3 * s for s in base][:4])
    rows = summary.comparisons(three).select("first", "second", "boards", "mean_ratio", "p").rows()
    assert {row[:3] for row in rows} == {
        ("e x a", "e x b", 8), ("e x a", "e x c", 4), ("e x b", "e x c", 4)
    }  # fmt: skip
    assert [row[4] for row in rows] == pytest.approx([2 / 2**8, 2 / 2**4, 2 / 2**4], abs=0.01)
    assert {row[:2]: row[3] for row in rows}["e x b", "e x c"] == pytest.approx(2 / 3)
    copies = pl.concat([three, three.with_columns(machine=pl.lit("another"))])
    assert summary.comparisons(copies).equals(summary.comparisons(three))


@pytest.mark.parametrize("seed", range(3))
def test_one_matrix_of_costs_answers_as_a_table_for_each_two_sets(seed, monkeypatch):
    """Of six combinations that ran different problems, some of them twice, by both ways."""
    rng = np.random.default_rng(seed)
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
    assert found["boards"].n_unique() > 1


def test_exchanges_of_many_pairs_need_little_memory():
    """Of 67 combinations: 9,999 exchanges of 2,211 pairs are 180 MB."""
    costs = np.random.default_rng(1).lognormal(0, 1, (60, 67))
    pairs = np.array([*itertools.combinations(range(67), 2)])
    tracemalloc.start()
    exchange([Block(costs, np.arange(60), pairs)])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100e6


def test_of_uneven_pairs_the_common_boards_count():
    uneven = campaign(a=[1, 2, 3, 4], b=[2, 4])
    (row,) = summary.comparisons(uneven).iter_rows(named=True)
    assert (row["boards"], row["faster"], row["slower"], row["mean_ratio"]) == (2, 2, 0, 0.5)
    assert row["typical_ratio"] == pytest.approx(0.5)


def test_a_board_on_which_both_are_as_fast_counts_for_neither():
    equal = campaign(a=[1, 1, 2, 6], b=[1, 1, 3, 5])
    (row,) = summary.comparisons(equal).iter_rows(named=True)
    assert (row["boards"], row["faster"], row["slower"]) == (4, 1, 1)
    all_but_one = campaign(a=[1, 1, 1, 2], b=[1, 1, 1, 3])
    (row,) = summary.comparisons(all_but_one).iter_rows(named=True)
    assert (row["boards"], row["faster"], row["slower"]) == (4, 1, 0)


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
    """That is c. Eight boards that agree have p = 2 / 2^8. The winner is chosen from all six pairs
    of four combinations, by which a typical p is multiplied. On average these differ by the same
    exchanges, so that six pairs are no more chances to err than one.
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
    assert table["typical_p"].to_list() == pytest.approx([6 * 2 / 2**8] * 3)
    assert summary.comparisons_with_best(campaign(a=[1, 2])).is_empty()


def doubtful():
    """Twelve combinations on 14 boards. The difference of the first two is negative for the eighth
    smallest alone: typically p = 2 * 25 / 2^14, since 25 sets of different ranks have a sum of at
    most 8. That is significant after a correction for eleven comparisons, but not for all 66.
    """
    base = np.linspace(0.1, 0.5, 14)
    steps = 0.02 * np.arange(1, 15)
    steps[7] *= -1
    close = base * np.exp(steps)
    rng = np.random.default_rng(3)
    rest = {f"z{i}": base * 1.3 * rng.lognormal(0, 0.3, 14) for i in range(10)}
    return campaign(**{name: t.tolist() for name, t in {"a": base, "b": close, **rest}.items()})


@pytest.mark.parametrize("source", ["doubtful", "main-job", "campaign", "hard"])
def test_one_question_has_one_answer(source):
    """`--pairs`, `--best` and the findings name the same differences on average, and these and the
    ranks the same ones on the typical board.
    """
    from nqbench.summary.findings.leaders import standings
    from nqbench.summary.observed import PAIR

    records = doubtful() if source == "doubtful" else read(REFERENCE / source / "records.csv")
    table = summary.comparisons(records)
    rows = summary.comparisons_with_best(records)
    found = standings(records, summary.common(records).select(PAIR).unique(), "solve_s")
    assert set(rows["first"]) == {found.best}
    for p, verdict in (("p", "verdict"), ("typical_p", "typical")):
        pairs = {
            frozenset(row[:2]): row[2] < 0.05 for row in table.select("first", "second", p).rows()
        }
        said = {rival.name: getattr(rival, verdict) != "undecided" for rival in found.rivals}
        assert dict(rows.select("second", pl.col(p) < 0.05).rows()) == said
        assert {other: pairs[frozenset((found.best, other))] for other in said} == said
    _, groups = summary.ranks(records)
    joined = [frozenset(two) for group in groups for two in itertools.combinations(group, 2)]
    assert not any(pairs[two] for two in joined)
    if source == "doubtful":
        (row,) = rows.filter(second="e x b").iter_rows(named=True)
        assert row["typical_p"] == pytest.approx(66 * 50 / 2**14)


def test_comparisons_are_those_of_scipy():
    rng = np.random.default_rng(1)
    times = {name: rng.lognormal(-2, 1, 30).clip(1e-4, LIMIT) for name in "abc"}
    times["c"] = times["a"] * 1.5
    rows = summary.comparisons(campaign(**{k: v.tolist() for k, v in times.items()}))
    for row in rows.iter_rows(named=True):
        first, second = (np.log(times[row[side][-1]]) for side in ("first", "second"))
        expected = stats.wilcoxon(first, second, zero_method="pratt", method="exact")
        assert row["typical_p"] == pytest.approx(min(1, 3 * expected.pvalue))
        one, other = (times[row[side][-1]] for side in ("first", "second"))
        assert row["mean_ratio"] == pytest.approx(one.mean() / other.mean())
        exchanged = stats.permutation_test(
            (one, other),
            lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
            permutation_type="samples", n_resamples=9999, vectorized=True, rng=0,
        )  # fmt: skip
        # A pair among several is no more significant than alone.
        assert row["p"] > exchanged.pvalue - 0.02
    always = rows.filter(first="e x a", second="e x c").row(0, named=True)
    assert always["faster"] == 30
    assert always["low"] == pytest.approx(1 / 1.5) == always["high"]


def test_the_joint_test_is_that_of_all_exchanges_counted_one_by_one():
    """Of three combinations and of a pair on other units: the step-down maxima of P. Westfall and
    S. Young, from their definition.
    """
    rng = np.random.default_rng(4)
    costs, more = rng.lognormal(0, 1, (7, 3)) * [1, 1, 3], rng.lognormal(0, 1, (5, 2))
    pairs, units = np.array([[0, 1], [0, 2], [1, 2]]), np.array([1, 3, 4, 6, 8])
    found = exchange([Block(costs, np.arange(7), pairs), Block(more, units, pairs[:1])])
    differences = np.zeros((9, 4))
    differences[:7, :3] = costs[:, pairs[:, 0]] - costs[:, pairs[:, 1]]
    differences[units, 3] = more[:, 0] - more[:, 1]
    differences /= np.sqrt((differences**2).sum(axis=0))
    drawn = [abs(np.array(s) @ differences) for s in itertools.product([-1, 1], repeat=9)]
    size = abs(differences.sum(axis=0))
    p, least = {}, 0.0
    for number in np.argsort(-size):
        others = [other for other in range(4) if size[other] <= size[number]]
        greatest = np.array([values[others].max() for values in drawn])
        p[number] = least = max(least, np.mean(greatest >= size[number] - 1e-12))
    assert found.joint_p == pytest.approx([p[number] for number in range(4)])
    assert found.p == pytest.approx(np.mean(np.array(drawn) >= size - 1e-12, axis=0))
    assert found.statistic == pytest.approx(differences.sum(axis=0))


def test_exchanges_err_as_rarely_as_stated_in_all_pairs_together():
    """Of 200 campaigns of six equal combinations, 5 % find a difference: with 19 or more, the level
    would be wrong in 99.7 of 100 cases.
    """
    rng = np.random.default_rng(8)
    pairs = np.array([*itertools.combinations(range(6), 2)])
    wrong = 0
    for _ in range(200):
        costs = rng.lognormal(0, 1, (12, 1)) * rng.lognormal(0, 0.5, (12, 6))
        wrong += exchange([Block(costs, np.arange(12), pairs)]).joint_p.min() < 0.05
    assert wrong < 19


def test_many_units_are_tested_by_the_same_sample_each_time():
    rng = np.random.default_rng(5)
    costs = rng.lognormal(0, 1, (200, 3)) * [1, 1.05, 2]
    block = Block(costs, np.arange(200), np.array([[0, 1], [0, 2]]))
    one, other = exchange([block]), exchange([block])
    assert one.joint_p.tolist() == other.joint_p.tolist()
    t = stats.ttest_rel(costs[:, 0], costs[:, 1])
    assert one.p == pytest.approx([t.pvalue, 1e-4], abs=0.02)


def test_costs_that_are_not_known_are_not_tested():
    costs = np.array([[1.0, 2, np.nan]] * 8)
    found = exchange([Block(costs, np.arange(8), np.array([[0, 1], [0, 2]]))])
    assert found.joint_p.tolist() == [2 / 2**8, 1]


def test_holm_corrects_as_worked_out_by_hand():
    """The smallest times three, the next times two, the last unchanged, and never decreasing."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_two_pairs_that_are_the_same_do_not_differ():
    (row,) = summary.comparisons(campaign(a=[1, 2, 3], b=[1, 2, 3])).iter_rows(named=True)
    assert (row["p"], row["typical_p"], row["mean_ratio"], row["typical_ratio"]) == (1, 1, 1, 1)


def test_ranks_and_the_groups_that_cannot_be_told_apart():
    rng = np.random.default_rng(2)
    base = rng.lognormal(-3, 0.5, 40)
    times = {
        "a": base, "b": base * rng.lognormal(0, 0.1, 40), "c": base * 3, "d": base * 3.01
    }  # fmt: skip
    table, groups = summary.ranks(campaign(**{k: v.tolist() for k, v in times.items()}))
    expected = stats.rankdata(np.stack(list(times.values())), axis=0).mean(axis=1)
    found = dict(table.rows())
    assert [found[f"e x {name}"] for name in "abcd"] == pytest.approx(expected)
    assert [set(group) for group in groups] == [{"e x a", "e x b"}]


def test_groups_that_differ_stand_side_by_side():
    rng = np.random.default_rng(7)
    base = rng.lognormal(-3, 0.5, 40)
    about = [base * rng.lognormal(0, 0.1, 40) for _ in range(2)]
    times = {"a": base, "b": about[0], "c": base * 3, "d": about[1] * 3}
    _, groups = summary.ranks(campaign(**{k: v.tolist() for k, v in times.items()}))
    assert [set(group) for group in groups] == [{"e x a", "e x b"}, {"e x c", "e x d"}]


def test_a_group_within_another_one_is_left_out():
    equal = campaign(a=[1, 2, 3], b=[1, 2, 3], c=[1, 2, 3])
    table, groups = summary.ranks(equal)
    assert table["rank"].to_list() == [2, 2, 2]
    assert groups == [["e x a", "e x b", "e x c"]]


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


def test_a_line_needs_three_sizes():
    assert summary.scaling(campaign(a=FIVE[:3]))["b"].null_count() == 0
    assert summary.scaling(campaign(a=FIVE[:2]))["b"].null_count() == 2


def test_sizes_count_from_the_first_that_reaches_the_floor():
    assert summary.scaling(campaign(a=[1e-3] * 5))["sizes"].to_list() == [5, 5]
    assert summary.scaling(campaign(a=[1e-4] * 3 + [1e-3] * 4))["first_n"].to_list() == [7, 7]


def test_a_fast_size_before_the_first_slow_one_is_left_out():
    """Its neighbours do not matter, and a fast size after the first slow one stays."""
    for times, first in (
        ([1.5e-4, 2e-3, 4e-3, 8e-3], 5),
        ([1e-4, 3e-3, 1e-4, 1e-4, 5e-3], 5),
        ([1e-4, 1e-4, 2e-3, 4e-3], 6),
    ):
        fits = summary.scaling(campaign(a=times))
        assert fits["first_n"].to_list() == [first] * 2
        assert fits["sizes"].to_list() == [4 + len(times) - first] * 2


def test_few_sizes_decide_nothing():
    assert set(summary.scaling(campaign(a=[0.1, 0.2, 0.4, 0.8]))["verdict"]) == {"undecided"}
    nothing = summary.scaling(campaign(a=[1e-5, 1e-5, None]))
    assert nothing["b"].to_list() == [None, None]
    rng = np.random.default_rng(4)
    noisy = summary.scaling(campaign(a=rng.lognormal(-2, 1, 12).clip(1e-3, LIMIT).tolist()))
    assert set(noisy["verdict"]) == {"undecided"}


@pytest.mark.parametrize("size", [3, 8, 12])
def test_the_signed_rank_test_is_exact_with_ties_and_zeros(size):
    """Against all choices of signs, counted one by one."""
    rng = np.random.default_rng(size)
    for _ in range(10):
        differences = rng.integers(-3, 5, size).astype(float)
        ranks = stats.rankdata(np.abs(differences))[differences != 0]
        observed = stats.rankdata(np.abs(differences))[differences > 0].sum()
        sums = [sum(chosen) for chosen in itertools.product(*((0, rank) for rank in ranks))]
        tails = [np.mean(np.array(sums) <= observed), np.mean(np.array(sums) >= observed)]
        assert signed_rank(differences) == pytest.approx(min(1, 2 * min(tails)))


def test_the_signed_rank_test_is_that_of_scipy():
    rng = np.random.default_rng(7)
    for size in (5, 14, 50, 51, 400):
        differences = rng.normal(0.3, 1, size)
        exact = stats.wilcoxon(differences, method="exact" if size <= 50 else "approx")
        assert signed_rank(differences) == pytest.approx(exact.pvalue)
    # With ties, the exact p of many differences is close to the approximation.
    tied = rng.integers(-4, 6, 50).astype(float)
    approximate = stats.wilcoxon(tied, zero_method="pratt", method="approx").pvalue
    assert signed_rank(tied) == pytest.approx(approximate, rel=0.1)
    assert signed_rank(np.zeros(5)) == 1


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


def test_a_time_that_does_not_grow_has_no_law_of_growth():
    """A power of n with a negative exponent fits these times exactly, and an exponential does not:
    but the time falls.
    """
    n = np.arange(4.0, 16)
    falling = summary.scaling(campaign(a=(8 * n**-1.9).tolist()))
    assert falling.filter(model="polynomial")["b"].item() == pytest.approx(-1.9)
    assert set(falling["verdict"]) == {"undecided"}
    rising = summary.scaling(campaign(a=(1e-3 * n**1.9).tolist()))
    assert set(rising["verdict"]) == {"polynomial"}


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


def test_the_normal_approximation_is_that_of_scipy_with_ties_and_zeros():
    random = np.random.default_rng(0)
    drawn = random.normal(0.1, 1, 300)
    for differences in (drawn, drawn.round(1), drawn.round(), np.where(drawn < 0.5, 0, drawn)):
        expected = stats.wilcoxon(differences, zero_method="pratt", method="approx").pvalue
        assert signed_rank(differences) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("size", [1, 2, 5, 6, 30, 200])
def test_intervals_by_selection_are_those_of_all_pairs(size):
    """With ties, zeros, far values, and values that differ by little in comparison to their size.

    The places are those of tables of Wilcoxon's statistic, by its normal approximation.
    """
    random = np.random.default_rng(size)
    drawn = random.normal(0.2, 1, size)
    for sample in (drawn, drawn.round(1), np.zeros(size), drawn**9 * 1e8, drawn + 1e12):
        i, j = np.triu_indices(size)
        means = np.sort((sample[i] + sample[j]) / 2)
        assert hodges_lehmann(sample) == np.median(means)
        deviation = math.sqrt(size * (size + 1) * (2 * size + 1) / 24)
        outside = math.floor(len(means) / 2 - 1.959963984540054 * deviation)
        ends = (means[outside - 1], means[-outside]) if outside > 0 else (None, None)
        assert signed_rank_interval(sample, 0.05) == ends


def test_intervals_of_many_values_need_little_memory():
    """All pairs of 20,000 values are 1.6 GB; most of these are equal, as of unsolved runs."""
    random = np.random.default_rng(0)
    sample = np.where(random.random(20_000) < 0.6, 0.0, random.standard_cauchy(20_000) + 0.1)
    tracemalloc.start()
    low, high = signed_rank_interval(sample, 0.05)
    assert low <= hodges_lehmann(sample) <= high
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()
