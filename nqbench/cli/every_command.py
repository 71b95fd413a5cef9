"""What every command has beside its options: help in two lengths, and a refusal of options that are
given twice.

`COMMAND -h` shows what most need, `COMMAND --help-all` everything. If a command uses only one value
of an option that is given twice, click would take the last one and say nothing.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import click

_FEW: Final = 12
"""A command with at most so many options shows all of them."""

_MOST_EXAMPLES: Final = 5

_NEEDED: Final = frozenset(
    {
        *("--n", "--family", "--file", "--board", "--cnf", "--encoding", "--backend", "--repeat"),
        *("--time-limit", "--budget", "--jobs", "--results", "--output", "--dry-run"),
        *("--where", "--metric", "--by", "--format", "--findings", "--fail-above"),
        *("--all", "--svg", "--square", "--measure", "--start"),
    }
)
"""What most need of commands with more options."""

_EXAMPLES: Final = re.compile(r"\n\s*\x08\s*\n\s*Examples?:\n")
"""How the examples at the end of a help text begin."""


def with_short_help(command: click.Command) -> click.Command:
    """The command, whose help is short from now on, and its option `--help-all`. One that has that
    already is as it was.
    """
    if isinstance(command, click.Group) or any(each.name == "help_all" for each in command.params):
        return command
    format_all = command.format_help

    def format_short(context: click.Context, formatter: click.HelpFormatter) -> None:
        with _shortened(command, context):
            format_all(context, formatter)

    def show_all(context: click.Context, _option: click.Parameter, is_given: bool) -> None:
        if is_given and not context.resilient_parsing:
            click.echo(whole_help(context))
            context.exit()

    command.format_help = format_short  # type: ignore[assignment, method-assign]
    command.params = [
        *command.params,
        click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=show_all,
            help="Show all options and all of this text.",
        ),
    ]
    return command


def whole_help(context: click.Context) -> str:
    """All of a command's help, as `--help-all` prints it."""
    formatter = context.make_formatter()
    type(context.command).format_help(context.command, context, formatter)
    return formatter.getvalue().rstrip("\n")


@contextmanager
def _shortened(command: click.Command, context: click.Context) -> Iterator[None]:
    """While this is open, the help of a command has what most need."""
    options = [
        each
        for each in command.params
        if isinstance(each, click.Option) and not each.hidden and each.name != "help_all"
    ]
    more = [each for each in options if not _NEEDED & {*each.opts}] if len(options) > _FEW else []
    help_text, epilog = command.help, command.epilog
    short, examples = _shorten(help_text or "")
    try:
        for option in more:
            option.hidden = True
        command.help = short + examples
        if more:
            command.epilog = f"{len(more)} more options: {context.command_path} --help-all"
        yield
    finally:
        for option in more:
            option.hidden = False
        command.help, command.epilog = help_text, epilog


def _shorten(text: str) -> tuple[str, str]:
    """The first paragraph of a help text, and its first examples."""
    found = _EXAMPLES.search(text)
    words = text[: found.start()] if found else text
    examples = text[found.start() :].rstrip().splitlines() if found else []
    head = found[0].count("\n") if found else 0
    kept = _first_examples(examples[head:])
    return words.strip().partition("\n\n")[0], "\n".join([*examples[:head], *kept])


def _first_examples(lines: list[str]) -> list[str]:
    """The lines of the first examples, which may go on after a backslash."""
    kept: list[str] = []
    ended = 0
    for line in lines:
        if ended == _MOST_EXAMPLES:
            break
        kept.append(line)
        ended += not line.endswith("\\")
    return kept


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
