"""Campaigns on Dask give the same records as local ones, whatever process dies."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from distributed import Client
from misbehaviour import state

from nqbench import runner
from nqbench.executors.dask import client as dask_client
from nqbench.executors.dask.client import DaskExecutor
from nqbench.executors.dask.cluster import local_cluster
from nqbench.executors.dask.worker import Wanted
from nqbench.isolate.processes import with_descendants
from nqbench.limits import Limits
from nqbench.machine import environment
from nqbench.machine.cpus import Claim, physical_cores
from nqbench.measure.messages import Prepare, Ready
from nqbench.plan.campaign import Campaign
from nqbench.plan.schedule import Schedule
from nqbench.problems.queens import Queens
from nqbench.records.store import Store
from nqbench.vocabulary import Outcome

MARK = f"NQBENCH_TESTED_BY={os.getpid()}"
ENVIRONMENT = os.environ | {
    "NQBENCH_TESTED_BY": str(os.getpid()),
    "PYTHONPATH": str(Path(__file__).parent / "faulty"),
    "NO_COLOR": "1",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s",
}


class Cluster:
    """A scheduler and workers as separate programs, as on a real cluster."""

    def __init__(self, folder):
        self.processes = {}
        self._file = folder / "scheduler.json"
        options = ["--port", "0", "--dashboard-address", ":0", "--scheduler-file", self._file]
        self._start("scheduler", "scheduler", *options)
        while not (self._file.exists() and self._file.read_text().endswith("}")):
            time.sleep(0.05)
        self.address = re.search(r"tcp://[\d.:]+", self._file.read_text())[0]

    def worker(self, name, **environment):
        options = ["--nthreads", "1", "--name", name, "--no-nanny", "--death-timeout", "5"]
        self._start(name, "worker", self.address, *options, **environment)

    def kill(self, name):
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def _start(self, name, command, *arguments, **environment):
        self.processes[name] = subprocess.Popen(
            [sys.executable, "-m", "dask", command, *map(str, arguments), "--no-dashboard"],
            env=ENVIRONMENT | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    yield made
    for name in list(made.processes):
        made.kill(name)


@pytest.fixture
def no_server_survives():
    """Check that no fork server of the test survives it."""
    before = set(servers())
    yield
    within_a_minute(lambda: not set(servers()) - before)


def within_a_minute(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def servers():
    """The fork servers of processes that were started with `ENVIRONMENT`."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            marked = MARK.encode() in (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if marked and b"nqbench.measure.server" in words and state(folder.name) != "Z":
            yield int(folder.name)


def solving():
    """The processes that execute a run."""
    return [pid for server in servers() for pid in with_descendants(server) if pid != server]


BOARDS = (Queens(6),)


def planned(repeat=8, backends=("faulty-toils",), problems=BOARDS, **options):
    return Campaign(
        problems=problems,
        encodings=["pairwise"],
        backends=backends,
        repeat=repeat,
        limits=Limits(time_s=60.0),
        **options,
    ).runs()


def executed(runs, executor, meanwhile=lambda done: None):
    """The records of runs; `meanwhile` is called after each with their number."""
    records = []
    with executor:
        for record in runner.records(Schedule(runs), executor):
            records.append(record)
            meanwhile(len(records))
    return records


def assert_each_once(records, runs):
    assert sorted(record.run_id for record in records) == sorted(run.id for run in runs)
    assert {record.outcome for record in records} == {Outcome.FINISHED}


def test_records_differ_from_those_of_here_only_in_times_and_place(nqbench, tmp_path):
    backends = "minisat22,cryptominisat,faulty-missing"
    command = ["run", "--n", "3,8", "--encoding", "pairwise", "--backend", backends, "--no-plots"]
    jobs = min(2, len(physical_cores()))
    dask = ["--executor", "dask", "--jobs", jobs]
    for folder, options in {"here": [], "there": dask}.items():
        assert nqbench(*command, *options, "--results", folder).returncode == 0
    here, there = (unmeasured(tmp_path / folder) for folder in ("here", "there"))
    assert len(there) == 18
    with Store(tmp_path / "there" / "nqbench.db") as store:
        pinned = {int(cpu) for cpu in store.frame()["cpus"]}
    assert pinned <= {core[0] for core in physical_cores()}
    assert 1 <= len(pinned) <= jobs  # one worker may have done all runs before the other started
    assert there.equals(here)
    both = nqbench("merge", "--results", "here", "there/nqbench.db")
    assert "0 records from there/nqbench.db; 18 were recorded already" in both.stderr


def unmeasured(folder):
    with Store(folder / "nqbench.db") as store:
        records = store.frame().sort("run_id")
    measured = ["started_at", "cpus", "environment_id", "peak_rss_bytes"]
    times = [name for name in records.columns if name.endswith("_s") and "limit" not in name]
    return records.drop(measured + times)


@pytest.mark.usefixtures("faulty_plugin", "no_server_survives")
class TestLoss:
    def test_the_run_of_a_killed_worker_is_done_by_another_one(self, cluster):
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

    def test_what_is_lost_before_it_arrives_is_measured_again_and_recorded_once(self, cluster):
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

    def test_new_workers_do_what_those_killed_left(self, cluster):
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

    def test_without_the_scheduler_there_is_an_end_in_one_line(self, cluster, tmp_path):
        cluster.worker("one")
        command = [*TOILS, "--repeat", "40", "--scheduler", cluster.address]
        campaign = started(command, tmp_path, stderr=subprocess.PIPE)
        within_a_minute(lambda: len(stored(tmp_path)) >= 2)
        cluster.kill("scheduler")
        _, said = campaign.communicate(timeout=30)
        assert campaign.returncode == 1
        assert said == (
            f"nqbench: the scheduler {cluster.address} is lost; what was finished is recorded, and "
            "the same command goes on from there\n"
        )
        within_a_minute(lambda: not solving())
        assert 2 <= len(stored(tmp_path)) < 40

    def test_a_killed_campaign_leaves_no_run_and_goes_on_where_it_was(self, cluster, tmp_path):
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

    def test_an_interrupted_campaign_stops_its_runs(self, cluster, tmp_path):
        cluster.worker("one")
        sleeps = ["run", "--n", "6", "--encoding", "pairwise", "--backend", "faulty-sleeps"]
        campaign = started([*sleeps, "--scheduler", cluster.address], tmp_path)
        within_a_minute(solving)
        campaign.send_signal(signal.SIGINT)
        assert campaign.wait(20) == 130
        within_a_minute(lambda: not solving())


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


def test_a_worker_with_another_version_is_refused(faulty_plugin, cluster, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(Path(__file__).parent / "faulty", other)
    (other / "faulty-1.0.dist-info").rename(other / "faulty-2.0.dist-info")
    metadata = other / "faulty-2.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.0", "2.0"))
    cluster.worker("wrong", PYTHONPATH=str(other))
    cluster.worker("right")
    runs = planned(4)
    said = []
    executor = DaskExecutor(runs, cluster.address, cpus_per_run=0, tell=said.append)
    assert_each_once(executed(runs, executor), runs)
    (refusal,) = [line for line in said if "is not used" in line]
    assert "its faulty-toils is faulty 2.0, but the campaign needs faulty 1.0" in refusal


def test_nobody_else_can_use_the_workers_of_a_campaign_on_this_machine():
    with local_cluster(1) as here:
        address = here.scheduler_address.replace("tls:", "tcp:")
        with pytest.raises(OSError, match=r"Timed out|refused|closed"):
            Client(address, timeout="2s", set_as_default=False)


def test_two_campaigns_on_this_machine_do_not_meet():
    with local_cluster(1) as one, local_cluster(1) as other:  # a taken port would be a warning
        assert one.scheduler_address != other.scheduler_address


def test_a_worker_of_another_harness_is_refused():
    here = environment.current()
    wanted = Wanted(Prepare([], []), "nqbench 9, Python 4", {}, 1)
    refusal = wanted.why_refused(Ready(here, {}, {}))
    assert refusal == f"it has {here.harness}, but the campaign needs nqbench 9, Python 4"


def test_a_worker_without_a_solver_of_the_campaign_is_refused():
    here = environment.current()
    wanted = Wanted(Prepare([], ["a"]), here.harness, {"a": "a 1"}, 1)
    refusal = wanted.why_refused(Ready(here, {}, {"a": "no module a"}))
    assert refusal == "its a is unavailable: no module a"
    unavailable_anyhow = Wanted(Prepare([], ["a"]), here.harness, {"a": None}, 1)
    assert unavailable_anyhow.why_refused(Ready(here, {}, {"a": "no module a"})) is None


def test_a_run_that_kills_its_workers_costs_no_other_run(nqbench, tmp_path):
    backends = "faulty-murders,minisat22,cryptominisat"
    command = ["run", "--n", 6, "--encoding", "pairwise", "--backend", backends, "--repeat", 1]
    result = nqbench(*command, "--executor", "dask", "--no-plots", "--no-pin")
    assert result.returncode == 1
    with Store(tmp_path / "results" / "nqbench.db") as store:
        rows = store.frame().select("backend", "outcome", "message").sort("backend").rows()
    assert rows == [
        ("cryptominisat", "finished", ""),
        ("faulty-murders", "crashed", "given up: several workers in a row died running it"),
        ("minisat22", "finished", ""),
    ]


@pytest.mark.parametrize("other", ["faulty-toils", "minisat22"])
def test_two_campaigns_share_a_worker(faulty_plugin, cluster, other):
    cluster.worker("one")
    one, two = planned(3), planned(9, [other], seed=1)
    with ThreadPoolExecutor() as threads:
        both = [
            threads.submit(executed, runs, DaskExecutor(runs, cluster.address))
            for runs in (one, two)
        ]
    assert_each_once(both[0].result(), one)
    assert_each_once(both[1].result(), two)


def test_cores_are_claimed_once_and_given_back():
    cores = len(physical_cores())
    first = Claim(cores)
    second = Claim(1)
    assert len(first.slots) == cores
    assert second.slots == []
    first.release()
    third = Claim(1)
    assert third.slots == first.slots[:1]
    third.release()


@pytest.mark.parametrize("address", ["node1", "tcp://node1", "http://node1:80", "tcp://:x", ""])
def test_what_is_no_address_is_bad_input(nqbench, address):
    result = nqbench("run", "--n", 4, "--scheduler", address)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"'{address}' is not the address of a scheduler" in result.stderr


IMPATIENT = """
from nqbench.cli import main
from nqbench.executors.dask import cluster
cluster._CONNECT_S = 1.0
main()
"""


def test_no_scheduler_at_an_address_is_bad_input(tmp_path):
    command = [sys.executable, "-c", IMPATIENT, "run", "--n", "4"]
    result = subprocess.run(
        [*command, "--scheduler", "tcp://127.0.0.1:1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "nqbench: no Dask scheduler answers at tcp://127.0.0.1:1\n"
    with Store(tmp_path / "results" / "nqbench.db") as store:
        assert store.sessions() == []


def test_without_dask_one_line_says_what_to_install(nqbench, tmp_path):
    missing = "No module named 'distributed'"
    shadow = f'raise ModuleNotFoundError("{missing}", name="distributed")\n'
    (tmp_path / "distributed.py").write_text(shadow)
    for options in (["--executor", "dask"], ["--scheduler", "tcp://127.0.0.1:1"]):
        result = nqbench("run", "--n", 4, *options)
        assert (result.returncode, result.stdout) == (2, "")
        said = "nqbench: Dask needs distributed, which is not installed; try: "
        assert result.stderr.startswith(said)
        assert result.stderr.endswith("pip install 'nqbench[dask]'\n")


def test_how_many_runs_a_cluster_does_at_a_time_is_not_for_the_campaign_to_say(nqbench):
    result = nqbench("run", "--n", 4, "--jobs", 2, "--scheduler", "tcp://127.0.0.1:1")
    assert result.returncode == 2
    assert "a cluster does as many runs as it has slots" in result.stderr


def test_a_campaign_waits_for_its_first_worker(faulty_plugin, cluster, monkeypatch):
    monkeypatch.setattr(dask_client, "_PATIENCE_S", 0.2)
    runs = planned(2, ["minisat22"])

    def tell(line):
        said.append(line)
        cluster.worker("late")

    said = []
    executor = DaskExecutor(runs, cluster.address, cpus_per_run=0, tell=tell)
    assert_each_once(executed(runs, executor), runs)
    assert said == ["no worker is ready yet: waiting for one"]
