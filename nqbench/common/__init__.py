"""Words and values: vocabulary, settings, limits, metrics, errors, files, parsing, units."""

from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parents[1]
"""The folder of nqbench, in a clone or an installation."""
