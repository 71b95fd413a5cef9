"""A copy of the project without some add-ons, in which tests and commands are run."""

import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.util import cache_from_source
from pathlib import Path

import without
from places import ROOT

PLUGINS = ("-p", "no:xdist", "-p", "no:benchmark", "-p", "no:cacheprovider")


def copy(names, folder):
    """Copy the project without these add-ons and those that stand on them."""
    missing = without.copy_without(names, folder)
    assert not any((folder / "nqbench" / "addons" / name).exists() for name in missing)
    install(folder)
    copy_compiled(folder)


def check(module, *words, folder):
    """Check that a module of Python succeeds in a copy."""
    usual = {each: value for each, value in os.environ.items() if "XDIST" not in each}
    done = subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=folder,
        env=usual | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]


def check_tests(*tests, folder):
    """Check that the tests of a copy are collected, and that those which are chosen succeed."""
    check("pytest", "-q", *PLUGINS, *tests, folder=folder)


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
