"""Our runner beside BenchExec's run executor, on the same programs.

tox -e bench -- benchmarks/test_isolation.py

The programs are written in C: one does nothing, one computes for two seconds of CPU time, one fills
200 MiB. The executor runs without a container, and so does ours. What both say is compared with
what is true of these programs.
"""

import logging
import statistics
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from benchexec.runexecutor import RunExecutor
from rich.console import Console
from rich.table import Table

from nqbench import isolate
from nqbench.limits import Limits
from nqbench.plan.campaign import Campaign
from nqbench.problem import Problem
from nqbench.runner import measured

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **words) {
    if (count < 2) return 0;
    double amount = atof(words[2]);
    if (words[1][0] == 'f') {
        /* The last word is a formula; that of the probe has two clauses, and a model. */
        char line[80];
        FILE *formula = count > 3 ? fopen(words[3], "r") : NULL;
        if (formula && fgets(line, sizeof line, formula) && strstr(line, " 2 2")) {
            puts("s SATISFIABLE\nv 1 2 0");
            return 10;
        }
        char *kept = malloc((size_t)amount);
        memset(kept, 1, (size_t)amount);
        usleep(50000);
        if (kept[(size_t)amount / 2] != 1) return 1;
        if (formula) puts("s UNSATISFIABLE");
        return formula ? 20 : 0;
    }
    struct timespec now;
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while (now.tv_sec + now.tv_nsec * 1e-9 < amount);
    return 0;
}
"""
FILLED = 200 * 2**20
TIGHT = 2**28
GENEROUS = Limits(time_s=60.0)


class Ours:
    """A worker that starts the program and waits for it."""

    def run(self, words, limits=GENEROUS):
        def call():
            subprocess.run(words, check=True)
            return b""

        started = time.perf_counter()
        ending = isolate.call(call, limits)
        return time.perf_counter() - started, ending.cpu_s, ending.peak_rss_bytes


class Theirs:
    """BenchExec's run executor."""

    def __init__(self, log):
        logging.disable(logging.CRITICAL)
        self._executor = RunExecutor(use_namespaces=False)
        self._log = str(log)

    def run(self, words, limits=GENEROUS):
        started = time.perf_counter()
        found = self._executor.execute_run(
            [str(word) for word in words],
            self._log,
            walltimelimit=limits.time_s,
            memlimit=None if limits is GENEROUS else limits.memory_bytes,
        )
        wall_s = time.perf_counter() - started
        return wall_s, found.get("cputime", 0.0), int(found.get("memory", 0))


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    (folder / "work.c").write_text(SOURCE)
    command = ["gcc", "-O1", "-o", folder / "work", folder / "work.c"]
    subprocess.run(command, check=True)
    return str(folder / "work")


def median(values):
    return statistics.median(values)


def cost_of_a_call(rounds=100):
    """Milliseconds of a call without any program, which is what a run of a library costs."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        isolate.call(lambda: b"", GENEROUS)
        times.append(time.perf_counter() - started)
    return 1e3 * median(times)


def examined(side, program, rounds):
    """Figures of one side, by what they say."""
    nothing = [side.run([program])[0] for _ in range(rounds)]
    spun = [side.run([program, "spin", "2"]) for _ in range(3)]
    filled = [side.run([program, "fill", str(FILLED)])[2] for _ in range(3)]
    tight = replace(GENEROUS, memory_bytes=TIGHT)
    refused = [side.run([program, "fill", str(2 * TIGHT)], tight)[2] for _ in range(3)]
    stopped = [
        side.run([program, "spin", "30"], replace(GENEROUS, time_s=1.0))[0] for _ in range(3)
    ]
    return {
        "cost of a run that does nothing, ms": 1e3 * median(nothing),
        "2 s of CPU time: cost over them, ms": 1e3 * (median(s[0] for s in spun) - 2),
        "2 s of CPU time: error, %": 100 * (median(s[1] for s in spun) / 2 - 1),
        "200 MiB filled: error of the peak, %": 100 * (median(filled) / FILLED - 1),
        "256 MiB limit: overshoot, %": max(0, 100 * (median(refused) / TIGHT - 1)),
        "1 s limit: overshoot, s": median(stopped) - 1,
    }


def test_side_by_side(program, tmp_path):
    theirs = examined(Theirs(tmp_path / "log"), program, rounds=15)
    ours = examined(Ours(), program, rounds=50)
    call_ms = cost_of_a_call()
    table = Table("", "BenchExec", "nqbench")
    for what, figure in theirs.items():
        table.add_row(what, f"{figure:.3g}", f"{ours[what]:.3g}")
    Console(width=100).print("\n", table)
    trivial = "cost of a run that does nothing, ms"
    print(f"a call without a program: {call_ms:.2f} ms, {theirs[trivial] / call_ms:.0f} x less")
    print(f"a program: {theirs[trivial] / ours[trivial]:.0f} x less")


def test_the_peak_of_a_program_when_the_harness_itself_is_large(program):
    """What starts the workers is a small process of its own, however large this one is."""
    large = np.ones(2**30, dtype=np.uint8)
    solver = f"exe:{program} fill {FILLED}"
    runs = Campaign(
        problems=[Problem(3)], encodings=["pairwise"], backends=[solver], repeat=5
    ).runs()
    peaks = [record.peak_rss_bytes for record in measured(runs)]
    error = 100 * (median(peaks) / FILLED - 1)
    print(f"\n200 MiB filled, {large.nbytes / 2**30:.0f} GiB held here: {error:+.1f} %")


BARE = """
import time
from nqbench.plugins import load_backend, load_encoding
from nqbench.problem import Problem

solver = load_backend("cadical195").load(load_encoding("pairwise").clauses(Problem(80)))
started = time.perf_counter()
solver.solve()
print(time.perf_counter() - started)
"""


def test_recorded_solve_times_are_those_of_the_bare_call():
    """Pairs of the same solve, one after the other: in a script of its own, and recorded."""
    runs = Campaign(
        problems=[Problem(80)], encodings=["pairwise"], backends=["cadical195"], repeat=30
    ).runs()
    ratios, bare_times = [], []
    for run in runs:
        script = subprocess.run(
            [sys.executable, "-c", BARE], capture_output=True, text=True, check=True
        )
        bare_times.append(float(script.stdout))
        (record,) = measured([run])
        ratios.append(record.solve_s / bare_times[-1])
    print(f"\nbare {1e3 * median(bare_times):.0f} ms; recorded / bare: {median(ratios):.3f}")
