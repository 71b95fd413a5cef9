"""The plan of a campaign: every run of its grid, in a shuffled order."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from nqbench.components.component import Component
from nqbench.errors import InputError, UnavailableError
from nqbench.instances.formula import ENCODING, Formula
from nqbench.limits import Limits
from nqbench.machine import environment
from nqbench.plan import defaults
from nqbench.plugins import backend_names, encoding_names, load_backend, load_encoding
from nqbench.plugins.availability import why_unavailable
from nqbench.plugins.fit import why_not
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
    backends are named, those of `plan.defaults` are used that are installed and fit. Formulas have
    no encoding: each backend that takes clauses gets them unchanged. `shuffle` is a seed with which
    each repeat gets other clause orders and variable names. `left_out` has a sentence for each
    requested board that does not exist. Raises `InputError` if there is nothing to run.
    """

    problems: Sequence[Problem] | Sequence[Formula]
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
        by_default = not self.encodings and any(isinstance(p, Problem) for p in self.problems)
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
        problems: list[Problem | Formula] = list(dict.fromkeys(self.problems))
        _check_names(problems)
        pairs = list(dict.fromkeys(self._pairs()))
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

    def _pairs(self) -> list[tuple["_Planned", "_Planned"]]:
        boards = [problem for problem in self.problems if isinstance(problem, Problem)]
        return self._pairs_of_boards(boards) if boards else self._pairs_of_formulas()

    def _pairs_of_formulas(self) -> list[tuple["_Planned", "_Planned"]]:
        if self.encodings:
            raise InputError("formulas are measured as they are: leave out the encodings")
        if self.task is not Task.FIRST:
            raise InputError(
                f"task '{self.task}' works for boards only: use task 'first' for formulas"
            )
        backends = self._planned_backends()
        for backend in backends:
            if backend.component and not backend.component.solves_formulas:
                raise InputError(
                    f"backend '{backend.name}' solves boards only, not formulas in files"
                )
        return [(_Planned(ENCODING, None, None), backend) for backend in backends]

    def _planned_backends(self) -> list["_Planned"]:
        named = defaults.installed_backends() if self.backends is None else self.backends
        return [_Planned.load(load_backend, name) for name in named]

    def _pairs_of_boards(self, boards: Sequence[Problem]) -> list[tuple["_Planned", "_Planned"]]:
        named = self.encodings or defaults.installed_encodings()
        encodings = [_Planned.load(load_encoding, name) for name in named]
        backends = self._planned_backends()
        pairs = [
            (encoding, backend) for backend in backends for encoding in _fitting(encodings, backend)
        ]
        if self.encodings:
            _check_used(encodings, pairs, backends)
        for encoding, backend in pairs:
            if encoding.component and backend.component:
                reason = why_not(encoding.component, backend.component, self.task, boards)
                if reason is not None:
                    raise InputError(reason)
        return pairs


def fitting_encodings(backends: Iterable[str]) -> list[str]:
    """Return every encoding that one of these backends can solve, or that cannot be loaded."""
    solvers = [_Planned.load(load_backend, name) for name in backends]
    encodings = [_Planned.load(load_encoding, name) for name in encoding_names()]
    return [e.name for e in encodings if any(_fit(e, solver) for solver in solvers)]


def able_backends(task: Task, formulas: bool = False) -> dict[str, str | None]:
    """Return every backend except `exe`, which needs a program, with the reason why it cannot do
    the task here, or None if it can. With `formulas`, it must be able to solve any formula.
    """
    names = [name for name in backend_names() if name != "exe"]
    reasons: dict[str, str | None] = {}
    for name in names:
        planned = _Planned.load(load_backend, name)
        reasons[name] = why_unavailable(load_backend, name)
        if reasons[name] is None and not planned.component.can_do(task):
            reasons[name] = "cannot enumerate all solutions"
        elif reasons[name] is None and formulas and not planned.component.solves_formulas:
            reasons[name] = "solves boards only, not formulas in files"
    return reasons


@dataclass(frozen=True, slots=True)
class _Planned:
    """An encoding or backend by canonical name; `component` is None if it cannot be loaded."""

    name: str
    version: str | None
    component: Any = field(compare=False)

    @classmethod
    def load(cls, load: Callable[[str], Component], name: str) -> "_Planned":
        try:
            component = load(name)
        except UnavailableError:
            return cls(name, None, None)
        return cls(component.name, component.version, component)


def _check_names(problems: Sequence[Problem | Formula]) -> None:
    """Raise `InputError` if two problems have one name, since records identify them by name."""
    for name, count in Counter(map(str, problems)).items():
        if count > 1:
            raise InputError(
                f"{count} problems have the name '{name}': rename a file, or change its 'name'"
            )


def _is_shuffled(backend: _Planned) -> bool:
    return backend.component is None or bool(backend.component.can_be_shuffled)


def _fit(encoding: _Planned, backend: _Planned) -> bool:
    if encoding.component is None or backend.component is None:
        return True
    fits: bool = backend.component.accepts(encoding.component)
    return fits


def _fitting(encodings: Sequence[_Planned], backend: _Planned) -> list[_Planned]:
    """The encodings that the backend can solve, or its default. Raises `InputError` if none."""
    fitting = [encoding for encoding in encodings if _fit(encoding, backend)]
    default = backend.component and backend.component.default_encoding
    if not fitting and default:
        fitting = [_Planned.load(load_encoding, default)]
    if not fitting:
        raise InputError(
            f"backend '{backend.name}' takes a {backend.component.takes}: none of the "
            f"encodings {_names(encodings)} makes one that it can use"
        )
    return fitting


def _check_used(
    encodings: Sequence[_Planned],
    pairs: Sequence[tuple[_Planned, _Planned]],
    backends: Sequence[_Planned],
) -> None:
    """Raise `InputError` for an encoding that no backend uses."""
    used = {encoding.name for encoding, _ in pairs}
    for encoding in encodings:
        if encoding.name not in used:
            raise InputError(
                f"encoding '{encoding.name}' makes a {encoding.component.makes}: none of the "
                f"backends {_names(backends)} takes it"
            )


def _names(planned: Sequence[_Planned]) -> str:
    return ", ".join(each.name for each in planned)
