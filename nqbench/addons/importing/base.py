"""The interface of a format of results, and the file that it reads."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Final, TypeVar

import msgspec
import polars as pl

from nqbench.addons.importing import cells
from nqbench.addons.importing.csv_columns import Mapped, fields, find_separator
from nqbench.common import compression, files
from nqbench.common.errors import InputError
from nqbench.plugins.component import Component
from nqbench.plugins.loading import component_names
from nqbench.records import formats, sources
from nqbench.records.formats import rows_of_csv

FORMATS: Final = "nqbench.formats"
"""The group of the entry points of formats."""

LARGEST: Final = 4 * 2**30
"""The largest file, unpacked, in bytes."""

_BEGINNING: Final = 1 << 16

FILE: Final = "file"
"""The column with the name of the file, for `--match` and `--map`, unless it has one itself."""

T = TypeVar("T")


def format_names() -> list[str]:
    """The names of all installed formats of results, sorted."""
    return component_names(FORMATS)


class ResultFile:
    """A file, or a folder, that somebody wants to import, and what they say about its columns."""

    def __init__(self, path: Path, mapped: Mapped | None = None) -> None:
        self.path = path
        self._all_mapped = mapped or Mapped()

    @cached_property
    def mapped(self) -> Mapped:
        """Where the fields are in the columns of the file."""
        return self._mapped(of_name=False)

    @cached_property
    def mapped_name(self) -> Mapped:
        """Where the fields are in the name of the file, which counts as a column `FILE`."""
        return self._mapped(of_name=True)

    def _mapped(self, *, of_name: bool) -> Mapped:
        every = self._all_mapped
        name = None if FILE in self.columns else FILE
        base = Mapped(shared=every.shared) if of_name else every
        return replace(
            base,
            columns={f: c for f, c in every.columns.items() if (c == name) == of_name},
            patterns={c: p for c, p in every.patterns.items() if (c == name) == of_name},
        )

    @property
    def plain_path(self) -> Path:
        """The path without the ending of an archive."""
        return self.path.with_suffix("") if compression.of_suffix(self.path.name) else self.path

    @property
    def name(self) -> str:
        """The name without the ending of an archive."""
        return self.plain_path.name

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.path.is_dir()

    @cached_property
    def content(self) -> bytes:
        """The bytes, unpacked if it is an archive. Raises `InputError` for a damaged archive and
        for too many bytes.
        """
        data, packing = files.content(self.path, LARGEST), compression.of_suffix(self.path.name)
        if packing and not data.startswith(packing.magic):
            raise InputError(f"corrupt archive: it is not {packing.noun}")
        return compression.unpacked(data, sources.shown(self.path), LARGEST)

    @property
    def text(self) -> str:
        """The content as text. Raises `InputError` with the line of what is no text."""
        return files.decoded(self.content)

    @cached_property
    def beginning(self) -> bytes:
        """The first 64 KiB, unpacked; empty for a folder."""
        return b"" if self.is_folder else self.content[:_BEGINNING]

    @property
    def first_line(self) -> str:
        """The first line, as far as it is text."""
        line = self.beginning.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
        return line.decode(errors="replace")

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names in the first line of a CSV."""
        line = self.first_line
        return frozenset(name.strip().strip('"') for name in line.split(find_separator(line)))

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the object in a JSON file; empty if it has none."""
        if not self.beginning.lstrip().startswith(b"{"):
            return frozenset()
        try:
            document = msgspec.json.decode(self.content, type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, ValueError, RecursionError):
            return frozenset()
        return frozenset(document)

    def table(self, needed: Iterable[str], optional: Iterable[str] = ()) -> pl.DataFrame:
        """The columns of a CSV with these names as texts; an empty text is no value. Raises an
        `InputError` that names a missing column, or the row of what is no CSV.
        """
        rows = rows_of_csv(self.text, find_separator(self.first_line))
        names = [name.strip() for name in next(rows, [])]
        required = list(needed)
        if missing := [name for name in required if name not in names]:
            raise InputError(f"there is no column '{missing[0]}'")
        return cells.table(names, rows, {*required, *optional})

    def fields(self, table: pl.DataFrame) -> dict[str, pl.Series]:
        """The fields that the user mapped to columns of this table, by name. Raises `InputError`
        for a missing column, and for a text that a pattern does not match.
        """
        return fields(table, self.mapped)

    def json(self, kind: type[T], what: str) -> T:
        """The JSON document as an object of this type. Raises an `InputError` that says that it is
        not `what` the format reads.
        """
        try:
            return msgspec.json.decode(self.text, type=kind)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            reason = formats.too_large(self.content) or error
            raise InputError(f"it is not {what}: {reason}") from error


class Format(Component, ABC):
    """Reads the results that some program wrote: what each run states, as a table."""

    group: ClassVar[str] = FORMATS

    meaning: ClassVar[str]
    """Whose files these are, in a few words."""

    reference: ClassVar[str] = ""
    """Where the format is described."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    """How the names of its files end, with the dot and without the ending of an archive."""

    is_campaign: ClassVar[bool] = False
    """Whether a file is a whole campaign. Other files that are imported together have one source by
    default, since many programs write a file for each solver or repeat.
    """

    maps_columns: ClassVar[bool] = False
    """Whether `read` finds the fields that `mapped` of the file describes. Otherwise they are taken
    from the table that `read` returns.
    """

    makes_records: ClassVar[bool] = False
    """Whether `read` returns whole records, with their ids, and not what is stated about runs."""

    def recognises(self, file: ResultFile) -> bool:
        """Whether a file is of this format, by its name and its beginning. Asked of files that may
        be anything. By default, whether its name ends with one of `suffixes`.
        """
        return not file.is_folder and file.name.lower().endswith(self.suffixes or ("\0",))

    @abstractmethod
    def read(self, file: ResultFile) -> pl.DataFrame:
        """What the file states, a row for each run, in the order of the file.

        Columns with the names of fields of records are these fields, as texts or numbers: `backend`
        and `instance` or `n`, one of `solve_s`, `wall_s` and `cpu_s`, one of `answer` and
        `outcome`. Other columns with numbers are measures; with texts, they are there only to be
        mapped. Nothing has to be checked: numbers, words and limits are checked for all formats.

        Raises `InputError` if the file is not of this format, with the row and the field of what is
        wrong.
        """

    def parts(self, path: Path) -> Sequence[Path]:
        """The files that are read, if `path` is a folder of several."""
        return [path]
