"""The options of `nqbench.records.settings`."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from nqbench.cli.options.sections import option_in
from nqbench.cli.options.shared_options import Name, OneOf, Parsed, separated
from nqbench.common import parsing
from nqbench.records import settings
from nqbench.records.measures import Measure
from nqbench.records.settings import Setting


def _measure(text: str) -> str:
    Measure.parse(text)
    return text


_TYPES: Final = {"measure": Parsed("measure", _measure)}
"""Texts whose errors are known before the campaign is planned."""


def setting_option(setting: Setting, argument: str, default: object = None) -> Callable[..., Any]:
    """The option of a setting, whose parameter is this argument of a function with this default.
    None stands for what a campaign says, or for the default of the setting.
    """
    kind, flags = setting.kind, [setting.option]
    attributes: dict[str, Any] = {"default": default}
    usual = setting.default if default is None else kind.meant(argument, default)
    default_text = f" [{kind.shown(usual)}]" if usual not in (None, ()) else ""
    if kind is parsing.FLAG:
        attributes["is_flag"], default_text = True, ""
        flags = [f"--{setting.name}/--no-{setting.name}"] if usual else flags
    elif kind.several:
        attributes |= {"multiple": True, "callback": _listed}
        attributes["type"] = _TYPES.get(setting.name) or Parsed(kind.name, kind.parse)
        if kind.known:
            attributes |= {"type": Name(kind.known), "callback": separated(kind)}
    elif kind.words:
        attributes |= {"type": OneOf(kind.words), "callback": _word(setting)}
    else:
        attributes["type"] = Parsed(kind.name, kind.parse)
    if setting.short:
        flags.insert(0, setting.short)
    return option_in(setting.section)(
        *flags,
        argument,
        metavar=setting.metavar,
        help=f"{setting.help}{default_text}",
        **attributes,
    )


def _listed(_context: object, _option: object, values: Sequence[str]) -> Sequence[str] | None:
    return values or None


def _word(setting: Setting) -> Callable[[object, object, Any], Any]:
    return lambda _context, _option, value: value and setting.kind.parse(str(value))


lenient_option = setting_option(settings.BY_NAME["lenient"], "lenient")
