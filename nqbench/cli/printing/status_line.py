"""Lines about what a command did, on standard error."""

import shutil
import sys
import textwrap

import click


def echo_status(line: str) -> None:
    """Print a line on standard error: on a terminal it is broken between words. One with a command
    in backticks is not, since that is to be pasted.
    """
    if "`" not in line and sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        line = textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
    click.echo(line, err=True)
