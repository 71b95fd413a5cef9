"""Checks options against the ranges that the help of a program states.

CaDiCaL replaces a value out of range by the nearest one and MiniSat reads as much of a number as it
understands; neither says so. CaDiCaL writes `--elim=bool` and `--restartint=1..2e9` in its help,
MiniSat and Glucose `-rfirst = <int32> [ 1 .. imax]` and, without the ends, `( 0 .. 1)`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from nqbench.backends import option_values
from nqbench.backends.option_values import Range

_NUMBER: Final = r"-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|imin|imax)"
_CADICAL: Final = re.compile(
    rf"^ +--(\w+)=(?:bool|({_NUMBER})\.\.({_NUMBER}))\s", re.MULTILINE | re.ASCII
)
_MINISAT: Final = re.compile(
    rf"^ +-([\w-]+) += +<(\w+)> +([\[(]) *({_NUMBER}) +\.\. +({_NUMBER})[\])]",
    re.MULTILINE | re.ASCII,
)
_LIMITS: Final = {"imin": -(2.0**31), "imax": 2.0**31 - 1}


def check(options: Mapping[str, object], help_text: str) -> None:
    """Raise `InputError` if the help of a program states a range that an option is not in."""
    option_values.check(options, dict(_ranges(help_text)))


def _ranges(help_text: str) -> Iterator[tuple[str, Range]]:
    for name, low, high in _CADICAL.findall(help_text):
        yield name, Range(_end(low or "0"), _end(high or "1"), is_whole=True)
    for name, kind, bracket, low, high in _MINISAT.findall(help_text):
        yield name, Range(_end(low), _end(high), kind.startswith("int"), bracket == "[")


def _end(text: str) -> float:
    return _LIMITS[text] if text in _LIMITS else float(text)
