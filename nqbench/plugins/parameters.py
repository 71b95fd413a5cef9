"""Parameters of encodings and backends, which are part of a name: `commander:group=4`.

A component may declare one choice as positional. In a name, its value then stands first and alone:
`pysat:totalizer:order=random`. `pysat:scheme=totalizer` and `pysat`, with the default, are accepted
as well, but `pysat:totalizer` and `pysat:seqcounter` are the names in records.

Options with the prefix `opt.` are not declared here. The library of the component has them, and
they are passed on to it: `cadical195:opt.restartint=50`. Such an option may come from a campaign
file, a bundle or a store, where it needs the user's permission: see `backends.permission`. Its
value is a number or words, and never a path or another argument.
"""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from nqbench.common.errors import InputError
from nqbench.common.spelling import OPTION, ComponentName, find_name, suggestion

_OPTION_NAME: Final = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)
_OPTION_VALUE: Final = re.compile(r"(-(?=\d))?[A-Za-z0-9+][\w.,=+-]*", re.ASCII)
"""A number or words; nothing that could be another argument or a path."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number with a lower bound and perhaps an upper bound."""

    default: int
    least: int
    most: int | None = None

    def parse(self, text: str) -> int:
        """Return the value. Raises a `ValueError` that says what would work."""
        # No bound has more digits, and Python refuses to read thousands of them.
        is_number = text.isascii() and text.isdigit() and len(text) < 11
        most = 10**9 - 1 if self.most is None else self.most
        if not is_number or not self.least <= int(text) <= most:
            bounds = f"of at least {self.least}"
            if self.most is not None:
                bounds = f"from {self.least} to {self.most}"
            raise ValueError(f"a whole number {bounds}")
        return int(text)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several words. If it is positional, names state it as its value alone, and always."""

    default: str
    choices: tuple[str, ...]
    is_positional: bool = False

    def parse(self, text: str) -> str:
        """Return the value. Raises a `ValueError` that says what would work."""
        match = find_name(text, self.choices)
        if match is None:
            raise ValueError(f"one of {', '.join(self.choices)}")
        return match


@dataclass(frozen=True, slots=True)
class WholeOr:
    """A whole number with a lower bound, or a word, which is the default."""

    default: str
    least: int

    def parse(self, text: str) -> int | str:
        """Return the value. Raises a `ValueError` that says what would work."""
        if text.lower() == self.default:
            return self.default
        try:
            return Whole(self.least, self.least).parse(text)
        except ValueError as error:
            raise ValueError(f"'{self.default}' or {error}") from error


@dataclass(frozen=True, slots=True)
class NameOr:
    """The name of another component, or a word, which is the default. It comes last in a name: the
    parameters after it are those of the other component, as in `sequential:one=commander:group=4`.
    The component that has this parameter loads the other one, and so checks its name.
    """

    default: str

    def parse(self, text: str) -> str:
        """Return the name. Raises a `ValueError` that says what would work."""
        if not text.strip():
            raise ValueError(f"'{self.default}' or a name")
        return self.default if text.lower() == self.default else text


Parameter = Whole | Choice | WholeOr | NameOr
Values = Mapping[str, int | str]


def read_values(
    name: ComponentName, parameters: Mapping[str, Parameter], *, passes_options: bool = False
) -> Values:
    """The values in a name such as `commander:group=4:state=rows`, and defaults for the rest. With
    `passes_options`, options with the prefix `opt.` are values too, as text.

    Raises an `InputError` that names the parameter and says what would work.
    """
    values: dict[str, int | str] = {key: p.default for key, p in parameters.items()}
    positional = next((key for key, p in parameters.items() if _is_positional(p)), None)
    for place, part in enumerate(name.parameters):
        typed, equals, text = part.partition("=")
        if positional and place == 0 and not equals:
            typed, text = positional, typed
        if passes_options and typed.startswith(OPTION):
            values[typed] = _option_value(name, typed.removeprefix(OPTION), text)
            continue
        key = find_name(typed, parameters)
        if key is None:
            instead = suggestion(typed, parameters) if parameters else "it has none"
            raise InputError(f"'{name}': unknown parameter '{typed}': {instead}")
        is_last = isinstance(parameters[key], NameOr)
        if is_last:
            text = ":".join([text, *name.parameters[place + 1 :]])
        try:
            values[key] = parameters[key].parse(text)
        except ValueError as error:
            raise InputError(f"'{name}': {key} is '{text}', but must be {error}") from error
        if is_last:
            break
    return values


def _is_positional(parameter: Parameter) -> bool:
    return isinstance(parameter, Choice) and parameter.is_positional


def _option_value(name: ComponentName, option: str, text: str) -> str:
    """The value of an option, checked. Raises an `InputError` that says what would work."""
    if _OPTION_NAME.fullmatch(option) is None:
        raise InputError(f"'{name}': '{option[:40]}' is not an option: write opt.NAME=VALUE")
    if _OPTION_VALUE.fullmatch(text) is None:
        raise InputError(f"'{name}': opt.{option} is '{text[:40]}', but must be a number or a word")
    return text


def canonical_name(base: str, values: Values, parameters: Mapping[str, Parameter]) -> str:
    """The only spelling of these values: the positional parameter, the others in declared order
    without defaults, options in the order of their names, then the name of another component.
    """
    positional = [str(values[key]) for key, p in parameters.items() if _is_positional(p)]
    changed = [
        (isinstance(p, NameOr), f"{key}={values[key]}")
        for key, p in parameters.items()
        if values[key] != p.default and not _is_positional(p)
    ]
    options = [f"{key}={values[key]}" for key in sorted(values.keys() - parameters.keys())]
    own, last = ([text for comes_last, text in changed if comes_last is at] for at in (False, True))
    return ":".join([base, *positional, *own, *options, *last])


def options(values: Values) -> dict[str, int | float | bool | str]:
    """The options among the values, without prefix. A value is an int, a float or a bool if it can
    be read as one, otherwise text.
    """
    texts = {key.removeprefix(OPTION): str(text) for key, text in values.items() if OPTION in key}
    return {key: _read(text) for key, text in texts.items()}


def _read(text: str) -> int | float | bool | str:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text
