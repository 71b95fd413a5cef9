"""Ganak counts solutions; its wheel replaces a module of pycryptosat, which doctor reports."""

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def ganak(tmp_path_factory):
    """Ganak in a separate folder, since its wheel would overwrite the module of pycryptosat."""
    folder = tmp_path_factory.mktemp("ganak")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder]
    done = subprocess.run([*command, "pyganak"], capture_output=True, text=True)
    if "No matching distribution found" in done.stderr:
        pytest.skip(f"no wheel of pyganak for Python {sys.version_info[0]}.{sys.version_info[1]}")
    assert done.returncode == 0, done.stderr
    return folder


def with_ganak(ganak, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "nqbench", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(ganak)},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("encoding", ["pairwise", "product", "sorting-network", "order", "log"])
def test_ganak_counts_the_models_of_the_board(ganak, encoding):
    counted = with_ganak(ganak, "count", "--n", 7, "--ganak", "--encoding", encoding)
    assert counted.stdout == "40\n", counted.stderr


def test_ganak_is_not_asked_for_what_is_not_a_count_of_solutions(ganak):
    for encoding in ("level2", "pairwise:symmetry=half"):
        said = with_ganak(ganak, "count", "--n", 6, "--ganak", "--encoding", encoding)
        assert said.returncode == 2
        assert "are not exactly the solutions" in said.stderr


def test_the_doctor_sees_a_module_that_another_wheel_has_replaced(ganak):
    found = {f["subject"]: f for f in json.loads(with_ganak(ganak, "doctor", "--json").stdout)}
    assert found["pycryptosat of pycryptosat"]["level"] == "warning"
