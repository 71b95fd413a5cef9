"""Comparisons of campaigns with recorded noise raise few alarms and find what became slower."""

import numpy as np
from noise import NOISE, alarms, simulated


def test_two_campaigns_of_the_same_code_raise_no_alarm_in_19_of_20_tries():
    tries = [
        alarms(simulated(np.random.default_rng(2 * i)), simulated(np.random.default_rng(2 * i + 1)))
        for i in range(20)
    ]
    assert sum(map(bool, tries)) <= 1


def test_a_slow_down_of_a_fifth_of_one_pair_is_found():
    """For each of the twelve combinations: at least eleven are found, and no other is reported."""
    found = []
    for i, pair in enumerate(NOISE["pairs"]):
        old = simulated(np.random.default_rng(100 + i))
        found.append(alarms(old, simulated(np.random.default_rng(200 + i), slower=pair)) == [pair])
    assert sum(found) >= len(found) - 1
