"""Parses solver output: the `s` and `v` lines of the competition, and MiniSat's result file."""

import re
from typing import Final

import numpy as np

from nqbench.errors import InputError
from nqbench.instances.cnf import Assignment
from nqbench.vocabulary import Answer

_STATUS: Final = {
    "s SATISFIABLE": Answer.SAT,
    "s UNSATISFIABLE": Answer.UNSAT,
    "s UNKNOWN": Answer.UNKNOWN,
    "s INDETERMINATE": Answer.UNKNOWN,  # CryptoMiniSat
    "c UNKNOWN": Answer.UNKNOWN,  # CaDiCaL before version 2
    "SAT": Answer.SAT,
    "UNSAT": Answer.UNSAT,
    "INDET": Answer.UNKNOWN,
}


def parse(text: str, num_variables: int, source: str) -> tuple[Answer, Assignment]:
    """Return the answer in a solver's output and the values of variables 1..num_variables.

    Literals of other variables are ignored; missing literals count as false. Raises an `InputError`
    with `source` and the line if there is no answer, or if it is sat without a model.
    """
    status: Answer | None = None
    literals: list[int] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        where = f"{source}, line {number}"
        if line in _STATUS:
            if status not in (None, _STATUS[line]):
                raise InputError(f"{where}: '{line}' after an answer of {status}")
            status = _STATUS[line]
        elif re.match(r"v(\s|$)", line) or (status is Answer.SAT and re.match(r"-?\d", line)):
            literals += _literals(line.removeprefix("v"), where)
    if status is None:
        raise InputError(f"{source}: no answer: expected 's SATISFIABLE', 'SAT' or the like")
    if status is Answer.SAT and not literals:
        raise InputError(f"{source}: satisfiable, but without a model: expected 'v' lines")
    return status, np.isin(np.arange(1, num_variables + 1), literals)


def _literals(text: str, where: str) -> list[int]:
    words = text.split()
    for word in words:
        if re.fullmatch(r"-?\d{1,18}", word) is None:
            raise InputError(f"{where}: '{word[:20]}' is not a literal")
    return [int(word) for word in words]
