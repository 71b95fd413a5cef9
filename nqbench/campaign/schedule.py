"""Chooses the next run, and the runs to skip."""

from collections import Counter, deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

from nqbench.campaign.execution import Execution
from nqbench.common.vocabulary import Outcome
from nqbench.records.record import Record, Run

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
        ordered = _ordered(runs, self._execution)
        self._waiting = deque(ordered)
        self._runs = {run.id: run for run in ordered}
        # By family, encoding and backend.
        self._failures: Counter[tuple[str, str, str]] = Counter()
        self._given_up: dict[tuple[str, str, str], int] = {}
        by_blocks = self._execution.budget_s is not None
        for record in sorted(
            earlier, key=lambda r: (by_blocks and r.repeat, r.n or 0, r.started_at)
        ):
            self.note(record)

    def __len__(self) -> int:
        return len(self._waiting)

    def run(self, record: Record) -> Run:
        """The run of a record."""
        return self._runs[record.run_id]

    @property
    def is_out_of_time(self) -> bool:
        """Whether the budget is used up."""
        return self.left_s == 0

    @property
    def left_s(self) -> float | None:
        """Seconds until no more runs are started; None without a budget."""
        return self._execution.left_s

    @property
    def not_given_up(self) -> list[Run]:
        """The waiting runs that are done as far as is known now."""
        return [run for run in self._waiting if not self._is_given_up(run)]

    @property
    def waiting(self) -> Iterable[Run]:
        """The runs that have not been taken."""
        return iter(self._waiting)

    def take(self, prefers: Callable[[Run], bool] = lambda _: True) -> tuple[list[Run], Run | None]:
        """Return the runs to skip and the next run to do; None if no run or no time is left. If the
        order does not matter, it is the first of the next few that is preferred.
        """
        skipped: list[Run] = []
        if self.is_out_of_time:
            return skipped, None
        if not self._execution.orders:
            for at, run in enumerate(islice(self._waiting, _LOOK_AHEAD)):
                if prefers(run):
                    del self._waiting[at]
                    return skipped, run
        while self._waiting:
            run = self._waiting.popleft()
            if not self._is_given_up(run):
                return skipped, run
            skipped.append(run)
        return skipped, None

    def note(self, record: Record) -> None:
        """Count a new record."""
        pair = (record.family, record.encoding, record.backend)
        if record.outcome not in _HOPELESS:
            self._failures[pair] = 0
            return
        self._failures[pair] += 1
        if self._failures[pair] == self._execution.give_up_after:
            self._given_up.setdefault(pair, record.n or 0)

    def why_skipped(self, run: Run) -> str:
        """Why a run is skipped, in words."""
        n = self._given_up[run.components]
        times = self._execution.give_up_after
        return f"skipped: {times} runs in a row reached a limit, the last at n={n}"

    def _is_given_up(self, run: Run) -> bool:
        given_up_at = self._given_up.get(run.components)
        return given_up_at is not None and (run.problem.n or 0) > given_up_at


def _ordered(runs: Iterable[Run], execution: Execution) -> list[Run]:
    """The runs in the order in which they are done; within a block, or one n, as given."""
    waiting = list(runs)
    if execution.budget_s is not None:
        every = dict.fromkeys(run.problem for run in waiting)
        by_size = sorted(every, key=lambda problem: (problem.n or 0, problem.weight))
        place = {problem: number for number, problem in enumerate(by_size)}
        waiting.sort(key=lambda run: (run.repeat, place[run.problem]))
    elif execution.give_up_after is not None:
        waiting.sort(key=lambda run: run.problem.n or 0)
    return waiting
