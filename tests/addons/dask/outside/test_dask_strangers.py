"""Workers and schedulers with another nqbench, or none: set aside in one line, and left as they
were.
"""

import os
import signal
import subprocess
import sys

import pytest
from dask_cluster import (
    ENVIRONMENT,
    Cluster,
    assert_each_once,
    executed,
    planned,
    servers,
    within_a_minute,
)
from distributed import Client

from nqbench import __version__
from nqbench.addons.dask import executor as dask_executor
from nqbench.addons.dask import joining
from nqbench.addons.dask.executor import DaskExecutor
from nqbench.common.limits import Checking, ProofLimits
from nqbench.problems.queens import Queens

pytestmark = pytest.mark.usefixtures("faulty_plugin")

STRANGERS = {
    "an older version": ('__version__ = "0.1.0"', "it has nqbench 0.1.0, Python "),
    "no nqbench": (
        "raise ModuleNotFoundError(\"No module named 'nqbench'\", name='nqbench')",
        "it has no nqbench",
    ),
    "one that fails": ("1 / 0", "its nqbench cannot be imported: ZeroDivisionError("),
    "one that ends the process": ("raise SystemExit(3)", "its nqbench cannot be imported: System"),
    "the same version with other code": (
        f'__version__ = "{__version__}"',
        "its nqbench does not work: ",
    ),
    "one whose version is none": ("__version__ = None", "it has nqbench None, Python "),
}


@pytest.fixture
def stranger(tmp_path):
    """Make a folder with this code in place of nqbench."""

    def made(code, name="stranger"):
        folder = tmp_path / name
        modules = ["nqbench", "nqbench/campaign/executors", "nqbench/addons/dask"]
        for module in modules:
            (folder / module).mkdir(parents=True)
            (folder / module / "__init__.py").touch()
        (folder / modules[-1] / "worker.py").touch()
        (folder / "nqbench" / "__init__.py").write_text(f"{code}\n")
        return folder

    return made


WHAT_IS_LEFT = """[
    name
    for names in (
        scheduler.resources, scheduler.worker_plugins, scheduler.nanny_plugins, scheduler.tasks,
        scheduler._broker._topics, *(worker.resources for worker in scheduler.workers.values()),
    )
    for name in names
    if 'nqbench' in str(name)
]"""


def left(cluster):
    """What the scheduler has that is called after nqbench."""
    found = f"[{WHAT_IS_LEFT} for scheduler in __import__('gc').get_objects() if type(scheduler)"
    found += ".__name__ == 'Scheduler'][0]"
    with Client(cluster.address, set_as_default=False) as client:
        return client.run_on_scheduler(eval, found)


def test_strangers_beside_a_good_worker_are_set_aside_in_one_line(cluster, stranger):
    for name, (code, _) in STRANGERS.items():
        elsewhere = stranger(code, name)
        cluster.worker(name, elsewhere)
    cluster.worker("good")
    with Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(len(STRANGERS) + 1, timeout=60)
    runs, said = planned(6), []

    def one_more(done):
        if done == 1:
            cluster.worker("late stranger", elsewhere)

    executor = DaskExecutor(runs, cluster.address, cpus_per_run=0, tell=said.append)
    assert_each_once(executed(runs, executor, one_more), runs)
    whys = {why for _, why in STRANGERS.values()}
    named = [{why for why in whys if f"is not used: {why}" in line} for line in said]
    assert all(len(each) == 1 for each in named), said
    assert set.union(*named) == whys
    assert "\n" not in "".join(said)
    assert left(cluster) == []
    with Client(cluster.address, set_as_default=False) as client:
        # Nothing keeps a stranger from starting.
        client.wait_for_workers(len(STRANGERS) + 2, timeout=60)


def test_a_scheduler_without_nqbench_hands_out_runs(tmp_path, stranger):
    code, _ = STRANGERS["no nqbench"]
    there = Cluster(tmp_path, stranger(code))
    try:
        there.worker("good")
        runs = planned(4)
        assert_each_once(executed(runs, DaskExecutor(runs, there.address, cpus_per_run=0)), runs)
        assert left(there) == []
    finally:
        for name in list(there.processes):
            there.kill(name)


def test_a_worker_that_does_not_answer_holds_nobody_up(cluster, monkeypatch):
    monkeypatch.setattr(joining, "_LEAVE_S", 0.5)
    cluster.worker("deaf")
    with Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(1)
    os.kill(cluster.processes["deaf"].pid, signal.SIGSTOP)
    cluster.worker("good")
    runs = planned(4)
    executor = DaskExecutor(runs, cluster.address, cpus_per_run=0)
    assert_each_once(executed(runs, executor), runs)


def waiting(cluster, folder):
    """A campaign that waits for a worker, and what it said until then."""
    command = ["run", "--n", "6", "--scheduler", cluster.address, "--no-plots"]
    campaign = subprocess.Popen(
        [sys.executable, "-m", "nqbench", *command],
        cwd=folder,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = ""
    while "waiting for one" not in said:
        said += campaign.stderr.readline()
    return campaign, said


def test_a_campaign_without_a_worker_can_be_interrupted_and_leaves_nothing(
    cluster, stranger, tmp_path
):
    code, why = STRANGERS["an older version"]
    cluster.worker("stranger", stranger(code))
    campaign, said = waiting(cluster, tmp_path)
    assert f"is not used: {why}" in said
    campaign.send_signal(signal.SIGINT)
    rest = campaign.communicate(timeout=60)[1]
    assert campaign.returncode == 130
    assert "Traceback" not in said + rest
    assert left(cluster) == []


def test_without_the_scheduler_nobody_waits_for_a_worker(cluster, tmp_path):
    campaign, said = waiting(cluster, tmp_path)
    cluster.kill("scheduler")
    rest = campaign.communicate(timeout=60)[1]
    assert campaign.returncode == 1
    assert f"the scheduler {cluster.address} is lost; what was finished is recorded" in rest
    assert "Traceback" not in said + rest


def test_after_a_campaign_its_servers_have_ended_and_nothing_is_left(cluster):
    cluster.worker("good")
    before = set(servers())
    runs = planned(3)

    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        executed(runs, DaskExecutor(runs, cluster.address, cpus_per_run=0), interrupt)
    within_a_minute(lambda: set(servers()) <= before)
    assert left(cluster) == []
    assert_each_once(executed(runs, DaskExecutor(runs, cluster.address, cpus_per_run=0)), runs)
    assert left(cluster) == []


def test_a_proof_that_a_worker_makes_is_seen_while_it_is_made(cluster, monkeypatch):
    monkeypatch.setattr(dask_executor, "_WATCH_EVERY_S", 0.2)
    cluster.worker("good")
    torus = Queens(6, "torus")
    runs = planned(1, ["faulty-proof-hangs"], [torus])
    lines = []
    checking = Checking(proofs=ProofLimits(time_s=4.0))
    executor = DaskExecutor(
        runs, cluster.address, cpus_per_run=0, checking=checking, watch=lines.extend
    )
    assert_each_once(executed(runs, executor), runs)
    assert any(
        line.startswith(f"{torus} pairwise x faulty-proof-hangs: proving by faulty-proof-hangs, ")
        for line in lines
    ), lines
