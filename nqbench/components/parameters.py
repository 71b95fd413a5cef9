"""Parameters of encodings and backends, which are part of a name: `commander:group=4`."""

from collections.abc import Mapping
from dataclasses import dataclass

from nqbench.errors import InputError
from nqbench.names import find, suggestion


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number with a lower bound."""

    default: int
    least: int

    def parse(self, text: str) -> int:
        """Return the value. Raises a `ValueError` that says what would work."""
        if not (text.isascii() and text.isdigit() and len(text) < 10) or int(text) < self.least:
            raise ValueError(f"a whole number of at least {self.least}")
        return int(text)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several words."""

    default: str
    choices: tuple[str, ...]

    def parse(self, text: str) -> str:
        """Return the value. Raises a `ValueError` that says what would work."""
        meant = find(text, self.choices)
        if meant is None:
            raise ValueError(f"one of {', '.join(self.choices)}")
        return meant


Parameter = Whole | Choice
Values = Mapping[str, int | str]


def parse_name(name: str, parameters: Mapping[str, Parameter]) -> Values:
    """The values in a name such as `commander:group=4:state=rows`, and defaults for the rest.

    Raises an `InputError` that names the parameter and says what would work.
    """
    values: dict[str, int | str] = {key: p.default for key, p in parameters.items()}
    for part in name.split(":")[1:]:
        typed, _, text = part.partition("=")
        key = find(typed, parameters)
        if key is None:
            instead = suggestion(typed, parameters) if parameters else "it has none"
            raise InputError(f"'{name}': unknown parameter '{typed}': {instead}")
        try:
            values[key] = parameters[key].parse(text)
        except ValueError as error:
            raise InputError(f"'{name}': {key} is '{text}', but must be {error}") from error
    return values


def canonical_name(base: str, values: Values, parameters: Mapping[str, Parameter]) -> str:
    """The only spelling of these values: parameters in declared order, without defaults."""
    changed = [f"{key}={values[key]}" for key, p in parameters.items() if values[key] != p.default]
    return ":".join([base, *changed])
