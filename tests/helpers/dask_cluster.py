"""A Dask cluster of separate programs, and campaigns on it."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from misbehaviour import state
from places import FAULTY

from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.campaign.schedule import Schedule
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.processes import with_descendants
from nqbench.problems.queens import Queens

MARK = f"NQBENCH_TESTED_BY={os.getpid()}"
ENVIRONMENT = os.environ | {
    "NQBENCH_TESTED_BY": str(os.getpid()),
    "PYTHONPATH": str(FAULTY),
    "NO_COLOR": "1",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s",
}


class Cluster:
    """A scheduler and workers as separate programs, as on a real cluster."""

    def __init__(self, folder, elsewhere=None):
        """With a folder `elsewhere`, the scheduler imports from there first."""
        self.processes = {}
        self._file = folder / "scheduler.json"
        self.address = self._scheduler("0", elsewhere)

    def restart(self):
        """End the scheduler at once, and start another one at the same address."""
        self.kill("scheduler")
        self._file.unlink()
        assert self._scheduler(self.address.rpartition(":")[2]) == self.address

    def _scheduler(self, port, elsewhere=None):
        options = ["--port", port, "--dashboard-address", ":0", "--scheduler-file", self._file]
        self._start("scheduler", "scheduler", *options, elsewhere=elsewhere)
        while not (self._file.exists() and self._file.read_text().endswith("}")):
            time.sleep(0.05)
        return re.search(r"tcp://[\d.:]+", self._file.read_text())[0]

    def worker(self, name, elsewhere=None, **environment):
        """Start a worker. With a folder `elsewhere`, it imports from there first."""
        options = ["--nthreads", "1", "--name", name, "--no-nanny", "--death-timeout", "5"]
        self._start(name, "worker", self.address, *options, elsewhere=elsewhere, **environment)

    def kill(self, name):
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def _start(self, name, command, *arguments, elsewhere=None, **environment):
        if elsewhere:
            environment["PYTHONPATH"] = str(elsewhere)
        self.processes[name] = subprocess.Popen(
            [sys.executable, "-m", "dask", command, *map(str, arguments), "--no-dashboard"],
            env=ENVIRONMENT | environment,
            cwd=elsewhere,  # where `python -m` looks first
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


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
        if marked and b"nqbench.measure" in words and state(folder.name) != "Z":
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
