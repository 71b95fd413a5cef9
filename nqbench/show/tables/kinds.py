"""The tables of `nqbench summary` by their names. Each is declared in a module of this package."""

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Final

from nqbench.show.tables.kind import DECLARED, Kind

for _module in pkgutil.iter_modules([str(Path(__file__).parent)], f"{__package__}."):
    if _module.name != __name__:
        import_module(_module.name)

KINDS: Final[dict[str, Kind]] = {
    kind.name: kind for kind in sorted(DECLARED, key=lambda kind: kind.place)
}
