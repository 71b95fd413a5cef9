"""Explains errors of click about the command line, and suggests what would work."""

import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import click

from nqbench.common.spelling import nearest

_OTHERS: Final = (
    "above",
    "allow_missing",
    "allow_other_solvers",
    "at_least",
    "backend",
    "by",
    "diagonals",
    "encoding",
    "factor",
    "family",
    "file",
    "fundamental",
    "ganak",
    "metric",
    "models",
    "where",
)
"""Arguments of Python whose options have the same name, beside the settings."""

_COLUMNS: Final = {
    "-n": "n",
    **{f"--{name}": name for name in ("n", "family", "encoding", "backend", "instance", "outcome")},
}
"""Columns of records that are taken for options, by these."""

_ARGUMENT: Final = re.compile(r"`(\w+)(?:=([^`]+))?`")


def explained(error: click.ClickException) -> str:
    """The message of an error, with a suggestion if click has none or too many."""
    if isinstance(error, click.BadParameter) and isinstance(error.param, click.Option):
        error.param_hint = f"'{error.param.opts[-1]}'"
    message = error.format_message()
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption) and context is not None:
        if condition := _condition(error.option_name, context):
            return f"{error.message} Write --where {condition}."
        return f"{error.message} {_instead(_likely(error.option_name, context), context)}"
    if isinstance(error, click.NoSuchCommand) and context is not None:
        every = (
            context.command.list_commands(context)
            if isinstance(context.command, click.Group)
            else []
        )
        close = nearest(error.command_name, every)
        likely = [f"'{close}'"] if close else []
        return f"{error.message} {_instead(likely, context)}"
    if type(error) is click.UsageError and context is not None:
        return f"{message}: see {context.command_path} --help"
    return message


def with_options(message: str) -> str:
    """A message of the library, which names arguments of Python, with options in their place.

    >>> with_options("leave out `seeds`, or add `pin=False`: see `nqbench doctor`")
    'leave out --seeds, or add --no-pin: see `nqbench doctor`'
    """
    if "`" not in message:
        return message
    from nqbench.records.settings import SETTINGS

    options = {setting.argument: setting.option for setting in SETTINGS}
    options["allow_programs"] = "--allow-program"
    options |= {name: f"--{name.replace('_', '-')}" for name in _OTHERS}

    def option(match: re.Match[str]) -> str:
        name, value = match.groups()
        if name not in options:
            return match[0]
        if value == "False":
            return options[name].replace("--", "--no-", 1)
        return options[name] if value in {None, "True"} else f"{options[name]} {value}"

    return _ARGUMENT.sub(option, message)


def _condition(typed: str, context: click.Context) -> str:
    """The condition in SQL for a column of records that somebody took for an option, as a word of a
    shell; empty if it is none, or if the command takes no condition.
    """
    column = _COLUMNS.get(typed)
    if column is None or not any("--where" in p.opts for p in context.command.params):
        return ""
    words = [
        word
        for argument in sys.argv
        for word in (argument.split("=", 1) if argument.startswith(f"{typed}=") else [argument])
    ]
    value = next((b for a, b in pairwise(words) if a == typed), "8" if column == "n" else "NAME")
    if column != "n":
        names = [f"'{name}'" for name in value.split(",")]
        condition = (
            f"{column} = {names[0]}" if len(names) == 1 else f"{column} IN ({', '.join(names)})"
        )
    elif ".." in value:
        low, high, *_ = value.split("..")
        condition = f"n >= {low} AND n <= {high}"
    else:
        condition = f"n = {value}"
    return f'"{condition}"'


def _likely(typed: str, context: click.Context) -> Sequence[str]:
    """The options that may be meant; for a single letter, all that begin with it."""
    every = [
        name
        for option in context.command.get_params(context)
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
        if name.startswith("--")
    ]
    if not typed.startswith("--"):
        return [name for name in every if name.startswith(f"-{typed}")]
    close = nearest(typed, every)
    return [close] if close else []


def _instead(likely: Sequence[str], context: click.Context) -> str:
    if likely:
        return f"Did you mean {' or '.join(likely)}?"
    return f"See {context.command_path} --help."
