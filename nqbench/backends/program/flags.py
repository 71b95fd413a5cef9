"""The parameters and options of programs: the arguments that they become, and the ranges that the
help of a program states.

CaDiCaL replaces a value out of range by the nearest one and MiniSat reads as much of a number as it
understands; neither says so. CaDiCaL writes `--elim=bool` and `--restartint=1..2e9` in its help,
MiniSat and Glucose `-rfirst = <int32> [ 1 .. imax]` and, without the ends, `( 0 .. 1)`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from nqbench.backends import option_values
from nqbench.backends.base import PHASE
from nqbench.backends.option_values import Range
from nqbench.common.printable import fill
from nqbench.plugins.known_programs import Program
from nqbench.plugins.parameters import Parameter, Values, Whole, options

_LARGEST_SEED: Final = 2**31 - 1


def parameters(program: Program) -> dict[str, Parameter]:
    """The parameters that may follow the name of the program."""
    by_name: dict[str, Parameter] = {}
    if program.threads:
        by_name["threads"] = Whole(default=1, least=1)
    if program.seed:
        by_name["seed"] = Whole(program.default_seed, least=0, most=_LARGEST_SEED)
    if program.phase:
        by_name["phase"] = PHASE
    return by_name


def words(program: Program, values: Values, phase: bool | None) -> list[str]:
    """The arguments for these values; those with their default are left out."""
    usual = []
    if values.get("threads", 1) != 1:
        usual.append(program.threads.format(values["threads"]))
    if values.get("seed", program.default_seed) != program.default_seed:
        usual.append(program.seed.format(values["seed"]))
    if program.phase and phase is not None:
        usual.append(program.phase[phase])
    own = [part for word in usual for part in word.split()]
    # An option is one argument, whatever its value.
    return own + [_option(program, name, value) for name, value in options(values).items()]


def _option(program: Program, name: str, value: object) -> str:
    if program.has_switches and isinstance(value, bool):
        return f"-{name}" if value else f"-no-{name}"
    return fill(program.option, {"NAME": name, "{}": str(value).lower()})


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
