"""Writes the formulas of an encoding class in a file, in an interpreter of its own in a sandbox.

It says when it is ready, before the file is imported. Then it reads one n after another, a line for
each, and writes a reply: R and the formula, X and why there is none, or M if memory was missing.
What the class prints goes to the errors.
"""

import io
import os
import sys
from pathlib import Path
from typing import Final

from nqbench import plugin
from nqbench.addons.grading.sandbox.watch import LENGTH
from nqbench.clauses import dimacs
from nqbench.clauses.comment_lines import NO_ANNOTATIONS, Description
from nqbench.common.errors import InputError
from nqbench.encodings.base import Encoding
from nqbench.isolate import describe_error, guard, write_all
from nqbench.isolate.frames import MEMORY, RAISED, RETURNED
from nqbench.problems.families.described import facts_of
from nqbench.problems.queens import Queens

_IMPORTED: Final = plugin
"""What files of encodings import, before their time counts."""


def serve() -> None:
    """Reply to each line of standard input with the formula of the class in the file that is the
    first argument, for the n in this line.
    """
    guard.note_called()  # no other process has to try what is imported
    replies = os.dup(1)
    os.dup2(2, 1)
    path = Path(sys.argv[1]).absolute()
    write_all(replies, LENGTH.pack(0))
    for line in sys.stdin:
        try:
            tag, content = RETURNED, write_class(path, int(line))
        except MemoryError:
            tag, content = MEMORY, b""
        except BaseException as error:
            tag, content = RAISED, describe_error(error).encode(errors="replace")
        write_all(replies, LENGTH.pack(len(tag) + len(content)), tag, content)


def write_class(path: Path, n: int) -> bytes:
    """The formula of the only encoding in a Python file as DIMACS, with comment lines that say
    which variable is which square. The file is imported.

    Raises `InputError` if it has no such class, or if that makes no clauses of n queens.
    """
    problem = Queens(n)
    encoding = Encoding.named(str(path))
    if reason := encoding.why_not(problem):
        raise InputError(reason)
    formula = encoding.clauses(problem).with_clauses(encoding.lazy_clauses(problem))
    literals = encoding.option_literals(problem)
    if literals is None:
        raise InputError("it does not say which literal is which square: add option_literals()")
    described = Description(problem.family, facts_of(problem), encoding.name)
    comments = described.with_literals(problem.options, literals).lines()
    file = io.BytesIO()
    dimacs.write(formula, file, NO_ANNOTATIONS.preceded_by(comments))
    return file.getvalue()
