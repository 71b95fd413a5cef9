"""A family of another distribution gets every scheme, solver, check, plot and report."""

import json
import os
import subprocess
import sys

import pytest
from installing import install_example
from places import ROOT

EXAMPLE = ROOT / "examples" / "nqbench-dominoes"
TILINGS = {2: 2, 3: 0, 4: 36}
"""OEIS A004003 for even n; an odd board has an odd number of squares."""


@pytest.fixture(scope="module")
def nqbench(tmp_path_factory):
    """Runs a command where pip has installed the example, in one folder for all tests."""
    target = install_example(EXAMPLE, tmp_path_factory)
    folder = tmp_path_factory.mktemp("work")

    def call(*arguments, module="nqbench"):
        started = ["-m", module] if module else []
        return subprocess.run(
            [sys.executable, *started, *arguments],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(target)},
            capture_output=True,
            text=True,
        )

    call.folder = folder
    return call


def test_it_is_one_file_of_sixty_lines_and_one_line_that_registers_it():
    (code,) = EXAMPLE.glob("*.py")
    assert len(code.read_text().splitlines()) <= 60
    assert (EXAMPLE / "pyproject.toml").read_text().count("nqbench_dominoes:") == 1


def test_cover_and_rules_agree_and_every_encoding_allows_exactly_the_solutions(nqbench):
    code = """
from nqbench.problems.families.base import Family
from nqbench.testing import check_family
check_family(Family.named("dominoes"))
"""
    result = nqbench("-c", code, module=None)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("n", "encodings", "backends", "at_least"),
    [
        ("3,4", "all", "minisat22,cadical195,cryptominisat", (15, 3)),
        ("3,4", "pairwise", "all", (1, 15)),
    ],
)
def test_every_encoding_and_backend_finds_every_tiling(nqbench, n, encodings, backends, at_least):
    results = ("--results", f"{n} {encodings}")
    asked = f"--n {n} --encoding {encodings} --backend {backends} --task all --repeat 1 --no-plots"
    result = nqbench("run", "--family", "dominoes", *asked.split(), *results)
    assert result.returncode == 0, result.stderr
    exported = nqbench("export", "--format", "jsonl", *results).stdout
    records = [json.loads(line) for line in exported.splitlines()]
    assert {r["n"] for r in records} == set(map(int, n.split(",")))
    assert {r["outcome"] for r in records} == {"finished"}
    assert {r["verdict"] for r in records} == {"verified"}
    for record in records:
        found = record["solutions"] if record["answer"] == "sat" else 0
        assert found == TILINGS[record["n"]], record
    assert len({r["encoding"] for r in records}) >= at_least[0]
    assert len({r["backend"] for r in records}) >= at_least[1]


def test_its_runs_are_drawn_and_reported(nqbench):
    asked = "--family dominoes --n 3,4 --repeat 1 --encoding pairwise,product"
    result = nqbench("run", *asked.split(), "--backend", "minisat22,xcover", "--results", "some")
    assert result.returncode == 0, result.stderr
    page = (nqbench.folder / "some" / "report.html").read_text()
    assert "dominoes" in page
    assert "<svg" in page
    plots = {path.stem for path in (nqbench.folder / "some").rglob("*.png")}
    assert {"time-over-n", "total-over-n", "cactus", "sizes"} <= plots


def test_it_is_listed_counted_and_solved(nqbench):
    listed = json.loads(nqbench("list", "families", "--json").stdout)
    assert "dominoes" in {family["name"] for family in listed}
    assert nqbench("count", "--family", "dominoes", "--n", "6").stdout == "6728\n"
    assert nqbench("solve", "--family", "dominoes", "--n", "3").stdout == "unsatisfiable\n"
    assert len(nqbench("solve", "--family", "dominoes", "--n", "2").stdout.splitlines()) == 2
