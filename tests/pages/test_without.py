"""Without some add-ons, the tests of the others are collected, and each of these is whole. Without
all of them, all tests of the core are collected, the structure is as it should be, and the main job
works. The workflow runs all tests that are left without each add-on: `tox -e without`.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.util import cache_from_source
from itertools import combinations
from pathlib import Path

import pytest
import without
from places import ROOT

OF_ADDONS = (
    *("-k", "test_addons or test_every_command_is_here"),
    *("tests/addons", "tests/project/test_addons.py", "tests/commands/test_each_command.py"),
)
"""What is collected and what is run of it if an add-on may need another one."""

OF_ALL = (
    "-k",
    "test_structure or test_addons or test_plugin_face or test_help_imports"
    " or test_every_command_is_here or test_every_page_is_in_a_group",
    "tests",
)
"""The same if the core may need an add-on."""

EVERY = ",".join(without.ADDONS)
MAIN_JOB = "--n 4,5 --repeat 1 --encoding pairwise --backend minisat22 --results main-job"


def install(folder):
    """Let Python find the copy in its folder before this checkout, with its own entry points."""
    for library in (ROOT / "nqbench").rglob("*.so"):
        shutil.copy(library, folder / library.relative_to(ROOT))
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    metadata = folder / "nqbench-0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: nqbench\nVersion: {version('nqbench')}\n"
    )


def copy_compiled(folder):
    """Copy what Python and pytest have compiled of the same files, to compile it takes longer than
    all else.
    """
    for path in folder.rglob("*.py"):
        compiled = Path(cache_from_source(ROOT / path.relative_to(folder)))
        for file in compiled.parent.glob(f"{path.stem}.*.pyc"):
            target = folder / file.relative_to(ROOT)
            target.parent.mkdir(exist_ok=True)
            shutil.copy(file, target)


def covering():
    """Few groups of add-ons, such that each add-on is missing where any other one is left, unless
    that one stands on it.
    """
    names = without.ADDONS
    halves = combinations(names, len(names) // 2)
    groups = [frozenset(without.all_to_delete(half)) for half in halves]

    def pairs(missing):
        return {(gone, left) for gone in missing for left in {*names} - missing}

    open_pairs, chosen = set().union(*map(pairs, groups)), []
    while open_pairs:
        chosen.append(max(groups, key=lambda group: len(pairs(group) & open_pairs)))
        open_pairs -= pairs(chosen[-1])
    return [",".join(sorted(group)) for group in chosen]


@pytest.mark.parametrize("names", [EVERY, *covering()])
def test_the_rest_needs_no_add_on(tmp_path, names):
    missing = without.copy_without(names.split(","), tmp_path)
    assert not any((tmp_path / "nqbench" / "addons" / name).exists() for name in missing)
    install(tmp_path)
    copy_compiled(tmp_path)
    usual = {each: value for each, value in os.environ.items() if "XDIST" not in each}
    here = usual | {"PYTHONPATH": str(tmp_path)}
    plugins = ("-p", "no:xdist", "-p", "no:benchmark", "-p", "no:cacheprovider")
    tests = ["pytest", "-q", *plugins, *(OF_ALL if names == EVERY else OF_ADDONS)]
    main_job = [["nqbench", *MAIN_JOB.split()]] if names == EVERY else []
    for words in (tests, *main_job):
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=tmp_path, env=here, capture_output=True, text=True
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    if names == EVERY:
        made = {path.name for path in (tmp_path / "main-job").iterdir()}
        assert made >= {"nqbench.db", "report.html"}
