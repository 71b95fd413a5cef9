"""What names of backends that begin with `git:` mean."""

from collections.abc import Sequence

from nqbench.addons.revisions import building as revision_builds
from nqbench.addons.revisions import spec
from nqbench.addons.revisions.recorded import read_version
from nqbench.common.errors import InputError, UnavailableError
from nqbench.plugins.name_rules import NameRules, Revision, Tell


class RevisionNames(NameRules):
    """A name means commits of a repository, which have to be built."""

    def expanded(self, name: str) -> list[str]:
        """The name, or one for each commit in place of several revisions. A repository that is
        missing is no mistake: its runs are unavailable.
        """
        try:
            return spec.expanded([name])
        except UnavailableError as error:
            if not spec.is_single(name):
                raise InputError(str(error)) from error
            return [name]

    def trusted(self, name: str) -> str:
        """The repository, whatever the commit: to build one runs its code."""
        return spec.repository_of(name)

    def unversioned(self, name: str) -> str:
        """The name without its revision, as `bisect` takes it."""
        return spec.without_revision(name)

    def revision(self, name: str, version: str) -> Revision | None:
        """The commit, which belongs to the history of the repository. A name in a record may be any
        text.
        """
        try:
            revision = read_version(version, spec.repository_of(name), spec.revision_in(name))
        except InputError:
            return None
        return revision if revision.name else None

    def missing(self, names: Sequence[str]) -> dict[str, str]:
        """The commits that are not built."""
        return {name: str(build) for name, build in revision_builds.to_build(names).items()}

    def make(self, names: Sequence[str], tell: Tell) -> None:
        """Build them, one after another."""
        revision_builds.build_all(names, tell)


NAMES = RevisionNames()
