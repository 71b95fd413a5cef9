"""The name of a backend that is built from a commit: `git:REPOSITORY@REVISION ARGUMENTS`.

    git:../cadical@rel-2.0
    git:../cadical@{rel-2.0,master~20..master~0..5}
    git:../cadical@{rel-2.0,master} --sat

In braces there are several revisions, and `A..B` is every commit from A to B, both included, and
`A..B..5` every fifth one. Records have the name with the first digits of the commit.
`git:../cadical@WORKTREE` are the files as they are, and records have digits of their content.

A repository has one name, however it is written: that of its folder alone, such as `git:cadical`,
if it is in the current folder, is that, or is beside it; otherwise its path as it is written.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from nqbench.addons.revisions.repository import (
    SHORT,
    WORKTREE,
    Commit,
    Repository,
    is_worktree,
)
from nqbench.common.errors import InputError
from nqbench.common.printable import as_utf8

PREFIX: Final = "git:"
EXAMPLE: Final = "git:../cadical@rel-2.0"
MOST: Final = 1000
"""The largest number of commits in one name."""

_RANGE: Final = re.compile(r"(?P<first>.+?)\.\.(?P<last>.+?)(?:\.\.(?P<step>\d{1,6}))?")


_AFTER_PLACE: Final = re.compile(r"@(?P<revisions>\{[^{}]*\}|\S+)(?P<rest>\s.*)?")


def _parts(text: str) -> Iterator[dict[str, str]]:
    """What a name may consist of, for each @ in it."""
    for at in re.finditer("(?<!^)@", text):
        if match := _AFTER_PLACE.fullmatch(text, at.start()):
            yield {"place": text[: at.start()], "revisions": match[1], "rest": match[2] or ""}


_PLAIN: Final = re.compile(r"[\w+-][\w.+-]*")
"""The names of folders that can be the name of a repository."""


def _found(place: str) -> Path:
    """The absolute path of a repository. A name without a slash is that of a folder here, of the
    current one, or of one beside it: of the first that is a repository.
    """
    # Names may be any text, for which methods of paths raise several errors.
    path = Path(os.path.abspath(os.path.expanduser(place)))  # noqa: PTH100, PTH111
    if not _PLAIN.fullmatch(place):
        return path
    here = path.parent
    candidates = [path, *([here] if here.name == place else []), here.parent / place]
    return next((folder for folder in candidates if _is_repository(folder)), path)


def _is_repository(folder: Path) -> bool:
    """Whether a folder has the files of a repository, or is a bare one. Git is not asked."""
    return os.path.exists(folder / ".git") or os.path.isdir(folder / "objects")  # noqa: PTH110, PTH112


def _named(place: str) -> str:
    """The name of a repository in records."""
    path = _found(place)
    is_found = _PLAIN.fullmatch(path.name) and _is_repository(path) and _found(path.name) == path
    return path.name if is_found else str(Path(place))


def _is_there(place: str) -> bool:
    return os.path.isdir(_found(place))  # noqa: PTH112


def _has_no_revision(text: str) -> bool:
    """Whether the @ in it belongs to the name of a folder."""
    return _is_there(text) and not any(_is_there(match["place"]) for match in _parts(text))


@dataclass(frozen=True, slots=True)
class Spec:
    """A name in its parts: the repository as it is written, the revisions, and the arguments of the
    program.
    """

    place: str
    revisions: str
    arguments: str

    @classmethod
    def read(cls, name: str) -> Self:
        """The parts of a name. Raises `InputError`."""
        text = name.partition(":")[2].strip()
        if as_utf8(name) != name or not name.isprintable():
            raise InputError(f"'{as_utf8(name)}' has characters that cannot be shown")
        parts = list(_parts(text))
        if not parts or _has_no_revision(text):
            raise InputError(
                f"'{name}' needs a repository and a revision: write {EXAMPLE}, or @{WORKTREE} for "
                "the files as they are"
            )
        # Folders may have an @ in their names, and so may revisions, as HEAD@{1}.
        there = [match for match in parts if _is_there(match["place"])]
        recorded = [match for match in parts if is_exact(match["revisions"])]
        match = [*parts[:1], *recorded, *there][-1]
        return cls(_named(match["place"]), match["revisions"], match["rest"].strip())

    @classmethod
    def without_revision(cls, name: str) -> Self:
        """The parts of a name that has no revision yet, such as `git:../cadical --sat`. Raises
        `InputError`.
        """
        place, _, arguments = name.partition(":")[2].strip().partition(" ")
        if not is_revision(name) or not place:
            raise InputError(
                f"'{name}' is no repository to bisect: write for instance git:../cadical"
            )
        if not _is_there(place):
            hint = ": leave out the revision" if "@" in place else ""
            raise InputError(f"there is no repository {place}{hint}")
        return cls(_named(place), "", arguments.strip())

    @property
    def repository(self) -> Repository:
        """The repository, relative to the current folder."""
        return Repository(_found(self.place))

    def of(self, commit: Commit) -> str:
        """The name with this commit."""
        return self.named(commit.short)

    def named(self, revision: str) -> str:
        """The name with this revision, or without one if it is empty."""
        at = f"@{revision}" if revision else ""
        arguments = f" {self.arguments}" if self.arguments else ""
        return f"{PREFIX}{self.place}{at}{arguments}"

    def commits(self) -> list[Commit]:
        """The commits that are meant, each once. Raises `InputError` for an unknown revision."""
        inside = self.revisions[1:-1] if self.revisions.startswith("{") else self.revisions
        parts = [part.strip() for part in inside.split(",") if part.strip()]
        commits = {commit.digits: commit for part in parts for commit in self._of_part(part)}
        if not commits:
            raise InputError(f"'{self.revisions}' names no revision: write {EXAMPLE}")
        if len(commits) > MOST:
            raise InputError(
                f"{len(commits)} commits are more than {MOST}: add a step, as in A..B..5"
            )
        return list(commits.values())

    def _of_part(self, part: str) -> list[Commit]:
        if match := _RANGE.fullmatch(part):
            step = int(match["step"] or 1)
            if not step:
                raise InputError(f"the step of {part} is 0")
            return self.repository.commits_between(match["first"], match["last"], step)
        return [self.repository.commit(part)]


def is_revision(name: str) -> bool:
    """Whether a name is that of a backend that is built from a commit."""
    return name.lower().startswith(PREFIX)


def is_exact(revision: str) -> bool:
    """Whether a revision is written as in records."""
    return re.fullmatch(rf"[0-9a-f]{{{SHORT}}}", revision) is not None or is_worktree(revision)


def is_single(name: str) -> bool:
    """Whether a name cannot be of several commits."""
    return not is_revision(name) or not re.search(r"[{}]|\.\.", Spec.read(name).revisions)


def expanded(names: Iterable[str]) -> list[str]:
    """The names, with a name for each commit in place of those with revisions. Raises `InputError`
    for an unknown revision, and `UnavailableError` if there is no repository.
    """
    return [one for name in names for one in _expanded(name)]


def _expanded(name: str) -> Iterator[str]:
    if not is_revision(name) or name.lower() == PREFIX:
        yield name
        return
    spec = Spec.read(name)
    if is_exact(spec.revisions):
        yield spec.named(spec.revisions)
        return
    yield from map(spec.of, spec.commits())


def without_revision(name: str) -> str:
    """The name of the repository and the arguments, whatever the commit; a name that has no
    revision as it is.
    """
    try:
        return Spec.read(name).named("")
    except InputError:
        return name


def revision_in(name: str) -> str:
    """The revision in a name as it is written; empty without one."""
    try:
        return Spec.read(name).revisions
    except InputError:
        return ""


def repository_of(name: str) -> str:
    """The repository whose code this name runs, whatever the commit: `git:` and its true path."""
    place = name[len(PREFIX) :]
    if "@" in name and not _has_no_revision(place):
        place = Spec.read(name).place
    return f"{PREFIX}{os.path.realpath(_found(place))}"
