"""The CPUs that jobs are pinned to."""

import os

import pytest

from nqbench.campaign.execution import Execution
from nqbench.campaign.executors.base import Listener
from nqbench.campaign.grid import Campaign
from nqbench.common.errors import InputError
from nqbench.common.machine import cpus
from nqbench.problems.queens import Queens


@pytest.fixture
def eight_threads_on_four_cores(monkeypatch):
    monkeypatch.setattr(cpus, "physical_cores", lambda: [[0, 4], [1, 5], [2, 6], [3, 7]])


def test_the_cores_here_are_those_that_may_be_used():
    cores = cpus.physical_cores()
    assert sorted(cpu for core in cores for cpu in core) == sorted(os.sched_getaffinity(0))


@pytest.mark.usefixtures("eight_threads_on_four_cores")
def test_each_job_has_cores_of_its_own_and_none_shares_one():
    assert cpus.assign(3, 1) == [[3], [2], [1]]
    assert cpus.assign(2, 2) == [[2, 3], [0, 1]]


@pytest.mark.usefixtures("eight_threads_on_four_cores")
def test_more_than_there_are_cannot_be_had():
    with pytest.raises(InputError, match="5 jobs of 1 CPUs need 5 cores, but there are 4"):
        cpus.assign(5, 1)
    with pytest.raises(InputError, match="need 6 cores"):
        cpus.assign(2, 3)


def execution(**changed):
    usual = {"jobs": 1, "pin": True, "ahead": True, "cpus_per_run": 1}
    return Execution.usual(**usual | changed)


@pytest.mark.usefixtures("eight_threads_on_four_cores")
@pytest.mark.parametrize(
    ("changed", "quota", "servers"),
    [
        ({}, "max 100000", 2),
        ({"jobs": 2}, "max 100000", 4),
        ({"jobs": 3}, "max 100000", 3),
        ({"cpus_per_run": 2}, "max 100000", 2),
        ({"cpus_per_run": 3}, "max 100000", 1),
        ({"ahead": False}, "max 100000", 1),
        ({"pin": False}, "max 100000", 1),
        ({}, "150000 100000", 1),
        ({}, "", 2),
    ],
)
def test_a_job_has_two_servers_if_there_is_a_core_for_each(
    tmp_path, monkeypatch, changed, quota, servers
):
    (tmp_path / "cpu.max").write_text(quota)
    monkeypatch.setattr(cpus, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    runs = list(Campaign(problems=[Queens(4)], repeat=9, encodings=["pairwise"]).runs())
    chosen = execution(**changed)
    many = chosen.executor_of(runs * 50, Listener())
    assert many.slots == chosen.jobs
    assert many.servers == servers
    few = chosen.executor_of(runs[:9], Listener())
    assert few.servers == chosen.jobs
