"""The default encodings and backends of a campaign, as far as they are installed."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from nqbench.backends.base import Backend
from nqbench.common.errors import UnavailableError
from nqbench.encodings.base import Encoding
from nqbench.plugins import install
from nqbench.plugins.component import Component
from nqbench.records import settings

ENCODINGS: Final[Sequence[str]] = settings.BY_NAME["encoding"].default
BACKENDS: Final[Sequence[str]] = settings.BY_NAME["backend"].default

OPTIMISERS: Final = ("cp-sat", "exact", "highs", "rc2", "clasp")
"""The default backends of files with an objective; the first that is installed is asked where only
one is, but for files whose rows have weights: see `optimum`. PySAT, which has RC2, always is.
"""


def installed_encodings() -> list[str]:
    """The default encodings whose library is installed."""
    return [name for name in ENCODINGS if _uninstalled_component(Encoding.named, name) is None]


def installed_backends() -> list[str]:
    """The default backends whose library is installed."""
    return [name for name in BACKENDS if _uninstalled_component(Backend.named, name) is None]


def installed_optimisers() -> list[str]:
    """The default backends of files with an objective whose library is installed."""
    return [name for name in OPTIMISERS if _uninstalled_component(Backend.named, name) is None]


def why_left_out(encodings: bool = True, backends: bool = True) -> Iterator[str]:
    """Yield a sentence for each missing library, with the defaults that are left out without it and
    the command that installs it. `encodings` and `backends` say which defaults to look at.
    """
    loaders: list[tuple[Callable[[str], Component], str]] = []
    loaders += [(Encoding.named, name) for name in ENCODINGS if encodings]
    loaders += [(Backend.named, name) for name in BACKENDS if backends]
    missing: dict[str, tuple[list[str], str]] = {}
    for load, name in loaders:
        if component := _uninstalled_component(load, name):
            command = install.command(component.distribution, toolchain=component.toolchain)
            missing.setdefault(component.distribution, ([], command))[0].append(name)
    for distribution, (names, command) in missing.items():
        yield f"{' and '.join(names)}: {distribution} is not installed; try: {command}"


def _uninstalled_component(load: Callable[[str], Component], name: str) -> Component | None:
    """The component if its library is not installed. If it is installed but does not work, the
    records of its runs give the reason.
    """
    try:
        component = load(name)
    except UnavailableError:
        return None
    return component if component.version is None else None
