"""What somebody handed in: a class, a program, or formulas; and how it is run."""

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from nqbench.common import files, trees
from nqbench.common.errors import InputError
from nqbench.common.printable import fill

LARGEST_BYTES: Final = 64 * 2**20
"""The most that a submission may hold, all files together."""

_LONGEST_NAME: Final = 200
_MADE_NAME: Final = re.compile(r"-[0-9a-f]{8}$")
_MOST_FILES: Final = 2000
_IGNORED: Final = ("__pycache__", ".git", ".DS_Store")


class Kind(StrEnum):
    """What a submission is; of `unclear` ones, `problem` says what is missing."""

    CLASS = "class"
    PROGRAM = "program"
    FORMULAS = "formulas"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission. `name` is that of its file or folder as text that can be printed and stored;
    no two have the same. `command` is what runs it in its folder, with `{n}` for the size and
    `{program}` for the `program`, a file in it. `formulas` has that of each n. `sizes` are those it
    is for, if that is said. `flaw` says why it cannot be graded, and `cure` are lines to paste that
    help.
    """

    name: str
    path: Path
    kind: Kind
    command: str = ""
    program: str = ""
    formulas: tuple[tuple[int, Path], ...] = ()
    sizes: tuple[int, ...] | None = None
    flaw: str = ""
    cure: tuple[str, ...] = ()
    digest: str = ""

    @property
    def folder(self) -> Path:
        """The folder that its command runs in, or that its file is in."""
        return self.path if self.path.is_dir() else self.path.parent

    @property
    def names_output(self) -> bool:
        """Whether its command has the name of a file for the formula, `{out}`."""
        return "{out}" in self.command

    def words(self, n: int, out: str) -> list[str]:
        """The words of its command for n, which writes to the file `out` if it takes the name."""
        values = {"{n}": str(n), "{out}": out}
        if self.program:
            values["{program}"] = self.program
        return [fill(word, values) for word in shlex.split(self.command)]

    @property
    def folder_name(self) -> str:
        """A name for a folder with its formulas, which no other submission has: its own, if it has
        only usual characters, and does not look like one that is made here.
        """
        own = self.path.name
        is_usual = own == self.name and not _MADE_NAME.search(own)
        if is_usual and len(own.encode()) <= _LONGEST_NAME:
            return own
        digits = hashlib.blake2b(os.fsencode(own), digest_size=4).hexdigest()
        return files.distinct_names([own], f"-{digits}")[own]

    def is_for(self, n: int) -> bool:
        """Whether it is asked for a formula of this size."""
        if self.sizes is not None and n not in self.sizes:
            return False
        return self.kind is not Kind.FORMULAS or n in dict(self.formulas)


def own_files(path: Path) -> list[Path]:
    """The regular files of a submission, sorted. Links are left out: they lead to somebody else's.

    Raises `InputError` if there are too many, if they are too large, or in folders nested too deep.
    """
    found: list[Path] = []
    total = 0
    for file in trees.regular_files(path, _IGNORED) if path.is_dir() else [path]:
        facts = file.lstat()
        if not stat.S_ISREG(facts.st_mode):
            continue
        found.append(file)
        total += facts.st_size
        if len(found) > _MOST_FILES:
            raise InputError(f"it has more than {_MOST_FILES} files")
        if total > LARGEST_BYTES:
            raise InputError(f"its files are larger than {LARGEST_BYTES // 2**20} MiB together")
    return sorted(found)


def twins(submissions: Sequence[Submission]) -> dict[str, list[str]]:
    """The names of the others whose files have the same contents, by the name of each submission.
    Names of files, ends of lines and spaces before them do not count.
    """
    alike: dict[str, list[str]] = {}
    for submission in submissions:
        if contents := _contents(submission):
            alike.setdefault(contents, []).append(submission.name)
    return {
        name: [other for other in names if other != name]
        for names in alike.values()
        for name in names
    }


def _contents(submission: Submission) -> str:
    """A digest of what is in the files; empty if there is nothing, or if they cannot be read."""
    try:
        read = [files.content(file, LARGEST_BYTES) for file in own_files(submission.path)]
    except (InputError, OSError):
        return ""
    lines = sorted(b"\n".join(map(bytes.rstrip, content.splitlines())).strip() for content in read)
    return hashlib.blake2b(repr(lines).encode()).hexdigest() if any(lines) else ""


def digest_of(path: Path, line: object) -> str:
    """A digest of the submission's files, and of the line about it. Raises `InputError`."""
    hashed = hashlib.blake2b(repr(line).encode(), digest_size=16)
    root = path if path.is_dir() else path.parent
    for file in own_files(path):
        name = os.fsencode(file.relative_to(root))
        content = files.content(file, LARGEST_BYTES)
        is_executable = os.access(file, os.X_OK)
        hashed.update(b"%d %d %d " % (len(name), len(content), is_executable) + name + content)
    return hashed.hexdigest()
