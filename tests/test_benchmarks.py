"""Every benchmark works at its smallest size with the distributions of the extra `bench`."""

import os
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks"


@cache
def installed_by(extra):
    """The distributions that pip installs for an extra of nqbench, by their metadata here."""
    found, asked = set(), [("nqbench", extra), ("nqbench", "")]
    while asked:
        name, wanted = asked.pop()
        if (name, wanted) in found:
            continue
        found.add((name, wanted))
        for line in requires(name) or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": wanted}):
                needed = canonicalize_name(requirement.name)
                asked += [(needed, each) for each in ("", *requirement.extras)]
    return {name for name, _ in found}


BLOCK = """
import sys

BLOCKED = {blocked!r}


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in BLOCKED:
            raise ModuleNotFoundError(f"No module named '{{name}}'", name=name)


sys.meta_path.insert(0, Finder)
"""


def not_installed_by(extra):
    """The installed modules that belong to other distributions."""
    allowed = {*installed_by(extra), "pip"}
    return sorted(
        module
        for module, owners in packages_distributions().items()
        if not allowed & {canonicalize_name(owner) for owner in owners}
    )


@pytest.fixture(scope="module")
def as_with_extra(tmp_path_factory):
    """An environment in which Python and its children can import only what the extra `bench`
    installs.
    """
    folder = tmp_path_factory.mktemp("site")
    (folder / "sitecustomize.py").write_text(BLOCK.format(blocked=not_installed_by("bench")))
    return os.environ | {"PYTHONPATH": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("test_*.py")), ids=lambda path: path.stem)
def test_every_benchmark_works_in_small_with_what_its_extra_installs(path, as_with_extra):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", path, "--smallest"),
            *("-p", "pytest_benchmark.plugin", "-p", "no:cacheprovider"),
        ],
        cwd=ROOT,
        env=as_with_extra,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout.splitlines()[-1]


def test_a_module_that_is_missing_is_named(as_with_extra, tmp_path):
    """No warning of pytest-benchmark hides the name."""
    (tmp_path / "conftest.py").write_text((FOLDER / "conftest.py").read_text())
    (tmp_path / "test_missing.py").write_text("import no_such_module\n")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", tmp_path, "-c", ROOT / "pyproject.toml"),
            *("--benchmark-json", tmp_path / "out.json", "-p", "pytest_benchmark.plugin"),
        ],
        env=as_with_extra,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "No module named 'no_such_module'" in done.stdout
