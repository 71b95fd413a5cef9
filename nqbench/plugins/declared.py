"""What installed distributions declare for nqbench by entry points, beside components.

An add-on of nqbench and one of anybody else are found in the same way. The groups are:

nqbench.commands     NAME = a `plugins.command.Command`
nqbench.functions    NAME of `nqbench.NAME`, or `Results.NAME` of a method = a function
nqbench.executors    NAME of `--executor NAME` = a `campaign.executors.base.ExecutorKind`
nqbench.names        NAME of backends called `NAME:...` = `plugins.name_rules.NameRules`
nqbench.schemas      NAME of `nqbench schema NAME` = a function that returns a JSON Schema
nqbench.lists        LIST.NAME of columns of `nqbench list LIST` = `cli.printing.tables.
                     AddedColumns`
nqbench.plugin       NAME of `nqbench.plugin.NAME` = what authors of plugins import
nqbench.files        suffix of files that `--cnf` takes = the class of the problem in one
nqbench.asking       family with `needs_assumptions` = a `measure.asking.Asking`
nqbench.plots        name of anything = a function decorated with `show.plots.kind.kind`
nqbench.sentences    name of anything = a function from records to what `summary` says below

`importlib.metadata` would take 35 ms, as much as the rest of `nqbench --help`; this takes 3.
"""

import os
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from nqbench.common.errors import UnavailableError
from nqbench.common.printable import printable

COMMANDS: Final = "nqbench.commands"
FUNCTIONS: Final = "nqbench.functions"
EXECUTORS: Final = "nqbench.executors"
NAMES: Final = "nqbench.names"
SCHEMAS: Final = "nqbench.schemas"
LISTS: Final = "nqbench.lists"
PLUGIN: Final = "nqbench.plugin"
FILES: Final = "nqbench.files"
ASKING: Final = "nqbench.asking"
PLOTS: Final = "nqbench.plots"
SENTENCES: Final = "nqbench.sentences"

_METADATA: Final = (".dist-info", ".egg-info")


class Declaration(NamedTuple):
    """An entry point: its name, what it names as `module:object`, and the distributions that have
    one of this name, of which there should be one.
    """

    name: str
    value: str
    owners: tuple[str, ...]

    def load(self) -> Any:
        """Import what is declared. Raises `UnavailableError` with the reason if that fails
        for any reason, and if several distributions declare this name.
        """
        if len(self.owners) > 1:
            raise UnavailableError(
                f"'{self.name}' is provided by {' and '.join(self.owners)}: uninstall one of them"
            )
        try:
            return pkgutil.resolve_name(self.value)
        except Exception as error:
            reason = printable(f"{type(error).__name__}: {error}")
            raise UnavailableError(
                f"'{self.name}' of {self.owners[0]} cannot be imported: {reason}"
            ) from error


def declared(group: str) -> Mapping[str, Declaration]:
    """The entry points of a group, by name, sorted."""
    return _of_group(group, tuple(sys.path))


@cache
def _of_group(group: str, path: tuple[str, ...]) -> dict[str, Declaration]:
    found: dict[str, Declaration] = {}
    for of, name, value, owner in sorted(_every(path)):
        if of == group:
            others = found[name].owners if name in found else ()
            found[name] = Declaration(name, value, (*others, owner))
    return found


@cache
def _every(path: tuple[str, ...]) -> list[tuple[str, str, str, str]]:
    """The group, name and value of each entry point of nqbench on this path, and its distribution.
    Of a distribution that is installed twice, the first counts, as for Python.
    """
    every = []
    owners = set()
    for folder in path:
        for metadata in _metadata(folder or "."):
            owner = metadata.name.partition("-")[0].removesuffix(".egg").replace("_", "-").lower()
            if owner in owners:
                continue
            owners.add(owner)
            with suppress(OSError, UnicodeDecodeError):
                text = Path(metadata, "entry_points.txt").read_text(encoding="utf-8")
                every += [(*entry, owner) for entry in _entries(text)]
    return every


def _metadata(folder: str) -> Iterator["os.DirEntry[str]"]:
    """Yield the metadata of the distributions in a folder of the path."""
    with suppress(OSError), os.scandir(folder) as entries:  # it may be an archive, or missing
        yield from (entry for entry in entries if entry.name.endswith(_METADATA))


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield group, name and value of each entry point of nqbench in such a file."""
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group.startswith("nqbench.") and "=" in line and line[0] not in "#;":
            name, _, value = line.partition("=")
            yield group, name.strip(), value.partition("[")[0].strip()
