"""What a forked process shows of its phases, and when it is stopped because of them."""

import math
import os
import time

import pytest

from nqbench import isolate
from nqbench.common.limits import Limits, PatientLimits
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.shared_memory import Cap, PhaseReading, Phases
from nqbench.measure.timing import ShownTime

LIMITS = Limits(time_s=20.0)
NAMES = ("load", "solve")


def ended(cap, *parts, limits=LIMITS):
    """How a process ends that sleeps in these phases, one after the other."""
    phases = Phases(NAMES, cap)
    times = {name: ShownTime(phases.numbers, at) for at, name in enumerate(NAMES)}

    def work():
        for name, seconds in parts:
            if name in times:
                with times[name]:
                    time.sleep(seconds)
            else:
                time.sleep(seconds)
        return b"done"

    return isolate.call(work, limits, phases=phases)


def test_a_cap_counts_its_own_phase_only():
    ending = ended(Cap(("solve",), 0.1), ("load", 0.3), ("solve", 60))
    assert ending.outcome is Outcome.CAPPED
    assert ending.progress.running == "solve"
    assert ending.progress.spent_s["load"] >= 0.3
    assert 0.1 <= ending.progress.spent_s["solve"] <= ending.wall_s - 0.3


def test_a_cap_counts_all_calls_of_its_phase():
    """And what is measured of a phase is over when another one begins."""
    parts = [("solve", 0.06), ("load", 0.03)] * 20
    ending = ended(Cap(("solve",), 0.2), *parts)
    assert ending.outcome is Outcome.CAPPED
    assert ending.progress.of(["solve"]) >= 0.2
    assert ending.progress.of(NAMES) <= ending.wall_s
    assert ended(Cap(NAMES, 0.2), ("load", 0.15), ("solve", 60)).progress.of(NAMES) >= 0.2


@pytest.mark.parametrize("phase", ["load", "no phase"])
def test_what_is_no_part_of_the_phase_has_a_limit_of_its_own(phase):
    ending = ended(Cap(("solve",), 0.1, besides_s=0.3), (phase, 60))
    assert ending.outcome is Outcome.CAPPED
    assert ending.wall_s >= 0.3
    assert ending.progress.of(["solve"]) == 0
    assert ending.progress.running == (phase if phase in NAMES else None)


def test_who_ends_before_the_cap_is_not_stopped():
    assert ended(Cap(("solve",), 5.0, 5.0), ("load", 0.2), ("solve", 0.1)).payload == b"done"


@pytest.mark.parametrize("cap", [Cap(("solve",), 60), None])
def test_the_limits_hold_as_well_and_without_a_cap(cap):
    ending = ended(cap, ("load", 60), limits=PatientLimits(time_s=0.5))
    assert ending.outcome is Outcome.TIMEOUT
    assert ending.progress.running == "load"
    assert 0.1 <= ending.progress.spent_s["load"] <= ending.wall_s


def test_of_who_ends_by_itself_the_last_phase_is_known():
    """It may have begun after it was last looked at: then nothing is known of its time."""
    phases = Phases(NAMES)
    times = [ShownTime(phases.numbers, at) for at in range(2)]

    def work():
        with times[0]:
            time.sleep(0.1)
        with times[1]:
            time.sleep(0.2)
            os._exit(3)

    ending = isolate.call(work, LIMITS, phases=phases)
    progress = ending.progress
    assert progress.running == "solve"
    assert progress.spent_s["load"] >= 0.1
    assert 0 <= progress.of(NAMES) <= ending.wall_s


@pytest.mark.parametrize("shown", [0.0, math.nan])
def test_whatever_is_shown_a_process_gets_no_more_than_both_limits(shown):
    cap = Cap(("solve",), 1.0, besides_s=2.0)
    assert cap.left_s(PhaseReading({"solve": shown}, "solve"), 2.0) <= 0
    assert 0 < cap.left_s(PhaseReading({"solve": shown}, "solve"), 1.9) <= 0.2


@pytest.mark.parametrize("shown", [1.0, 1e300, math.inf])
def test_who_shows_more_than_the_cap_is_stopped_at_once(shown):
    assert Cap(("solve",), 1.0).left_s(PhaseReading({"solve": shown}, "solve"), 0.1) <= 0


def test_while_another_phase_runs_few_looks_are_enough():
    """Each interrupts the process: loading for an hour takes less than 150 of them."""
    cap, elapsed_s, looks = Cap(("solve",), 0.02), 0.0, 0
    while elapsed_s < 3600:
        elapsed_s += cap.left_s(PhaseReading({"solve": 0.0}, None), elapsed_s)
        looks += 1
    assert looks < 150
