"""How nqbench itself is installed: its compiled modules, and whether another copy is imported."""

import importlib.util
from importlib import metadata
from pathlib import Path
from typing import Final

from nqbench.common import PACKAGE
from nqbench.common.machine import builds as machine_builds
from nqbench.common.machine.builds import Build

COMPILED: Final = (
    "nqbench.backends._direct",
    "nqbench.checking._core",
    "nqbench.checking._elaborate",
)
"""The compiled modules, which are optional."""


def compiled() -> list[Path]:
    """The compiled modules that Python imports here."""
    specs = map(importlib.util.find_spec, COMPILED)
    return [Path(spec.origin) for spec in specs if spec and spec.origin]


def builds() -> list[Build]:
    """What is known of the machine code of nqbench itself."""
    return machine_builds.of(compiled())


def why_shadowed() -> str | None:
    """Why compiled modules are installed but not used, and what to do, in one line; None if that is
    not so.

    Started as `python -m nqbench`, Python imports the package in the current folder if there is
    one. In a clone, that is the source.
    """
    if compiled():
        return None
    source = PACKAGE.resolve()
    for copy in metadata.distributions(name="nqbench"):
        for file in copy.files or ():
            path = Path(str(copy.locate_file(file))).resolve()
            if path.suffix == ".so" and not path.is_relative_to(source) and path.exists():
                return (
                    f"Python imports the source in {source}, which is not compiled, in place of "
                    f"the package installed in {path.parents[1]}: start `nqbench` instead of "
                    "`python -m nqbench`, or install the source with pip install -e "
                    f"{source.parent}"
                )
    return None
