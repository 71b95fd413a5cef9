"""The whole main job beside the phases of its runs, and where its time goes.

tox -e bench -- benchmarks/test_main_job.py
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

import nqbench


def main_job(program, results, scaled):
    asked = scaled(("--n", "4..30"), ("--n", "4", "--no-plots"))
    words = ["run", *asked, "--fresh", "--quiet", "--results", str(results)]
    started = time.monotonic()
    subprocess.run([sys.executable, *program, *words], check=True)
    return time.monotonic() - started


def phases(records):
    """The seconds of all runs, and of the encodings that they share."""
    runs = records.select("load_s", "solve_s", "decode_s").sum_horizontal().sum()
    return runs + records.unique(["encoding", "n", "instance"])["encode_s"].sum()


def test_the_whole_command(figure, tmp_path, scaled):
    """The command does everything else too: start, fork, check, store, draw."""
    rounds = scaled(5, 1)
    took, own = [], []
    for _ in range(rounds):
        took.append(main_job(["-m", "nqbench"], tmp_path, scaled))
        own.append(phases(nqbench.read(tmp_path)))
    figure("main-job/whole", statistics.median(took), "s")
    figure("main-job/phases", statistics.median(own), "s")


def test_where_the_time_goes(tmp_path, scaled):
    program = [str(Path(__file__).with_name("where_time_goes.py"))]
    main_job(program, tmp_path, scaled)
