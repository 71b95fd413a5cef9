"""Chooses the next run, and the runs to skip."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.campaign.execution import Execution
from nqbench.common.vocabulary import Outcome
from nqbench.problems.base import Problem
from nqbench.records.record import Record, Run
from nqbench.records.runs import Runs

_LOOK_AHEAD: Final = 32
"""Runs among which a preferred one is looked for: so few that the order stays random."""

_HOPELESS: Final = (Outcome.TIMEOUT, Outcome.MEMOUT, Outcome.WORK_LIMIT)


class Schedule:
    """The runs to do, returned one by one.

    With a budget, blocks come one after the other: one problem with every combination, once; and
    all problems once before any of them again. So whenever the time is over, combinations were
    measured on the same problems. `earlier` are existing records of the same campaign, which count
    as new ones do.
    """

    def __init__(
        self,
        runs: Iterable[Run],
        execution: Execution | None = None,
        earlier: Iterable[Record] = (),
    ) -> None:
        self._execution = execution or Execution.usual()
        self._runs = _ordered(Runs.of(runs), self._execution)
        self._next = 0
        # Waiting runs before the next one, which are made already, with their numbers.
        self._ahead: list[tuple[int, Run]] = []
        self._taken: dict[str, Run] = {}
        # By family, encoding and backend.
        self._failures: Counter[tuple[str, str, str]] = Counter()
        self._given_up: dict[tuple[str, str, str], int] = {}
        # Of each template, how many wait and are not given up; None if that is to be counted.
        self._left: NDArray[np.integer] | None = None
        by_blocks = self._execution.budget_s is not None
        for record in sorted(
            earlier, key=lambda r: (by_blocks and r.repeat, r.n or 0, r.started_at)
        ):
            self.note(record)

    def __len__(self) -> int:
        return len(self._runs) - self._next + len(self._ahead)

    def run(self, record: Record) -> Run:
        """The run of a record, once."""
        return self._taken.pop(record.run_id)

    @property
    def is_out_of_time(self) -> bool:
        """Whether the budget is used up."""
        return self.left_s == 0

    @property
    def left_s(self) -> float | None:
        """Seconds until no more runs are started; None without a budget."""
        return self._execution.left_s

    @property
    def waiting(self) -> Runs:
        """The runs that have not been taken."""
        return self._runs.chosen(
            np.r_[[number for number, _ in self._ahead], self._next : len(self._runs)].astype(int)
        )

    @property
    def not_given_up(self) -> Runs:
        """The waiting runs that are done as far as is known now."""
        waiting = self.waiting
        for pair, n in self._given_up.items():
            larger = waiting.of_problems(partial(_is_larger, pair[0], n))
            own = waiting.of_templates(partial(_is_of, pair[1:]))
            waiting = waiting.chosen(~(larger & own))
        return waiting

    @property
    def left(self) -> Iterator[tuple[Run, int]]:
        """How many of these there are of each template: a run like them."""
        if self._left is None:
            templates = self._runs.every_template
            self._left = np.bincount(self.not_given_up.template, minlength=len(templates))
        return zip(self._runs.every_template, self._left.tolist(), strict=True)

    def take(self, prefers: Callable[[Run], bool] = lambda _: True) -> tuple[list[Run], Run | None]:
        """Return the runs to skip and the next run to do; None if no run or no time is left. If the
        order does not matter, it is the first of the next few that is preferred.
        """
        skipped: list[Run] = []
        if self.is_out_of_time:
            return skipped, None
        if not self._execution.orders:
            self._look_ahead(_LOOK_AHEAD)
            for at, (_, run) in enumerate(self._ahead):
                if prefers(run):
                    return skipped, self._take(at)
        while len(self):
            self._look_ahead(1)
            if not self._is_given_up(self._ahead[0][1]):
                return skipped, self._take(0)
            skipped.append(self._take(0))
        return skipped, None

    def _look_ahead(self, runs: int) -> None:
        while len(self._ahead) < runs and self._next < len(self._runs):
            self._ahead.append((self._next, self._runs[self._next]))
            self._next += 1

    def _take(self, at: int) -> Run:
        number, run = self._ahead.pop(at)
        self._taken[run.id] = run
        if self._left is not None and not self._is_given_up(run):
            self._left[self._runs.template[number]] -= 1
        return run

    def note(self, record: Record) -> None:
        """Count a new record."""
        pair = (record.family, record.encoding, record.backend)
        if record.outcome not in _HOPELESS:
            self._failures[pair] = 0
            return
        self._failures[pair] += 1
        if self._failures[pair] == self._execution.give_up_after:
            self._given_up.setdefault(pair, record.n or 0)
            self._left = None

    def why_skipped(self, run: Run) -> str:
        """Why a run is skipped, in words."""
        n = self._given_up[run.components]
        times = self._execution.give_up_after
        return f"skipped: {times} runs in a row reached a limit, the last at n={n}"

    def _is_given_up(self, run: Run) -> bool:
        given_up_at = self._given_up.get(run.components)
        return given_up_at is not None and (run.problem.n or 0) > given_up_at


def _is_larger(family: str, n: int, problem: Problem) -> bool:
    return problem.family == family and (problem.n or 0) > n


def _is_of(combination: tuple[str, str], run: Run) -> bool:
    return (run.encoding, run.backend) == combination


def _ordered(runs: Runs, execution: Execution) -> Runs:
    """The runs in the order in which they are done; within a block, or one n, as given."""
    if execution.budget_s is not None:
        by_size = sorted(runs.problems, key=lambda problem: (problem.n or 0, problem.weight))
        place = {problem: number for number, problem in enumerate(by_size)}
        places = runs.of_problems(lambda problem: place.get(problem, -1))
        return runs.chosen(np.lexsort((places, runs.repeat)))
    if execution.give_up_after is not None:
        return runs.chosen(np.argsort(runs.of_problems(lambda p: p.n or 0), kind="stable"))
    return runs
