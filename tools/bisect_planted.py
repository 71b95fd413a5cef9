"""Bisect a history with planted changes again and again, and count how often it is right.

    python tools/bisect_planted.py 20                    all kinds
    python tools/bisect_planted.py 20 time --busy 4      beside four busy processes

The history has 40 commits and is that of `tests/helpers/solver_history.py`. Builds are shared, runs
are not. Prints a line for each kind: how often the planted commit was found, and the runs it took.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from solver_history import PLANTED, RECIPE, History

import nqbench

PROBLEMS = {"time": "8", "conflicts": "8", "answer": "6", "crash": "7"}


def be_busy():
    while True:
        pass


def bisect_often(kind, times, history):
    """Print how often the planted commit of a kind was found."""
    right, runs, started = 0, [], time.monotonic()
    for _ in range(times):
        found = nqbench.bisect(
            history.digits[1],
            history.digits[40],
            PROBLEMS[kind],
            backend=f"git:{history.path}",
            by=kind,
            progress=False,
        )
        is_right = found.commit is not None and found.commit.digits == history.digits[PLANTED[kind]]
        right += is_right
        runs.append(found.runs)
        if not is_right:
            print(f"{kind}: not found: {found}", flush=True)
    took_s = (time.monotonic() - started) / times
    print(
        f"{kind}: {right} of {times} right, {min(runs)} to {max(runs)} runs, {took_s:.0f} s each",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("times", type=int)
    parser.add_argument("kinds", nargs="*", choices=[*PROBLEMS, []], default=[])
    parser.add_argument("--busy", type=int, default=0, help="processes that keep cores busy")
    asked = parser.parse_args()
    busy = [multiprocessing.Process(target=be_busy, daemon=True) for _ in range(asked.busy)]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["NQBENCH_BUILDS"] = str(Path(folder) / "builds")
        Path("nqbench-build.toml").write_text(RECIPE)
        history = History(Path(folder) / "solver")
        for process in busy:
            process.start()
        for kind in asked.kinds or PROBLEMS:
            bisect_often(kind, asked.times, history)
        for process in busy:
            process.terminate()


if __name__ == "__main__":
    main()
