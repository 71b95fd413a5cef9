"""How time and memory grow: over n, over runs, and over rows of a file. In CPU seconds.

    tox -e bench -- --on-request benchmarks/test_growth.py

`tools/growth.py` draws the figures, which are named growth/OVER/WHAT/SIZE/time and memory.
"""

import os
import random
import statistics
import time
from functools import cache

import pytest
from test_million import SOLVERS, write

import nqbench

pytestmark = pytest.mark.on_request

LENGTH = 12


@pytest.fixture
def grown(figure):
    """Report what something costs at a size."""

    def report(over, what, size, seconds, peak=None):
        figure(f"growth/{over}/{what}/{size}/time", seconds, "s")
        if peak is not None:
            figure(f"growth/{over}/{what}/{size}/memory", peak, "bytes")

    return report


@pytest.fixture
def of_command(grown, cost):
    """Report what a command costs at a size; each command runs once."""
    known = cache(cost)

    def report(over, what, size, *words):
        found = known(*map(str, words))
        grown(over, what, size, found.cpu_s, found.peak)

    return report


@pytest.fixture
def measured(scaled):
    """Each size with the size that is measured: itself, or the least if it only shows that it
    works.
    """

    def of(sizes, least):
        return scaled([(size, size) for size in sizes], [(size, least) for size in sizes])

    return of


def test_over_n(grown, measured, scaled, tmp_path):
    """Runs of `product` and MiniSat, of three repeats the median."""
    sizes = measured([8, 16, 32, 64, 128, 256, 512], 8)
    boards = sorted({n for _, n in sizes})
    pair = {"encodings": "product", "backends": "minisat22", "time_limit": "10m"}
    records = nqbench.run(boards, **pair, repeat=scaled(3, 1), results=tmp_path, progress=False)
    for size, n in sizes:
        runs = records.filter(n=n)

        def median(*names, runs=runs):
            return statistics.median(runs.select(names).sum_horizontal())

        grown("n", "encode", size, median("encode_cpu_s"))
        grown("n", "run", size, median("encode_cpu_s", "cpu_s"), median("peak_rss_bytes"))
        grown("n", "solver", size, median("solve_cpu_s"))


def test_over_runs(of_command, cost, measured, tmp_path):
    """Plan and measure n = 8, and show imported runs."""
    results = ("--results", tmp_path / "results")
    one = ("run", "--n", "8", "--encoding", "pairwise", "--backend", "minisat22", "--no-plots")
    for size, count in measured([1000, 10_000, 100_000, 1_000_000], 10):
        of_command("runs", "plan", size, *one, "--repeat", count, *results, "--dry-run")
    for size, count in measured([10, 100, 1000], 10):
        folder = tmp_path / f"measured-{count}"
        of_command("runs", "measure", size, *one, "--repeat", count, "--results", folder)
    for size, count in measured([1000, 10_000, 100_000, 1_000_000], 10):
        shown = ("--results", tmp_path / f"imported-{count}")
        if not shown[1].exists():
            write(tmp_path / "times.csv", count // SOLVERS)
            cost("import", tmp_path / "times.csv", *shown, "--time-limit", "5000s")
        of_command("runs", "summary", size, "summary", *shown)
        of_command("runs", "report", size, "report", *shown, "--output", tmp_path / "page.html")


def test_over_rows(grown, of_command, measured, tmp_path):
    """A file of rows with weights, encoded as clauses and written as it is."""
    draw = random.Random(77)
    for size, count in measured([100, 1000, 10_000, 30_000], 10):
        path, clauses = tmp_path / f"{count}.opb", tmp_path / f"{count}.cnf"
        if not path.exists():
            with path.open("w") as file:
                file.write(f"* #variable= 1000 #constraint= {count}\n")
                for _ in range(count):
                    terms = (
                        f"+{draw.randint(1, 100)} x{v}" for v in draw.sample(range(1, 1001), LENGTH)
                    )
                    file.write(f"{' '.join(terms)} >= 300 ;\n")
        native = ("--encoding", "native", "--output", tmp_path / "again.opb")
        of_command("rows", "read", size, "encode", path, *native)
        of_command("rows", "adder", size, "encode", path, "--encoding", "adder", "-o", clauses)
        grown("rows", "disk", size, seconds_to_write(clauses.read_bytes(), tmp_path / "copy"))


def seconds_to_write(content, path):
    """How long the disk takes for these bytes."""
    started = time.perf_counter()
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return time.perf_counter() - started
