"""The values that options take, for solvers that ignore or replace others without saying so."""

from collections.abc import Mapping
from dataclasses import dataclass

from nqbench.common.errors import InputError


@dataclass(frozen=True, slots=True)
class Words:
    """Some words, or numbers as words."""

    words: tuple[str, ...]

    def __contains__(self, value: object) -> bool:
        return str(value).lower() in self.words

    def __str__(self) -> str:
        return f"one of {', '.join(self.words)}"


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from `low` to `high`, all or whole ones, with or without the ends. The whole
    numbers from 0 to 1 are false and true.
    """

    low: float
    high: float
    is_whole: bool = False
    is_closed: bool = True

    def __contains__(self, value: object) -> bool:
        if isinstance(value, bool):
            return self._is_switch
        if not isinstance(value, int if self.is_whole else int | float):
            return False
        return self.low <= value <= self.high and (self.is_closed or value not in self._ends)

    def __str__(self) -> str:
        if self._is_switch:
            return "false or true"
        kind = "a whole number" if self.is_whole else "a number"
        between = "from {:.10g} to {:.10g}" if self.is_closed else "between {:.10g} and {:.10g}"
        return f"{kind} {between.format(*self._ends)}"

    @property
    def _ends(self) -> tuple[float, float]:
        return self.low, self.high

    @property
    def _is_switch(self) -> bool:
        return self.is_whole and self._ends == (0, 1)


def check(options: Mapping[str, object], allowed: Mapping[str, Words | Range]) -> None:
    """Raise `InputError` for an option with a value that is not allowed."""
    for name, value in options.items():
        if name in allowed and value not in allowed[name]:
            raise InputError(f"option '{name}' is {value}, but must be {allowed[name]}")
