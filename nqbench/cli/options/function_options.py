"""The options of a command that calls one function of the library: those that it declares."""

import functools
from collections.abc import Callable
from typing import Any, Final

import click

from nqbench.campaign.caller import CALLER
from nqbench.campaign.options import Option, declared_options
from nqbench.cli.options.sections import option_in
from nqbench.cli.options.setting_options import setting_option
from nqbench.cli.options.shared_options import FILE, FOLDER, PATH, Name, OneOf, Parsed, separated
from nqbench.cli.printing.terminal import Terminal
from nqbench.common import parsing
from nqbench.records.settings import Setting

Command = Callable[..., Any]

_TYPES: Final[dict[parsing.Kind, click.ParamType[Any]]] = {
    parsing.PATH: PATH,
    parsing.FILE: FILE,
    parsing.FOLDER: FOLDER,
    parsing.NUMBER: click.FLOAT,
}


def calling(
    function: Command,
    show: Callable[[Any], None] = lambda _: None,
    terminal: type[Terminal] = Terminal,
) -> Callable[[Command], Command]:
    """Add the options that a function declares to a command, which gets their values by the names
    of its arguments. While the command is executed, a `Terminal` is the caller of the function:
    `show` prints what becomes known before the function returns.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def at_terminal(**values: Any) -> Any:
            token = CALLER.set(terminal(show))
            try:
                return command(**values)
            finally:
                CALLER.reset(token)

        decorated: Command = at_terminal
        for argument, option, default in reversed(declared_options(function)):
            decorated = _option_of(argument, option, default)(decorated)
        return decorated

    return decorate


def _option_of(
    argument: str, option: Option | Setting, default: object
) -> Callable[[Command], Command]:
    if isinstance(option, Setting):
        return setting_option(option, argument, default)
    kind = option.kind
    names = option.names or (f"--{argument.replace('_', '-')}",)
    attributes: dict[str, Any] = {"required": option.is_required}
    if kind is parsing.FLAG:
        attributes |= {"is_flag": True, "default": default}
        names = (f"{names[0]}/{names[0].replace('--', '--no-')}",) if default else names
    elif kind.several and kind.known:
        attributes |= {"multiple": True, "type": Name(kind.known), "callback": separated(kind)}
    elif kind.several:
        attributes |= {"multiple": True, "type": _type_of(kind)}
    else:
        attributes["type"] = _type_of(kind)
        if default is not None:
            shown = default if isinstance(default, str) else kind.shown(default)
            attributes |= {"default": shown, "show_default": True}
        elif option.usual:
            attributes |= {"default": option.usual, "show_default": True, "callback": _if_given}
    return option_in(option.section)(
        *names, argument, help=option.help, metavar=option.metavar, **attributes
    )


def _type_of(kind: parsing.Kind) -> click.ParamType[Any]:
    if kind.words:
        return OneOf(kind.words)
    if kind.known:
        return Name(kind.known)
    if kind.bounds:
        return click.IntRange(*kind.bounds)
    return _TYPES.get(kind) or Parsed(kind.name, kind.parse)


def _if_given(context: click.Context, option: click.Parameter, value: object) -> object:
    """The value; None, as in a call without it, if it is what the help says."""
    source = context.get_parameter_source(str(option.name))
    return None if source is click.core.ParameterSource.DEFAULT else value
