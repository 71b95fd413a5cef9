"""Whatever process of a Dask cluster dies, each run is recorded once."""

import signal
import subprocess
import sys

import pytest
from dask_cluster import (
    ENVIRONMENT,
    assert_each_once,
    executed,
    planned,
    servers,
    solving,
    within_a_minute,
)
from measuring import without_notes_on_time

from nqbench.addons.dask.executor import DaskExecutor
from nqbench.records.store import Store

pytestmark = pytest.mark.usefixtures("faulty_plugin", "no_server_survives")

TOILS = ["run", "--n", "6", "--encoding", "pairwise", "--backend", "faulty-toils", "--no-plots"]


def stored(folder):
    """The recorded runs and their start times."""
    path = folder / "results" / "nqbench.db"
    if not path.exists():
        return []
    with Store(path) as store:
        return store.frame().select("run_id", "started_at").rows()


def started(command, folder, stderr=subprocess.DEVNULL):
    return subprocess.Popen(
        [sys.executable, "-m", "nqbench", *command, "--quiet"],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        text=True,
    )


@pytest.fixture
def no_server_survives():
    """Check that no fork server of the test survives it."""
    before = set(servers())
    yield
    within_a_minute(lambda: not set(servers()) - before)


def test_the_run_of_a_killed_worker_is_done_by_another_one(cluster):
    cluster.worker("one")
    cluster.worker("two")
    runs = planned(24)
    said = []

    def kill_one(_):
        if executor.slots == 2 and "one" in cluster.processes:
            cluster.kill("one")

    executor = DaskExecutor(runs, cluster.address, cpus_per_run=0, tell=said.append)
    assert_each_once(executed(runs, executor, kill_one), runs)
    assert any("is lost; slots left: 1" in line for line in said)


def test_what_is_lost_before_it_arrives_is_measured_again_and_recorded_once(cluster):
    cluster.worker("one")
    runs, records = planned(3), []
    with DaskExecutor(runs, cluster.address, cpus_per_run=0) as executor:
        for run in runs:
            executor.submit(run)
        executor._send()
        within_a_minute(lambda: all(future.done() for future in executor._pending))
        cluster.kill("one")
        within_a_minute(lambda: not any(future.done() for future in executor._pending))
        cluster.worker("two")
        while len(records) < len(runs):
            records += executor.wait()
    assert_each_once(records, runs)


def test_new_workers_do_what_those_killed_left(cluster):
    cluster.worker("one")
    cluster.worker("two")
    runs = planned()

    def replace_all(done):
        if done == 2:
            cluster.kill("one")
            cluster.kill("two")
            cluster.worker("three")

    executor = DaskExecutor(runs, cluster.address, cpus_per_run=0)
    assert_each_once(executed(runs, executor, replace_all), runs)


def test_without_the_scheduler_there_is_an_end_in_one_line(cluster, tmp_path):
    cluster.worker("one")
    command = [*TOILS, "--repeat", "40", "--scheduler", cluster.address]
    campaign = started(command, tmp_path, stderr=subprocess.PIPE)
    within_a_minute(lambda: len(stored(tmp_path)) >= 2)
    cluster.kill("scheduler")
    _, said = campaign.communicate(timeout=120)
    assert campaign.returncode == 1
    assert said == (
        f"nqbench: the scheduler {cluster.address} is lost; what was finished is recorded, and "
        "the same command continues from there\n"
    )
    within_a_minute(lambda: not solving())
    assert 2 <= len(stored(tmp_path)) < 40


def test_after_a_restart_of_the_scheduler_the_same_command_goes_on(cluster, tmp_path):
    cluster.worker("one")
    command = [*TOILS, "--repeat", "12", "--scheduler", cluster.address]
    campaign = started(command, tmp_path, stderr=subprocess.PIPE)
    within_a_minute(lambda: len(stored(tmp_path)) >= 2)
    cluster.restart()
    _, said = campaign.communicate(timeout=60)
    assert campaign.returncode == 1
    assert said.startswith(f"nqbench: the scheduler {cluster.address} is lost; what was finished")
    assert said.count("\n") == 1
    before = stored(tmp_path)
    cluster.worker("two")
    assert started(command, tmp_path).wait(60) == 0
    after = stored(tmp_path)
    assert len(after) == len(dict(after)) == 12
    assert set(before) <= set(after)


def test_a_killed_campaign_leaves_no_run_and_goes_on_where_it_was(cluster, tmp_path):
    cluster.worker("one")
    cluster.worker("two")
    command = [*TOILS, "--repeat", "12", "--no-pin", "--scheduler", cluster.address]
    first = started(command, tmp_path)
    within_a_minute(lambda: len(stored(tmp_path)) >= 3)
    first.kill()
    first.wait()
    within_a_minute(lambda: not solving())
    before = stored(tmp_path)
    second = started(command, tmp_path)
    assert second.wait(60) == 0
    after = stored(tmp_path)
    assert len(after) == len(dict(after)) == 12
    assert set(before) <= set(after)


def test_an_interrupted_campaign_stops_its_runs(cluster, tmp_path):
    cluster.worker("one")
    sleeps = ["run", "--n", "6", "--encoding", "pairwise", "--backend", "faulty-sleeps"]
    campaign = started([*sleeps, "--scheduler", cluster.address], tmp_path)
    within_a_minute(solving)
    campaign.send_signal(signal.SIGINT)
    assert campaign.wait(20) == 130
    within_a_minute(lambda: not solving())


def test_a_run_that_kills_its_workers_costs_no_other_run(nqbench, tmp_path):
    backends = "faulty-murders,minisat22,cryptominisat"
    command = ["run", "--n", 6, "--encoding", "pairwise", "--backend", backends, "--repeat", 1]
    result = nqbench(*command, "--executor", "dask", "--no-plots", "--no-pin")
    assert result.returncode == 1
    with Store(tmp_path / "results" / "nqbench.db") as store:
        rows = store.frame().select("backend", "outcome", "message").sort("backend").rows()
    assert [(*row, without_notes_on_time(message)) for *row, message in rows] == [
        ("cryptominisat", "finished", ""),
        ("faulty-murders", "crashed", "given up: several workers in a row died running it"),
        ("minisat22", "finished", ""),
    ]
