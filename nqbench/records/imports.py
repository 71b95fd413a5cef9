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
    def hash_file(cls, path: Path, paths: Iterable[Path], largest: int) -> "FileFacts":
        """The facts of a file, or of a folder with files at these `paths`. Raises `InputError` for
        a file that cannot be read, or is larger than `largest` bytes.
        """
        content = hashlib.blake2b(digest_size=16)
        for content_path in paths:
            with files.opened(content_path, largest) as file:
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

    def __init__(self, imported: Iterable[ImportedFile] = ()) -> None:
        self._known = {(file.source, file.label): file for file in imported}

    @property
    def every(self) -> list[ImportedFile]:
        """All of them."""
        return list(self._known.values())

    def files_of_source(self, source: str) -> list[ImportedFile]:
        """The files of a source."""
        return [file for file in self._known.values() if file.source == source]

    def same_content(self, source: str, facts: FileFacts) -> ImportedFile | None:
        """The file of the source that has this content."""
        return next(
            (f for f in self.files_of_source(source) if f.facts.content == facts.content), None
        )

    def same_place(self, source: str, facts: FileFacts) -> ImportedFile | None:
        """The file of the source that was at this place."""
        return next((f for f in self.files_of_source(source) if f.facts.is_same_place(facts)), None)

    def add(self, source: str, facts: FileFacts) -> ImportedFile:
        """The entry of a file, which is that of an earlier import of the same file if there is one:
        at the same place, or with the same content.
        """
        earlier = self.same_place(source, facts) or self.same_content(source, facts)
        label = earlier.label if earlier else self._new_label(source, facts.name)
        entry = ImportedFile(source, label, facts)
        self._known[source, label] = entry
        return entry

    def _new_label(self, source: str, name: str) -> str:
        return next(label for label in _numbered_names(name) if (source, label) not in self._known)

    def new_source(self, name: str, new_files: Sequence[FileFacts]) -> str:
        """The default name of the source of these files: `name`, with a number if a source of files
        elsewhere has it.
        """
        folders = {file.folder for file in new_files}
        for source in _numbered_names(name):
            imported = self.files_of_source(source)
            if not imported or any(_is_among(file.facts, new_files, folders) for file in imported):
                return source
        raise AssertionError("there are infinitely many names")


def _is_among(imported: FileFacts, new_files: Sequence[FileFacts], folders: set[str]) -> bool:
    """Whether a known file is one of those that are given or, if several are, beside one."""
    if len(new_files) > 1 and imported.folder in folders:
        return True
    return any(imported.is_same_place(new) or imported.content == new.content for new in new_files)


def _numbered_names(name: str) -> Iterable[str]:
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
