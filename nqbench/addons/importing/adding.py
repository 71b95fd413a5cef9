"""Adds files of other programs to a store: each is a part of a source, and its runs are repeats of
those of other parts, unless it is imported again.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from nqbench.addons.importing import detection
from nqbench.addons.importing.base import LARGEST, Format, ResultFile
from nqbench.addons.importing.csv_columns import Mapped
from nqbench.addons.importing.statements import (
    EARLIER,
    IDENTITY,
    Stated,
    are_of_file,
    with_next_repeats,
)
from nqbench.common.errors import InputError
from nqbench.common.printable import printable
from nqbench.common.units import counted
from nqbench.records.imports import FileFacts, ImportedFile, ImportedFiles
from nqbench.records.store import Imported, Store

_LIMITS: Final = {"time_limit_s", "cpu_limit_s", "memory_limit_bytes"}
"""What is stated of a file, but seldom to tell its runs from others."""


class Part(NamedTuple):
    """A file that was read: its place in a source, and its records. `is_again`: they are all that
    it has, in place of those of an earlier import.
    """

    entry: ImportedFile
    format: Format
    records: pl.DataFrame
    is_again: bool


def read(
    paths: Sequence[Path],
    imported_files: ImportedFiles,
    *,
    kind: str | None = None,
    mapped: Mapped | None = None,
    source: str | None = None,
    stated: Stated | None = None,
) -> list[Part]:
    """The parts that these files are. `imported_files` are the files of the store, by which a file
    is recognised. Without a source, files that are given together are one, named after their
    folder; but a whole campaign, and a single file, is one by itself.

    Raises `InputError` as `kinds.records` does.
    """
    files = [ResultFile(path, mapped) for path in paths]
    formats = [detection.format_of(file, kind) for file in files]
    facts = [
        FileFacts.hash_file(file.path, kind_of_file.parts(file.path), LARGEST)
        for file, kind_of_file in zip(files, formats, strict=True)
    ]
    sources = _sources(files, formats, facts, imported_files, source)
    # A program may write to one file again and again, and the user tell its contents apart.
    apart = {*(stated or ())} & {*IDENTITY} - _LIMITS
    parts = []
    for file, kind_of_file, fact, name in zip(files, formats, facts, sources, strict=True):
        same = imported_files.same_content(name, fact)
        before = imported_files.same_place(name, fact)
        is_again = before is not None and (before.facts.content == fact.content or not apart)
        entry = imported_files.add(name, fact)
        if same and not same.facts.is_same_place(fact):
            warnings.warn(
                f"{printable(str(file.path))} has the same bytes as {same.label}, which was "
                "imported before: runs that are in both count once; if they are others, tell them "
                "apart with --set, as in --set solver_seed=2",
                stacklevel=3,
            )
        notes: list[str] = []
        records = detection.records_of(
            file, kind_of_file, name, stated, label=entry.label, notes=notes
        )
        for note in notes:
            warnings.warn(f"{printable(str(file.path))}: {note}", stacklevel=3)
        parts.append(Part(entry, kind_of_file, records, is_again))
    return parts


def add(store: Store, part: Part) -> Imported:
    """Add the runs of a file. Raises `InputError` for an export with runs that another export of
    the same source has, too, measured at another time.
    """
    source, records = part.entry.source, part.records
    if part.format.makes_records:
        _check_export(store, part)
    else:
        earlier = store.of_source(source, EARLIER)
        removed = _no_longer_there(part, earlier) if part.is_again else earlier.clear()
        earlier = earlier.join(removed, on="run_id", how="anti")
        numbered = with_next_repeats(records, earlier)
        is_new = ~records["run_id"].is_in(earlier["run_id"].implode())
        further = int((is_new & (numbered["repeat"] != records["repeat"])).sum())
        records = numbered
        if further:
            warnings.warn(
                f"{counted(further, 'run')} of {part.entry.label} repeat runs of other files of "
                f"{source}, and count as further repeats; for another campaign, choose another "
                "--source",
                stacklevel=3,
            )
        return store.take_imported(records, part.entry, removed["run_id"].to_list())
    return store.take_imported(records, part.entry)


def _no_longer_there(part: Part, earlier: pl.DataFrame) -> pl.DataFrame:
    """The earlier records of a file that it no longer states, or that it now states in another way,
    with a warning.
    """
    others = earlier.join(part.records, on="run_id", how="anti")
    removed = others.filter(are_of_file(others, part.entry.label))
    if len(removed):
        warnings.warn(
            f"{counted(len(removed), 'run')} of an earlier import of {part.entry.label} "
            f"{'is' if len(removed) == 1 else 'are'} removed: it does not state them as it is read "
            "now",
            stacklevel=3,
        )
    return removed


def _sources(
    files: Sequence[ResultFile],
    formats: Sequence[Format],
    facts: Sequence[FileFacts],
    imported_files: ImportedFiles,
    source: str | None,
) -> list[str]:
    """The source of each file."""
    if source is not None:
        return [printable(source)] * len(files)
    shared = [fact for kind, fact in zip(formats, facts, strict=True) if not kind.is_campaign]
    together = ""
    if len(shared) > 1:
        folders = {
            file.path.resolve().parent
            for file, kind in zip(files, formats, strict=True)
            if not kind.is_campaign
        }
        together = imported_files.new_source(_common_name(folders), shared)
    return [
        together
        if together and not kind.is_campaign
        else imported_files.new_source(fact.name, [fact])
        for kind, fact in zip(formats, facts, strict=True)
    ]


def _common_name(folders: set[Path]) -> str:
    """The name of the folder that files in these folders have in common."""
    first, *others = folders
    common = next(
        folder
        for folder in (first, *first.parents)
        if all(other.is_relative_to(folder) for other in others)
    )
    return printable(common.name) or "imported"


def _check_export(store: Store, part: Part) -> None:
    """Raise `InputError` if an export would replace runs of another file that are others."""
    source, records = part.entry.source, part.records
    other_files = [
        file
        for file in store.imported_files().files_of_source(source)
        if file.label != part.entry.label
    ]
    if not other_files:
        return
    stored = store.of_source(source, ("run_id", "started_at"))
    lost = records.join(stored, on="run_id", suffix="_there").filter(
        pl.col("started_at") != pl.col("started_at_there")
    )
    if len(lost):
        runs = counted(len(lost), "run")
        raise InputError(
            f"{part.entry.label} has {runs} that {other_files[0].label} has, too, measured at "
            "other times: give each file a --source"
        )
