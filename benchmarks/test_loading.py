"""Loading clauses against what a user would write, and large boards against a solver's program.

tox -e bench -- --on-request benchmarks/test_loading.py

Each group holds nqbench and its peer; the ratio of their medians is a figure.
"""

import gc
import subprocess
import time

import peers
import pytest

from nqbench.backends.base import Backend
from nqbench.campaign.grid import Campaign
from nqbench.campaign.runner import measured
from nqbench.clauses import dimacs
from nqbench.common.limits import Limits
from nqbench.encodings.base import Encoding
from nqbench.plugins.programs import find
from nqbench.problems.queens import Queens


@pytest.fixture(scope="module")
def pairwise_100(scaled):
    return Encoding.named("pairwise").encode(Queens(scaled(100, 8)))


@pytest.fixture(autouse=True)
def no_collector():
    """Switch off the garbage collector, as in a worker; it slows down the peer."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("side", ["nqbench", "peer"])
@pytest.mark.parametrize("solver", ["minisat22", "glucose4", "cadical153", "cadical195"])
def test_load(benchmark, side_of, solver, side, pairwise_100):
    benchmark.group = f"load pairwise n=100 into {solver}, map(add_clause) over ready lists"
    benchmark.extra_info["side"] = side
    if side == "nqbench":
        load, given = Backend.named(solver).load, (pairwise_100,)
    else:
        load, given = peers.feed_ready_lists, (solver, list(pairwise_100.clauses()))
    loaded = benchmark.pedantic(load, given, rounds=5, warmup_rounds=1)
    side_of(f"load/{solver}", side)
    loaded.solve()
    ours = Backend.named(f"{solver}:loading=binding").load(pairwise_100)
    ours.solve()
    told = loaded.counters().conflicts if side == "nqbench" else loaded.accum_stats()["conflicts"]
    assert told == ours.counters().conflicts


def minisat(path):
    """The seconds that MiniSat's program takes, and its conflicts; None and None without it."""
    program = find("minisat")
    if program is None:
        print("\nno program 'minisat' to compare with: apt install minisat")
        return None, None
    started = time.perf_counter()
    done = subprocess.run([program, "-no-pre", path], check=False, capture_output=True, text=True)
    taken_s = time.perf_counter() - started
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("conflicts")]
    print(f"\nminisat -no-pre: {taken_s:.1f} s, {line.split()[2]} conflicts")
    return taken_s, int(line.split()[2])


@pytest.mark.on_request
@pytest.mark.parametrize("n", [1000, 2000])
def test_large_boards_against_the_program(figure, n, scaled, tmp_path):
    """Loading and solving against MiniSat's program, which reads the formula from a file and then
    does the same search.
    """
    problem, path = Queens(scaled(n, 8)), tmp_path / "formula.cnf"
    with path.open("wb") as file:
        dimacs.write(Encoding.named("product").encode(problem), file)
    program_s, conflicts = minisat(path)
    # All of a board, or nothing: the times of a row are compared.
    measured_s, found = {"program": program_s}, {"program": conflicts}
    runs = Campaign(
        problems=[problem],
        encodings=["product"],
        backends=["minisat22:zero=idle", "mgh:zero=idle", "minisat22"],
        limits=Limits(time_s=600, memory_bytes=16 * 2**30),
        repeat=1,
    ).runs()
    for record in measured(runs):
        taken_s = record.load_s + record.solve_s
        print(
            f"{record.backend}: {taken_s:.1f} s, {record.conflicts} conflicts, "
            f"{record.peak_rss_bytes / 2**20:.0f} MiB"
        )
        measured_s[record.backend], found[record.backend] = taken_s, record.conflicts
        if "idle" in record.backend and program_s is not None:
            assert record.conflicts == conflicts
    for solver, taken_s in measured_s.items():
        figure(f"large-board/{n}/{solver}/time", program_s and taken_s, "s")
        figure(f"large-board/{n}/{solver}/conflicts", program_s and found[solver], "conflicts")
