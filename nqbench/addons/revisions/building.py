"""Builds the commits that a campaign names, before it is planned: ids of runs depend on them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from nqbench.addons.revisions.build import Build
from nqbench.addons.revisions.built_program import BuiltProgram
from nqbench.addons.revisions.repository import WORKTREE, is_worktree
from nqbench.addons.revisions.spec import PREFIX, Spec, is_revision
from nqbench.backends.base import Backend
from nqbench.common.errors import InputError, UnavailableError
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
    `tell` gets a line before each, and how it ended; why one failed is said of its runs. Raises
    `InputError` as their names do.
    """
    names = list(names)
    for note in uncommitted(names):
        tell(note)
    builds = {str(build.folder): build for build in to_build(names).values()}
    for number, build in enumerate(builds.values(), 1):
        tell(f"building {build} ({number} of {len(builds)}, log: {build.log})")
        result = build.make(again=True)
        tell(f"{'failed after' if build.failure else 'built in'} {seconds(result.took_s)}")


def uncommitted(names: Iterable[str]) -> Iterator[str]:
    """Sentences about repositories with changes that are in none of their commits which are named,
    though the last one is.
    """
    by_place: dict[str, set[str]] = {}
    for name in filter(is_revision, names):
        with suppress(InputError):
            spec = Spec.read(name)
            by_place.setdefault(spec.place, set()).add(spec.revisions)
    for place, revisions in by_place.items():
        repository = Spec(place, "", "").repository
        with suppress(InputError, UnavailableError):
            is_last = repository.commit("HEAD").short in revisions
            if is_last and not any(map(is_worktree, revisions)) and repository.has_changes:
                yield (
                    f"{PREFIX}{place} has uncommitted changes, which are not measured: "
                    f"{PREFIX}{place}@{WORKTREE} are the files as they are"
                )
