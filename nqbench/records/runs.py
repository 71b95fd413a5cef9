"""Many runs by number, of which each is made when it is due.

A grid is a product: what its runs share is kept once, in templates and problems, and a run is three
numbers. Whatever needs all runs at once gets vectors of these numbers.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any, Final, Self, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from nqbench.problems.base import Problem
from nqbench.problems.foreign import problem_key
from nqbench.records.record import Run, id_of, later_seed, spell_problem, spell_template

Numbers = NDArray[np.integer]

_AT_A_TIME: Final = 10_000
_ID: Final = 32
"""Characters of an id."""


class Runs(Sequence[Run]):
    """Runs in an order. A run has the `problem` and the `template` of these numbers, and is so many
    `repeats` after that of the template, whose solver gets its seed plus as many.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        templates: Sequence[Run],
        problem: ArrayLike,
        template: ArrayLike,
        repeats: ArrayLike,
    ) -> None:
        self.every_problem, self.every_template = problems, templates
        self.problem, self.template, self._repeats = map(compact, (problem, template, repeats))

    @classmethod
    def of(cls, runs: Iterable[Run]) -> "Runs":
        """These runs in their order."""
        if isinstance(runs, Runs):
            return runs
        problems: dict[Hashable, tuple[int, Problem]] = {}
        templates: dict[Run, int] = {}
        numbers = []
        for run in runs:
            at, _ = problems.setdefault(problem_key(run.problem), (len(problems), run.problem))
            (_, first), *_ = problems.values()
            template = replace(run, problem=first)
            numbers.append((at, templates.setdefault(template, len(templates)), 0))
        columns = np.array(numbers, int).reshape(-1, 3).T
        return cls([problem for _, problem in problems.values()], [*templates], *columns)

    @classmethod
    def joined(cls, parts: Sequence["Runs"]) -> "Runs":
        """The runs of all parts; of those with one id the last, at the place of the first."""
        if len(parts) == 1:
            return parts[0]
        whole = cls.chained(parts)
        places = {run_id: number for number, run_id in enumerate(whole.ids())}
        return whole.chosen(list(places.values()))

    @classmethod
    def chained(cls, parts: Sequence["Runs"]) -> "Runs":
        """The runs of one part after those of another."""
        parts = [part for part in parts if len(part)] or [*parts[:1], cls.of(())][:1]
        if len(parts) == 1:
            return parts[0]
        problems = [problem for part in parts for problem in part.every_problem]
        first: dict[Hashable, int] = {}
        same = [first.setdefault(problem_key(problem), at) for at, problem in enumerate(problems)]
        ends = np.cumsum([(len(p.every_problem), len(p.every_template)) for p in parts], axis=0)
        starts = [(0, 0), *ends[:-1]]
        shifted = [
            (p.problem + at, p.template + to) for p, (at, to) in zip(parts, starts, strict=True)
        ]
        problem, template = map(np.concatenate, zip(*shifted, strict=True))
        return cls(
            problems,
            [template for part in parts for template in part.every_template],
            np.array(same)[problem],
            template,
            np.concatenate([part._repeats for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.template)

    @overload
    def __getitem__(self, at: int) -> Run: ...
    @overload
    def __getitem__(self, at: slice) -> "Runs": ...
    def __getitem__(self, at: int | slice) -> "Run | Runs":
        if isinstance(at, slice):
            return self.chosen(at)
        template, repeats = self.every_template[self.template[at]], int(self._repeats[at])
        seed = template.solver_seed
        run: Run = replace(
            template,
            problem=self.every_problem[self.problem[at]],
            repeat=template.repeat + repeats,
            solver_seed=None if seed is None else later_seed(seed, repeats),
        )
        return run

    def __eq__(self, other: object) -> bool:
        """Whether these are the same runs in the same order, also of a list."""
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def chosen(self, which: slice | ArrayLike) -> Self:
        """The runs at these places, or those for which it is true."""
        at = which if isinstance(which, slice) else np.asarray(which)
        if not isinstance(at, slice) and not at.size:
            at = slice(0)
        columns = self.problem[at], self.template[at], self._repeats[at]
        return type(self)(self.every_problem, self.every_template, *columns)

    def where(self, holds: Callable[[Run], bool]) -> Self:
        """The runs for which something holds that is the same for all problems and repeats."""
        return self.chosen(self.of_templates(holds))

    def with_templates(self, change: Callable[[Run], Run]) -> Self:
        """The same with changes that are the same for all problems and repeats."""
        templates = [change(template) for template in self.every_template]
        return type(self)(self.every_problem, templates, self.problem, self.template, self._repeats)

    def of_templates(self, of: Callable[[Run], object]) -> NDArray[Any]:
        """Of each run, what depends on neither its problem nor its repeat."""
        return np.array([of(template) for template in self.every_template])[self.template]

    def of_problems(self, of: Callable[[Problem], object]) -> NDArray[Any]:
        """Of each run, what depends on its problem."""
        return np.array([of(problem) for problem in self.every_problem])[self.problem]

    @property
    def repeat(self) -> Numbers:
        """The repeat of each run."""
        first = np.array([template.repeat for template in self.every_template], np.int32)
        repeats: Numbers = first[self.template]
        repeats += self._repeats.astype(np.int32)
        return repeats

    @cached_property
    def problems(self) -> list[Problem]:
        """The problems of the runs, in the order of the first run of each."""
        return [self.every_problem[at] for at in self.problem[firsts(self.problem)]]

    @cached_property
    def kinds(self) -> list[Run]:
        """The first run of each template and family: one of all that differ in anything besides
        problem and repeat.
        """
        return [run for run, _ in self.counted(lambda problem: problem.family)]

    def counted(self, of_problem: Callable[[Problem], Hashable]) -> Iterator[tuple[Run, int]]:
        """Yield the first run of each template and kind of problem, and the number of such runs."""
        numbers = self.numbered(of_problem)
        counts = np.bincount(numbers)
        return ((self[at], int(counts[numbers[at]])) for at in firsts(numbers).tolist())

    def numbered(
        self,
        of_problem: Callable[[Problem], Hashable],
        of_template: Callable[[Run], Hashable] = lambda run: run,
    ) -> Numbers:
        """A number for each run, the same for runs of which the same is returned."""
        problem = _number(map(of_problem, self.every_problem))
        template = _number(map(of_template, self.every_template))
        template *= int(problem.max(initial=0)) + 1
        largest = int(template.max(initial=0)) + int(problem.max(initial=0))
        size: DTypeLike = np.int32 if largest < 2**31 else np.int64
        numbers: Numbers = np.empty(len(self), size)
        for some in _parts(len(self)):
            numbers[some] = template[self.template[some]] + problem[self.problem[some]]
        # Of a list, few of these pairs have runs.
        return (
            numbers
            if largest < _AT_A_TIME + len(self)
            else np.unique(numbers, return_inverse=True)[1]
        )

    def ids(self) -> Iterator[str]:
        """Yield the id of each run."""
        return (self._ids[at : at + _ID] for at in range(0, len(self._ids), _ID))

    def places(self, ids: Collection[str]) -> dict[str, int]:
        """The places of the runs with these ids, as far as there are any, in their order."""
        every = self.ids() if ids else ()
        return {run_id: at for at, run_id in enumerate(every) if run_id in ids}

    @cached_property
    def _ids(self) -> str:
        """The ids one after another."""
        problems = [spell_problem(problem) for problem in self.every_problem]
        templates = [spell_template(template) for template in self.every_template]
        every = (
            id_of(problems[problem], templates[template], repeat, seed)
            for problem, template, repeat, seed in self.rows()
        )
        parts: list[str] = []
        while some := "".join(islice(every, _AT_A_TIME)):
            parts.append(some)
        return "".join(parts)

    def rows(self) -> Iterator[tuple[int, int, int, int | None]]:
        """Yield of each run the numbers of its problem and template, the repeat, and the seed of
        the solver.
        """
        firsts = [(template.repeat, template.solver_seed) for template in self.every_template]
        for some in _parts(len(self)):
            columns = self.problem[some], self.template[some], self._repeats[some]
            for problem, template, repeats in zip(*(c.tolist() for c in columns), strict=True):
                repeat, seed = firsts[template]
                seed = seed if seed is None else later_seed(seed, repeats)
                yield problem, template, repeat + repeats, seed


def _parts(length: int) -> list[slice]:
    """All places in parts, since NumPy copies what it takes as places into 8 bytes each."""
    return [slice(at, min(at + _AT_A_TIME, length)) for at in range(0, length, _AT_A_TIME)]


def firsts(numbers: Numbers) -> Numbers:
    """The places where each number comes first, in their order."""
    if not len(numbers):
        return np.zeros(0, int)
    place = np.full(int(numbers.max()) + 1, -1, np.int32)
    for some in reversed(_parts(len(numbers))):
        at = np.arange(some.start, some.stop)[::-1]
        place[numbers[at]] = at  # of several, the last stays
    return np.sort(place[place >= 0])


def ranks(numbers: Numbers) -> Numbers:
    """For each number how many different ones come first before it."""
    first = firsts(numbers)
    rank = np.zeros(int(numbers.max(initial=0)) + 1, int)
    rank[numbers[first]] = np.arange(len(first))
    return rank[numbers]


def compact(numbers: ArrayLike) -> Numbers:
    """The numbers in as few bytes as they need."""
    array = np.asarray(numbers)
    return array.astype(np.min_scalar_type(int(array.max())) if array.size else np.uint8)


def _number(keys: Iterable[Hashable]) -> NDArray[np.int64]:
    """For each key the number of the different ones before it."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
