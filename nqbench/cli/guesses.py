"""Groups of commands, which translate what people type into the documented form, if it has only one
meaning, and to which add-ons may add commands.

If it could have several, it stays as it is, and `mistakes` suggests what to write.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from nqbench.clauses.file_formats import SUFFIXES
from nqbench.common.errors import UnavailableError
from nqbench.common.spelling import OTHER_WORDS
from nqbench.plugins.declared import Command, added_commands, import_added

_OTHER_COMMANDS: Final = {"solvers": "backends"}

_OF_A_WORD: Final = {
    "check": "--results",
    "export": "--format",
    "plot": "--kind",
    "report": "--results",
    "summary": "--results",
}
"""For each command, the option for a word without one, as in `plot cactus`."""

_HELP: Final = ("help", "-h", "--help")
_SIZES: Final = re.compile(r"\d[\d.,:-]*")
_RANGE: Final = "range"
"""The type of options that take sizes, by name: importing it would take longer than `--help`."""
_SQUARE: Final = re.compile(r"\d+,\d+")

_FORMULA: Final = re.compile(
    rf"({'|'.join(map(re.escape, SUFFIXES))})(\.txt)?(\.\w+)?$", re.IGNORECASE
)

_PATH: Final = re.compile(r"[./]")

_Options = Mapping[str, click.Option]


class Commands(click.Group):
    """A group whose commands and arguments may be guessed forms."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The intended command, and its arguments in their documented form."""
        first, *rest = args
        name, command, rest = super().resolve_command(ctx, [self._meant(ctx, first), *rest])
        return name, command, rest if command is None else documented(command, rest)

    def _meant(self, ctx: click.Context, typed: str) -> str:
        name = typed.lower()
        guesses = (name, f"{name}s", _OTHER_COMMANDS.get(name, name))
        return next((guess for guess in guesses if guess in self.list_commands(ctx)), typed)


class RunByDefault(Commands):
    """`nqbench --n 4..30`, `nqbench 4..30` and `nqbench campaign.toml` mean `nqbench run ...`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `help run` as `run --help`, and put `run` before options, sizes and TOML files."""
        if args in (["-v"], ["version"]):
            args = ["--version"]
        elif len(args) > 1 and args[0] in _HELP:
            args = [*args[1:], "--help"]
        elif args == ["help"]:
            args = ["--help"]
        if args and self._is_for_run(args[0]):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    @staticmethod
    def _is_for_run(first: str) -> bool:
        if first.startswith("-"):
            return first not in (*_HELP, "-V", "--version")
        return bool(_SIZES.fullmatch(first)) or first.endswith(".toml")


def words_of(command: click.Command) -> str:
    """What a command takes without an option, for its usage line; empty if that is nothing, or if
    its arguments say it.
    """
    options = {
        name
        for option in command.params
        if isinstance(option, click.Option)
        for name in option.opts
    }
    if any(isinstance(parameter, click.Argument) for parameter in command.params):
        return ""
    if "--board" in options:
        return "[N | FILE]"
    word = _OF_A_WORD.get(command.name or "")
    return f"[{word.removeprefix('--').upper()}]" if word in options else ""


def documented(command: click.Command, args: Sequence[str]) -> list[str]:
    """The arguments of a command in their documented form; unknown ones are unchanged."""
    if list(args) == ["help"]:
        return ["--help"]
    options = {
        name: option
        for option in command.params
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
    }
    arguments = [_named(arg, options) for arg in args]
    return _joined(_with_options(command, arguments, options), options)


def _named(arg: str, options: _Options) -> str:
    """The documented name of an option with another name, such as --timeout."""
    typed, equals, value = arg.partition("=")
    if not typed.startswith("--") or typed in options:
        return arg
    word = typed.lower().replace("_", "-").removeprefix("--")
    name = f"--{OTHER_WORDS.get(word, word)}"
    return f"{name}{equals}{value}" if name in options else arg


def _with_options(command: click.Command, args: Sequence[str], options: _Options) -> list[str]:
    """The arguments with an option before each value that lacks one, such as 8 in `solve 8`."""
    alone = set(_alone(args, options))
    option_names = {option.name for arg in args if (option := options.get(arg.partition("=")[0]))}
    result = []
    for position, arg in enumerate(args):
        option = options.get(_option_of(command, arg, options)) if position in alone else None
        if option is not None and (option.multiple or option.name not in option_names):
            option_names.add(option.name)
            result.append(option.opts[-1])
        result.append(arg)
    return result


def _alone(args: Sequence[str], options: _Options) -> Iterator[int]:
    """The positions of arguments that are neither an option nor its value."""
    is_value = False
    for position, arg in enumerate(args):
        if arg == "--":
            return
        if is_value:
            is_value = False
        elif arg.startswith("-") and arg != "-":
            option = options.get(arg)
            is_value = option is not None and not option.is_flag
        else:
            yield position


def _option_of(command: click.Command, value: str, options: _Options) -> str:
    """The option for a value without one; empty if no option fits."""
    if "--square" in options and _SQUARE.fullmatch(value):
        return "--square"
    if _SIZES.fullmatch(value):
        return "--n"
    if "--cnf" in options and _FORMULA.search(value):
        return "--cnf"
    if _takes_formulas(command) and _is_other_file(value):
        return "--cnf"
    if any(isinstance(parameter, click.Argument) for parameter in command.params):
        return ""
    return _OF_A_WORD.get(command.name or "", "--board")


def _takes_formulas(command: click.Command) -> bool:
    """Whether an argument may be a formula, in a file of any name."""
    return any(
        "FORMULA" in (parameter.metavar or "")
        for parameter in command.params
        if isinstance(parameter, click.Argument)
    )


def _is_other_file(value: str) -> bool:
    """Whether this is the path of a file that is no Python module, rather than a name."""
    return bool(_PATH.search(value)) and not value.endswith(".py") and Path(value).is_file()


def _joined(args: Sequence[str], options: _Options) -> list[str]:
    """The arguments with `--n 4 5 6`, which a shell makes from `--n {4..6}`, as `--n 4,5,6`."""
    result: list[str] = []
    for arg in args:
        option = options.get(result[-2]) if len(result) > 1 else None
        if option and option.type.name == _RANGE and _SIZES.fullmatch(arg):
            result[-1] += f",{arg}"
        else:
            result.append(arg)
    return result


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
