"""The page of a hundred thousand runs: time, memory and size.

tox -e bench -- benchmarks/test_report.py
"""

import re
import subprocess
import sys
import time

from test_store import campaign_of_a_hundred_thousand, finished

from nqbench.records.store import Store

# The peak of a child that its parent reads may be the parent's, from before the exec, so the
# child has to report it.
REPORT = """
import sys
from nqbench.cli.app import app
app.main(["report", "--results", sys.argv[1]], standalone_mode=False)
print(open("/proc/self/status").read())
"""


def test_the_page_of_a_hundred_thousand_runs(figure, tmp_path, scaled):
    runs = campaign_of_a_hundred_thousand(scaled(25, 1)).runs()
    with Store(tmp_path / "nqbench.db") as store:
        for run in runs:
            store.add(finished(run))
    started = time.perf_counter()
    shown = subprocess.run(
        [sys.executable, "-c", REPORT, str(tmp_path)], check=True, capture_output=True, text=True
    )
    seconds = time.perf_counter() - started
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", shown.stdout)[1]) / 1024
    size = (tmp_path / "report.html").stat().st_size / 1e6
    figure("report/time", seconds, "s")
    print(f"\n{len(runs)} runs: {seconds:.1f} s, peak memory {peak:.0f} MiB, page {size:.1f} MB")
