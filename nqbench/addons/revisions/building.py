"""Builds the commits that a campaign names, before it is planned: ids of runs depend on them."""

from collections.abc import Callable, Iterable
from contextlib import suppress

from nqbench.addons.revisions.build import Build
from nqbench.addons.revisions.built_program import BuiltProgram
from nqbench.addons.revisions.spec import is_revision
from nqbench.backends.base import Backend
from nqbench.common.errors import UnavailableError
from nqbench.common.units import seconds

Tell = Callable[[str], None]


def to_build(names: Iterable[str]) -> dict[str, Build]:
    """What has to be built for these names of backends, by name. Raises `InputError` as their names
    do.
    """
    builds: dict[str, Build] = {}
    for name in filter(is_revision, names):
        with suppress(UnavailableError):  # its runs say why
            backend = Backend.named(name)
            if isinstance(backend, BuiltProgram) and (build := backend.to_build):
                builds[name] = build
    return builds


def build_all(names: Iterable[str], tell: Tell) -> None:
    """Build the commits among these names of backends, one after another, unless they are built.
    `tell` gets a line before each, and how it ended. Raises `InputError` as their names do.
    """
    builds = {str(build.folder): build for build in to_build(names).values()}
    for number, build in enumerate(builds.values(), 1):
        tell(f"building {build} ({number} of {len(builds)}, log: {build.log})")
        result = build.make()
        tell(result.failure or f"built in {seconds(result.took_s)}")
