"""The page of a hundred thousand runs: time, memory and size.

tox -e bench -- benchmarks/test_report.py
"""

import resource
import subprocess
import sys
import time

from test_store import ENCODINGS, finished

from nqbench.campaign import Campaign
from nqbench.problem import Problem
from nqbench.store import Store

REPEATS = 25
SIZES = range(4, 204)


def test_the_page_of_a_hundred_thousand_runs(tmp_path):
    campaign = Campaign(problems=[Problem(n) for n in SIZES], encodings=ENCODINGS, repeat=REPEATS)
    runs = campaign.runs()
    with Store(tmp_path / "nqbench.db") as store:
        for run in runs:
            store.add(finished(run))
    command = [sys.executable, "-m", "nqbench", "report", "--results", str(tmp_path)]
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    size = (tmp_path / "report.html").stat().st_size / 1e6
    print(f"\n{len(runs)} runs: {seconds:.1f} s, peak memory {peak:.0f} MiB, page {size:.1f} MB")
