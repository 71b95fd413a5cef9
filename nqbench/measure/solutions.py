"""The solutions of one problem as they are found, each checked before it is returned."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import msgspec
import numpy as np

from nqbench import isolate
from nqbench.checking.verify import UNCHECKED, Check
from nqbench.common.errors import SolverError
from nqbench.common.limits import Limits
from nqbench.common.metrics import Counters
from nqbench.common.units import counted
from nqbench.common.vocabulary import Answer, Outcome, Task, Verdict
from nqbench.isolate import Emit
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.run_judge import RunJudge
from nqbench.measure.search import Search
from nqbench.problems.foreign import is_foreign
from nqbench.problems.options import Solution, variables

_FOUND, _END = b"S", b"A"
"""The first byte of each item from the process; what was found or the end follows."""


@dataclass(frozen=True, slots=True)
class End:
    """A solver's last answer, and its count of its work until then."""

    answer: Answer
    counters: Counters = field(default_factory=Counters)


def stream(find: Callable[[Emit], End], solver: str, limits: Limits) -> Generator[bytes, None, End]:
    """Call `find` in a separate process, and yield what it emits. Return the end that it returns.
    `solver` is the name of what is called.

    Raises `SolverError` if the process crashes or reaches a limit.
    """

    def send(emit: Emit) -> None:
        end = find(lambda content: emit(_FOUND + content))
        emit(_END + msgspec.msgpack.encode(end))

    end = End(Answer.UNKNOWN)
    coming = isolate.stream(send, limits)
    while True:
        try:
            item = next(coming)
        except StopIteration as stop:
            if stop.value.outcome is not Outcome.FINISHED:
                raise SolverError(f"{solver}: {stop.value.message}") from None
            return end
        kind, content = item[:1], item[1:]
        if kind == _FOUND:
            yield content
            continue
        try:
            if kind != _END:
                raise msgspec.ValidationError
            end = msgspec.msgpack.decode(content, type=End)
        except msgspec.MsgspecError as error:
            raise SolverError(f"{solver} sent data that is not a solution") from error


_NUMBER_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The solver's last answer, the number of solutions found, the check that there are no others,
    and the solver's count of its work.
    """

    answer: Answer
    found: int
    checked: Check
    counters: Counters = field(default_factory=Counters)


def conclude(
    run: LoadedRun, end: End, count: int, judge: RunJudge, check_all: Callable[[], Check]
) -> Conclusion:
    """How a search ended that found `count` solutions, each of them verified; `check_all` checks
    that there are no others. Raises `SolverError` if the solver gave up before it had found all, or
    missed one.
    """
    if run.task is Task.ALL and end.answer is not Answer.UNSAT:
        found = counted(count, "solution" if run.problem.has_rules else "model")
        raise SolverError(f"{run.backend.name} gave up after {found}")
    checked = UNCHECKED
    if end.answer is Answer.UNSAT and not count:
        checked = judge.check_unsat(run)
    elif run.task is Task.ALL:
        checked = check_all()
    if checked.verdict is Verdict.REFUTED:
        raise SolverError(f"{run.backend.name}: {checked.message}")
    return Conclusion(end.answer, count, checked, end.counters)


@dataclass(frozen=True, slots=True)
class Solving(LoadedRun):
    """Solves one problem for the first solution or all, under limits and in a separate process."""

    def solutions(self) -> Generator[Solution, None, Conclusion]:
        """Yield the first solution, or all, without keeping any; return the conclusion.

        Raises `SolverError` as soon as a solution breaks a rule, and if the solver crashes, reaches
        a limit, gives up before it has found all, or finds too many or too few solutions.
        """
        count = 0
        coming = stream(self._find, self.backend.name, self.limits)
        while True:
            try:
                content = next(coming)
            except StopIteration as stop:
                judge = RunJudge()
                check_all = partial(judge.check_count, self.problem, count)
                return conclude(self, stop.value, count, judge, check_all)
            if len(content) % _NUMBER_BYTES:
                raise SolverError(f"{self.backend.name} sent data that is not a solution")
            solution = self._options_of(np.frombuffer(content, dtype="<i4").tolist())
            if violation := self._violation(solution):
                raise SolverError(f"{self.backend.name} returned a wrong solution: {violation}")
            count += 1
            yield solution

    def _violation(self, solution: Solution) -> str | None:
        """The rule that a solution breaks. A plugin's family says so in a separate process."""
        if not is_foreign(self.problem):
            return self.problem.violation(solution)

        def find_violation() -> bytes:
            return (self.problem.violation(solution) or "").encode()

        ending = isolate.call(find_violation, self.limits)
        if ending.outcome is not Outcome.FINISHED:
            raise SolverError(f"{self.problem.family}: {ending.message}")
        return ending.payload.decode(errors="replace") or None

    def _options_of(self, numbers: Sequence[int]) -> Solution:
        """The options of these variables."""
        options = self.problem.options
        wrong = [v for v in numbers if not 0 < v <= len(options)]
        if wrong:
            raise SolverError(f"{self.backend.name} returned what is no option of {self.problem}")
        return tuple(options[v - 1] for v in numbers)

    def _find(self, emit: Emit) -> End:
        instance = self.encoding.encode(self.problem)
        lazy = self.encoding.lazy_clauses(self.problem)
        search = Search(self.problem, self.encoding, self.backend, instance, lazy)
        for found in search.all() if self.task is Task.ALL else filter(None, [search.first()]):
            numbers = variables(self.problem.options, found.solution)
            emit(np.array(numbers, dtype="<i4").tobytes())
        return End(search.answer, search.counters())
