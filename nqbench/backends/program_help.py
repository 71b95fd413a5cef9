"""Checks options against the ranges that the help of a program states.

CaDiCaL replaces a value out of range by the nearest one and MiniSat reads as much of a number as it
understands; neither says so. CaDiCaL writes `--elim=bool` and `--restartint=1..2e9` in its help,
MiniSat and Glucose `-rfirst = <int32> [ 1 .. imax]` and, without the ends, `( 0 .. 1)`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from nqbench.errors import InputError

_NUMBER: Final = r"-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|imin|imax)"
_CADICAL: Final = re.compile(
    rf"^ +--(\w+)=(?:bool|({_NUMBER})\.\.({_NUMBER}))\s", re.MULTILINE | re.ASCII
)
_MINISAT: Final = re.compile(
    rf"^ +-([\w-]+) += +<(\w+)> +([\[(]) *({_NUMBER}) +\.\. +({_NUMBER})[\])]",
    re.MULTILINE | re.ASCII,
)
_LIMITS: Final = {"imin": -(2.0**31), "imax": 2.0**31 - 1}


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from `low` to `high`, whole ones or all, with or without the ends."""

    low: float
    high: float
    is_whole: bool = True
    is_closed: bool = True

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, int if self.is_whole else int | float):
            return False
        return self.low <= value <= self.high and (self.is_closed or value not in self._ends)

    def __str__(self) -> str:
        if self._ends == (0, 1) and self.is_whole:
            return "false or true"
        kind = "a whole number" if self.is_whole else "a number"
        between = "from {:.10g} to {:.10g}" if self.is_closed else "between {:.10g} and {:.10g}"
        return f"{kind} {between.format(*self._ends)}"

    @property
    def _ends(self) -> tuple[float, float]:
        return self.low, self.high


def check(options: Mapping[str, object], said: str) -> None:
    """Raise `InputError` if the help of a program states a range that an option is not in."""
    stated = dict(_ranges(said))
    for name, value in options.items():
        if name in stated and value not in stated[name]:
            raise InputError(f"option '{name}' is {value}, but must be {stated[name]}")


def _ranges(said: str) -> Iterator[tuple[str, Range]]:
    for name, low, high in _CADICAL.findall(said):
        yield name, Range(_end(low or "0"), _end(high or "1"))
    for name, kind, bracket, low, high in _MINISAT.findall(said):
        yield name, Range(_end(low), _end(high), kind.startswith("int"), bracket == "[")


def _end(text: str) -> float:
    return _LIMITS[text] if text in _LIMITS else float(text)
