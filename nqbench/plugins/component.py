"""What families, encodings, backends and formats have in common: a name with parameters, by which
they are found, and often a library behind it.
"""

import importlib
from collections.abc import Mapping
from functools import cache, cached_property
from importlib import metadata
from typing import ClassVar, Self

from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.spelling import without_escapes
from nqbench.plugins import install
from nqbench.plugins.loading import entry_point, owner
from nqbench.plugins.parameters import Parameter, canonical_name, parse_name


class Component:
    """Has a name that users write, an entry point, and usually a library behind it."""

    group: ClassVar[str]
    """The group of the entry points of such components."""

    distribution: ClassVar[str] = "nqbench"
    """The installed distribution of the library behind this."""

    toolchain: ClassVar[install.Toolchain | None] = None
    """What pip needs to compile the distribution; None if it has a wheel."""

    brought_by: str = "nqbench"
    """The distribution that declares the entry point; its version matters as well."""

    modules: ClassVar[tuple[str, ...]] = ()
    """The modules that `encode` or `load` imports, so they can be imported before the first run."""

    probe_s: ClassVar[float] = 10.0
    """The time limit of `probe`. A library that compiles itself when it is first imported needs
    more.
    """

    parameters: Mapping[str, Parameter] = {}
    """The parameters that may follow the name, as in `commander:group=4`. If they depend on the
    name, set them on the object before `__init__` of this class.
    """

    passes_options: bool = False
    """Whether options such as `opt.restartint=50`, for the library behind it, may follow."""

    def __init__(self, name: str) -> None:
        """Raises `InputError` if `name` has an unknown parameter or a wrong value."""
        self.base_name = name.partition(":")[0]
        self.values = parse_name(name, self.parameters, passes_options=self.passes_options)
        self.name = canonical_name(self.base_name, self.values, self.parameters)

    @classmethod
    def named(cls, name: str) -> Self:
        """Load the component with this name: call the class that its entry point names, which can
        serve several names, with the name and the parameters that the user typed.

        Raises `InputError` if there is none, `UnavailableError` if its module cannot be loaded.
        """
        kind = cls.__name__.lower()
        typed, colon, parameters = without_escapes(name).partition(":")
        entry = entry_point(cls.group, typed, kind)
        try:
            component = entry.load()(entry.name + colon + parameters)
            component.brought_by = owner(entry)
        except InputError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise UnavailableError(f"{kind} '{name}' cannot be loaded: {reason}") from error
        if not isinstance(component, cls):
            raise UnavailableError(
                f"{kind} '{name}': {entry.value} does not return an instance of {cls.__name__}"
            )
        if not _has_its_name(component, entry.name):
            raise UnavailableError(f"{kind} '{name}' calls itself by another name: {entry.value}")
        return component

    @property
    def distributions(self) -> list[str]:
        """The distributions that decide how this behaves. nqbench itself is left out unless it is
        the only one, since all runs share it.
        """
        names = dict.fromkeys([self.distribution, self.brought_by])
        return [name for name in names if name != "nqbench"] or ["nqbench"]

    @cached_property
    def version(self) -> str | None:
        """'distribution version', joined by commas; None if a distribution is not installed."""
        try:
            return ", ".join(f"{name} {_installed(name)}" for name in self.distributions)
        except metadata.PackageNotFoundError:
            return None

    def check_options(self) -> None:
        """Raise `InputError` for an option that the library rejects. Called in a separate process,
        and only if there are options.
        """

    def prepare(self) -> None:
        """Do what every run needs only once. Called before the first run, in the process from which
        the processes of the runs are forked, and only if `probe` has passed.
        """
        for module in self.modules:
            importlib.import_module(module)

    def probe(self) -> None:
        """Raise `UnavailableError` with the reason if this does not work here."""
        for module in self.modules:
            try:
                importlib.import_module(module)
            except ImportError as error:
                command = install.command(self.distribution, toolchain=self.toolchain)
                raise UnavailableError(f"{error}; try: {command}") from error


def _has_its_name(component: Component, name: str) -> bool:
    """Whether a component has the name that it was found by, which tells runs, records and evidence
    apart. A class could compute another one each time.
    """
    own = [kind for kind in type(component).__mro__ if kind is not Component]
    computes = any({"name", "base_name", "brought_by"} & vars(kind).keys() for kind in own)
    return not computes and component.name.partition(":")[0] == component.base_name == name


@cache
def _installed(distribution: str) -> str:
    return metadata.version(distribution)
