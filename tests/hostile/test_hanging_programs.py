"""A program that hangs ends with its run."""

import os
import time
from pathlib import Path

import pytest
from lying_programs import lying_program, measured

from nqbench.common.vocabulary import Outcome
from nqbench.problems.queens import Queens

pytestmark = pytest.mark.usefixtures("faulty_plugin")


def test_a_program_that_hangs_dies_with_its_grandchild(tmp_path):
    path = lying_program(tmp_path, "hangs with a grandchild")
    record = measured(f"exe:{path}", Queens(6), time_s=2.0)
    assert record.outcome is Outcome.TIMEOUT
    grandchild = int(Path(f"{path}.grandchild").read_text())
    for _ in range(100):
        if not Path(f"/proc/{grandchild}").exists():
            return
        time.sleep(0.02)
    os.kill(grandchild, 9)
    raise AssertionError("the grandchild has outlived its run")
