"""The CPUs that jobs are pinned to."""

import os

import pytest

from nqbench.errors import InputError
from nqbench.machine import cpus


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
