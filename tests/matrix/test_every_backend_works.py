"""What is listed as working here works, on the command line and in Python."""

import json
import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner
from probes import probed_once

import nqbench
from nqbench.campaign.job import Job
from nqbench.cli.app import app
from nqbench.plugins import availability


def test_backends_are_listed_with_what_they_can_do(nqbench):
    """Without the faulty plugin, whose backends take long to try."""
    said = nqbench("list", "backends", "--json", plugin=False).stdout
    listed = {backend["name"]: backend for backend in json.loads(said)}
    glucose = listed["glucose4"]
    assert glucose["available"]
    assert glucose["version"].startswith("python-sat 1.9")
    assert glucose["takes"] == "cnf"
    assert glucose["capabilities"]["proof"]
    assert listed["minisat22"]["available"]
    assert listed["backtracking"]["takes"] == "csp"
    assert not listed["min-conflicts"]["capabilities"]["complete"]


def test_all_backends_are_those_that_work_and_the_others_are_counted(tmp_path):
    """Half of the solvers are hidden by an empty PATH and an environment without extras."""
    modules = "ortools", "constraint", "pycosat", "pycryptosat"
    hide = tmp_path / "sitecustomize.py"
    hide.write_text(f"import sys\nsys.modules |= dict.fromkeys({modules!r})\n")
    command = ["run", "--n", "4", "--backend", "all", "--repeat", "1", "--no-plots"]
    said = subprocess.run(
        [sys.executable, "-m", "nqbench", *command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert said.returncode == 0, said.stderr
    hidden = {"cp-sat", "constraint2", "pycosat", "cryptominisat", "minisat", "cadical"}
    (named, more), *_ = re.findall(r"left out (.*) and (\d+) more, which do not", said.stderr)
    left_out = set(named.split(", "))
    assert int(more) + len(left_out) >= len(hidden)
    rows = [line.split() for line in said.stdout.splitlines() if "1/1" in line or "0/1" in line]
    solved = {backend: share for _, backend, share, *_ in rows}
    assert not (left_out | hidden) & set(solved)
    assert {"glucose4", "pyeda", "backtracking", "construction"} <= set(solved)
    assert set(solved.values()) == {"1/1"}


class PlannedError(Exception):
    """Raised in place of measuring, with the job."""


def test_all_backends_are_those_that_the_command_line_takes(monkeypatch, tmp_path):
    def planned_only(job, *_, **__):
        raise PlannedError(job)

    monkeypatch.setattr(Job, "measure", planned_only)
    monkeypatch.setattr(availability, "_probed", probed_once)
    monkeypatch.chdir(tmp_path)
    asked = {"encodings": "pairwise", "backends": "all", "repeat": 1}
    with (
        pytest.warns(UserWarning, match="left out of 'all': .*: "),
        pytest.raises(PlannedError) as planned_here,
    ):
        nqbench.run(4, **asked)
    runs = planned_here.value.args[0].runs
    # A dry run names each combination.
    line = "run 4 --encoding pairwise --backend all --repeat 1 --dry-run"
    planned = CliRunner().invoke(app, line.split()).stdout
    named = set(re.findall(r"([\w-]+) x ([\w-]+)[,)]", planned))
    assert {(run.encoding, run.backend) for run in runs} == named
    assert ("pairwise", "minisat22") in named
    assert ("none", "cp-sat") in named or ("csp", "backtracking") in named


def test_list_names_what_is_there(nqbench):
    encodings = json.loads(nqbench("list", "encodings", "--n", 2, "--json", plugin=False).stdout)
    assert {"pairwise", "alo-row", "level1", "level2", "pyeda-onehot"} <= {
        entry["name"] for entry in encodings
    }
    assert "queens" in nqbench("list", "families").stdout
