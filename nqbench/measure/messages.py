"""What a slot and its fork server tell each other, besides records."""

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
    """The first message to a server: what it will be asked to run, the processors that it and its
    workers are pinned to, if any, and how many bytes its instances may fill.
    """

    encodings: list[str]
    backends: list[str]
    cpus: list[int] = field(default_factory=list)
    cache_bytes: int = 0

    @classmethod
    def of(cls, runs: Iterable[Run]) -> "Prepare":
        """What these runs need."""
        pairs = {(run.encoding, run.backend) for run in runs}
        encodings = {encoding for encoding, _ in pairs} - {ENCODING}
        return cls(sorted(encodings), sorted({backend for _, backend in pairs}))


@dataclass(frozen=True, slots=True)
class Ready:
    """The answer: where the server runs, the versions of the solvers and encoders there, and what
    does not work there and why.
    """

    environment: Environment
    versions: dict[str, str | None]
    unavailable: dict[str, str]


@dataclass(frozen=True, slots=True)
class Order:
    """A run to do. Its problem has a field for each kind, since a message has no unions; `rest` are
    the other fields of the run.
    """

    board: Problem | None
    formula: Formula | None
    rest: dict[str, Any]

    @classmethod
    def of(cls, run: Run) -> "Order":
        """The order to do this run."""
        problem = run.problem
        rest = {f.name: getattr(run, f.name) for f in fields(run) if f.name != "problem"}
        board, formula = (None, problem) if isinstance(problem, Formula) else (problem, None)
        return cls(board, formula, rest)

    @property
    def run(self) -> Run:
        """The run that it asks for."""
        problem = self.board or self.formula
        assert problem is not None
        limits = msgspec.convert(self.rest["limits"], Limits)
        return Run(
            **self.rest | {"problem": problem, "limits": limits, "task": Task(self.rest["task"])}
        )


@dataclass(frozen=True, slots=True)
class Busy:
    """What the server does next, and the seconds after which it says something else."""

    doing: str
    limit_s: float
