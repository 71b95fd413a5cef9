"""The cost of a run to the campaign beyond its phases, beside a fork of the same process.

With two fork servers that take turns, as campaigns have them if a core is free, and with one.

tox -e bench -- benchmarks/test_runner.py
"""

import statistics

import pytest
import side_by_side
import small

from nqbench.campaign import runner
from nqbench.campaign.executors.local import LocalExecutor
from nqbench.campaign.grid import Campaign
from nqbench.campaign.schedule import Schedule
from nqbench.common.machine.cpus import physical_cores
from nqbench.problems.queens import Queens


def phases(record):
    return record.load_s + record.solve_s + record.decode_s + record.verify_s


@pytest.mark.parametrize("servers", ["one", "two"])
@pytest.mark.parametrize("backend", ["minisat22", "cryptominisat", "pyeda"])
def test_cost_of_an_isolated_run(benchmark, figure, backend, servers, scaled):
    """A round is 300 runs of n = 4. `cost_ms` is the time of a run minus its phases."""
    count = scaled(300, 2)
    runs = Campaign(
        problems=[Queens(4)], encodings=["pairwise"], backends=[backend], repeat=count
    ).runs()
    records = []

    def campaign(executor):
        records.append(list(runner.records(Schedule(runs), executor)))

    # Pinned, as the runs of a campaign are.
    cores = [physical_cores()[-1], physical_cores()[0]]
    with LocalExecutor(runs, 1, cores, ahead=servers == "two") as executor:
        benchmark.pedantic(campaign, args=(executor,), rounds=5)
    fork_s, cost_s = small.call(side_by_side.cost_of_a_fork, backend, count), None
    if not benchmark.disabled:
        costs = [
            (wall - sum(map(phases, done))) / count
            for wall, done in zip(benchmark.stats.stats.data, records, strict=True)
        ]
        cost_s = statistics.median(costs)
        benchmark.extra_info["cost_ms"] = 1e3 * cost_s
        benchmark.extra_info["phases_ms"] = 1e3 * statistics.median(map(phases, records[-1]))
    figure(f"run/{backend}/{servers}/cost", cost_s, "s")
    figure(f"run/{backend}/{servers}/fork", fork_s, "s")
