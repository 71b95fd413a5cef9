"""Folders that tests read."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
CSPLIB = DATA / "csplib079"
FAULTY = ROOT / "tests" / "helpers" / "faulty"
LIES = ROOT / "tests" / "helpers" / "lies"
REFERENCE = ROOT / "results" / "reference"
