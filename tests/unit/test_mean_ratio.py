"""The ratio of two averages: its interval, and whether it rests on one problem."""

import math

import numpy as np
import pytest

from nqbench.summary.intervals import mean_ratio


def shapes(seed, count, sigmas=(0.5, 0.5)):
    random = np.random.default_rng(seed)
    return [random.lognormal(-(sigma**2) / 2, sigma, count) for sigma in sigmas]


def test_the_ratio_is_that_of_the_means():
    one, other = shapes(1, 40)
    found = mean_ratio(one, other)
    assert found.ratio == pytest.approx(one.mean() / other.mean())
    assert found.low < found.ratio < found.high
    turned = mean_ratio(other, one)
    assert (1 / turned.high, 1 / turned.low) == pytest.approx((found.low, found.high))


def test_the_interval_of_equal_shapes_holds_the_truth_as_often_as_it_says():
    """Of 200 campaigns with 60 problems, 94 % were measured to; fewer than 90 % would be rare."""
    held = 0
    for seed in range(200):
        found = mean_ratio(*shapes(seed, 60))
        held += found.low <= 1 <= found.high
    assert held >= 180


def test_few_problems_have_no_interval():
    assert mean_ratio(*shapes(1, 5)).low is None
    assert mean_ratio(*shapes(1, 6)).low is not None


def test_of_equal_ratios_the_interval_is_the_ratio():
    one = shapes(1, 20)[0]
    found = mean_ratio(3 * one, one)
    assert (found.low, found.high) == pytest.approx((3, 3))
    assert found.without is None


def test_an_average_that_rests_on_one_problem():
    """One of 24 takes 800 s, the others five times as long."""
    one, other = np.full(24, 0.05), np.full(24, 0.01)
    one[7] = 800
    found = mean_ratio(one, other)
    assert found.ratio == pytest.approx((23 * 0.05 + 800) / 0.24)
    assert found.without == pytest.approx(5)


def test_a_problem_that_turns_the_ratio():
    one, other = np.full(20, 1.0), np.full(20, 2.0)
    one[3] = 40
    assert mean_ratio(one, other).ratio == pytest.approx(59 / 40)
    assert mean_ratio(one, other).without == pytest.approx(0.5)
    # Within 10 % of 1, nothing is said.
    assert mean_ratio(other * 1.02 + np.arange(20) * 1e-3, other).without is None


def test_units_are_left_out_and_drawn_as_a_whole():
    """Eight units of five problems each: the interval is that of their sums."""
    random = np.random.default_rng(3)
    effect = np.repeat(random.lognormal(0, 1, 8), 5)
    one, other = shapes(4, 40)
    places = np.repeat(np.arange(8), 5)
    found = mean_ratio(one * effect, other, places)
    sums = mean_ratio(*(costs.reshape(8, 5).sum(axis=1) for costs in (one * effect, other)))
    assert (found.low, found.high) == pytest.approx((sums.low, sums.high))


def test_no_mean_is_above_its_bound():
    one, other = shapes(5, 20, (1.5, 0.2))
    found = mean_ratio(one, other, most=1.2 * one.mean())
    assert found.high <= 1.2 * one.mean() / other.mean() + 1e-12


def test_many_problems_are_drawn_in_blocks():
    one, other = shapes(6, 5000)
    found = mean_ratio(one, other)
    spread = math.sqrt(((one / one.mean() - other / other.mean()) ** 2).sum()) / 5000
    assert math.log(found.high / found.low) == pytest.approx(2 * 1.96 * spread, rel=0.15)
