"""The page of a hundred thousand runs: time, memory and size.

tox -e bench -- benchmarks/test_report.py
"""

from commands import cost
from test_store import campaign_of_a_hundred_thousand, finished

from nqbench.records.store import Store


def test_the_page_of_a_hundred_thousand_runs(figure, tmp_path, scaled):
    runs = campaign_of_a_hundred_thousand(*scaled((25, 200), (1, 1))).runs()
    with Store(tmp_path / "nqbench.db") as store:
        for run in runs:
            store.add(finished(run))
    shown = cost("report", "--results", tmp_path)
    size = (tmp_path / "report.html").stat().st_size / 1e6
    figure("report/time", shown.seconds, "s")
    memory = f"peak memory {shown.peak / 2**20:.0f} MiB"
    print(f"\n{len(runs)} runs: {shown.seconds:.1f} s, {memory}, page {size:.1f} MB")
