"""What families, encodings, backends and formats have in common: a name with parameters, by which
they are found, and often a library behind it.
"""

import importlib
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from importlib import metadata
from typing import Any, ClassVar, Self

from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.spelling import ComponentName, without_escapes
from nqbench.plugins import from_file, install
from nqbench.plugins.loading import entry_point, owner
from nqbench.plugins.parameters import Parameter, canonical_name, read_values


class Component:
    """Has a name that users write, an entry point, and usually a library behind it."""

    group: ClassVar[str]
    """The group of the entry points of such components."""

    distribution: ClassVar[str] = "nqbench"
    """The installed distribution of the library behind this."""

    toolchain: ClassVar[install.Toolchain | None] = None
    """What pip needs to compile the distribution; None if it has a wheel."""

    brought_by: str = "nqbench"
    """The distribution that declares the entry point; its version matters as well. Of a component
    from a file, it is the name of the file and its digest.
    """

    modules: ClassVar[tuple[str, ...]] = ()
    """The modules that `encode` or `load` imports, so they can be imported before the first run."""

    probe_s: float = 10.0
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
        parsed = ComponentName.parse(name)
        self.base_name = parsed.base
        self.values = read_values(parsed, self.parameters, passes_options=self.passes_options)
        self.name = canonical_name(self.base_name, self.values, self.parameters)

    @classmethod
    def named(cls, name: str | type) -> Self:
        """Load the component with this name: call the class that its entry point names, which can
        serve several names, with the name and the parameters that the user typed. `./mine.py`, or
        `./mine.py:MyScheme`, is a class in a file, and may be given as the class itself.

        Raises `InputError` if there is none, `UnavailableError` if its module cannot be loaded.
        """
        kind = cls.__name__.lower()
        text = without_escapes(name if isinstance(name, str) else from_file.name_of(name))
        typed = ComponentName.parse(text)
        if located := from_file.locate(typed, kind):
            found, source = from_file.class_of(located, cls, kind), located.source
            base = from_file.base_name(located, found.__name__)
            try:
                return cls._made(typed.with_base(base), lambda: found, source.version, source.main)
            except UnavailableError as error:
                raise InputError(str(error)) from error  # nothing to install helps
        entry = entry_point(cls.group, typed.base, kind)
        return cls._made(typed.with_base(entry.name), entry.load, owner(entry), entry.value)

    @property
    def what_it_does(self) -> str:
        """The first sentence of its class's docstring, without the full stop, or nothing."""
        words = (vars(type(self)).get("__doc__") or "").strip()
        return str(words).partition("\n\n")[0].replace("\n", " ").removesuffix(".")

    @classmethod
    def recorded(cls, name: str) -> Self:
        """Load a component that a record, a store or a bundle names. Raises as `named` does, and
        `InputError` for the path of a file, which is in no record: it would be executed.
        """
        if any(file.path for file in ComponentName.parse(name).files):
            raise InputError(f"{cls.__name__.lower()} '{name}' is the path of a file")
        return cls.named(name)

    @classmethod
    def _made(
        cls, name: ComponentName, load: Callable[[], Any], brought_by: str, source: str
    ) -> Self:
        """The component of this name that the class from `load` makes. Raises as `named` does."""
        kind = cls.__name__.lower()
        try:
            component = load()(name.text)
            component.brought_by = brought_by
        except InputError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise UnavailableError(f"{kind} '{name}' cannot be loaded: {reason}") from error
        if not isinstance(component, cls):
            raise UnavailableError(
                f"{kind} '{name}': {source} does not return an instance of {cls.__name__}"
            )
        if not _has_its_name(component, name.base):
            raise UnavailableError(f"{kind} '{name}' calls itself by another name: {source}")
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
        """'distribution version', joined by commas; None if a distribution is not installed. Of a
        file it is the name and a digest.
        """
        try:
            return ", ".join(map(_version, self.distributions))
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
    return not computes and ComponentName.parse(component.name).base == component.base_name == name


def _version(distribution: str) -> str:
    if " " in distribution:  # a file, with its digest
        return distribution
    return f"{distribution} {_installed(distribution)}"


@cache
def _installed(distribution: str) -> str:
    return metadata.version(distribution)
