"""The exceptions that callers may see. Each message is one line that a user can act on."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class Place:
    """Where in an input something is: the name of a file; the numbers of a line and a column in a
    text, or of a row in a table, from 1; and the name of a field or a record; as far as they are
    known.

    >>> print(Place("a.cnf", line=3))
    a.cnf, line 3
    """

    source: str = ""
    line: int | None = None
    column: int | None = None
    row: int | None = None
    field: str = ""

    def __str__(self) -> str:
        numbers = {"line": self.line, "column": self.column, "row": self.row}
        named = [f"{noun} {number}" for noun, number in numbers.items() if number is not None]
        return ", ".join(filter(None, [self.source, *named, self.field]))

    def within(self, outer: "Place") -> "Place":
        """The same in an input that is at another place.

        >>> print(Place(line=3).within(Place("a.cnf")))
        a.cnf, line 3
        >>> print(Place("a.cnf", line=3).within(Place("all.toml", line=8)))
        all.toml, line 8: a.cnf, line 3
        """
        if self == Place():
            return outer
        if not self.source and outer == Place(outer.source):
            return replace(self, source=outer.source)
        return replace(self, source=": ".join(filter(None, [str(outer), self.source])))


class InputError(NqbenchError):
    """The command line or an input file is wrong; the command line exits with status 2.

    `reason` says what is wrong, `place` where, and the message is both. `kind` is a short name of
    what is wrong that stays the same when words change; empty if it has none.

    >>> InputError("it is empty", place=Place("a.cnf", line=3))
    InputError('a.cnf, line 3: it is empty')
    """

    def __init__(self, reason: str, *, kind: str = "", place: Place | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind
        self.place = place or Place()

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place != Place() else self.reason

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


@contextmanager
def at(source: str | Path = "", *, line: int | None = None, field: str = "") -> Iterator[None]:
    """Inside of this, an `InputError` is about an input at this place, and says so."""
    try:
        yield
    except InputError as error:
        error.place = error.place.within(Place(str(source), line, field=field))
        raise


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


class GaveUpError(SolverError):
    """A solver says that it does not know."""


class TooManyClausesError(NqbenchError):
    """Constraints stand for more clauses than can be written out."""


class ExecutorError(NqbenchError):
    """Runs cannot be executed, or no longer; the command line exits with status 1."""


class StoreError(NqbenchError):
    """The store cannot be opened, read or written."""
