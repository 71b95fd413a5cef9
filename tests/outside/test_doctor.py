"""What doctor says of the solvers that are installed here."""

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


def test_the_doctor_sees_a_module_that_another_wheel_has_replaced(ganak):
    found = {f["subject"]: f for f in json.loads(with_ganak(ganak, "doctor", "--json").stdout)}
    assert found["pycryptosat of pycryptosat"]["level"] == "warning"


def test_the_doctor_says_what_works_and_what_spoils_timings(nqbench):
    asked = nqbench("doctor", "--json")
    found = {f["subject"]: f for f in json.loads(asked.stdout)}
    assert asked.returncode == 0
    assert found["python"]["level"] == "good", found["python"]
    assert {"harness", "machine", "backends", "proofs", "load", "frequency", "swap"} <= set(found)
    assert "no_such_module" in found["faulty-missing"]["message"]
    assert not any(" of " in subject for subject in found)
