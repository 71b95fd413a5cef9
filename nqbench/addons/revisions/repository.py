"""What git says of the commits of a repository.

Nothing in the repository is changed: neither its files, nor its index, branches or settings.
Nothing is fetched, and no hook is run.
"""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from nqbench.common.errors import InputError, Place, UnavailableError
from nqbench.common.printable import listed, printable

SHORT: Final = 12
"""Hexadecimal digits of a commit in names."""

WORKTREE: Final = "WORKTREE"
"""The revision that means the files of the repository as they are."""

_OF_WORKTREE: Final = re.compile(rf"{WORKTREE}-[0-9a-f]{{{SHORT}}}")

_SUBMODULE: Final = "160000"
"""The mode of a submodule in the index."""

_LARGEST_POINTER: Final = 1024
"""Bytes, by the specification of Git LFS."""

_MOST_NAMED: Final = 5
"""Files that an error names."""

_PATIENCE_S: Final = 600.0
_LOCAL_ONLY: Final = {
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "TZ": "UTC",
}
_WITHOUT_HOOKS: Final = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: all its hexadecimal digits, its date in UTC, and the first line of its message. Of
    files that are not committed, `digits` are `WORKTREE-` and those of a digest of all files; the
    rest is that of the commit that they changed.
    """

    digits: str
    date: str
    subject: str

    @property
    def short(self) -> str:
        """The digits as they are in the names of backends."""
        return self.digits if is_worktree(self.digits) else self.digits[:SHORT]

    def __str__(self) -> str:
        return f"{self.short} of {self.date[:10]}, {self.subject.removesuffix('.')}"


def is_worktree(revision: str) -> bool:
    """Whether a revision is that of files as they were, in records."""
    return _OF_WORKTREE.fullmatch(revision) is not None


def environment() -> dict[str, str]:
    """The variables of this process without those of git, which may be about another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository of the user, at the path of its files or of its bare copy."""

    path: Path

    @property
    def name(self) -> str:
        """The name of its folder, such as `cadical`."""
        return self.path.name.removesuffix(".git") or self.path.parent.name

    def git(self, *arguments: str) -> str:
        """What a command of git prints. Raises `InputError` with what it complains about, and
        `UnavailableError` if there is no git.
        """
        done = self.attempt(*arguments)
        if done.returncode:
            raise InputError(f"{_complaint(done)}", place=Place(str(self.path)))
        return done.stdout

    def attempt(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The same, with its exit status, which may be any."""
        if not self.path.is_dir():
            raise UnavailableError(f"there is no repository {printable(str(self.path))}")
        # Names are looked up before the user allows a build. An older git would fetch a commit that
        # a partial clone lacks, by a program that the repository's settings name.
        protocol = "file" if arguments[0] == "clone" else "none"
        try:
            return subprocess.run(
                ["git", *_WITHOUT_HOOKS, "-C", str(self.path), *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_PATIENCE_S,
                env=environment() | _LOCAL_ONLY | {"GIT_ALLOW_PROTOCOL": protocol},
                check=False,
            )
        except FileNotFoundError as error:
            raise UnavailableError("git is not installed; try: apt install git") from error
        except subprocess.TimeoutExpired as error:
            raise InputError(
                f"git {arguments[0]} takes too long", place=Place(str(self.path))
            ) from error

    def commit(self, revision: str) -> Commit:
        """The commit that a revision names, such as a tag, a branch or a few digits. Raises
        `InputError` if there is none. `WORKTREE` are the files as they are.
        """
        if revision == WORKTREE or is_worktree(revision):
            return self._worktree(revision)
        return _commit(self, revision)

    def _worktree(self, revision: str) -> Commit:
        """The files that git tracks, as they are."""
        head = self.commit("HEAD")
        if is_worktree(revision):
            return Commit(revision, head.date, f"uncommitted changes to {head.short}")
        digest = hashlib.blake2b(digest_size=SHORT // 2)
        for name in self._tracked():
            path = self.path / name
            kind = "link" if path.is_symlink() else f"file {os.access(path, os.X_OK):d}"
            content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
            digest.update(f"{kind} {len(content)} {name!r}\n".encode() + content)
        digits = f"{WORKTREE}-{digest.hexdigest()}"
        return Commit(digits, head.date, f"uncommitted changes to {head.short}")

    def _tracked(self) -> list[str]:
        """The files that git tracks and that are there, relative to the repository, sorted."""
        names = self.git("ls-files", "-z", "--cached").split("\0")
        paths = [name for name in names if name and not (self.path / name).is_dir()]
        return sorted(name for name in {*paths} if os.path.lexists(self.path / name))

    def refuse_placeholders(self) -> None:
        """Raise `InputError` if files stand for others that are not there: submodules, and pointers
        of Git LFS.
        """
        entries = self.git("ls-files", "--stage", "-z").split("\0")
        if modules := [entry.partition("\t")[2] for entry in entries if entry[:6] == _SUBMODULE]:
            raise InputError(
                f"{listed(modules, _MOST_NAMED)} is a submodule, whose files are not checked out: "
                "measure a program that you built, as exe:"
            )
        if pointers := [name for name in self._tracked() if _is_pointer(self.path / name)]:
            raise InputError(
                f"{listed(pointers, _MOST_NAMED)} is a pointer of Git LFS, which is not fetched: "
                "measure a program that you built, as exe:"
            )

    @property
    def has_changes(self) -> bool:
        """Whether files that git tracks are not as they were committed."""
        done = self.attempt("status", "--porcelain", "--untracked-files=no")
        return done.returncode == 0 and bool(done.stdout.strip())

    @property
    def is_shallow(self) -> bool:
        """Whether it lacks commits before some of its own."""
        done = self.attempt("rev-parse", "--is-shallow-repository")
        return done.stdout.strip() == "true"

    def place(self, commit: Commit) -> int | None:
        """The number of commits up to this one, along first parents, by which commits of one branch
        are ordered. Uncommitted files have that of the commit that they would be. None in a shallow
        clone, which does not know it.
        """
        if is_worktree(commit.digits):
            before = self.place(self.commit("HEAD"))
            return None if before is None else before + 1
        if self.is_shallow:
            return None
        counted = self.attempt("rev-list", "--first-parent", "--count", commit.digits, "--")
        return None if counted.returncode else int(counted.stdout)

    def before(self, commit: Commit) -> str:
        """The first digits of the first parent of a commit; of uncommitted files, of the commit
        that they change. Empty without one.
        """
        if is_worktree(commit.digits):
            return self.commit("HEAD").short
        done = self.attempt("rev-parse", "--quiet", "--verify", f"{commit.digits}^1")
        return done.stdout.strip()[:SHORT]

    def commits_between(self, first: str, last: str, step: int = 1) -> list[Commit]:
        """The commits from the first to the last, both included, oldest first, along first parents:
        every `step`-th before the last, and the last. Raises `InputError` if the first is not
        before the last.
        """
        start, end = self.commit(first), self.commit(last)
        if not self.is_ancestor(start, end):
            raise InputError(f"{first} is not before {last}", place=Place(str(self.path)))
        after = self.git("rev-list", "--first-parent", f"{start.digits}..{end.digits}").split()
        newest_first = [*after, *([start.digits] if start.digits not in after else [])]
        return [self.commit(digits) for digits in newest_first[::step]][::-1]

    def is_ancestor(self, first: Commit, last: Commit) -> bool:
        """Whether the history of `last` has `first`."""
        done = self.attempt("merge-base", "--is-ancestor", first.digits, last.digits)
        return done.returncode == 0

    def clone(self, folder: Path, *arguments: str) -> "Repository":
        """A repository in this folder that borrows the commits of this one, without files."""
        source = str(self.path.absolute())
        self.git("clone", "--quiet", "--shared", "--no-checkout", "--template=", *arguments,
                 source, str(folder))  # fmt: skip
        return Repository(folder)

    def check_out(self, commit: Commit, folder: Path) -> None:
        """Write the files of a commit to a new folder, also a repository. Raises `InputError`."""
        if is_worktree(commit.digits):
            self._copy_worktree(commit, folder)
            return
        copy = self.clone(folder)
        copy.git("checkout", "--quiet", "--detach", commit.digits)
        # Git ends with status 0 if a filter or a partial clone leaves out files.
        changed = copy.git("status", "--porcelain", "-z", "--untracked-files=no").split("\0")
        if names := [line[3:] for line in changed if line]:
            raise InputError(
                f"{listed(names, _MOST_NAMED)} cannot be read: fetch the whole repository"
            )
        copy.refuse_placeholders()

    def _copy_worktree(self, commit: Commit, folder: Path) -> None:
        if self.commit(WORKTREE).digits != commit.digits:
            raise InputError("the files have changed since: it cannot be built again")
        self.refuse_placeholders()
        for name in self._tracked():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.path / name, folder / name, follow_symlinks=False)


def _is_pointer(path: Path) -> bool:
    """Whether a file stands for one of Git LFS: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md"""
    if path.is_symlink() or path.stat().st_size > _LARGEST_POINTER:
        return False
    return path.read_bytes().startswith(b"version https://git-lfs.github.com/spec/")


@cache
def _commit(repository: Repository, revision: str) -> Commit:
    if revision.startswith("-"):
        raise InputError(f"'{revision}' is not a revision")
    done = repository.attempt(
        "log", "-1", "--no-show-signature", "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
        "--format=%H%x00%cd%x00%s", f"{revision}^{{commit}}", "--",
    )  # fmt: skip
    if done.returncode:
        why = (
            "it is a shallow clone, which lacks commits: git fetch --unshallow, or fetch-depth: 0 "
            "of actions/checkout"
            if repository.is_shallow
            else _complaint(done)
        )
        raise InputError(f"no revision '{revision}' in {repository.path}: {why}")
    digits, date, subject = done.stdout.rstrip("\n").split("\0", 2)
    return Commit(digits, date, printable(subject, 200))


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    lines: Sequence[str] = done.stderr.strip().splitlines() or ["no message"]
    return printable(re.sub(r"^(fatal|error): ", "", lines[0]), 300)
