"""Campaigns that come with nqbench: files of `campaign_file`, beside this one."""

from pathlib import Path
from typing import Final

SUITES: Final = ("hard", "reference")


def path(name: str) -> Path:
    """The campaign file of a suite."""
    return Path(__file__).with_name(f"{name}.toml")
