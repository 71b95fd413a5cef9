"""What installed distributions declare for nqbench by entry points, beside components.

An add-on of nqbench and one of anybody else are found in the same way. The groups are:

nqbench.commands     NAME = a `Command`
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

The module of a `Command` imports nothing heavy, such as the `__init__` of the add-on: `--help`
imports it, and nothing else of the add-on. A command called by two words, such as `list formats`,
is below one of the core.

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


UNAVAILABLE: Final = "Unavailable"
"""The heading of commands whose declaration cannot be imported."""


class Command(NamedTuple):
    """A command below a `heading` of the help: its `place`, where a command of click is, such as
    `package.module:function`; its text in the list; a line for the examples, if any; and the
    command that it comes after in the list, by default the last one below its heading.
    """

    heading: str
    place: str
    text: str
    example: str = ""
    after: str = ""


def added_commands(below: str = "") -> dict[str, Command]:
    """The commands of installed add-ons by name, sorted: those whose name begins with `below`, and
    one word more. One whose declaration cannot be imported is under the heading `UNAVAILABLE`, with
    the reason as its text.
    """
    return {
        name.removeprefix(below): _command(entry)
        for name, entry in declared(COMMANDS).items()
        if name.startswith(below) and " " not in name.removeprefix(below)
    }


def import_added(name: str, command: Command) -> Any:
    """Import what a command of an add-on calls. Raises `UnavailableError` with the reason if that
    fails.
    """
    if command.heading == UNAVAILABLE:
        raise UnavailableError(command.text)
    return Declaration(name, command.place, declared(COMMANDS)[name].owners).load()


def _command(entry: Declaration) -> Command:
    try:
        command = entry.load()
    except UnavailableError as error:
        return Command(UNAVAILABLE, "", str(error))
    if not isinstance(command, Command):
        return Command(UNAVAILABLE, "", f"{entry.value} is no nqbench.plugins.declared.Command")
    return command
