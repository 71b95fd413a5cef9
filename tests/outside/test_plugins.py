"""The example distribution, installed with pip, and broken plugins."""

import json
import os
import subprocess
import sys

import pytest
from addons import needs_addon
from installing import install_example
from places import ROOT

EXAMPLE = ROOT / "examples" / "nqbench-example"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return install_example(EXAMPLE, tmp_path_factory)


@pytest.fixture
def python(installed, tmp_path):
    def call(*arguments):
        environment = os.environ | {"PYTHONPATH": str(installed)}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )

    return call


def test_the_example_passes_the_conformance_checks(python):
    code = """
from nqbench.backends.base import Backend
from nqbench.encodings.base import Encoding
from nqbench.testing import check_at_most_one, check_backend, check_encoding
for name in ("triangle", "triangle:first=1", "triangle:first=2:state=rows"):
    check_encoding(Encoding.named(name))
    for k in range(1, 8):
        check_at_most_one(Encoding.named(name), k)
check_backend(Backend.named("dpll"))
"""
    result = python("-c", code)
    assert result.returncode == 0, result.stderr


def test_the_example_runs_beside_the_built_ins(python, tmp_path):
    arguments = "--n 3..6 --encoding triangle,pairwise --backend dpll,minisat22 --repeat 1"
    result = python("-m", "nqbench", *arguments.split(), "--no-plots")
    assert result.returncode == 0, result.stderr
    exported = python("-m", "nqbench", "export", "--format", "jsonl").stdout
    records = [json.loads(line) for line in exported.splitlines()]
    assert len(records) == 16
    assert {record["verdict"] for record in records} == {"verified"}
    assert {r["backend_version"] for r in records if r["backend"] == "dpll"} == {
        "nqbench-example 1.0"
    }


def test_the_example_is_listed(python):
    listed = json.loads(python("-m", "nqbench", "list", "encodings", "--n", "8", "--json").stdout)
    (triangle,) = [entry for entry in listed if entry["name"] == "triangle"]
    assert triangle["variables"] == 64 + 16 + 22
    assert triangle["parameters"].startswith("first=3")


def test_a_broken_plugin_is_named_and_the_rest_goes_on(nqbench):
    encodings = "faulty-literal,faulty-rules,pairwise"
    backends = "faulty-import,minisat22"
    result = nqbench(
        "--n", 6, "--repeat", 1, "--encoding", encodings, "--backend", backends, "--no-plots"
    )
    assert result.returncode == 1
    assert "'faulty-import' cannot be loaded: RuntimeError: this module cannot be" in result.stderr
    assert "crash: queens n=6 faulty-literal minisat22: while encoding" in result.stderr
    assert "wrong answer: queens n=6 faulty-rules minisat22" in result.stderr
    (line,) = [x for x in result.stdout.splitlines() if x.split()[:2] == ["pairwise", "minisat22"]]
    assert "1/1" in line


def test_a_broken_encoding_is_listed_with_its_fault(nqbench):
    listed = json.loads(nqbench("list", "encodings", "--n", 2, "--json").stdout)
    faults = {entry["name"]: entry["reference"] for entry in listed}
    assert "a literal is 0 or beyond" in faults["faulty-literal"]
    assert "C. Sinz" in faults["sequential"]


@needs_addon("teaching")
def test_a_backend_that_cannot_do_what_it_says_is_named_in_one_line(nqbench):
    watched = nqbench("watch", "--n", 5, "--backend", "faulty-braggart")
    assert (watched.returncode, watched.stdout) == (1, "")
    assert watched.stderr == "nqbench: Braggart does not implement steps()\n"
    solved = nqbench("solve", "--n", 5, "--all", "--backend", "faulty-braggart")
    assert solved.returncode == 1
    assert "Braggart does not implement models()" in solved.stderr
    assert solved.stderr.count("\n") == 1


def test_a_name_that_two_distributions_bring_is_unavailable(nqbench, tmp_path):
    metadata = tmp_path / "twin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: twin\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[nqbench.backends]\nminisat22 = faulty:Sleeps\n")
    told = nqbench("run", "--n", 4, "--backend", "minisat22,pyeda", "--no-plots")
    assert told.returncode == 1
    assert "'minisat22' is provided by nqbench and twin: uninstall one of them" in told.stderr


def test_a_plugin_is_known_by_its_own_version(python):
    code = """
from nqbench.backends.base import Backend
from nqbench.encodings.base import Encoding
for component in (Encoding.named("triangle"), Backend.named("dpll"), Backend.named("pyeda")):
    print(component.version)
"""
    first, second, third = python("-c", code).stdout.splitlines()
    assert (first, second) == ("nqbench-example 1.0", "nqbench-example 1.0")
    assert third.startswith("pyeda ")
