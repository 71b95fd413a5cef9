"""Mutation testing: puts about a thousand small mistakes into each module that judges or counts,
one at a time, and checks whether the module's tests find them.

    tox -e mutation [-- [--most N] MODULE ...]

Mistakes are made in copies of the last commit. Prints those that were not found, then a line per
module. Fails if fewer than 85 % were found in a module.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkItem, WorkResult

ROOT = Path(__file__).parents[1]

LEAST = 0.85

STATISTICS = "tests/unit/test_statistics.py tests/unit/test_summary.py tests/unit/test_machines.py"

MODULES = {
    "problems/queens": "tests/unit/test_problem.py tests/unit/test_verify.py",
    "clauses/cnf": "tests/unit/test_cnf.py tests/unit/test_verify.py tests/unit/test_cache.py",
    "checking/verify": "tests/unit/test_verify.py tests/unit/test_stream.py",
    "common/limits": (
        "tests/unit/test_limits.py tests/unit/test_work_limits.py tests/unit/test_isolate.py "
        "tests/hostile/test_isolate_memory.py"
    ),
    "summary/intervals": f"{STATISTICS} tests/unit/test_mean_ratio.py",
    "summary/comparisons": STATISTICS,
    "summary/paired": "tests/unit/test_paired.py",
    "summary/power": "tests/unit/test_paired.py tests/unit/test_findings.py",
    "summary/observed": f"{STATISTICS} tests/unit/test_metrics.py tests/unit/test_work_limits.py",
    "summary/overview": STATISTICS,
    "summary/portfolio": STATISTICS,
    "summary/scaling": STATISTICS,
    "summary/stability": "tests/unit/test_stability.py",
    "summary/series": STATISTICS,
}
"""Each module, with the tests that should find mistakes in it."""

PYTEST = "-m pytest --doctest-modules -p _hypothesis_pytestplugin --hypothesis-seed=0 -x -q"

CONFIG = """
[cosmic-ray]
module-path = "nqbench/{module}.py"
timeout = 60.0
excluded-modules = []
test-command = "{python} {pytest} nqbench/{module}.py {tests}"

[cosmic-ray.distributor]
name = "local"

# `|` is between types here, with one exception. Wrong types are found without a test. Small
# numbers and members of an enum that are equal are the same object: nothing could find that.
[cosmic-ray.filters.operators-filter]
exclude-operators = [
    "core/ReplaceBinaryOperator_BitOr_.*",
    "core/ReplaceComparisonOperator_Eq_Is$",
    "core/ReplaceComparisonOperator_NotEq_IsNot$",
]
"""


def main(folder: Path, modules: list[str], most: int | None) -> int:
    """Mutate copies in this folder, two modules at a time. Returns the exit status."""
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as two:
        sessions = list(two.map(lambda module: session(folder, module, most), modules))
    good = True
    for module, path in zip(modules, sessions, strict=True):
        with use_db(path, WorkDB.Mode.open) as database:
            outcomes = [
                result for _, result in database.completed_work_items if result.test_outcome
            ]
        survived = [result for result in outcomes if result.test_outcome is TestOutcome.SURVIVED]
        for result in survived:
            print(*(line for line in result.diff.splitlines() if line[:1] in set("+-@")), sep="\n")
        killed = len(outcomes) - len(survived)
        good = good and killed >= LEAST * len(outcomes)
        print(f"{module}: {killed} of {len(outcomes)} found", flush=True)
    return 0 if good else 1


def session(folder: Path, module: str, most: int | None) -> Path:
    """Put up to `most` mistakes into a copy of one module, and run its tests on each."""
    name = module.replace("/", "-")
    clone, config, path = (folder / f"{name}{end}" for end in ("", ".toml", ".sqlite"))
    config.write_text(
        CONFIG.format(module=module, python=sys.executable, pytest=PYTEST, tests=MODULES[module])
    )
    step("git", "clone", "--quiet", ROOT, clone, folder=folder)
    step("cosmic-ray", "baseline", config, folder=clone)
    step("cosmic-ray", "init", config, path, folder=clone)
    step("cr-filter-operators", path, config, folder=clone)
    if most is not None:
        with use_db(path, WorkDB.Mode.open) as database:
            items = sorted(database.pending_work_items, key=where)
            kept = items[len(items) // 2 :: max(1, len(items) // (2 * most))][:most]
            for item in items:
                if item not in kept:
                    database.set_result(item.job_id, WorkResult(WorkerOutcome.SKIPPED))
    step("cosmic-ray", "exec", config, path, folder=clone)
    return path


def where(item: WorkItem) -> list[tuple[tuple[int, int], str, int]]:
    """The key of a mistake for sorting: the same mistakes always come first."""
    return [(m.start_pos, m.operator_name, m.occurrence) for m in item.mutations]


def step(*command: object, folder: Path) -> None:
    # Loading pytest plugins that these tests do not need would take a third of the time.
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run([str(word) for word in command], cwd=folder, env=environment, check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="[all]")
    parser.add_argument("--most", type=int, metavar="N", help="mistakes of each module [all]")
    asked = parser.parse_intermixed_args()
    sys.exit(main(asked.folder, asked.modules or list(MODULES), asked.most))
