"""How an add-on asks one solver several questions about a problem, and judges the answers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from nqbench.checking.evidence import Certifier
from nqbench.checking.verify import Check
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer
from nqbench.isolate.fork import Isolation
from nqbench.measure.search import Search
from nqbench.plugins.declared import ASKING, declared
from nqbench.problems.base import Problem


class Asking(ABC):
    """The questions of one run about a problem that `needs_assumptions`, made before its worker is
    forked. What the worker writes to `descriptor` is left when it is killed, and is not trusted.
    """

    descriptor: int

    @abstractmethod
    def ask(self, search: Search, shuffle: Sequence[int] | None) -> Answer:
        """Ask the solver in the worker, in the phases of the search, and return its last answer.
        With `shuffle`, a seed, it is asked in other names.
        """

    @abstractmethod
    def check(
        self,
        answer: Answer | None,
        certifier: Certifier | None,
        limits: Limits,
        caller: Isolation,
    ) -> Check:
        """Check all answers that were written, of which `answer` is said to be the last; None for a
        run that was stopped, which has no verdict, but a message if one is wrong. Without a
        certifier, what needs a proof stays unchecked. What may take long is done by `caller`.
        """

    @abstractmethod
    def check_log(
        self, log: bytes, answer: Answer, said: str, certifier: Certifier, limits: Limits
    ) -> Check:
        """Check what was left unchecked in a run with this log, and this message in its record."""

    @abstractmethod
    def fields(self) -> dict[str, Any]:
        """Columns of the record."""

    @abstractmethod
    def log(self) -> bytes:
        """A line for each question, and its answer, which are kept."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what was written."""


def asking_of(problem: Problem) -> Asking | None:
    """The questions about a problem; None if it is asked once. Raises `UnavailableError` without
    the add-on, and `InputError` if its file cannot be read.
    """
    if not problem.needs_assumptions:
        return None
    asking: Asking = declared(ASKING)[problem.family].load()(problem)
    return asking
