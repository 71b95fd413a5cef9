"""Lists of families, encodings and backends, as kinds of values."""

from typing import Final

from nqbench.common.parsing import components
from nqbench.common.vocabulary import KEEP
from nqbench.plugins.loading import backend_names, encoding_names, family_names

FAMILIES: Final = components(family_names)
ENCODINGS: Final = components(encoding_names)
BACKENDS: Final = components(backend_names)
SCHEMES: Final = components(lambda: [KEEP, *encoding_names()])
"""At-most-one schemes of formulas."""
