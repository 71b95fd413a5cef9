"""Campaigns on Dask give the same records as local ones."""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import msgspec
import pytest
from dask_cluster import assert_each_once, executed, planned
from distributed import Client
from installing import is_told
from places import FAULTY

from nqbench.addons.dask import executor as dask_executor
from nqbench.addons.dask.claim import Claim
from nqbench.addons.dask.cluster import local_cluster
from nqbench.addons.dask.executor import DaskExecutor
from nqbench.addons.dask.on_worker import Wanted
from nqbench.common.machine import environment
from nqbench.common.machine.builds import Build
from nqbench.common.machine.cpus import physical_cores
from nqbench.measure.wire import Prepare, Ready
from nqbench.records.record import Record
from nqbench.records.store import Store


def test_records_differ_from_those_of_here_only_in_times_and_place(nqbench, tmp_path):
    backends = "minisat22,cryptominisat,faulty-missing"
    command = ["run", "--n", "3,8", "--encoding", "pairwise", "--backend", backends, "--no-plots"]
    jobs = min(2, len(physical_cores()))
    dask = ["--executor", "dask", "--jobs", jobs]
    for folder, options in {"here": [], "there": dask}.items():
        assert nqbench(*command, *options, "--results", folder).returncode == 1
    here, there = (unmeasured(tmp_path / folder) for folder in ("here", "there"))
    assert len(there) == 18
    with Store(tmp_path / "there" / "nqbench.db") as store:
        pinned = {int(cpu) for cpu in store.frame()["cpus"]}
    assert pinned <= {core[0] for core in physical_cores()}
    assert 1 <= len(pinned) <= jobs  # one worker may have done all runs before the other started
    assert there.equals(here)
    both = nqbench("merge", "--results", "here", "there/nqbench.db")
    # What was measured in both places are repeats; what could not be measured is there once.
    assert "12 records from there/nqbench.db; 6 were recorded already" in both.stderr
    assert "12 runs with several records" in both.stderr


def unmeasured(folder):
    with Store(folder / "nqbench.db") as store:
        records = store.frame().sort("run_id")
    measured = ["started_at", "cpus", "environment_id", "peak_rss_bytes"]
    times = [name for name in records.columns if name.endswith("_s") and "limit" not in name]
    return records.drop(measured + times)


def test_a_worker_with_another_version_is_refused(faulty_plugin, cluster, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(FAULTY, other)
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
    wanted = Wanted(Prepare([], []), "nqbench 9, Python 4", {}, {}, 1)
    refusal = wanted.why_refused(Ready(here, {}, {}))
    assert refusal == f"it has {here.harness}, but the campaign needs nqbench 9, Python 4"


def test_a_worker_without_a_solver_of_the_campaign_is_refused():
    here = environment.current()
    wanted = Wanted(Prepare([], ["a"]), here.harness, {"a": "a 1"}, {}, 1)
    refusal = wanted.why_refused(Ready(here, {}, {"a": "no module a"}))
    assert refusal == "its a is unavailable: no module a"
    unavailable_anyhow = Wanted(Prepare([], ["a"]), here.harness, {"a": None}, {}, 1)
    assert unavailable_anyhow.why_refused(Ready(here, {}, {"a": "no module a"})) is None


def test_a_worker_with_another_build_is_refused():
    here = environment.current(builds={"a": [Build("a.so", "f" * 12, "0" * 12, "GCC 12", True)]})
    wanted = Wanted(Prepare([], ["a"]), here.harness, {"a": "a 1"}, {"a": "GCC 12, 0123"}, 1)
    assert wanted.why_refused(Ready(here, {"a": "a 1"}, {})) == (
        "its build of a is GCC 12, 000000000000, but the campaign needs GCC 12, 0123"
    )
    same = replace(wanted, builds={"a": "GCC 12, 000000000000"})
    assert same.why_refused(Ready(here, {"a": "a 1"}, {})) is None


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
from nqbench.addons.dask import cluster
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
    assert result.stderr.endswith("\nnqbench: no Dask scheduler answers at tcp://127.0.0.1:1\n")
    assert result.stderr.count("\n") == 2  # after what the runs are
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
        assert is_told(result.stderr, "'nqbench[dask]'")


def test_how_many_runs_a_cluster_does_at_a_time_is_not_for_the_campaign_to_say(nqbench):
    result = nqbench("run", "--n", 4, "--jobs", 2, "--scheduler", "tcp://127.0.0.1:1")
    assert result.returncode == 2
    assert "a cluster does as many runs as it has slots" in result.stderr


def test_a_campaign_waits_for_its_first_worker(faulty_plugin, cluster, monkeypatch):
    monkeypatch.setattr(dask_executor, "_PATIENCE_S", 0.2)
    runs = planned(2, ["minisat22"])

    def tell(line):
        said.append(line)
        cluster.worker("late")

    said = []
    executor = DaskExecutor(runs, cluster.address, cpus_per_run=0, tell=tell)
    assert_each_once(executed(runs, executor), runs)
    assert said == ["no worker is ready yet: waiting for one"]


def test_short_runs_go_in_batches_and_long_ones_alone():
    """Nothing is known of the first runs; then some take 20 ms and others a second."""
    runs = planned(300, backends=("glucose4", "minisat22"))
    executor = DaskExecutor(runs, "tcp://nowhere:1")
    executor._workers.slots = {"a worker": 2}

    def batches_of(backend):
        executor._load_s, executor._submitted = 0.0, []
        for run in runs:
            if run.backend == backend and executor.free:
                executor.submit(run)
        return [len(batch) for batch in executor._batches()]

    assert batches_of("minisat22") == [1] * 6
    executor._ended["pairwise", "minisat22"] = (10, 0.2)
    executor._ended["pairwise", "glucose4"] = (10, 10.0)
    assert batches_of("minisat22") == [25] * 6
    assert batches_of("glucose4") == [1] * 6
    executor._ended["pairwise", "minisat22"] = (10**6, 0.2)
    assert batches_of("minisat22") == [100, 100, 100]


def test_what_a_worker_leaves_of_a_batch_goes_into_another():
    runs = list(planned(3, backends=("minisat22",)))
    executor = DaskExecutor(runs, "tcp://nowhere:1")
    packed = msgspec.msgpack.encode(Record.of(runs[0], "somewhere"))
    (record,) = executor._admit_results(runs, [(packed, None, 0.1)])
    assert record.run_id == runs[0].id
    assert executor._submitted == runs[1:]
    assert {r.message.partition(":")[0] for r in executor._admit_results(runs, [])} == {
        "a worker reported no record"
    }
