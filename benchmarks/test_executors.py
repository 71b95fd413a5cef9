"""Campaigns on Dask compared with fewer workers, and the load that one coordinator can handle.

tox -e bench -- benchmarks/test_executors.py
"""

import json
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path
from statistics import median

import cloudpickle
import msgspec
import pytest
from test_store import campaign_of_a_hundred_thousand, finished, seconds

from nqbench.addons.dask import executor as dask_executor
from nqbench.addons.dask.on_worker import Call
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.campaign.schedule import Schedule
from nqbench.measure.wire import Order
from nqbench.problems.queens import Queens


def wall_s(runs, jobs):
    """The time from submitting the first run to the last record, and the records."""
    with dask_executor.DaskExecutor(runs, None, jobs=jobs) as executor:
        return seconds(lambda: list(runner.records(Schedule(runs), executor)))


@pytest.mark.on_request
def test_two_workers_against_one(figure, scaled):
    """200 runs of about half a second, on one worker process and on two in turn."""
    n, repeat, rounds = scaled((12, 200, 3), (4, 2, 1))
    runs = Campaign(
        problems=[Queens(n, "torus")],
        encodings=["alo-row"],
        backends=["cryptominisat"],
        repeat=repeat,
    ).runs()
    taken, solve_s = {1: [], 2: []}, []
    for jobs, _ in zip(cycle(taken), range(2 * rounds), strict=False):
        spent, records = wall_s(runs, jobs)
        taken[jobs].append(spent)
        solve_s += [record.solve_s for record in records]
        print(f"\n{jobs} workers: {spent:.1f} s", end="")
    figure("dask/two-workers/run", median(solve_s), "s")
    figure("dask/two-workers/speedup", median(taken[1]) / median(taken[2]), "x")


SCALE = """
import json, re, sys, time
from pathlib import Path

from test_executors import NoOp
from test_store import campaign_of_a_hundred_thousand
from nqbench.campaign import runner
from nqbench.records.store import Store

started = time.perf_counter()
runs = campaign_of_a_hundred_thousand(*map(int, sys.argv[2:])).runs()
planned = time.perf_counter()
with Store(Path(sys.argv[1])) as store:
    runner.run(runs, store, NoOp)
    stored = time.perf_counter()
    assert len(store.recorded([run.id for run in runs])) == len(runs)
# Not getrusage: that may be the peak of the parent, from before this was another program.
peak = 1024 * int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
rate = len(runs) / (stored - planned)
print(json.dumps([[planned - started, "s"], [rate, "1/s"], [peak, "bytes"]]))
"""


class NoOp:
    """An executor with a thousand slots whose runs end as soon as they are submitted."""

    slots = 1000

    def __init__(self, runs):
        self.environments = {}
        self.running = []
        self.logs = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    @property
    def free(self):
        return self.slots - len(self.running)

    def prefers(self, _):
        return True

    def submit(self, run):
        self.running.append(run)

    def wait(self):
        ended, self.running = self.running, []
        return [finished(run) for run in ended]


def test_coordinator_of_a_hundred_thousand_runs(figure, tmp_path, scaled):
    """Everything except the runs: the process of the command plans, submits, counts and stores."""
    words = [str(tmp_path / "nqbench.db"), *map(str, scaled((25, 200), (1, 1)))]
    done = subprocess.run(
        [sys.executable, "-c", SCALE, *words],
        cwd=Path(__file__).parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    what = ["plan", "records-per-second", "peak-memory"]
    for name, (value, unit) in zip(what, json.loads(done.stdout), strict=True):
        figure(f"coordinator/{name}", value, unit)


def no_op(orders):
    runs = [msgspec.msgpack.decode(order, type=Order).run for order in orders]
    return [(msgspec.msgpack.encode(finished(run)), None, 0.0) for run in runs]


def packed_no_op(runs, campaign):
    orders = [msgspec.msgpack.encode(Order.of(run)) for run in runs]
    return cloudpickle.dumps(Call(no_op, orders))


def test_runs_that_dask_carries_in_a_second(monkeypatch, figure, scaled):
    """Empty runs on two worker processes that pretend to have many slots."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    cloudpickle.register_pickle_by_value(sys.modules["test_store"])
    monkeypatch.setattr(dask_executor, "packed_call", packed_no_op)
    runs = campaign_of_a_hundred_thousand(2, scaled(200, 1)).runs()[:5000]
    with dask_executor.DaskExecutor(runs, None, jobs=scaled(2, 1)) as executor:
        workers = executor._workers
        for slots in (2, 16, 128, 1000):
            monkeypatch.setattr(workers, "slots", dict.fromkeys(workers.slots, slots // 2))
            started = time.perf_counter()
            done = len(list(runner.records(Schedule(runs), executor)))
            rate = done / (time.perf_counter() - started)
            figure(f"dask/{slots}-slots", rate, "1/s")
