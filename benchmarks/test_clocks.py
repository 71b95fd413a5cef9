"""The wall time of honest runs that no phase has: how tight the bounds on a worker's times can be.

tox -e bench -- benchmarks/test_clocks.py
"""

import os
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import clocks
import pytest
import small

SPIN = "import os, sys; os.sched_setaffinity(0, [int(sys.argv[1])])\nwhile True: pass"


@pytest.mark.parametrize(("name", "jobs", "spinners"), [("alone", 1, 0), ("beside-load", 2, 2)])
def test_time_between_phases(figure, scaled, name, jobs, spinners):
    """With two jobs, each has a CPU, which it shares with a process that computes all the time."""
    cpus = sorted(os.sched_getaffinity(0))[-jobs:]
    backends = ["minisat22", "cadical195", "cryptominisat"]
    what = scaled(([4, 8, 30], backends, 60), ([4], backends[:1], 1))
    with ExitStack() as stack, ThreadPoolExecutor(jobs) as pool:
        for cpu in cpus[: scaled(spinners, 0)]:
            stack.callback(
                lambda spinner: (spinner.kill(), spinner.wait()),
                subprocess.Popen([sys.executable, "-c", SPIN, str(cpu)]),
            )
        every = list(pool.map(lambda cpu: small.call(clocks.between_phases, *what, cpu), cpus))
    for kind in ("open", "idle", "busy"):
        times = [seconds for found in every for seconds in found[kind]]
        figure(f"clocks/{name}/{kind}/median", max(0, statistics.median(times)), "s")
        figure(f"clocks/{name}/{kind}/most", max(times), "s")
    figure(f"clocks/{name}/runs", sum(len(found["open"]) for found in every), "runs")


def test_time_for_each_model(figure, scaled):
    """With the task `all`, each solution is compared and excluded between the phases."""
    n, rounds, cpu = *scaled((9, 10), (5, 1)), max(os.sched_getaffinity(0))
    found = small.call(clocks.between_phases, [n], ["minisat22", "cadical195"], rounds, cpu, "all")
    each = [open_s / models for open_s, models in zip(found["open"], found["models"], strict=True)]
    figure("clocks/model/median", statistics.median(each), "s")
    figure("clocks/model/most", max(each), "s")
