"""The plan of a campaign: its formulas as they are read, and every run of its grid, in a shuffled
order.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from nqbench.backends.base import Backend
from nqbench.backends.fit import task_of
from nqbench.campaign import defaults
from nqbench.campaign.combinations import (
    Planned,
    check_kind,
    combinations,
    has_to_optimise,
    partly_fitting,
    renamed_schemes,
    unused_encodings,
    why_no_optimisers,
    why_not_limited,
    why_not_varied,
    without_all,
)
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.machine import environment
from nqbench.common.vocabulary import Task
from nqbench.problems.base import Problem
from nqbench.problems.families.cnf import Formula, same_formulas
from nqbench.problems.foreign import is_foreign, problem_key
from nqbench.records import settings
from nqbench.records.measures import parse_all
from nqbench.records.record import Run, later_seed

if TYPE_CHECKING:
    from nqbench.records.runs import Runs

_MOST_NOTES: Final = 10


class Formulas(NamedTuple):
    """Problems of a campaign, and a sentence for each thing to know about the formulas."""

    problems: list[Problem]
    notes: list[str]


def read_formulas(problems: Sequence[Problem], *, lenient: bool) -> Formulas:
    """Return the same problems; with `lenient`, formulas with a wrong header are counted anew. In
    formats in which a wrong header is no error, it is noted.
    """
    as_read: list[Problem] = []
    recounted = []
    for problem in problems:
        if not (lenient and isinstance(problem, Formula)):
            as_read.append(problem)
            if problem.facts.note and isinstance(problem, Formula):
                recounted.append(f"{problem.instance}: {problem.facts.note}")
            continue
        formula, how = problem.counted_anew()
        as_read.append(formula)
        if how:
            recounted.append(f"{formula.instance}: {how}: counted anew")
    formulas = [p for p in as_read if isinstance(p, Formula)]
    same = [
        f"the same formula has {len(names)} names, and counts once in comparisons: "
        f"{', '.join(names)}"
        for names in same_formulas(formulas)
    ]
    return Formulas(as_read, [*_shortened(recounted), *_shortened(same)])


def _shortened(notes: list[str]) -> list[str]:
    more = len(notes) - _MOST_NOTES
    return notes if more <= 1 else [*notes[:_MOST_NOTES], f"and {more} more formulas like these"]


ANY_MACHINE: Final = "any machine of a cluster"

MOST_RUNS: Final = 10_000_000
"""The largest campaign: with more, it was hardly meant."""


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """The runs of one command line: every problem x encoding x backend, `repeat` times.

    Encodings and backends are combined only if they fit: a backend that takes a CSP is not run on
    clauses. If no encoding fits a backend, `fit.default_encoding` is used. If no encodings or
    backends are named, those of `plan.defaults` are used that are installed and fit the problems.
    Formulas have no encoding: each backend that takes clauses gets them unchanged, or with their
    at-most-one constraints in each scheme of `amo`.

    `shuffle` is a seed with which each repeat gets other clause orders and variable names. With
    `seeds`, there are this many repeats, and each gives the solver another seed, from `seed` on. A
    solver without a seed, or whose seed decides little, gets shuffled clauses. With `keep_output`,
    the log of each run is kept. Without a task, `fit.task_of` says what is asked of each problem.
    `measures` says what to read from it, as `NAME=REGEX`. `left_out` has a sentence for each
    requested problem that does not exist. With `lenient`, headers of formulas may be wrong or
    missing.

    Raises `InputError` if there is nothing to run, and for formulas among other problems.
    """

    problems: Sequence[Problem]
    left_out: Sequence[str] = ()
    encodings: Sequence[str] | None = None
    backends: Sequence[str] | None = None
    amo: Sequence[str] | None = None
    lenient: bool = settings.BY_NAME["lenient"].default
    task: Task | None = None
    repeat: int = settings.BY_NAME["repeat"].default
    seeds: int | None = None
    limits: Limits = field(default_factory=Limits)
    seed: int = settings.BY_NAME["seed"].default
    shuffle: int | None = None
    keep_output: bool = False
    measures: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not self.problems or (self.backends is not None and not self.backends):
            raise InputError("a campaign needs at least one problem and one backend")
        check_kind(self.problems)
        for name in ("repeat", "seeds"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} is {value}: it must be at least 1")
        parse_all(self.measures)
        for name in ("seed", "shuffle"):
            if abs(getattr(self, name) or 0) >= 2**63:
                raise InputError(f"{name} is {getattr(self, name)}: it must fit in 64 bits")

    def with_settings(self, stated: Mapping[str, Any]) -> Self:
        """A copy with these settings, by the fields of this and of `Limits` that they set. Raises
        `InputError` for repeats besides seeds, which would replace them.
        """
        if "repeat" in stated and (stated.get("seeds") or self.seeds):
            raise InputError(
                "`seeds` is a number of repeats, each with another seed: leave out `repeat`"
            )
        names = {setting.sets for setting in settings.OF_CAMPAIGNS if setting.is_limit}
        limits = {name: stated[name] for name in names & stated.keys()}
        values = {field: value for field, value in stated.items() if field not in limits}
        return replace(self, **values, limits=replace(self.limits, **limits))

    def requested(self, stated: Mapping[str, Any]) -> tuple[Self, dict[str, str]]:
        """A copy with these settings, and the names that `all` stands for; and for each backend
        that `all` leaves out, the reason.
        """
        components = ("encodings", "backends")
        planned = self.with_settings({k: v for k, v in stated.items() if k not in components})
        encodings, backends, left_out = without_all(
            stated.get("encodings", self.encodings),
            stated.get("backends", self.backends),
            planned.problems,
            planned.task,
            limits=planned.limits,
            seeds=planned.seeds,
        )
        return replace(planned, encodings=encodings, backends=backends), left_out

    @property
    def notes(self) -> list[str]:
        """A sentence for each name that is a former one, for each thing that is left out, with the
        reason, and for each formula that has a wrong header or several names.
        """
        by_default = not self.encodings and any(p.has_rules for p in self.problems)
        usual = self.backends is None and not has_to_optimise(self.problems, self.task)
        uninstalled = defaults.why_left_out(encodings=by_default, backends=usual)
        unable = why_no_optimisers(self._formulas.problems, self.backends, self.task)
        unlimited = self._unlimited_defaults() if self.backends is None else []
        partial = partly_fitting(self.problems) if by_default else []
        unused = unused_encodings(
            self._formulas.problems, self.encodings, self.backends, self.task, self.amo
        )
        left_out = [*self.left_out, *uninstalled, *partial, *unlimited, *unused, *unable]
        renamed = renamed_schemes(self.amo)
        return [*renamed, *(f"left out: {why}" for why in left_out), *self._formulas.notes]

    @cached_property
    def _formulas(self) -> Formulas:
        """The problems as they are read, with what to say about their files."""
        return read_formulas(self.problems, lenient=self.lenient)

    def _unlimited_defaults(self) -> list[str]:
        """Why default backends are left out that cannot stop at the limits of work."""
        installed = (Planned.load(Backend.named, name) for name in defaults.installed_backends())
        return [
            reason for backend in installed if (reason := why_not_limited(backend, self.limits))
        ]

    def runs(self, machine: str | None = None, cores: int = 0) -> "Runs":
        """Return every run once, in an order shuffled by the seed.

        A run's identity includes `machine`, which is this one by default, or `ANY_MACHINE` if it is
        not known yet; and `cores`, the number of cores to pin the run to, or 0.

        The order is shuffled so that a machine that slows down for a while does not affect a single
        solver or n. Versions of one solver take turns on each problem. Runs of a plugin that cannot
        be loaded are planned as well, and recorded as unavailable. Raises `InputError` for an
        unknown encoding or backend, for one that fits no other or cannot do the task, and for two
        problems with the same name.
        """
        from nqbench.campaign import order  # NumPy

        machine, harness = machine or environment.machine(), environment.harness()
        problems = _different(self._formulas.problems)
        _check_names(problems)
        fitting = combinations(problems, self.encodings, self.backends, self.task, self.amo)
        if self.backends is None:
            fitting = [pair for pair in fitting if not why_not_limited(pair[1], self.limits)]
        pairs = list(dict.fromkeys(fitting))
        for _, backend in pairs:
            if reason := why_not_limited(backend, self.limits):
                raise InputError(reason)
            self._check_seed(backend)
        repeats = self.seeds or self.repeat
        count = len(problems) * len(pairs) * repeats
        if count > MOST_RUNS:
            raise InputError(f"{count} runs are more than {MOST_RUNS}: ask for fewer at a time")
        tasks = {task_of(problem, self.task): None for problem in problems}
        templates = [
            Run(
                problem=problems[0],
                encoding=encoding.name,
                encoding_version=encoding.version,
                backend=backend.name,
                backend_version=backend.version,
                backend_build=backend.build,
                limits=self.limits,
                seed=self.seed,
                task=task,
                **self._variation(backend),
                keep_output=self.keep_output,
                measures=tuple(self.measures),
                repeat=0,
                machine=machine,
                harness=harness,
                cores=cores,
            )
            for task in tasks
            for encoding, backend in pairs
        ]
        first_pair = [len(pairs) * list(tasks).index(task_of(p, self.task)) for p in problems]
        return order.shuffled_grid(
            problems, templates, first_pair, len(pairs), repeats, seed=self.seed
        )

    def _variation(self, backend: Planned) -> dict[str, Any]:
        """What makes a repeat differ from the others: the fields `shuffle` and `solver_seed`, of
        the first one.
        """
        solver, shuffle = backend.component, self.shuffle
        varied: dict[str, int | None] = {}
        if self.seeds and solver is not None and "seed" in solver.parameters:
            varied["solver_seed"] = later_seed(self.seed, 0)
        if self.seeds and shuffle is None and not (solver and solver.varies_with_seed):
            shuffle = self.seed
        can_shuffle = solver is None or solver.can_be_shuffled
        return varied | {"shuffle": shuffle if can_shuffle else None}

    def _check_seed(self, backend: Planned) -> None:
        """Raise `InputError` for a backend that the seeds of this campaign cannot vary."""
        if not self.seeds or (solver := backend.component) is None:
            return
        seed = solver.parameters.get("seed")
        if seed is not None and solver.values["seed"] != seed.default:
            raise InputError(f"{backend.name} has a seed: leave it out, or leave out `seeds`")
        if reason := why_not_varied(backend):
            raise InputError(f"backend '{backend.name}' {reason}: leave out `seeds`")


def _different(problems: Iterable[Problem]) -> list[Problem]:
    """The problems, each once. Raises `InputError` if some of them equal each other in spite of
    different fields, since the runs of one would be taken for those of the other.
    """
    distinct = list({problem_key(problem): problem for problem in problems}.values())
    if len(set(distinct)) < len(distinct):
        families = ", ".join(sorted({p.family for p in distinct if is_foreign(p)}))
        raise InputError(f"different problems of {families} equal each other: leave out __eq__()")
    return distinct


def _check_names(problems: Sequence[Problem]) -> None:
    """Raise `InputError` if two problems have one name, since records identify them by name."""
    for name, count in Counter(map(str, problems)).items():
        if count > 1:
            raise InputError(
                f"{count} different problems have the name '{name}': give each another name, in a "
                "file's name or its 'name', or as the instance of a problem"
            )
