"""What encodings and backends have in common: a name with parameters, and a library behind it."""

import importlib
from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import ClassVar

from nqbench.components import install
from nqbench.components.parameters import Parameter, canonical_name, parse_name
from nqbench.errors import UnavailableError


class Component:
    """Named by the user, found through an entry point, and standing on a library."""

    distribution: ClassVar[str] = "nqbench"
    """The installed distribution of the library behind this."""

    build: ClassVar[install.Build | None] = None
    """How pip has to compile the distribution; None where it has a wheel."""

    brought_by: str = "nqbench"
    """The distribution whose entry point this is: its version matters as much."""

    modules: ClassVar[tuple[str, ...]] = ()
    """What `encode` or `load` will import, so that it can be imported ahead of the first run."""

    parameters: ClassVar[Mapping[str, Parameter]] = {}
    """What can be written behind the name, as in `commander:group=4`."""

    def __init__(self, name: str) -> None:
        """Raises `InputError` if `name` has an unknown parameter or a wrong value."""
        self.base_name = name.partition(":")[0]
        self.values = parse_name(name, self.parameters)
        self.name = canonical_name(self.base_name, self.values, self.parameters)

    @property
    def distributions(self) -> list[str]:
        """What decides how this behaves. nqbench itself is what all runs have in common."""
        both = dict.fromkeys([self.distribution, self.brought_by])
        return [name for name in both if name != "nqbench"] or ["nqbench"]

    @cached_property
    def version(self) -> str | None:
        """'distribution version', joined by commas, or None if one of them is not installed."""
        try:
            return ", ".join(f"{name} {version(name)}" for name in self.distributions)
        except PackageNotFoundError:
            return None

    def probe(self) -> None:
        """Raise `UnavailableError` with the reason if this does not work here."""
        for module in self.modules:
            try:
                importlib.import_module(module)
            except ImportError as error:
                command = install.command(self.distribution, build=self.build)
                raise UnavailableError(f"{error}; try: {command}") from error
