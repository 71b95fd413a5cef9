"""Campaigns that come with nqbench: files of `campaign_file`, beside this one."""

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent

SUITES: Final = sorted(path.stem for path in _FOLDER.glob("*.toml"))


def path(name: str) -> Path:
    """The campaign file of a suite."""
    return _FOLDER / f"{name}.toml"
