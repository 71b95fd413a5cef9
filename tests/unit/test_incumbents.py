"""The models that a search has found so far, which outlive its process."""

import os
import signal

import pytest

from nqbench import isolate
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.shared_memory import LARGEST, Incumbent, Incumbents
from nqbench.measure.best_found import MOST_POINTS, fields_of_best, flaw_of_points, thin


def bits_of(number):
    return number.to_bytes(3, "little")


def shown_by(incumbents, values):
    for value in values:
        incumbents.add(Incumbent(value / 1000, -value, bits_of(value)))


@pytest.mark.parametrize("count", [1, 2, 4095, 4096, 4097, 9001])
def test_the_last_model_is_there_after_sigkill(count):
    incumbents = Incumbents(20)

    def search():
        shown_by(incumbents, range(1, count + 1))
        incumbents.bound = -10_000
        os.kill(os.getpid(), signal.SIGKILL)
        return b""

    assert isolate.call(search, Limits(time_s=60)).outcome is not Outcome.FINISHED
    assert incumbents.last == Incumbent(count / 1000, -count, bits_of(count))
    assert incumbents.bound == -10_000
    assert len(incumbents.points) == min(count, 4097)
    assert incumbents.points[0] == (0.001, -1)
    assert incumbents.points[-1] == (count / 1000, -count)


def test_a_process_killed_at_any_moment_leaves_a_whole_model():
    """All bits of a model are the same, so half of one and half of another would be noticed."""
    incumbents = Incumbents(80_000)
    seen = []

    def search():
        value = 0
        while True:
            value += 1
            incumbents.add(Incumbent(0.0, value, bytes([value % 256]) * 10_000))

    for _ in range(5):
        isolate.call(search, Limits(time_s=60.0, cpu_s=0.05))
        if last := incumbents.last:
            seen.append(last)
            assert set(last.bits) == {last.value % 256}
    assert seen


def test_nothing_is_shown_before_there_is_something():
    incumbents = Incumbents(0)
    assert (incumbents.last, incumbents.points, incumbents.bound) == (None, [], None)


def test_values_beyond_64_bits_keep_their_model_but_no_value():
    incumbents = Incumbents(20)
    incumbents.add(Incumbent(0.5, -(2**70), bits_of(7)))
    assert incumbents.last == Incumbent(0.5, -LARGEST, bits_of(7))
    incumbents.bound = -(2**70)
    assert fields_of_best(incumbents, -(2**70), 1.0) == {"bound": None}


@pytest.mark.parametrize(
    ("seconds", "flaw"),
    [
        ([0.1, 0.2], None),
        ([], None),
        ([0.1, 5.0], "a model after 5.000 of 1.000 s"),
        ([-0.1], "a model after -0.100 of 1.000 s"),
        ([float("nan")], "a model after nan of 1.000 s"),
        ([0.2, 0.1], "models in no order of time"),
    ],
)
def test_impossible_times_are_found(seconds, flaw):
    incumbents = Incumbents(8)
    for value, second in enumerate(seconds):
        incumbents.add(Incumbent(second, value, b"\0"))
    assert flaw_of_points(incumbents, 1.0) == flaw


def test_at_most_64_points_are_kept_with_the_ends_and_the_largest_gains():
    large = {100: 1000, 200: 500}
    value, points = 10_000, []
    for second in range(300):
        value -= large.get(second, 1)
        points.append((float(second), value))
    kept = thin(points)
    assert len(kept) == MOST_POINTS
    assert kept == sorted(kept)
    assert {points[0], points[100], points[200], points[-1]} <= set(kept)
    assert thin(points[:64]) == points[:64]
