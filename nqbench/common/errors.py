"""The exceptions that callers may see. Each message is one line that a user can act on."""

import traceback
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from nqbench.common import PACKAGE


class NqbenchError(Exception):
    """Base of all exceptions that nqbench raises on purpose."""

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython and notebooks show."""
        return _lines_for_caller(self)


E = TypeVar("E", bound=BaseException)


def for_caller(error: E) -> E:
    """The same error, which a notebook shows as it shows those of nqbench."""
    vars(error)["_render_traceback_"] = partial(_lines_for_caller, error)
    return error


def _lines_for_caller(error: BaseException) -> list[str]:
    """Where the caller's code called nqbench, and the message: the 70 lines about what happened
    inside are nothing that a user can act on. `%debug` still goes there.
    """
    lines = []
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if file.is_relative_to(PACKAGE):
            break
        if "IPython" not in file.parts:
            in_cell = "ipykernel" in frame.filename or frame.filename.startswith("<")
            place = "this cell" if in_cell else file.name
            lines.append(f"{place}, line {frame.lineno}: {frame.line}")
    return [*lines, f"{type(error).__name__}: {error}".removesuffix(": ")]


class InputError(NqbenchError):
    """The command line or an input file is wrong; the command line exits with status 2."""


class RefusedError(InputError):
    """An encoding or a backend does not take this problem, which others may take: it would need too
    many clauses, or its numbers are too large. The message begins as `REFUSALS` say.
    """


REFUSALS: Final = ("encoding '", "backend '")
"""How messages begin that are about an encoding or a backend, and not about a file."""


class UnavailableError(NqbenchError):
    """A solver or library is not installed here, or does not work."""


class SolverError(NqbenchError):
    """A solver gave a wrong answer, crashed, or was stopped early; the command line exits with
    status 1.
    """


class TooManyClausesError(NqbenchError):
    """Constraints stand for more clauses than can be written out."""


class ExecutorError(NqbenchError):
    """Runs cannot be executed, or no longer; the command line exits with status 1."""


class StoreError(NqbenchError):
    """The store cannot be opened, read or written."""
