"""How a command gets its options: in sections of the help, several as one object, and those that a
function of the library declares, among them those of `nqbench.records.settings`.
"""

import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, Final

import click

from nqbench.campaign.caller import CALLER
from nqbench.campaign.options import Option, declared_options
from nqbench.cli.options.shared_options import FILE, FOLDER, PATH, Name, OneOf, Parsed, separated
from nqbench.cli.printing.terminal import Terminal
from nqbench.common import parsing
from nqbench.records import settings
from nqbench.records.measures import Measure
from nqbench.records.settings import Section, Setting

Command = Callable[..., Any]


def option_group(
    kind: type[Any],
    name: str,
    *options: Callable[[Command], Command],
    without: Collection[str] = (),
) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a command, which gets them as its parameter `name`.

    `kind` is the dataclass of that parameter. Its fields, except those in `without`, are the
    parameters of the options.
    """
    own = [field.name for field in fields(kind) if field.name not in without]

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_object(**values: Any) -> Any:
            return command(**{name: kind(**{field: values.pop(field) for field in own})}, **values)

        decorated: Command = with_object
        for option in reversed(options):  # the last one added comes first in the help
            decorated = option(decorated)
        return decorated

    return decorate


class _Option(click.Option):
    """An option with the heading under which the help lists it."""

    def __init__(self, *names: Any, section: Section, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.section = section


class Sectioned(click.Command):
    """A command whose help lists its options by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section that has options."""
        rows: dict[Section, list[tuple[str, str]]] = {section: [] for section in Section}
        for parameter in self.get_params(ctx):
            help_record = parameter.get_help_record(ctx)
            if help_record and isinstance(parameter, click.Option):
                rows[getattr(parameter, "section", Section.OTHERS)].append(help_record)
        for section, options in rows.items():
            if options:
                with formatter.section(section.value):
                    formatter.write_dl(options)


def option_in(section: Section) -> Callable[..., Callable[..., Any]]:
    """A `click.option` whose options are listed under this heading by `Sectioned`."""
    return partial(click.option, cls=_Option, section=section)


_TYPES: Final[dict[parsing.Kind, click.ParamType[Any]]] = {
    parsing.PATH: PATH,
    parsing.FILE: FILE,
    parsing.FOLDER: FOLDER,
    parsing.NUMBER: click.FLOAT,
}


def _measure(text: str) -> str:
    Measure.parse(text)
    return text


_MEASURE: Final = Parsed("measure", _measure)


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
        return _setting_option(argument, option, default)
    kind = option.kind
    names = option.names or (f"--{argument.replace('_', '-')}",)
    attributes = _typed(kind, _type_of) | {"required": option.is_required}
    if kind is parsing.FLAG:
        attributes["default"] = default
        names = _both_ways(names[0]) if default else names
    elif not kind.several and default is not None:
        shown = default if isinstance(default, str) else kind.shown(default)
        attributes |= {"default": shown, "show_default": True}
    elif not kind.several and option.usual:
        attributes |= {"default": option.usual, "show_default": True, "callback": _if_given}
    return option_in(option.section)(
        *names, argument, help=option.help, metavar=option.metavar, **attributes
    )


def _setting_option(
    argument: str, setting: Setting, default: object
) -> Callable[[Command], Command]:
    """None stands for what a campaign says, or for the default of the setting."""
    kind = setting.kind
    names: tuple[str, ...] = (setting.option,)
    attributes = {"default": default} | _typed(kind, lambda kind: _parsed(kind, setting.name))
    usual = setting.default if default is None else kind.meant(argument, default)
    default_text = f" [{kind.shown(usual)}]" if usual not in (None, ()) else ""
    if kind is parsing.FLAG:
        default_text = ""
        names = _both_ways(f"--{setting.name}") if usual else names
    elif kind.several and not kind.known:
        attributes["callback"] = _listed
    return option_in(setting.section)(
        *([setting.short] if setting.short else []),
        *names,
        argument,
        metavar=setting.metavar,
        help=f"{setting.help}{default_text}",
        **attributes,
    )


def _typed(
    kind: parsing.Kind, type_of: Callable[[parsing.Kind], click.ParamType[Any]]
) -> dict[str, Any]:
    """What click has to know about values of this kind."""
    if kind is parsing.FLAG:
        return {"is_flag": True}
    if kind.several and kind.known:
        return {"multiple": True, "type": Name(kind.known), "callback": separated(kind)}
    return {"multiple": kind.several, "type": type_of(kind)}


def _both_ways(name: str) -> tuple[str]:
    """A flag that is on by default."""
    return (f"{name}/{name.replace('--', '--no-', 1)}",)


def _type_of(kind: parsing.Kind) -> click.ParamType[Any]:
    if kind.words:
        return OneOf(kind.words)
    if kind.known:
        return Name(kind.known)
    if kind.bounds:
        return click.IntRange(*kind.bounds)
    return _TYPES.get(kind) or Parsed(kind.name, kind.parse)


def _parsed(kind: parsing.Kind, name: str) -> click.ParamType[Any]:
    """The same for a setting, whose errors are known before the campaign is planned."""
    if kind.words and not kind.several:
        return OneOf(kind.words)
    return _MEASURE if name == "measure" else Parsed(kind.name, kind.parse)


def _listed(_context: object, _option: object, values: Sequence[str]) -> Sequence[str] | None:
    return values or None


def _if_given(context: click.Context, option: click.Parameter, value: object) -> object:
    """The value; None, as in a call without it, if it is what the help says."""
    source = context.get_parameter_source(str(option.name))
    return None if source is click.core.ParameterSource.DEFAULT else value


lenient_option = _setting_option("lenient", settings.BY_NAME["lenient"], None)
