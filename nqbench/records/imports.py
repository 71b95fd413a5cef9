"""The table of imported files in a store: which files each source consists of.

A file is known again by its folder and name, or by its content: then it replaces the runs that it
gave before. Another file of the same source adds runs, and repeats of runs that are there already.
"""

import hashlib
import itertools
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nqbench.common import files
from nqbench.common.printable import printable

TABLE: Final = "imports"
COLUMNS: Final = (
    "source TEXT, label TEXT, name TEXT, folder TEXT, content TEXT, PRIMARY KEY (source, label)"
)
_AT_A_TIME: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The name of a file that was imported, and hashes of its folder and of its content."""

    name: str
    folder: str
    content: str

    @classmethod
    def of(cls, path: Path, parts: Iterable[Path], largest: int) -> "FileFacts":
        """Those of a file, or of a folder whose files are `parts`. Raises `InputError` for one that
        cannot be read, or is larger than `largest` bytes.
        """
        content = hashlib.blake2b(digest_size=16)
        for part in parts:
            with files.opened(part, largest) as file:
                while some := file.read(_AT_A_TIME):
                    content.update(some)
        folder = hashlib.blake2b(str(path.resolve().parent).encode(errors="replace"))
        return cls(printable(path.name), folder.hexdigest()[:32], content.hexdigest())

    def is_same_place(self, other: "FileFacts") -> bool:
        """Whether both are the same file, as far as its path says."""
        return (self.folder, self.name) == (other.folder, other.name)


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file of a source. The label is its name, with a number if another file has the same."""

    source: str
    label: str
    facts: FileFacts


class ImportedFiles:
    """The files that a store has runs of."""

    def __init__(self, known: Iterable[ImportedFile] = ()) -> None:
        self._known = {(each.source, each.label): each for each in known}

    @property
    def every(self) -> list[ImportedFile]:
        """All of them."""
        return list(self._known.values())

    def of(self, source: str) -> list[ImportedFile]:
        """The files of a source."""
        return [each for each in self._known.values() if each.source == source]

    def same_content(self, source: str, facts: FileFacts) -> ImportedFile | None:
        """The file of the source that has this content."""
        return next((f for f in self.of(source) if f.facts.content == facts.content), None)

    def add(self, source: str, facts: FileFacts) -> ImportedFile:
        """The entry of a file, which is that of an earlier import of the same file if there is one:
        at the same place, or with the same content.
        """
        there = next((f for f in self.of(source) if f.facts.is_same_place(facts)), None)
        there = there or self.same_content(source, facts)
        label = there.label if there else self._new_label(source, facts.name)
        entry = ImportedFile(source, label, facts)
        self._known[source, label] = entry
        return entry

    def _new_label(self, source: str, name: str) -> str:
        return next(each for each in _numbered(name) if (source, each) not in self._known)

    def new_source(self, name: str, given: Sequence[FileFacts]) -> str:
        """The default name of the source of these files: `name`, with a number if a source of files
        elsewhere has it.
        """
        folders = {each.folder for each in given}
        for source in _numbered(name):
            known = self.of(source)
            if not known or any(_belong(each.facts, given, folders) for each in known):
                return source
        raise AssertionError("there are infinitely many names")


def _belong(known: FileFacts, given: Sequence[FileFacts], folders: set[str]) -> bool:
    """Whether a known file is one of those that are given or, if several are, beside one."""
    if len(given) > 1 and known.folder in folders:
        return True
    return any(known.is_same_place(each) or known.content == each.content for each in given)


def _numbered(name: str) -> Iterable[str]:
    return itertools.chain([name], (f"{name} ({number})" for number in itertools.count(2)))


def read(db: sqlite3.Connection) -> ImportedFiles:
    """The files that runs of this store come from."""
    rows = db.execute(f"SELECT source, label, name, folder, content FROM {TABLE}")
    texts = (tuple(printable(str(value)) for value in row) for row in rows)
    return ImportedFiles(ImportedFile(row[0], row[1], FileFacts(*row[2:])) for row in texts)


def write(db: sqlite3.Connection, entry: ImportedFile, *, replaces: bool = True) -> None:
    """Store the entry of a file; in place of an earlier one only if it `replaces` that."""
    facts = entry.facts
    row = [entry.source, entry.label, facts.name, facts.folder, facts.content]
    otherwise = "REPLACE" if replaces else "IGNORE"
    db.execute(f"INSERT OR {otherwise} INTO {TABLE} VALUES (?, ?, ?, ?, ?)", row)


def copy(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy the entries that the target lacks."""
    for entry in read(source).every:
        write(target, entry, replaces=False)
