"""The exceptions that callers may see. Each message is one line that a user can act on."""

from typing import Final


class NqbenchError(Exception):
    """Base of all exceptions that nqbench raises on purpose."""


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
