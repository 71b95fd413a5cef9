"""Commands that became an option of another one. Their old names work for one version."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import click


class Moved(NamedTuple):
    """Where a command is, and what it is called now: another command with an option, or nothing if
    it is only hidden. The option has a value with a metavar, or is a flag without one; `keeps` says
    whether the command itself has that option. `help` is that of the option.
    """

    place: str
    into: str = ""
    option: str = ""
    metavar: str = ""
    keeps: bool = False
    help: str = ""


COMMANDS: Final = {
    "measure": Moved(
        "measure:measure",
        "output",
        "--measure",
        "NAME=REGEX",
        help="Read a number from each log, and add it to the records as the column NAME: the first "
        "group of the last match. Repeat for several. --where chooses records.",
    ),
    "clauses": Moved(
        "clauses:clauses",
        "encode",
        "--square",
        "ROW,COLUMN",
        keeps=True,
        help="Only show the clauses of a board that mention this square, with names. Both count "
        "from 0.",
    ),
    "board": Moved(
        "board:board",
        "solve",
        "--start",
        help="Draw the problem with what is placed, without solving it.",
    ),
    "schema": Moved("export:schema"),
}
"""The commands by their old names."""

_HELP: Final = {"-h", "--help", "--help-all"}
_OUTPUT: Final = {"-o", "--output"}


def resolve(name: str, args: Sequence[str]) -> tuple[str, list[str]]:
    """The command that is called by a name with these arguments, and its own arguments."""
    for old, moved in COMMANDS.items():
        is_given = any(arg.partition("=")[0] == moved.option for arg in args)
        if name == moved.into and is_given and not _HELP & {*args}:
            return old, [*args] if moved.keeps else _without(args, moved.option)
    if name == "encode" and any(map(_writes_board, args, [*args[1:], ""])):
        return "board", ["--json" if arg in _OUTPUT else arg for arg in args]
    return name, [*args]


def tell_new_name(name: str | None) -> None:
    """Print what an old name is now, and nothing for another one."""
    moved = COMMANDS.get(name or "")
    if moved is not None and moved.into:
        value = f" {moved.metavar}" if moved.metavar else ""
        now = f"nqbench {moved.into} {moved.option}{value}"
        click.echo(f"nqbench: `nqbench {name}` is now `{now}`", err=True)


def _writes_board(option: str, value: str) -> bool:
    """Whether the output is a board as JSON, which `--board` reads."""
    return option in _OUTPUT and value.endswith(".json")


def _without(args: Sequence[str], option: str) -> list[str]:
    """The arguments without an option; its values stay."""
    values = [arg.removeprefix(f"{option}=") for arg in args]
    return [value for value in values if value != option]


def with_options(name: str, command: click.Command) -> click.Command:
    """The command, whose help has the options that came from others."""
    own = [option for option in command.params if isinstance(option, click.Option)]
    for moved in COMMANDS.values():
        is_there = any(moved.option in option.opts for option in own)
        if moved.into == name and not is_there:
            option = click.Option(
                [moved.option],
                is_flag=not moved.metavar,
                metavar=moved.metavar or None,
                expose_value=False,
                help=moved.help,
            )
            command.params = [*command.params, option]
    return command
