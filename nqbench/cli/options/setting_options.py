"""The options of `nqbench.records.settings`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from nqbench.campaign.execution import Execution
from nqbench.cli.options.option_group import option_group
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


def setting_option(setting: Setting) -> Callable[..., Any]:
    """The option of a setting, whose parameter is the field that it sets. If it is not given, that
    is None for a setting that campaigns may state, and otherwise the default.
    """
    kind, flags = setting.kind, [setting.option]
    attributes: dict[str, Any] = {"default": None if setting.in_files else setting.default}
    default_text = f" [{kind.shown(setting.default)}]" if setting.default not in (None, ()) else ""
    if kind is parsing.FLAG:
        attributes["is_flag"], default_text = True, ""
        flags = [f"--{setting.name}/--no-{setting.name}"] if setting.default else flags
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
        setting.sets,
        metavar=setting.metavar,
        help=f"{setting.help}{default_text}",
        **attributes,
    )


def _listed(_context: object, _option: object, values: Sequence[str]) -> Sequence[str] | None:
    return values or None


def _word(setting: Setting) -> Callable[[object, object, Any], Any]:
    return lambda _context, _option, value: value and setting.kind.parse(str(value))


lenient_option = setting_option(settings.BY_NAME["lenient"])


def options_of(
    kind: Callable[..., Any], name: str, chosen: Iterable[Setting]
) -> Callable[..., Any]:
    """The options of these settings, of which a command gets what `kind` makes of their values, as
    its parameter `name`.
    """
    chosen = list(chosen)
    own = [setting.sets for setting in chosen]
    return option_group(kind, name, *map(setting_option, chosen), own=own)


settings_options = options_of(
    lambda **values: settings.stated(values), "settings", settings.OF_CAMPAIGNS
)
execution_options = options_of(Execution.usual, "execution", settings.of(Execution))
