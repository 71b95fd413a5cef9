"""A limit that stands still while other processes have the CPUs."""

import os
import time

import pytest
from misbehaviour import spin

from nqbench import isolate
from nqbench.common.limits import Limits, PatientLimits
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import Isolation, processes, supervise

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")


def sleep_twice_the_limit():
    time.sleep(0.2)
    return b"done"


@pytest.mark.parametrize("function", [spin, lambda: time.sleep(60)])
def test_what_hangs_by_itself_is_stopped(function):
    ending = isolate.call(function, PatientLimits(0.1))
    assert ending.outcome is Outcome.TIMEOUT
    assert ending.message == "stopped at the time limit of 0.1 s"


@pytest.mark.parametrize(
    ("limits", "outcome"), [(PatientLimits(0.1), "finished"), (Limits(0.1), "timeout")]
)
def test_the_time_without_a_cpu_does_not_count(monkeypatch, limits, outcome):
    monkeypatch.setattr(supervise, "longest_wait_s", lambda pid: 60.0)
    assert isolate.call(sleep_twice_the_limit, limits).outcome == outcome


def test_there_is_an_end_even_where_the_kernel_counts_no_waiting(monkeypatch):
    monkeypatch.setattr(supervise, "longest_wait_s", lambda pid: float("inf"))
    ending = isolate.call(lambda: time.sleep(60), PatientLimits(0.01))
    assert ending.outcome is Outcome.TIMEOUT


def test_who_waits_for_the_call_knows_the_longest_time():
    told = []
    caller = Isolation(tell=lambda doing, limit_s: told.append((doing, limit_s)))
    caller.call("trying x", lambda: b"", PatientLimits(2.0))
    caller.call("running x", lambda: b"", Limits(2.0))
    assert told == [("trying x", PatientLimits(2.0).longest_s), ("running x", 2.0)]


def test_descendants_that_share_a_cpu_wait_for_it():
    """Two of them on one CPU: one waits while the other one runs."""

    def share():
        os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])
        if os.fork() == 0:
            spin()
        if os.fork() == 0:
            spin()
        while processes.longest_wait_s(os.getpid()) < 0.02:
            time.sleep(0.01)
        return b"waited"

    assert isolate.call(share, Limits(60.0)).payload == b"waited"


def test_patient_limits_are_limits():
    assert PatientLimits(2.0, memory_bytes=5) == PatientLimits(2, 5)
    assert (Limits(2.0).longest_s, PatientLimits(2.0).time_s) == (2.0, 2.0)
