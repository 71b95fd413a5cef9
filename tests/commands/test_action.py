"""The commands of the action work here, with its inputs in the environment as GitHub has them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from places import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}
CAMPAIGN = (
    "repeat = 1\n[[campaign]]\nn = '6..8'\nencoding = ['pairwise']\nbackend = ['minisat22']\n"
)


@pytest.fixture
def call(tmp_path):
    """Run a step with some inputs, the others at their defaults."""

    def run(step, python=sys.executable, **given):
        inputs = {name: stated.get("default", "") for name, stated in ACTION["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}

        def filled(text):
            found = text.replace("${{ github.action_path }}", "/the/action")
            return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda name: inputs[name[1]], found)

        stated = {name: filled(value) for name, value in STEPS[step]["env"].items()}
        files = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[step]["run"]],
            cwd=tmp_path,
            env=os.environ | {"PATH": path, "RUNNER_TEMP": str(tmp_path)} | files | stated,
            capture_output=True,
            text=True,
        )

    return run


@pytest.fixture(scope="module")
def measured(nqbench_in, tmp_path_factory):
    """The exports of a campaign as it is, and with 1 % more conflicts in its runs."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "campaign.toml").write_text(CAMPAIGN)
    nqbench = nqbench_in(folder)
    assert nqbench("run", "campaign.toml", "--no-plots", "--results", "old").returncode == 0
    lines = nqbench("export", "--format", "jsonl", "--results", "old").stdout.splitlines()
    (folder / "old.jsonl").write_text("\n".join(lines))
    rows = [json.loads(line) for line in lines]
    more = [row | {"conflicts": -(-101 * row["conflicts"] // 100)} for row in rows]
    (folder / "more.jsonl").write_text("\n".join(map(json.dumps, more)))
    return folder


def outputs(folder):
    return dict(line.split("=", 1) for line in (folder / "GITHUB_OUTPUT").read_text().splitlines())


def test_what_the_action_measures_passes_its_own_gate(call, measured, tmp_path):
    (tmp_path / "my campaign.toml").write_text(CAMPAIGN)
    done = call("Measure", run="'my campaign.toml'\n--repeat 1")
    assert done.returncode == 0, done.stderr
    done = call("Compare", old=str(measured / "old.jsonl"), run="-")
    assert done.returncode == 0, done.stdout + done.stderr
    assert outputs(tmp_path) == {"folder": str(tmp_path / "nqbench"), "failed": "false"}
    kept = {path.name: path.read_text() for path in (tmp_path / "nqbench").iterdir()}
    assert set(kept) == {"comparison.txt", "comparison.json", "records.csv", "benchmark.json"}
    assert json.loads(kept["comparison.json"])["gate"]["fail_on_change"]
    assert json.loads(kept["comparison.json"])["metric"] == "conflicts"
    assert json.loads(kept["benchmark.json"])[0]["unit"] == "conflicts"
    assert kept["records.csv"].count("\n") == 4
    assert "No size, hash, counter or answer changed in 3 common runs." in done.stdout
    summary = (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert summary == f"```text\n{kept['comparison.txt']}```\n"


@pytest.mark.parametrize(
    ("inputs", "status"),
    [
        ({}, 1),
        ({"fail_on_change": "false"}, 0),
        ({"where": "n > 99", "fail_above": "5%"}, 2),
        ({"fail_on_change": "True"}, 2),
    ],
)
def test_one_percent_of_the_conflicts_fails_it_by_default(call, measured, tmp_path, inputs, status):
    old, new = (str(measured / f"{name}.jsonl") for name in ("old", "more"))
    done = call("Compare", old=old, new=new, **inputs)
    assert done.returncode == status, done.stdout + done.stderr
    if "True" in inputs.values():
        assert done.stderr.endswith("write true or false\n")
    else:
        assert outputs(tmp_path)["failed"] == str(status != 0).lower()
        assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text().startswith("```text\n")


@pytest.mark.parametrize(
    ("inputs", "asked"),
    [
        ({}, "/the/action"),
        ({"extras": "kissat,cp-sat"}, "/the/action[kissat,cp-sat]"),
        ({"version": "0.3.0"}, "nqbench==0.3.0"),
        ({"version": "0.3.0", "extras": "kissat"}, "nqbench[kissat]==0.3.0"),
    ],
)
def test_it_installs_itself_or_a_release(call, tmp_path, inputs, asked):
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    done = call("Install nqbench", python=python, **inputs)
    assert done.stdout.split() == ["-m", "pip", "install", "--quiet", asked]
