"""An encoding from a function that writes at most one: `./mine.py:amo`.

The function gets literals and the first number that is free for its own variables, and returns
clauses, as lists of numbers. One with a single parameter has no variables of its own.

>>> from nqbench.clauses import dimacs
>>> def amo(literals, next_variable):
...     s = range(next_variable, next_variable + len(literals) - 1)
...     yield from ([-x, at] for x, at in zip(literals, s))
...     yield from ([-at, -x] for at, x in zip(s, literals[1:]))
...     yield from ([-at, after] for at, after in zip(s, s[1:]))
>>> print(dimacs.text(encoding_of(amo)("amo").at_most_one(3)))
p cnf 5 5
-1 4 0
-2 5 0
-4 -2 0
-5 -3 0
-4 5 0
"""

import inspect
from collections.abc import Callable
from functools import cache
from numbers import Integral
from typing import Any

import numpy as np

from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.stamp import stamp
from nqbench.common.errors import InputError, Place
from nqbench.encodings.lines import LineEncoding


@cache
def encoding_of(function: Callable[..., Any]) -> type[LineEncoding]:
    """The class of the encoding that calls this function on each line. The same function always has
    the same class.
    """
    summary = (inspect.getdoc(function) or "").partition("\n")[0]

    def constrain(_: LineEncoding, cnf: CNFBuilder, x: Block) -> None:
        stamp(cnf, call(function, len(x)), x[np.newaxis])

    members = {"__module__": function.__module__, "__doc__": summary, "reference": summary}
    return type(function.__name__, (LineEncoding,), members | {"constrain": constrain})


def call(function: Callable[..., Any], k: int) -> CNF:
    """What the function writes for the literals 1..k, as a formula with these main variables.
    Raises `InputError` if these are no clauses.
    """
    arguments = (list(range(1, k + 1)), k + 1)[: len(inspect.signature(function).parameters)]
    written = function(*arguments)
    name = f"{function.__name__}({', '.join(map(str, arguments))})"
    try:
        clauses = [list(clause) for clause in getattr(written, "clauses", written)]
    except TypeError as error:
        raise InputError(f"{name} returns no clauses, but {written!r:.40}") from error
    for clause in clauses:
        for literal in clause:
            if not isinstance(literal, Integral) or not literal:
                raise InputError(f"{literal!r:.40} is no literal", place=Place(name))
    cnf = CNFBuilder(num_main=k)
    largest = max((abs(literal) for clause in clauses for literal in clause), default=k)
    cnf.fresh(max(0, largest - k))
    for width in sorted(set(map(len, clauses))):
        alike = [clause for clause in clauses if len(clause) == width]
        cnf.add_without_zeros(np.array(alike, dtype=np.int32).reshape(len(alike), width))
    return cnf.build_by_width()
