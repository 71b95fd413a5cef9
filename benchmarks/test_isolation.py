"""nqbench's runner compared with BenchExec's run executor, on the same programs.

tox -e bench -- benchmarks/test_isolation.py

The programs are written in C: one does nothing, one computes for two seconds of CPU time, one fills
200 MiB. The results of both sides are compared with the known values.
"""

import statistics
import subprocess
import sys

import numpy as np
import pytest
import side_by_side
import small
from rich.console import Console
from rich.table import Table
from side_by_side import FILLED

from nqbench.campaign.grid import Campaign
from nqbench.campaign.runner import measured
from nqbench.problems.queens import Queens


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of the program."""
    path = tmp_path_factory.mktemp("program")
    side_by_side.build(path)
    return path


def test_side_by_side(figure, folder, scaled):
    times, spin_s = scaled((3, 2), (1, 0.2))
    theirs, ours = (
        small.call(side_by_side.examined, side, str(folder), rounds, times, spin_s)
        for side, rounds in (("BenchExec", scaled(15, 1)), ("nqbench", scaled(50, 1)))
    )
    call_s = small.call(side_by_side.cost_of_a_call, scaled(100, 1))
    table = Table("", "unit", "BenchExec", "nqbench")
    for what, (value, unit) in theirs.items():
        table.add_row(what, unit, f"{value:.3g}", f"{ours[what][0]:.3g}")
        figure(f"isolation/{what}/BenchExec", value, unit)
        figure(f"isolation/{what}/nqbench", ours[what][0], unit)
    Console(width=100).print("\n", table)
    figure("isolation/empty-call", call_s, "s")


def test_a_call_from_a_large_process(figure, scaled):
    """A notebook with data pays for copying its page tables."""
    held = scaled(2**30, 2**20)
    call_s = small.call(side_by_side.cost_of_a_call, scaled(100, 1), held)
    figure("isolation/empty-call-from-1-gib", call_s, "s")


def test_the_peak_of_a_program_when_the_harness_itself_is_large(folder, scaled):
    """Workers are started by a separate small process, however large this one is."""
    large = np.ones(scaled(2**30, 2**20), dtype=np.uint8)
    solver = f"exe:{folder}/work fill {FILLED}"
    runs = Campaign(
        problems=[Queens(3)], encodings=["pairwise"], backends=[solver], repeat=scaled(5, 1)
    ).runs()
    peaks = [record.peak_rss_bytes for record in measured(runs)]
    error = 100 * (statistics.median(peaks) / FILLED - 1)
    print(f"\n200 MiB filled, {large.nbytes / 2**30:.0f} GiB held here: {error:+.1f} %")


BARE = """
import sys, time
from nqbench.plugin import Backend, Encoding
from nqbench.problems.queens import Queens

formula = Encoding.named("pairwise").clauses(Queens(int(sys.argv[1])))
solver = Backend.named("cadical195").load(formula)
started = time.perf_counter()
solver.solve()
print(time.perf_counter() - started)
"""


def test_recorded_solve_times_are_those_of_the_bare_call(figure, scaled):
    """The same solve twice in a row: in a separate script, and as a recorded run."""
    n, pairs = scaled((80, 30), (8, 1))
    runs = Campaign(
        problems=[Queens(n)], encodings=["pairwise"], backends=["cadical195"], repeat=pairs
    ).runs()
    ratios, bare_times = [], []
    for run in runs:
        script = subprocess.run(
            [sys.executable, "-c", BARE, str(n)], capture_output=True, text=True, check=True
        )
        bare_times.append(float(script.stdout))
        (record,) = measured([run])
        ratios.append(record.solve_s / bare_times[-1])
    bare_ms = 1e3 * statistics.median(bare_times)
    print(f"\nbare {bare_ms:.0f} ms")
    figure("isolation/recorded-solve-time-error", 100 * (statistics.median(ratios) - 1), "%")
