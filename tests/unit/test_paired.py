"""The decision for many pairs: against SciPy, brute force over all flips, and Hodges-Lehmann."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from nqbench.summary.intervals import hodges_lehmann
from nqbench.summary.paired import LEVEL, Pair, decide, log_ratios, typical_ratios
from nqbench.summary.power import critical_value, problems_needed

Values = NDArray[np.float64]


def _flipped(scores: Values) -> tuple[Values, Values, float]:
    """The statistics of columns of scores, their step-down p, and the greatest maximum that is not
    decided, by all flips of the rows, written anew.
    """
    signs = np.array(list(itertools.product((1, -1), repeat=len(scores))))
    norm = np.sqrt((scores**2).sum(axis=0))
    sizes = np.abs(signs @ scores) / np.where(norm > 0, norm, 1)
    measured, joint, largest = sizes[0], np.zeros(scores.shape[1]), 0.0
    order = np.argsort(-measured, kind="stable")
    for place, column in enumerate(order):
        maxima = sizes[:, order[place:]].max(axis=1)
        largest = max(largest, float((maxima >= measured[column] - 1e-9).mean()))
        joint[column] = largest
    every = np.sort(sizes.max(axis=1))
    critical = next(c for c in every[::-1] if (every >= c - 1e-9).mean() >= LEVEL)
    return np.sign(scores.sum(axis=0)) * measured, joint, float(critical)


def _scores(differences: Values) -> tuple[Values, Values]:
    known = np.nan_to_num(differences, posinf=np.inf, neginf=-np.inf)
    only_one = np.where(np.isinf(known), np.sign(known), 0)
    return np.sign(known) * stats.rankdata(np.abs(known)), only_one


def _random_pairs(seed: int, count: int, problems: int) -> list[Values]:
    random = np.random.default_rng(seed)
    pairs = []
    for shift in random.normal(0, 1, count):
        differences = np.round(random.normal(shift, 1, problems), 1)
        differences[random.random(problems) < 0.15] = np.inf
        differences[random.random(problems) < 0.1] = -np.inf
        differences[random.random(problems) < 0.1] = np.nan
        pairs.append(differences)
    return pairs


def test_log_ratios_name_who_solved_it() -> None:
    true, false = True, False
    first, second = np.array([0.5, 1.0, 2.0, np.nan]), np.array([0.0, 3.0, 1.0, 0.0])
    solved = np.array([true, true, false, false]), np.array([true, false, true, false])
    differences = log_ratios(first, second, *solved)
    assert np.array_equal(differences, [0.5, -np.inf, np.inf, np.nan], equal_nan=True)


@pytest.mark.parametrize("problems", [5, 6, 9, 13])
def test_one_pair_is_the_exact_signed_rank_test(problems: int) -> None:
    differences = np.random.default_rng(problems).normal(0.4, 1, problems)
    decided = decide([Pair(differences)], problems)
    exact = stats.wilcoxon(differences, method="exact").pvalue
    assert decided.p == pytest.approx([exact])
    assert decided.p_solved == pytest.approx([1.0])


def test_five_problems_decide_nothing_and_six_do() -> None:
    for problems, verdict in ((5, 0), (6, -1)):
        pair = Pair(np.full(problems, -3.0))
        decided = decide([pair], problems)
        assert decided.typical.tolist() == [verdict]
        _, low, high = typical_ratios([pair], problems, decided.critical)
        assert (low[0] > 0) == (high[0] < math.inf) == bool(verdict)


@pytest.mark.parametrize("seed", range(4))
def test_both_questions_of_all_pairs_are_one_step_down_maximum(seed: int) -> None:
    pairs = _random_pairs(seed, count=4, problems=9)
    decided = decide(map(Pair, pairs), 9)
    columns = list(zip(*map(_scores, pairs), strict=True))
    statistic, joint, critical = _flipped(np.column_stack([*columns[0], *columns[1]]))
    assert decided.statistic == pytest.approx(statistic[:4])
    assert np.r_[decided.p, decided.p_solved] == pytest.approx(joint)
    assert decided.critical == pytest.approx(critical, rel=1e-5)


def test_units_flip_as_a_whole_and_count_by_their_mean() -> None:
    places = np.array([0, 0, 0, 1, 2, 2, 3, 4, 5, 6, 6, 7])
    every = [pair for seed in (1, 2) for pair in _random_pairs(seed, 1, len(places))]
    decided = decide([Pair(pair, places) for pair in every], 8)
    columns: list[list[Values]] = [[], []]
    for pair in every:
        for column, scores in zip(columns, _scores(pair), strict=True):
            column.append(np.array([scores[places == unit].mean() for unit in range(8)]))
    statistic, joint, _ = _flipped(np.column_stack([*columns[0], *columns[1]]))
    assert decided.statistic == pytest.approx(statistic[:2])
    assert np.r_[decided.p, decided.p_solved] == pytest.approx(joint)


def test_pairs_of_different_problems_are_tested_together() -> None:
    first, second = (np.random.default_rng(seed).normal(0.5, 1, 8) for seed in (3, 4))
    pairs = Pair(first, np.arange(8)), Pair(second, np.arange(4, 12))
    decided = decide(pairs, 12)
    scores = np.zeros((12, 2))
    scores[:8, 0], scores[4:, 1] = _scores(first)[0], _scores(second)[0]
    statistic, joint, _ = _flipped(scores)
    assert decided.statistic == pytest.approx(statistic)
    assert decided.p == pytest.approx(joint)


def test_who_solves_more_is_the_sign_test() -> None:
    # Of 60 problems, some that only one of them solved.
    for only, verdict in (((8, 0), -1), ((5, 0), 0), ((0, 6), 1)):
        differences = np.r_[np.zeros(60 - sum(only)), [-np.inf] * only[0], [np.inf] * only[1]]
        decided = decide([Pair(differences)], 60)
        assert (decided.only_first[0], decided.only_second[0]) == only
        assert decided.solved.tolist() == [verdict]
        exact = stats.binomtest(only[0], sum(only)).pvalue
        assert decided.p_solved == pytest.approx([exact], abs=0.02)


def test_nothing_solved_and_nothing_different_have_p_1() -> None:
    pairs = [Pair(np.full(9, np.nan)), Pair(np.zeros(9))]
    decided = decide(pairs, 9)
    assert decided.p.tolist() == decided.p_solved.tolist() == [1.0, 1.0]
    assert decided.equal.tolist() == [9, 9]
    ratio, low, high = typical_ratios(pairs, 9, decided.critical)
    assert math.isnan(ratio[0])
    assert [ratio[1], low[1], high[1]] == pytest.approx([1, 1, 1])


def test_no_pair_and_no_problem() -> None:
    assert decide([], 0).p.tolist() == []
    assert decide([Pair(np.zeros(0))], 0).p.tolist() == [1.0]


@pytest.mark.parametrize("problems", [6, 7, 30, 61])
def test_the_typical_ratio_is_hodges_lehmann(problems: int) -> None:
    differences = np.random.default_rng(problems).normal(-0.5, 1, problems)
    ratio, low, high = typical_ratios([Pair(differences)], problems, critical=1.96)
    assert math.log(ratio[0]) == pytest.approx(hodges_lehmann(differences), abs=1e-9)
    assert low[0] < ratio[0] < high[0]


def _decides(differences: Sequence[float], units: int) -> tuple[bool, bool]:
    pair = Pair(np.array(differences))
    decided = decide([pair], units)
    _, low, high = typical_ratios([pair], units, decided.critical)
    return bool(decided.p[0] < LEVEL), not low[0] <= 1 <= high[0]


@pytest.mark.parametrize("problems", [7, 12, 40])
def test_the_interval_agrees_with_the_test(problems: int) -> None:
    random = np.random.default_rng(problems)
    for shift in random.normal(0.5, 0.4, 15):
        differences = random.normal(shift, 1, problems)
        if shift > 0.7:
            differences[: problems // 5] = np.inf
        by_p, by_interval = _decides(differences.tolist(), problems)
        assert by_p == by_interval


def test_no_factor_makes_up_for_unsolved_problems() -> None:
    differences = np.r_[np.random.default_rng(1).normal(0, 1, 4), np.full(16, -np.inf)]
    ratio, low, high = typical_ratios([Pair(differences)], 20, critical=1.96)
    assert (ratio[0], low[0]) == (0.0, 0.0)
    assert high[0] == 0.0


def test_many_units_flip_in_blocks() -> None:
    random = np.random.default_rng(5)
    pairs = [Pair(random.normal(shift, 1, 3000)) for shift in (0.0, 0.02, 0.2)]
    decided = decide(pairs, 3000)
    exact = [stats.wilcoxon(pair.log_ratios).pvalue for pair in pairs]
    assert decided.single_p == pytest.approx(exact, abs=0.05)
    assert decided.typical.tolist() == [0, 0, 1]
    again = decide(pairs, 3000)
    assert np.array_equal(again.p, decided.p)


def test_problems_needed_before_measuring() -> None:
    # Tables of the range of normal deviates: 3.633 of 4, 4.474 of 10.
    values = [critical_value(number) * math.sqrt(2) for number in (2, 4, 10)]
    assert values == pytest.approx([2.772, 3.633, 4.474], abs=0.002)
    random, found = np.random.default_rng(1), 0
    problems = round(problems_needed(0.7, 2, spread=0.7))
    for _ in range(300):
        found += stats.wilcoxon(random.normal(math.log(0.7), 0.7, problems)).pvalue < LEVEL
    assert found / 300 == pytest.approx(0.8, abs=0.06)
