"""Prints how to use the encoding and backend that won."""

from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from nqbench.show.use import Use

_MARK: Final = "use it:  "


def print_use(use: "Use | None") -> None:
    """Print the command that installs the solver, and the one that prints a program for it."""
    if use is None:
        return
    for place, line in enumerate(use.lines()):
        click.echo(f"{' ' * len(_MARK) if place else _MARK}{line}")
    click.echo()
