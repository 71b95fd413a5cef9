"""Groups of commands to which add-ons may add some, such as `nqbench list`."""

import click

from nqbench.cli.guesses import Commands
from nqbench.common.errors import UnavailableError
from nqbench.plugins.command import Command, added_commands, import_added


class OpenGroup(Commands):
    """A group with its own commands, and those that add-ons declare as `GROUP NAME`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, sorted."""
        return sorted({*super().list_commands(ctx), *added_commands(f"{self.name} ")})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; None if there is none of this name. Raises `UnavailableError` for that of an
        add-on which cannot be imported.
        """
        own = super().get_command(ctx, cmd_name)
        added = added_commands(f"{self.name} ").get(cmd_name)
        return own if own or added is None else click_command(f"{self.name} {cmd_name}", added)


def click_command(name: str, command: Command) -> click.Command:
    """Import a command of an add-on. Raises `UnavailableError`."""
    imported = import_added(name, command)
    if not isinstance(imported, click.Command):
        raise UnavailableError(f"{command.place} is no command of click")
    return imported
