"""Without an add-on, all other tests are collected, the structure is as it should be, and the main
job works. The workflow runs all tests that are left without each of them: `tox -e without`.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.util import cache_from_source
from pathlib import Path

import pytest
import without
from places import ROOT

RUN = (
    "test_structure or test_addons or test_plugin_face or test_help_imports"
    " or test_every_command_is_here or test_every_page_is_in_a_group"
)
"""What is run of all that is collected."""

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


@pytest.mark.parametrize("names", [*without.ADDONS, EVERY])
def test_the_rest_needs_no_add_on(tmp_path, names):
    """Plots and a page are made where all are missing: that takes as long as all else."""
    missing = without.copy_without(names.split(","), tmp_path)
    assert not any((tmp_path / "nqbench" / "addons" / name).exists() for name in missing)
    install(tmp_path)
    copy_compiled(tmp_path)
    usual = {each: value for each, value in os.environ.items() if "XDIST" not in each}
    here = usual | {"PYTHONPATH": str(tmp_path)}
    plugins = ("-p", "no:xdist", "-p", "no:benchmark", "-p", "no:cacheprovider")
    main_job = [*MAIN_JOB.split(), *(["--no-plots"] if names != EVERY else [])]
    for words in (["pytest", "-q", "-k", RUN, "tests", *plugins], ["nqbench", *main_job]):
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=tmp_path, env=here, capture_output=True, text=True
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    made = {path.name for path in (tmp_path / "main-job").iterdir()}
    assert made >= {"nqbench.db", *(["report.html"] if names == EVERY else [])}
