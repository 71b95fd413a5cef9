"""Drives `git bisect`, in a copy of the repository that has no files and borrows the commits."""

import re
import tempfile
from pathlib import Path
from typing import Final, Self

from nqbench.addons.revisions.bisection.judgement import Mark
from nqbench.addons.revisions.repository import Commit, Repository
from nqbench.common.errors import InputError

# From git 2.55 on, `'bad'` has quotes.
_FOUND: Final = re.compile(r"^([0-9a-f]{40,64}) is the first '?bad'? commit", re.MULTILINE)
_ONLY_SKIPPED: Final = "only 'skip'ped commits left"
_DIGITS: Final = re.compile(r"^[0-9a-f]{40,64}$", re.MULTILINE)
_LEFT: Final = re.compile(r"roughly (\d+) steps?")


class GitBisect:
    """A bisection between two commits. `next` is the commit to try, None at the end. At the end,
    `candidates` are the commits of which one is the first bad one. Leave the `with` block to remove
    the copy.
    """

    def __init__(self, repository: Repository, good: Commit, bad: Commit) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="nqbench-bisect-")
        self.candidates: list[Commit] = []
        self.next: Commit | None = None
        self.steps_left = 0
        try:
            self._copy = repository.clone(Path(self._folder.name) / "copy.git", "--bare")
            # It may be the name of a branch that has no commit yet, which `git bisect` refuses.
            self._copy.git("update-ref", "--no-deref", "HEAD", bad.digits)
            self._do("start", "--no-checkout", bad.digits, good.digits)
        except BaseException:
            self._folder.cleanup()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def mark(self, mark: Mark) -> None:
        """Say what the next commit is, and find the one after it. Raises `InputError` if the good
        commit does not lead to the bad one, and if git says its end in words that are not known.
        """
        tried = self.next
        assert tried is not None, "it is at its end"
        self._do(mark.value, tried.digits)
        if self.next == tried:
            raise InputError(f"git bisect asks for {tried.short} again, which is {mark.value}")

    def _do(self, *arguments: str) -> None:
        done = self._copy.attempt("bisect", *arguments)
        printed = f"{done.stdout}\n{done.stderr}"
        found, skipped = _FOUND.search(printed), _ONLY_SKIPPED in printed
        self.next = None
        if found:
            self.candidates = [self._copy.commit(found[1])]
        elif skipped:
            self.candidates = [self._copy.commit(digits) for digits in _DIGITS.findall(printed)]
        elif done.returncode:
            line = next(iter(done.stderr.strip().splitlines() or done.stdout.splitlines()), "")
            raise InputError(f"git bisect: {line.removeprefix('error: ')}")
        else:
            left = _LEFT.search(printed)
            self.steps_left = int(left[1]) if left else 0
            self.next = self._copy.commit(self._copy.git("rev-parse", "BISECT_HEAD").strip())
