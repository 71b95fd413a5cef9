"""The files of components in a bundle: those that measured, which `replay` uses if allowed."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import polars as pl

from nqbench.bundle.archive import Content
from nqbench.bundle.carried_plugins import Carried
from nqbench.bundle.reading import KINDS, files_of
from nqbench.common.units import counted
from nqbench.machine.environment import Environment
from nqbench.records import component_files

_NAME: Final = re.compile(r"\w[\w.+-]*(/\w[\w.+-]*)*", re.ASCII)
"""The names that a bundle can have."""


def carried_files(
    records: pl.DataFrame,
    environments: Iterable[Environment],
    folder: Path | None,
    *,
    with_files: bool,
) -> Carried:
    """The files of the components that these records name, from their results folder."""
    named = files_of(records, environments)
    of_records = {name for kind in KINDS for name in records[kind].unique()}
    named = component_files.only(named, of_records)
    kept = component_files.kept(folder, named) if folder and with_files else []
    needed: list[str] = []
    lacking: list[str] = []
    sources = {component.name: component.source for component in kept}
    files: dict[str, Content] = {}
    for name, digest in sorted(named.items()):
        runs = counted(_number(records, name), "run")
        source = sources.get(name)
        place = component_files.place_of(source) if source else ""
        paths = [f"{place}/{path}" for path in source.files] if source else []
        if source is None or not all(map(_NAME.fullmatch, paths)):
            why = "its name is none that a bundle can have" if source else "its file is not here"
            why = why if with_files else "its file is not wanted in the bundle"
            lacking.append(f"{name} of {runs} is from a file, and {why}")
            continue
        files |= {path: source.files[path.removeprefix(f"{place}/")] for path in paths}
        needed.append(
            f"{name} of {runs} is from a file: it is in {place}, with the digest {digest}. Read "
            f"it, and if you trust it, add `--allow-program {name}` to `nqbench replay`"
        )
    return Carried(files, needed, lacking)


def _number(records: pl.DataFrame, name: str) -> int:
    """The number of runs with this component."""
    rows = records.select(KINDS).iter_rows()
    return sum(any(name in component_files.recorded_files(text) for text in row) for row in rows)
