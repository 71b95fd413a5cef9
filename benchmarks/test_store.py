"""A campaign of a hundred thousand runs: planning it, storing it, finding missing runs.

tox -e bench -- benchmarks/test_store.py
"""

import time
from dataclasses import replace

from nqbench.campaign.grid import Campaign
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.records.store import Store

ENCODINGS = ["pairwise", "alo-row", "product", "sequential", "ladder"]
BACKENDS = ["glucose4", "minisat22", "cadical195", "lingeling"]
TIMES = [f"{phase}_{kind}" for phase in ("encode", "load", "solve") for kind in ("s", "cpu_s")]


def finished(run):
    n = run.problem.n
    return replace(
        Record.of(run, "0" * 16),
        outcome=Outcome.FINISHED,
        answer=Answer.SAT,
        verdict=Verdict.VERIFIED,
        checked_by=CheckedBy.BOARD,
        queens=[row * n + row + 1 for row in range(n)],
        instance_digest="0" * 32,
        **dict.fromkeys(TIMES, 0.123456789),
        wall_s=0.123456789,
        cpu_s=0.123456789,
        peak_rss_bytes=45_678_901,
        variables=n * n,
        clauses=n**3,
        literals=2 * n**3,
        conflicts=n,
        decisions=n,
        propagations=n,
    )


def seconds(work):
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def campaign_of_a_hundred_thousand(repeat=25, sizes=200):
    """20 runs per repeat and size, with components that are always installed."""
    problems = [Queens(n) for n in range(4, 4 + sizes)]
    return Campaign(problems=problems, encodings=ENCODINGS, backends=BACKENDS, repeat=repeat)


def test_a_hundred_thousand_runs(tmp_path, scaled):
    campaign = campaign_of_a_hundred_thousand(*scaled((25, 200), (1, 1)))
    planning_s, runs = seconds(campaign.runs)
    path = tmp_path / "nqbench.db"
    with Store(path) as store:
        storing_s, _ = seconds(lambda: [store.add(finished(run)) for run in runs])

    def resume():
        with Store(path) as store:
            recorded = store.recorded([run.id for run in runs])
        return [run for run in campaign.runs() if run.id not in recorded]

    resuming_s, missing = seconds(resume)
    assert missing == []
    print(f"\n{len(runs)} runs: planned in {planning_s:.2f} s")
    size = path.stat().st_size / len(runs)
    print(f"stored at {len(runs) / storing_s:.0f} a second, {size:.0f} bytes each")
    print(f"planned again and found to be there in {resuming_s:.2f} s")
