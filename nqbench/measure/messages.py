"""The messages between a slot and its fork server, besides records."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

import msgspec

from nqbench.instances.formula import ENCODING, Formula
from nqbench.limits import Limits
from nqbench.machine.environment import Environment
from nqbench.problems.base import Problem
from nqbench.records.record import Run
from nqbench.vocabulary import Task


@dataclass(frozen=True, slots=True)
class Prepare:
    """The first message to a server: the components of its runs, the CPUs to pin it and its workers
    to, if any, and the bytes that its instances may use.
    """

    encodings: list[str]
    backends: list[str]
    cpus: list[int] = field(default_factory=list)
    cache_bytes: int = 0

    @classmethod
    def of(cls, runs: Iterable[Run]) -> "Prepare":
        """The message for these runs."""
        pairs = {(run.encoding, run.backend) for run in runs}
        encodings = {encoding for encoding, _ in pairs} - {ENCODING}
        return cls(sorted(encodings), sorted({backend for _, backend in pairs}))


@dataclass(frozen=True, slots=True)
class Ready:
    """The reply to `Prepare`: where the server runs, the versions of encodings and backends there,
    and which of them do not work there and why.
    """

    environment: Environment
    versions: dict[str, str | None]
    unavailable: dict[str, str]


@dataclass(frozen=True, slots=True)
class Order:
    """A run to do. There is a field for each kind of problem, since messages have no unions; `rest`
    holds the other fields of the run.
    """

    board: Problem | None
    formula: Formula | None
    rest: dict[str, Any]

    @classmethod
    def of(cls, run: Run) -> "Order":
        """The message for this run."""
        problem = run.problem
        rest = {f.name: getattr(run, f.name) for f in fields(run) if f.name != "problem"}
        board, formula = (None, problem) if isinstance(problem, Formula) else (problem, None)
        return cls(board, formula, rest)

    @property
    def run(self) -> Run:
        """The run to do."""
        problem = self.board or self.formula
        assert problem is not None
        limits = msgspec.convert(self.rest["limits"], Limits)
        return Run(
            **self.rest | {"problem": problem, "limits": limits, "task": Task(self.rest["task"])}
        )


@dataclass(frozen=True, slots=True)
class Busy:
    """What the server does next, and the seconds within which it sends its next message."""

    doing: str
    limit_s: float
