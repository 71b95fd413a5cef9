"""Without add-ons, all tests of the core are collected, and its structure is as it should be. The
workflow runs all tests that are left without each of them: `tox -e without`.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version

import without
from places import ROOT

RUN = (
    "test_structure or test_addons or test_plugin_face or test_help_imports"
    " or test_every_command_is_here"
)
"""What is run of all that is collected."""


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


def test_the_tests_of_the_core_need_no_add_on(tmp_path):
    assert without.copy_without(without.ADDONS, tmp_path) == without.ADDONS
    install(tmp_path)
    usual = {each: value for each, value in os.environ.items() if "XDIST" not in each}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-k", RUN, "tests"),
            *("-p", "no:xdist", "-p", "no:benchmark", "-p", "no:cacheprovider"),
        ],
        cwd=tmp_path,
        env=usual | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:]
