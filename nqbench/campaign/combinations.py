"""Which encodings and backends a campaign combines."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from nqbench.backends.base import Backend
from nqbench.backends.fit import (
    counts,
    default_encoding,
    encoding_to_optimise,
    task_of,
    weighs,
    why_not,
    why_too_heavy,
    without_search,
)
from nqbench.backends.permission import complete_backend_names
from nqbench.campaign import defaults
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.limits import Limits
from nqbench.common.machine import builds
from nqbench.common.printable import as_word
from nqbench.common.spelling import ComponentName, says_all, with_all
from nqbench.common.vocabulary import AS_IT_IS, FORMER_AS_IT_IS, WEIGHING_ENCODING, Task
from nqbench.encodings.base import Encoding, complete_encoding_names
from nqbench.plugins.availability import why_rejected, why_unavailable
from nqbench.plugins.component import Component
from nqbench.plugins.parameters import options
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.families.cnf import Formula

MIXED_ROWS: Final = "files with and without rows need separate campaigns"

_CONTROL: Final = f"{AS_IT_IS}:shuffle=1"
"""The same clauses in another order: a scheme that gains no more than that was lucky."""


class NotWorking(str):
    """Why a component does not work here, which `nqbench doctor` says as well."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Planned:
    """An encoding or backend by canonical name; `component` is None if it cannot be loaded."""

    name: str
    version: str | None
    component: Any = field(compare=False)

    @property
    def build(self) -> str | None:
        """The machine code of a backend, as in a record; None if it has no machine code."""
        return builds.described(self.component.builds) if self.component else None

    @classmethod
    def load(
        cls, load: Callable[[str], Component], name: str, *, asks_version: bool = True
    ) -> "Planned":
        """Load one by name. Raises `InputError` for a wrong name. To ask a program for its version
        starts it, and builds it if it is that of a commit.
        """
        try:
            component = load(name)
        except UnavailableError:
            return cls(name, None, None)
        return cls(component.name, component.version if asks_version else None, component)


def combinations(
    problems: Sequence[Problem],
    encodings: Sequence[str] | None,
    backends: Sequence[str] | None,
    task: Task | None,
    amo: Sequence[str] | None = None,
) -> list[tuple[Planned, Planned]]:
    """Return every encoding and backend that fit together. None stands for the defaults that are
    installed and fit the problems, and for the task of each problem: see `fit.task_of`. `amo` are
    the schemes that formulas are written in.

    Raises `InputError` for a wrong name, if no encoding that is named fits a backend, for a backend
    that fits no encoding, and for a combination that cannot do the task for these problems.
    """
    backends = _optimising(problems, encodings, backends, task)
    loaded_encodings, solvers, pairs = _paired(
        problems, encodings, backends, amo, task, asks_version=True
    )
    reasons = _why_unused(loaded_encodings, solvers, pairs) if encodings or amo else {}
    if reasons and _named(loaded_encodings) <= reasons.keys():
        raise InputError(next(iter(reasons.values())))
    # An encoding may leave out solutions of some problems of a family only.
    checked = problems if task is Task.ALL else _one_of_each(problems)
    for encoding, solver in pairs:
        parts = encoding.component, solver.component
        if all(parts) and (reason := _why_not_together(*parts, task, checked)):
            raise InputError(reason)
    return pairs


def _why_not_together(
    encoding: Encoding, backend: Backend, task: Task | None, problems: Sequence[Problem]
) -> str | None:
    """Why the two cannot do the task for these problems, in words; None if they can. That some have
    too large weights is no reason if others do not: their runs say so.
    """
    asked = [(task_of(problem, task), problem) for problem in problems]
    reasons = [why_not(encoding, backend, task, [problem]) for task, problem in asked]
    if None in reasons:
        too_heavy = [why_too_heavy(encoding, backend, *of_task) for of_task in asked]
        reasons = [r for r, h in zip(reasons, too_heavy, strict=True) if r != h]
    return next(filter(None, reasons), None)


def _optimising(
    problems: Sequence[Problem],
    encodings: Sequence[str] | None,
    backends: Sequence[str] | None,
    task: Task | None,
) -> Sequence[str] | None:
    """The names of backends without those that `why_no_optimisers` leaves out, and of the defaults
    without those that take none of the encodings. Raises `InputError` if nobody named the task and
    one of the backends cannot do it, or if none can.
    """
    to_optimise = _to_optimise(problems, task)
    if to_optimise is None:
        return backends
    if backends is None:
        installed = defaults.installed_optimisers()
        named = [_encoding(name) for name in encodings or ()]
        taking = [
            name
            for name in installed
            if any(_fit(encoding, Planned.load(Backend.named, name)) for encoding in named)
        ]
        return taking or installed
    unable = [name for name in backends if not _optimises(name)]
    if unable and len(unable) == len(backends):
        raise InputError(without_search(to_optimise, unable[0]))
    if unable and task is None:
        raise InputError(
            f"{to_optimise} has an objective, and {unable[0]} does not optimise: --task best "
            "leaves it out, --task first asks for any model"
        )
    return [name for name in backends if name not in unable]


def why_no_optimisers(
    problems: Sequence[Problem], backends: Sequence[str] | None, task: Task | None
) -> list[str]:
    """Why `combinations` leaves out some of the backends that are named, in words."""
    to_optimise = _to_optimise(problems, task)
    if to_optimise is None or task is None or not backends:
        return []
    unable = [name for name in backends if not _optimises(name)]
    is_refused = len(unable) == len(backends)
    return [] if is_refused else [f"{n} does not optimise, as {to_optimise} needs" for n in unable]


def has_to_optimise(problems: Sequence[Problem], task: Task | None) -> bool:
    """Whether the objective of a problem is to be optimised."""
    return _to_optimise(problems, task) is not None


def _to_optimise(problems: Sequence[Problem], task: Task | None) -> Problem | None:
    """The first problem whose objective is to be optimised; None if there is none."""
    objectives = (problem for problem in problems if problem.facts.has_objective)
    return next((p for p in objectives if task_of(p, task) is Task.BEST), None)


def _optimises(backend: str) -> bool:
    """Whether a backend searches for the best objective, or cannot be loaded, which its runs
    report.
    """
    solver = Planned.load(Backend.named, backend, asks_version=False).component
    return solver is None or solver.capabilities.optimises


def unused_encodings(
    problems: Sequence[Problem],
    encodings: Sequence[str] | None,
    backends: Sequence[str] | None,
    task: Task | None,
    amo: Sequence[str] | None = None,
) -> list[str]:
    """Why `combinations` leaves out some of the encodings that are named."""
    if not (encodings or amo):
        return []
    backends = _optimising(problems, encodings, backends, task)
    loaded, solvers, pairs = _paired(problems, encodings, backends, amo, task, asks_version=False)
    reasons = _why_unused(loaded, solvers, pairs)
    return [] if _named(loaded) <= reasons.keys() else list(reasons.values())


def _named(encodings: Sequence[Planned]) -> set[str]:
    """The names of these encodings without those that are measured beside any schemes."""
    return {e.name for e in encodings} - {AS_IT_IS, _CONTROL}


def _paired(
    problems: Sequence[Problem],
    encodings: Sequence[str] | None,
    backends: Sequence[str] | None,
    amo: Sequence[str] | None,
    task: Task | None,
    *,
    asks_version: bool,
) -> tuple[list[Planned], list[Planned], list[tuple[Planned, Planned]]]:
    """The encodings, the backends, and those of both that fit together."""
    backend_names = defaults.installed_backends() if backends is None else backends
    solvers = [
        Planned.load(Backend.named, name, asks_version=asks_version) for name in backend_names
    ]
    if backends is None:
        solvers = [each for each in solvers if _takes_assumptions(each, problems)] or solvers
    for solver in solvers:
        _check_options(solver)
    if not encodings and has_to_optimise(problems, task):
        best = [(_encoding_to_optimise(problems, solver), solver) for solver in solvers]
        return [encoding for encoding, _ in best], solvers, best
    loaded = _encodings(problems, encodings, amo, solvers)
    some = _one_of_each(problems)
    pairs = [(each, solver) for solver in solvers for each in _fitting(loaded, solver, some)]
    return loaded, solvers, pairs


def _encoding_to_optimise(problems: Sequence[Problem], backend: Planned) -> Planned:
    """The encoding of all these formulas for a backend that optimises: the one of rows with weights
    if one of them needs it.
    """
    formulas = [problem for problem in problems if isinstance(problem, Clausal)]
    if backend.component is None:
        return _encoding(formulas[0].default_encoding)
    names = [encoding_to_optimise(formula, backend.component) for formula in formulas]
    return _encoding(WEIGHING_ENCODING if WEIGHING_ENCODING in names else names[0])


def _check_options(backend: Planned) -> None:
    """Raise `InputError` for an option that the library of the backend rejects."""
    if backend.component is None or not options(backend.component.values):
        return
    if reason := why_rejected(Backend.named, backend.name):
        raise InputError(f"backend '{backend.name}': {reason}")


def check_kind(problems: Sequence[Problem]) -> None:
    """Raise `InputError` for formulas among other problems."""
    if len({problem.has_rules for problem in problems}) > 1:
        raise InputError(
            "formulas and other problems need separate campaigns: start one after the other"
        )
    if len({is_clausal(problem) for problem in problems}) > 1:
        raise InputError(f"{MIXED_ROWS}: start one after the other")


def paths_apart(formulas: Sequence[Formula]) -> list[str]:
    """The files without rows and those with rows, each as words of a shell, with patterns if the
    suffix says which is which.
    """
    groups = [[f.place for f in formulas if is_clausal(f) is clausal] for clausal in (True, False)]
    first, second = ({path.suffix for path in group} for group in groups)
    is_by_suffix = first.isdisjoint(second)
    every = []
    for group in groups:
        paths = [Path(os.path.relpath(path)) for path in group]
        words = [
            f"{as_word(str(path.parent))}/*{as_word(path.suffix)}"
            if is_by_suffix
            else as_word(str(path))
            for path in paths
        ]
        every.append(" ".join(dict.fromkeys(words)))
    return every


def is_clausal(problem: Problem) -> bool:
    """Whether a problem has clauses and nothing else, and so needs no encoding."""
    return isinstance(problem, Clausal) and not problem.has_rows


def _encodings(
    problems: Sequence[Problem],
    encoding_names: Sequence[str] | None,
    amo: Sequence[str] | None,
    backends: Sequence[Planned],
) -> list[Planned]:
    formulas = any(is_clausal(problem) for problem in problems)
    if formulas and encoding_names:
        raise InputError(
            "formulas have no encoding: leave it out, or name at-most-one schemes by `amo`"
        )
    if amo and not formulas:
        raise InputError("`amo` is for formulas of clauses only: for others, name encodings")
    if amo and (asked := next((each for each in problems if each.needs_assumptions), None)):
        raise InputError(
            f"`amo` writes clauses anew, and {asked} has queries about them: leave out `amo`"
        )
    if formulas:
        return _schemes(with_all(amo or [AS_IT_IS], lambda: _rewriting(backends)))
    if encoding_names:
        return [_encoding(name) for name in encoding_names]
    if any(problem.has_bounds or not problem.has_rules for problem in problems):
        return [_encoding(name) for name in dict.fromkeys(p.default_encoding for p in problems)]
    return _able(map(_encoding, defaults.installed_encodings()), problems)


def _schemes(scheme_names: Sequence[str]) -> list[Planned]:
    """The named schemes, and beside other schemes always `AS_IT_IS` and a control."""
    schemes = [_encoding(as_encoding(name)) for name in scheme_names]
    names = [scheme.name for scheme in schemes]
    if all(name.startswith(AS_IT_IS) for name in names):
        return schemes
    controlled = any(name.startswith(f"{AS_IT_IS}:shuffle=") for name in names)
    compared = [AS_IT_IS] if controlled else [AS_IT_IS, _CONTROL]
    beside = map(_encoding, compared)
    return [*(scheme for scheme in beside if scheme.name not in names), *schemes]


def _rewriting(backends: Sequence[Planned]) -> list[str]:
    """Names of the encodings that rewrite formulas in a form that one of these backends takes, and
    of those that cannot be loaded.
    """
    return [
        e.name
        for e in map(_encoding, complete_encoding_names())
        if e.component is None or (e.component.rewrites and e.component.only_for is Problem)
        if any(_fit(e, backend) for backend in backends)
    ]


def as_encoding(scheme: str) -> str:
    """The encoding that writes a formula in this scheme, by its present name.

    >>> as_encoding("keep"), as_encoding("keep:shuffle=1"), as_encoding("product")
    ('file', 'file:shuffle=1', 'product')
    """
    return ComponentName.parse(scheme).with_base(AS_IT_IS).text if _is_former(scheme) else scheme


def renamed_schemes(schemes: Sequence[str] | None) -> list[str]:
    """What to say about names of schemes that are accepted for one version."""
    former = filter(_is_former, schemes or ())
    return [f"the scheme '{name}' is now called '{as_encoding(name)}'" for name in former]


def _is_former(scheme: str) -> bool:
    return ComponentName.parse(scheme).base.lower() == FORMER_AS_IT_IS


def _able(encodings: Iterable[Planned], problems: Sequence[Problem]) -> list[Planned]:
    """The encodings that can encode all these problems, or that cannot be loaded."""
    some = _one_of_each(problems)
    return [e for e in encodings if not e.component or not any(map(e.component.why_not, some))]


def _one_of_each(problems: Sequence[Problem]) -> list[Problem]:
    """A problem of each family, the first one with the least weights: whether a combination fits
    depends on little else.
    """
    kinds: dict[tuple[Any, ...], Problem] = {}
    for p in sorted(problems, key=_largest_sum):
        facts = p.facts
        kind = p.family, p.has_choices, p.has_bounds, facts.has_weights, facts.has_objective
        kinds.setdefault(kind, p)
    return list(kinds.values())


def _largest_sum(problem: Problem) -> int:
    return max(problem.facts.largest_sum, problem.facts.objective_sum)


def fitting_encodings(backends: Iterable[str], problems: Sequence[Problem]) -> list[str]:
    """Return every encoding of these problems that one of these backends can solve, or that cannot
    be loaded.
    """
    solvers = [Planned.load(Backend.named, name) for name in backends]
    encodings = _able(map(_encoding, complete_encoding_names()), problems)
    return [e.name for e in encodings if any(_fit(e, solver, problems) for solver in solvers)]


def without_all(
    encodings: Sequence[str] | None,
    backends: Sequence[str] | None,
    problems: Sequence[Problem],
    task: Task | None,
    *,
    limits: Limits,
    seeds: int | None,
) -> tuple[Sequence[str] | None, Sequence[str] | None, dict[str, str]]:
    """Return the names with `all` replaced: by every backend that can do the task for these
    problems here, and by every encoding that works here and that one of the backends can solve.
    Names beside it stay. Then for each one that `all` leaves out and that is not named either, the
    reason.
    """
    left_out: dict[str, str] = {}
    if backends and says_all(backends):
        reasons = able_backends(task, problems, limits, seeds)
        backends = with_all(backends, lambda: [n for n, reason in reasons.items() if not reason])
        backend_names = {Planned.load(Backend.named, name).name for name in backends}
        left_out = {name: why for name, why in reasons.items() if why and name not in backend_names}
    if encodings and says_all(encodings):
        solvers = backends or defaults.installed_backends()
        fitting = {name: _why_missing(name) for name in fitting_encodings(solvers, problems)}
        encodings = with_all(encodings, lambda: [n for n, reason in fitting.items() if not reason])
        left_out |= {name: why for name, why in fitting.items() if why and name not in encodings}
    return encodings, backends, left_out


def _why_missing(name: str) -> str | None:
    """Why an encoding does not work here; None if it does, or if it cannot be loaded, which its
    runs report.
    """
    loaded = _encoding(name).component is not None
    reason = why_unavailable(Encoding.named, name) if loaded else None
    return NotWorking(reason) if reason else None


def _encoding(name: str) -> Planned:
    return Planned.load(Encoding.named, name)


def able_backends(
    task: Task | None,
    problems: Sequence[Problem],
    limits: Limits | None = None,
    seeds: int | None = None,
) -> dict[str, str | None]:
    """Return every backend except those that need a path, with the reason why it cannot do the
    task for these problems under these limits here, or with several seeds, or None if it can.
    """
    every = [_encoding(name) for name in complete_encoding_names()]
    encodings = [e for e in every if e.component]
    some = _one_of_each(problems)

    def why_left_out(name: str) -> str | None:
        planned = Planned.load(Backend.named, name)
        if missing := why_unavailable(Backend.named, name):
            return NotWorking(missing)
        if not planned.component.can_do(task or Task.FIRST):
            return "cannot enumerate all solutions"
        if has_to_optimise(some, task) and not _optimises(name):
            return "does not optimise"
        return (
            _why_unable(planned, encodings, some)
            or (why_not_limited(planned, limits) if limits else None)
            or (why_not_varied(planned) if seeds else None)
        )

    return {name: why_left_out(name) for name in complete_backend_names()}


def why_not_varied(backend: Planned) -> str | None:
    """Why `seeds` cannot vary the runs of a backend; None if it can."""
    solver = backend.component
    if solver is None or solver.can_be_shuffled or "seed" in solver.parameters:
        return None
    return "has neither a seed nor clauses to shuffle"


def why_not_limited(backend: Planned, limits: Limits) -> str | None:
    """Why the backend cannot stop at these limits of work; None if it can."""
    if backend.component is None:
        return None
    return next(filter(None, map(backend.component.why_not_limited, limits.work)), None)


def _why_unable(
    backend: Planned, encodings: Sequence[Planned], problems: Sequence[Problem]
) -> str | None:
    """Why the backend cannot solve one of these problems, or not all by one encoding."""
    default = default_encoding(backend.component, problems)
    # Where no requested encoding fits, the default has to.
    fitting = [e for e in encodings if default in {None, e.name} and _fit(e, backend)]
    usable = [
        [e for e in _able(fitting, [problem]) if _can_solve(backend, e, problem)]
        for problem in problems
    ]
    for problem, able in zip(problems, usable, strict=True):
        if not able:
            return f"cannot solve {problem}"
    if not any(all(encoding in able for able in usable) for encoding in usable[0]):
        return f"has no encoding for all of {', '.join(map(str, problems))}"
    return None


def _takes_assumptions(backend: Planned, problems: Iterable[Problem]) -> bool:
    """Whether the backend takes assumptions, or is not known, or none of the problems has some."""
    is_able = backend.component is None or backend.component.capabilities.assumptions
    return is_able or not any(problem.needs_assumptions for problem in problems)


def _can_solve(backend: Planned, encoding: Planned, problem: Problem) -> bool:
    if not isinstance(problem, backend.component.only_for):
        return False
    if not _takes_assumptions(backend, [problem]):
        return False
    parts = encoding.component, backend.component, problem
    return counts(*parts) and weighs(*parts)


def partly_fitting(problems: Sequence[Problem]) -> list[str]:
    """Why default encodings are left out that fit some of several families, but not all."""
    some = _one_of_each(problems)
    sentences = []
    for encoding in map(_encoding, defaults.installed_encodings()):
        reasons = [encoding.component.why_not(p) for p in some] if encoding.component else []
        if None in reasons:
            sentences += list(filter(None, reasons))[:1]
    return sentences


def _fit(encoding: Planned, backend: Planned, problems: Sequence[Problem] = ()) -> bool:
    """Whether the backend takes what the encoding makes, with the weights of these problems."""
    if encoding.component is None or backend.component is None:
        return True
    parts = encoding.component, backend.component
    fits: bool = backend.component.accepts(encoding.component)
    return fits and all(weighs(*parts, problem) for problem in problems)


def _fitting(
    encodings: Sequence[Planned], backend: Planned, problems: Sequence[Problem]
) -> list[Planned]:
    """The encodings that the backend can solve, or its default. Raises `InputError` if none."""
    fitting = [encoding for encoding in encodings if _fit(encoding, backend, problems)]
    default = backend.component and default_encoding(backend.component, problems)
    if not fitting and default:
        fitting = [Planned.load(Encoding.named, default)]
    if not fitting:
        raise InputError(
            f"backend '{backend.name}' takes a {backend.component.takes}: none of the "
            f"encodings {_names(encodings)} makes one that it can use"
        )
    return fitting


def _why_unused(
    encodings: Sequence[Planned],
    backends: Sequence[Planned],
    pairs: Sequence[tuple[Planned, Planned]],
) -> dict[str, str]:
    """Why no backend uses some of these encodings, by their names."""
    used_names = {encoding.name for encoding, _ in pairs}
    return {
        encoding.name: f"encoding '{encoding.name}' makes a {encoding.component.makes}: none of "
        f"the backends {_names(backends)} takes it"
        for encoding in encodings
        if encoding.name not in used_names
    }


def _names(planned: Sequence[Planned]) -> str:
    return ", ".join(component.name for component in planned)
