"""Every benchmark works at its smallest size with the distributions of the extra `bench`."""

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions, requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from places import ROOT

FOLDER = ROOT / "benchmarks"
BENCHMARKS = sorted(FOLDER.glob("test_*.py"))
GROUPS = [BENCHMARKS[start::2] for start in range(2)]
"""The files that one process runs, since starting it takes longer than most benchmarks in small."""
FIGURES = ROOT / "results" / "reference" / "benchmarks.json"


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
    # In a process of pytest-xdist, pytest-benchmark measures nothing.
    usual = {name: value for name, value in os.environ.items() if "XDIST" not in name}
    return usual | {"PYTHONPATH": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def figures_of(path, content):
    """The name, unit and mark of each figure that a file of benchmarks gives."""
    return {
        (name, figure["unit"], figure["on_request"])
        for name, figure in content["figures"].items()
        if figure["benchmark"] == f"benchmarks/{path.name}"
    }


@pytest.mark.parametrize("paths", GROUPS, ids=lambda paths: "-".join(path.stem for path in paths))
def test_every_benchmark_works_in_small_with_what_its_extra_installs(
    paths, as_with_extra, tmp_path
):
    """Each file gives the figures that `results/reference/benchmarks.json` has of it, and no
    others.
    """
    named = tmp_path / "figures.json"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", *paths, "--smallest", "--figures", named),
            *("-p", "pytest_benchmark.plugin", "-p", "no:cacheprovider"),
        ],
        cwd=ROOT,
        env=as_with_extra,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout.splitlines()[-1]
    given = json.loads(named.read_text())
    for path in paths:
        assert figures_of(path, json.loads(FIGURES.read_text())) == figures_of(path, given)


def test_every_figure_is_of_a_benchmark():
    files = {each["benchmark"] for each in json.loads(FIGURES.read_text())["figures"].values()}
    assert files <= {f"benchmarks/{path.name}" for path in BENCHMARKS}


def test_a_module_that_is_missing_is_named(as_with_extra, tmp_path):
    """No warning of pytest-benchmark hides the name."""
    done = benchmarked("import no_such_module\n", tmp_path, as_with_extra)
    assert done.returncode == 2
    assert "No module named 'no_such_module'" in done.stdout


def benchmarked(code, folder, environment, *options):
    """Run a file of benchmarks beside a copy of what these share."""
    for shared in ("commands.py", "conftest.py", "figures.py"):
        shutil.copy(FOLDER / shared, folder)
    (folder / "test_some.py").write_text(code)
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", folder, "-c", ROOT / "pyproject.toml"),
            *("--benchmark-json", folder / "out.json", "-p", "pytest_benchmark.plugin", *options),
        ],
        env=environment,
        capture_output=True,
        text=True,
    )


SOME = """
import pytest

def test_first(figure):
    figure("first", 1.23456, "s")

def test_second(figure):
    figure("second", 2, "conflicts")
    figure("absent", None, "s")

@pytest.mark.on_request
def test_third(figure):
    figure("third", 3.0, "x")
"""


def test_figures_are_renewed_where_their_benchmark_ran_and_all_tests_passed(
    as_with_extra, tmp_path
):
    file = tmp_path / "figures.json"

    def values(*options, code=SOME):
        done = benchmarked(code, tmp_path, as_with_extra, f"--figures={file}", *options)
        content = json.loads(file.read_text())
        environments = {each["environment"] for each in content["figures"].values()}
        assert set(content["environments"]) == environments
        return {name: each["value"] for name, each in content["figures"].items()}, done.stdout

    assert values()[0] == {"first": 1.235, "second": 2}
    assert values("--on-request", "-k", "third")[0] == {"first": 1.235, "second": 2, "third": 3.0}
    other = SOME.replace("2, ", "5, ").replace("1.2", "9.2")
    renewed = {"first": 1.235, "second": 5, "third": 3.0}
    assert values("-k", "second", code=other)[0] == renewed
    unchanged, said = values("--on-request", code=other + "    assert False\n")
    assert unchanged == renewed
    assert "is unchanged: not all tests passed" in said
    unchanged, said = values("--smallest", code=other)
    assert unchanged == renewed
    assert "is unchanged: figures of --smallest mean nothing" in said
    file.unlink()
    assert values("--smallest")[0] == dict.fromkeys(["first", "second", "absent", "third"])


SIDES = """
import pytest

@pytest.mark.parametrize("side", ["nqbench", "peer"])
def test_some(benchmark, side_of, side):
    benchmark.pedantic(sum, args=(range(10 if side == "nqbench" else 100_000),), rounds=3)
    side_of("sum", side)
"""


def test_two_sides_are_a_figure_and_one_is_none(as_with_extra, tmp_path):
    file = tmp_path / "figures.json"
    benchmarked(SIDES, tmp_path, as_with_extra, f"--figures={file}", "-k", "peer")
    assert not file.exists()
    benchmarked(SIDES, tmp_path, as_with_extra, f"--figures={file}")
    (figure,) = json.loads(file.read_text())["figures"].values()
    assert figure["value"] > 1
    assert figure["unit"] == "x"
