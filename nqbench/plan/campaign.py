"""The plan of a campaign: every run of its grid, in a shuffled order."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from nqbench.errors import InputError
from nqbench.limits import Limits
from nqbench.machine import environment
from nqbench.plan import defaults
from nqbench.plan.combinations import Planned, combinations
from nqbench.problems.base import Problem
from nqbench.records.record import Run
from nqbench.vocabulary import Task

ANY_MACHINE: Final = "any machine of a cluster"

MOST_RUNS: Final = 10_000_000
"""The largest campaign; about as many runs as fit into memory."""


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """The runs of one command line: every problem x encoding x backend, `repeat` times.

    Encodings and backends are combined only if they fit: a backend that takes a CSP is not run on
    clauses. If no encoding fits a backend, its `default_encoding` is used. If no encodings or
    backends are named, those of `plan.defaults` are used that are installed and fit the problems.
    Formulas have no encoding: each backend that takes clauses gets them unchanged. `shuffle` is a
    seed with which each repeat gets other clause orders and variable names. `left_out` has a
    sentence for each requested problem that does not exist. Raises `InputError` if there is nothing
    to run.
    """

    problems: Sequence[Problem]
    left_out: Sequence[str] = ()
    encodings: Sequence[str] | None = None
    backends: Sequence[str] | None = None
    task: Task = Task.FIRST
    repeat: int = 3
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    shuffle: int | None = None

    def __post_init__(self) -> None:
        if not self.problems or (self.backends is not None and not self.backends):
            raise InputError("a campaign needs at least one problem and one backend")
        if self.repeat < 1:
            raise InputError(f"repeat is {self.repeat}: it must be at least 1")
        for name in ("seed", "shuffle"):
            if abs(getattr(self, name) or 0) >= 2**63:
                raise InputError(f"{name} is {getattr(self, name)}: it must fit in 64 bits")

    @property
    def notes(self) -> list[str]:
        """A sentence for each thing that is left out, with the reason."""
        by_default = not self.encodings and any(p.has_rules for p in self.problems)
        missing = defaults.why_left_out(encodings=by_default, backends=self.backends is None)
        return [*self.left_out, *missing]

    def runs(self, machine: str | None = None, cores: int = 0) -> list[Run]:
        """Return every run once, in an order shuffled by the seed.

        A run's identity includes `machine`, which is this one by default, or `ANY_MACHINE` if it is
        not known yet; and `cores`, the number of cores to pin the run to, or 0.

        The order is shuffled so that a machine that slows down for a while does not affect a single
        solver or n. Runs of a plugin that cannot be loaded are planned as well, and recorded as
        unavailable. Raises `InputError` for an unknown encoding or backend, for one that fits no
        other or cannot do the task, and for two problems with the same name.
        """
        here = environment.current()
        problems = list(dict.fromkeys(self.problems))
        _check_names(problems)
        pairs = list(
            dict.fromkeys(combinations(problems, self.encodings, self.backends, self.task))
        )
        count = len(problems) * len(pairs) * self.repeat
        if count > MOST_RUNS:
            raise InputError(f"{count} runs are more than {MOST_RUNS}: ask for fewer at a time")
        runs = [
            Run(
                problem=problem,
                encoding=encoding.name,
                encoding_version=encoding.version,
                backend=backend.name,
                backend_version=backend.version,
                limits=self.limits,
                seed=self.seed,
                task=self.task,
                shuffle=self.shuffle if _is_shuffled(backend) else None,
                repeat=repeat,
                machine=machine or here.machine,
                harness=here.harness,
                cores=cores,
            )
            for problem in problems
            for encoding, backend in pairs
            for repeat in range(self.repeat)
        ]
        random.Random(self.seed).shuffle(runs)
        return runs


def _check_names(problems: Sequence[Problem]) -> None:
    """Raise `InputError` if two problems have one name, since records identify them by name."""
    for name, count in Counter(map(str, problems)).items():
        if count > 1:
            raise InputError(
                f"{count} problems have the name '{name}': rename a file, or change its 'name'"
            )


def _is_shuffled(backend: Planned) -> bool:
    return backend.component is None or bool(backend.component.can_be_shuffled)
