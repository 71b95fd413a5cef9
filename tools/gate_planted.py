"""Run the action in a clone with two commits again and again, and count how often its gate trips.

    python tools/gate_planted.py 20               all kinds
    python tools/gate_planted.py 20 time --busy 4 beside four busy processes

The second commit changes nothing but a comment, takes 30 % longer at each conflict, or has about
10 % more conflicts. The steps of `action.yml` are run in bash, with `old: git:.@HEAD~1`. Builds are
shared, runs are not. Prints a line for each kind: how often the gate tripped.
"""

import argparse
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from action_job import Job
from solver_history import RECIPE, SOLVER, Constants

FORMULAS = 12
SIZES = {"time": (60, 270), "conflicts": (44, 200)}
"""Variables and clauses of the formulas, whose solver has hundreds or about a hundred conflicts."""

SECONDS = Constants()
CONFLICTS = Constants(idle=0)
KINDS = {
    "time, nothing changed": (SECONDS, SECONDS),
    "time, 30 % more": (SECONDS, replace(SECONDS, idle=int(1.3 * SECONDS.idle))),
    "conflicts, nothing changed": (CONFLICTS, CONFLICTS),
    "conflicts, 10 % more": (CONFLICTS, replace(CONFLICTS, again=10)),
}
"""The constants of the solver before and after."""

GATES = {
    "time": {"metric": "cpu_s", "fail_above": "10%", "run": "--cnf formulas --repeat 2"},
    "conflicts": {"metric": "conflicts", "fail_above": "5%", "run": "--cnf formulas --repeat 1"},
}


def clone(folder, before, after, size):
    """A clone with these two commits of the solver, and formulas beside it."""
    origin, here = folder / "origin", folder / "solver"
    origin.mkdir(parents=True)
    git(origin, "init", "--quiet", "--initial-branch=main")
    for number, constants in enumerate((before, after)):
        (origin / "solver.c").write_text(SOLVER)
        (origin / "constants.h").write_text(f"/* {number} */\n{constants.header}")
        git(origin, "add", ".")
        git(origin, "commit", "--quiet", "-m", f"Commit {number}")
    git(folder, "clone", "--quiet", "--depth", "2", f"file://{origin}", str(here))
    (here / "nqbench-build.toml").write_text(RECIPE)
    (here / "formulas").mkdir()
    for seed in range(FORMULAS):
        (here / "formulas" / f"{seed}.cnf").write_text(formula(random.Random(seed), *size))
    return here


def formula(source, variables, clauses):
    """A random formula with three literals in each clause."""
    rows = (source.sample(range(1, variables + 1), 3) for _ in range(clauses))
    lines = (" ".join(str(source.choice((v, -v))) for v in row) for row in rows)
    return f"p cnf {variables} {clauses}\n" + "".join(f"{line} 0\n" for line in lines)


def git(folder, *arguments):
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True)


def try_often(kind, times, folder):
    """Print how often the gate tripped after a change of this kind."""
    metric = kind.partition(",")[0]
    here = clone(folder / kind.replace(" ", "-"), *KINDS[kind], SIZES[metric])
    gate = GATES[metric]
    trips, ratios, started = 0, [], time.monotonic()
    for _ in range(times):
        job = Job(here, old="git:.@HEAD~1", fail_on_change="false", **gate).run()
        document = json.loads(job.kept["comparison.json"])
        trips += document["gate"]["failed"]
        ratios += [row["typical_ratio"] for row in document["ratios"]]
        shutil.rmtree(here / "nqbench-results")
        shutil.rmtree(here / "nqbench")
    took_s = (time.monotonic() - started) / times
    print(
        f"{kind}: {trips} of {times} tripped, ratios {min(ratios):.3f} to {max(ratios):.3f}, "
        f"{took_s:.0f} s each",
        flush=True,
    )


def be_busy():
    while True:
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("times", type=int)
    parser.add_argument("kinds", nargs="*", choices=[*GATES, []], default=[])
    parser.add_argument("--busy", type=int, default=0, help="processes that keep cores busy")
    given = parser.parse_args()
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    busy = [multiprocessing.Process(target=be_busy, daemon=True) for _ in range(given.busy)]
    for process in busy:
        process.start()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NQBENCH_BUILDS"] = str(Path(folder) / "builds")
        for kind in KINDS:
            if kind.partition(",")[0] in (given.kinds or GATES):
                try_often(kind, given.times, Path(folder))


if __name__ == "__main__":
    main()
