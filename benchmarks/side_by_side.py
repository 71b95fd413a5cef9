"""The same programs run by nqbench and by BenchExec's run executor, without a container.

Imported by a small process, see `small.py`.
"""

import gc
import importlib
import logging
import os
import statistics
import subprocess
import time
from dataclasses import replace

from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.common.limits import Limits

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


def build(folder):
    """Compile the program, which does nothing without arguments; `spin SECONDS` uses CPU time,
    `fill BYTES` uses memory.
    """
    (folder / "work.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-o", folder / "work", folder / "work.c"], check=True)


def nqbench(_):
    """A worker that starts the program and waits for it."""

    def run(words, limits=GENEROUS):
        def call():
            subprocess.run(words, check=True)
            return b""

        started = time.perf_counter()
        ending = isolate.call(call, limits)
        return time.perf_counter() - started, ending.cpu_s, ending.peak_rss_bytes

    return run


def benchexec(log):
    """BenchExec's run executor."""
    from benchexec.runexecutor import RunExecutor  # noqa: PLC0415 - not in the process of the other

    logging.disable(logging.CRITICAL)
    executor = RunExecutor(use_namespaces=False)

    def run(words, limits=GENEROUS):
        started = time.perf_counter()
        found = executor.execute_run(
            [str(word) for word in words],
            log,
            walltimelimit=limits.time_s,
            memlimit=None if limits is GENEROUS else limits.memory_bytes,
        )
        wall_s = time.perf_counter() - started
        return wall_s, found.get("cputime", 0.0), int(found.get("memory", 0))

    return run


SIDES = {"nqbench": nqbench, "BenchExec": benchexec}


def examined(side, folder, rounds, times, spin_s):
    """Figures of one side, each a value and its unit, from `rounds` empty runs and `times` runs of
    everything else. The folder has the program and is writable for a log.
    """
    program, run = f"{folder}/work", SIDES[side](f"{folder}/log")
    nothing = [run([program])[0] for _ in range(rounds)]
    spun = [run([program, "spin", str(spin_s)]) for _ in range(times)]
    filled = [run([program, "fill", str(FILLED)])[2] for _ in range(times)]
    tight = replace(GENEROUS, memory_bytes=TIGHT)
    refused = [run([program, "fill", str(2 * TIGHT)], tight)[2] for _ in range(times)]
    hurried = replace(GENEROUS, time_s=spin_s / 2)
    stopped = [run([program, "spin", "30"], hurried)[0] for _ in range(times)]
    median = statistics.median
    return {
        "empty-program": (median(nothing), "s"),
        "cpu-time-error": (100 * (median(s[1] for s in spun) / spin_s - 1), "%"),
        "cost-beyond-cpu-time": (median(s[0] for s in spun) - spin_s, "s"),
        "peak-memory-error": (100 * (median(filled) / FILLED - 1), "%"),
        "memory-limit-overshoot": (max(0, 100 * (median(refused) / TIGHT - 1)), "%"),
        "time-limit-overshoot": (median(stopped) - spin_s / 2, "s"),
    }


def cost_of_a_call(rounds, held_bytes=0):
    """Seconds of a call without a program, which is the cost of running a library, from a
    process that holds this many bytes.
    """
    held = bytearray(held_bytes)
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        isolate.call(lambda: b"", GENEROUS)
        times.append(time.perf_counter() - started)
    del held
    return statistics.median(times)


def cost_of_a_fork(backend, rounds):
    """Seconds to fork a process with the libraries of a run, which ends at once, and to wait
    for it.
    """
    Backend.named(backend).prepare()
    importlib.import_module("nqbench.measure.server")
    gc.collect()
    gc.freeze()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        times.append(time.perf_counter() - started)
    return statistics.median(times)
