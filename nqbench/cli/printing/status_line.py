"""Lines about what a command did, on standard error."""

import shutil
import sys

import click

from nqbench.cli.printing.filling import filled


def echo_status(line: str) -> None:
    """Print a line on standard error: on a terminal it is broken between words. One with a command
    in backticks is not, since that is to be pasted.
    """
    if "`" not in line and sys.stderr.isatty():
        line = filled(line, shutil.get_terminal_size().columns)
    click.echo(line, err=True)
