"""Truths from outside, and ways to call nqbench as a user does."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

collect_ignore = ["faulty"]


@pytest.fixture(scope="session")
def known_values():
    return json.loads((HERE / "data" / "known_values.json").read_text())


def solutions_by_permutation(n):
    """All solutions by the textbook argument: a permutation with 2n different diagonals."""
    for columns in itertools.permutations(range(n)):
        falling = {row - column for row, column in enumerate(columns)}
        rising = {row + column for row, column in enumerate(columns)}
        if len(falling) == len(rising) == n:
            yield tuple(enumerate(columns))


@pytest.fixture
def nqbench(tmp_path):
    """Run the command line in an empty folder, with the faulty plugin installed."""

    def call(*arguments, **options):
        environment = os.environ | {"PYTHONPATH": str(HERE / "faulty"), "NO_COLOR": "1"}
        return subprocess.run(
            [sys.executable, "-m", "nqbench", *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            **options,
        )

    return call
