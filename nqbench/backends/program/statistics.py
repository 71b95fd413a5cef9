"""Reads the counters of programs from the statistics that they print."""

import re
from pathlib import Path

from nqbench.common.metrics import Counters
from nqbench.plugins.known_programs import known


def pattern_of(program: str) -> str | None:
    """The regular expression that finds the number of conflicts in the output of a program; None
    if it is not known. No match means 0.
    """
    statistics = known(Path(program).name).statistics
    if statistics is None or "conflicts" not in statistics.names:
        return None
    return statistics.line.replace("NAME", statistics.names["conflicts"])


def read(program: str, text: str) -> Counters:
    """Return the counters in the output of a program, given by its name or path; None for those
    that it does not contain.
    """
    statistics = known(Path(program).name).statistics
    if statistics is None:
        return Counters()
    text = f"\n{text}\n"
    absent = 0 if statistics.section and re.search(statistics.section, text) else None
    values: dict[str, int | None] = {}
    for counter, name in statistics.names.items():
        numbers = re.findall(statistics.line.replace("NAME", name), text)
        values[counter] = int(numbers[-1]) if numbers else absent
    return Counters(**values)
