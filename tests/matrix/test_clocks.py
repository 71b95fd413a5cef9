"""The clocks of a worker are bounded by those of its supervisor, and its CPUs by its pin."""

import os
from dataclasses import replace

import polars as pl
import pytest
from measuring import measured

import nqbench as package
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.common.vocabulary import LEFT, OUTSIDE, Outcome, Verdict
from nqbench.isolate.supervise import Ending
from nqbench.measure import validation
from nqbench.problems.queens import Queens
from nqbench.records import frame
from nqbench.summary import observed
from nqbench.summary.findings.cautions import Output, cautions

pytestmark = pytest.mark.usefixtures("faulty_plugin")

LAST = max(os.sched_getaffinity(0))
ENDING = Ending(Outcome.FINISHED, "", b"", 1.0, 0.9, None, 0, None, cpus=frozenset({1}))


def pinned_each(backends, problem=None):
    """The records of a run of each backend that is pinned to one CPU."""
    runs = Campaign(
        problems=[problem or Queens(6)], encodings=["pairwise"], backends=backends, repeat=1
    ).runs(cores=1)
    records = runner.measured(runs, cpus=[[LAST]])
    assert sorted(record.backend for record in records) == sorted(backends)
    return records


def pinned(backend, problem=None):
    (record,) = pinned_each([backend], problem)
    return record


def said(records):
    """What the findings and the report say about how far to trust these records."""
    table = frame.of(records)
    found = [
        each.removeprefix("To keep in mind: ").replace("\xa0", " ")
        for each in package.findings(table)
        if each.startswith("To keep in mind: ")
    ]
    assert set(found) <= {each.replace("\xa0", " ") for each in cautions(table, Output.PAGE)}
    return " ".join(found)


def test_a_worker_whose_clocks_are_slow_has_no_times():
    backends = [
        "hostile-stops-clocks", "hostile-stops-wall-clock", "hostile-stops-clocks-and-waits",
        "hostile-stops-clocks-behind-a-child", "hostile-slows-clocks", "hostile-answers-early",
    ]  # fmt: skip
    for record in pinned_each(backends):
        assert record.outcome is Outcome.CRASHED, record.message
        assert f"the worker of pairwise x {record.backend} reported phases of" in record.message
        assert "s passed between its start and its answer" in record.message
        assert (record.solve_s, record.answer) == (None, None)
        assert record.wall_s > 1


def test_a_phase_in_which_no_time_passes_is_no_phase():
    record = pinned("hostile-stops-clocks-from-the-start")
    assert record.outcome is Outcome.CRASHED
    assert "reported 0 s of solve: its clock stood still" in record.message


def test_a_short_time_that_no_phase_has_is_said_wherever_times_are_compared():
    record = pinned("hostile-stops-clocks-briefly")
    assert record.verdict is Verdict.VERIFIED
    assert OUTSIDE in record.message
    assert "1 run spent unexplained time outside load, solve and decode" in said([record])
    assert "hostile-stops-clocks-briefly (1)" in said([record])


@pytest.mark.parametrize("backend", ["hostile-stops-cpu-clock", "hostile-leaves-a-child-working"])
def test_cpu_time_that_no_phase_has_is_said(backend):
    record = pinned(backend)
    assert record.verdict is Verdict.VERIFIED
    assert f"s CPU {OUTSIDE}" in record.message
    assert said([record])


def test_an_honest_run_is_said_nothing_about():
    records = [pinned("minisat22", Queens(n)) for n in (3, 6, 8)]
    assert [(r.message, r.cpus) for r in records] == [("", str(LAST))] * 3
    assert said(records) == ""


@pytest.mark.parametrize(
    ("backend", "phase"),
    [("hostile-solves-in-load", "load_s"), ("hostile-solves-in-a-thread", "solve_s")],
)
def test_work_that_moves_to_another_phase_stays_in_the_total(backend, phase):
    record = measured(backend)
    assert record.verdict is Verdict.VERIFIED
    assert getattr(record, phase) > 0.9
    assert observed(frame.of([record]), "total_s")["time_s"].item() > 0.9


def test_what_a_backend_has_started_in_the_fork_server_ends_before_the_first_run(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("NQBENCH_TEST_DAEMON", str(tmp_path / "pid"))
    record = pinned("hostile-leaves-a-daemon-at-home")
    assert record.verdict is Verdict.VERIFIED, record.message


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU cannot be left")
def test_a_worker_that_leaves_its_pin_is_recorded_and_said_so():
    record, honest = pinned("hostile-leaves-its-pin"), pinned("minisat22")
    assert record.verdict is Verdict.VERIFIED
    assert record.cpus == f"{LEFT}{LAST}"
    assert f"left its pin to CPU {LAST}: at its end it could run on CPU 0" in record.message
    whose = "pairwise x hostile-leaves-its-pin (1)"
    assert said([record, honest]) == f"1 run did not stay on the pinned CPUs: {whose}."
    assert frame.of([record]).filter(pl.col("cpus").str.starts_with(LEFT)).height == 1


def test_more_cpu_time_than_the_pinned_cpus_have_is_a_pin_that_was_left():
    """Its main thread may stay while others leave."""
    assert validation.left_pin([1], ENDING) == ""
    assert validation.left_pin([1], replace(ENDING, cpu_s=1.83)) == (
        "left its pin to CPU 1: it used 1.830 s CPU in 1.000 s"
    )
    assert validation.left_pin([1, 2], replace(ENDING, cpu_s=1.83)) == ""
    assert validation.left_pin([], replace(ENDING, cpu_s=1.83, cpus=frozenset({0, 1}))) == ""
    assert validation.left_pin([2, 1], replace(ENDING, cpus=frozenset({0, 1}))) == (
        "left its pin to CPU 1,2: at its end it could run on CPU 0,1"
    )


def test_what_is_said_about_a_pin_outlives_a_later_check():
    left = validation.left_pin([1], replace(ENDING, cpu_s=1.83))
    assert validation.notes(f"not checked yet; {left}") == [left]
