"""Commands: where each is, and its line in `nqbench --help`.

A command of an add-on is declared by an entry point in the group `nqbench.commands`, whose value is
a `Command` in a module that imports nothing heavy, such as the `__init__` of the add-on: `--help`
imports it, and nothing else of the add-on. A name of two words, such as `list formats`, is that of
a command below one of the core.
"""

from typing import Any, Final, NamedTuple

from nqbench.common.errors import UnavailableError
from nqbench.plugins.declared import COMMANDS, Declaration, declared

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
        return Command(UNAVAILABLE, "", f"{entry.value} is no nqbench.plugins.command.Command")
    return command
