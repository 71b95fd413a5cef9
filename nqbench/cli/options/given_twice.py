"""Refuses an option that is given twice if a command uses only one of its values: click would take
the last one and say nothing.
"""

from collections.abc import Sequence
from typing import Final

import click

_LISTS: Final = ("range", "densities")
"""Types of options that are lists, by name: importing them takes longer than `--help`."""

_INSTEAD: Final = {
    "results": "to use several folders, put them together with `nqbench merge`",
    "where": "join the conditions with AND",
}
"""What would work in place of two values, by the parameter; for others, to give it once."""


def refusing_twice(command: click.Command) -> click.Command:
    """The command, which raises an error of click for such an option from now on."""
    make_parser = command.make_parser

    def strict(context: click.Context) -> object:
        parser = make_parser(context)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> object:
            values, rest, parameters = parse(args)
            _check(parameters, context)
            return values, rest, parameters

        parser.parse_args = parse_args  # type: ignore[assignment]
        return parser

    command.make_parser = strict  # type: ignore[assignment]
    return command


def _check(parameters: Sequence[click.Parameter], context: click.Context) -> None:
    for option in dict.fromkeys(parameters):
        if (
            isinstance(option, click.Option)
            and parameters.count(option) > 1
            and _has_one_value(option)
        ):
            name = "/".join([option.opts[-1], *option.secondary_opts])
            message = f"{name} is given {_times(parameters.count(option))}: {_instead(option)}"
            raise click.BadOptionUsage(name, message, context)


def _has_one_value(option: click.Option) -> bool:
    """Whether a second value would replace the first one; a second `--json` says the same."""
    is_plain_flag = option.is_flag and not option.secondary_opts
    return not (option.multiple or option.count or is_plain_flag)


def _times(number: int) -> str:
    return "twice" if number == 2 else f"{number} times"


def _instead(option: click.Option) -> str:
    if option.type.name in _LISTS:
        return "separate the values by comma"
    return _INSTEAD.get(option.name or "", "give it once")
