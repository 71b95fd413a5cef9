"""Reads the counters of programs from the statistics that they print.

Each program prints a line for each counter, in its own format. CaDiCaL and Kissat leave out the
lines of counters that are zero. clasp prints no propagations, and CryptoMiniSat rounds them
("34K"), so these are not read.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nqbench.common.solver_counters import Counters


@dataclass(frozen=True, slots=True)
class _Format:
    """`line` matches the line of the counter that replaces NAME; its group is the number. `names`
    are the program's names of our counters. If `section` matches, a missing line means 0.

    Patterns start with a line feed and not with `^`, which takes five times as long to find after a
    model of a million lines.
    """

    line: str
    names: dict[str, str]
    section: str | None = None


_NAMES: Final = {name: name for name in ("conflicts", "decisions", "propagations", "restarts")}

_BIERE: Final = _Format(r"\nc NAME: +(\d{1,18})\b", _NAMES, section=r"\nc -+ \[ statistics \] -+")
_FORMATS: Final = {
    # c conflicts:                  6383    184725.36    per second
    "cadical": _BIERE,
    "kissat": _BIERE,
    # conflicts             : 10495          (342180 /sec)
    "minisat": _Format(r"\nNAME +: (\d{1,18})\b", _NAMES),
    # c conflicts             : 6383         (184725 /sec)
    "glucose": _Format(r"\nc NAME +: (\d{1,18})\b", _NAMES),
    # c conflicts                : 3106
    "cryptominisat5": _Format(
        r"\nc NAME +: (\d{1,18})\b", {name: name for name in _NAMES if name != "propagations"}
    ),
    # c Conflicts      : 3247     (Analyzed: 3246)
    "clasp": _Format(
        r"\nc NAME +: (\d{1,18})\b",
        {"conflicts": "Conflicts", "decisions": "Choices", "restarts": "Restarts"},
    ),
    # c 3073 conflicts
    "picosat": _Format(r"\nc (\d{1,18}) NAME\n", _NAMES),
}

PROGRAMS: Final = frozenset(_FORMATS)
"""The programs whose counters can be read."""


def pattern_of(program: str) -> str | None:
    """The regular expression that finds the number of conflicts in the output of a program; None
    if it is not known. No match means 0.
    """
    program_format = _FORMATS.get(Path(program).name)
    if program_format is None or "conflicts" not in program_format.names:
        return None
    return program_format.line.replace("NAME", program_format.names["conflicts"])


def read(program: str, text: str) -> Counters:
    """Return the counters in the output of a program, given by its name or path; None for those
    that it does not contain.
    """
    program_format = _FORMATS.get(Path(program).name)
    if program_format is None:
        return Counters()
    text = f"\n{text}\n"
    absent = 0 if program_format.section and re.search(program_format.section, text) else None
    values: dict[str, int | None] = {}
    for counter, name in program_format.names.items():
        numbers = re.findall(program_format.line.replace("NAME", name), text)
        values[counter] = int(numbers[-1]) if numbers else absent
    return Counters(**values)
