"""Environments of tox that are not run by default work on a small scale."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from environments import SMALL, read
from places import ROOT


@pytest.mark.parametrize("name", SMALL)
def test_an_environment_works_in_small(name, tmp_path):
    """Its commands unchanged, with separate output files."""
    settings = tmp_path / "pyproject.toml"
    # A few tests cover few lines.
    settings.write_text((ROOT / "pyproject.toml").read_text().replace("fail_under = 95", ""))
    (tmp_path / "results" / "reference" / "campaign").mkdir(parents=True)

    def filled(text):
        values = {"env_tmp_dir": tmp_path, "toxinidir": tmp_path, "posargs": SMALL[name]}
        for place, value in values.items():
            text = text.replace(f"{{{place}}}", str(value))
        return text

    section = read()[f"testenv:{name}"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    for line in section.get("set_env", "").splitlines():
        variable, separator, value = line.partition("=")
        if separator:
            environment[variable.strip()] = filled(value.strip())
    for line in section["commands"].replace("\\\n", " ").strip().splitlines():
        done = subprocess.run(
            shlex.split(filled(line)),
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=3000,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
