"""The solutions of one problem as they are found, each checked before it is returned."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.backends.fit import loaded
from nqbench.checking.verify import UNCHECKED, Check
from nqbench.common.errors import SolverError, UnavailableError
from nqbench.common.limits import Limits
from nqbench.common.solver_counters import Counters
from nqbench.common.vocabulary import WHILE_ENCODING, Answer, Outcome, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.isolate import Emit
from nqbench.measure.answer_stream import End, stream
from nqbench.measure.cache import Encoded, InstanceCache
from nqbench.measure.run_judge import RunJudge
from nqbench.measure.search import Search
from nqbench.plugins.availability import why_unavailable
from nqbench.problems.base import Problem
from nqbench.problems.foreign import is_foreign
from nqbench.problems.options import Solution, variables

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


@dataclass(frozen=True, slots=True)
class Solving:
    """Solves one problem for the first solution or all, under limits and in a separate process."""

    problem: Problem
    encoding: Encoding
    backend: Backend
    task: Task
    limits: Limits

    @classmethod
    def named(
        cls, problem: Problem, encoding: str | None, backend: str, task: Task, limits: Limits
    ) -> "Solving":
        """Look up the encoding and the backend by name; without an encoding, use one that fits.

        Raises `InputError` for a wrong name or a combination that does not fit or cannot do the
        task, and `UnavailableError` for a backend that does not work here.
        """
        loaded_encoding, solver = loaded(problem, encoding, backend, task)
        if reason := why_unavailable(Backend.named, backend):
            raise UnavailableError(f"{solver.name} is unavailable: {reason}")
        return cls(problem, loaded_encoding, solver, task, limits)

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
                return self._end(stop.value, count)
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

    def _end(self, end: End, count: int) -> Conclusion:
        answer = end.answer
        if self.task is Task.ALL and answer is not Answer.UNSAT:
            raise SolverError(f"{self.backend.name} gave up after {count} solutions")
        checked = UNCHECKED
        if answer is Answer.UNSAT and not count:
            checked = self._check_that_there_is_none()
        elif self.task is Task.ALL:
            checked = RunJudge().check_count(self.problem, count)
        if checked.verdict is Verdict.REFUTED:
            raise SolverError(f"{self.backend.name}: {checked.message}")
        return Conclusion(answer, count, checked, end.counters)

    def _check_that_there_is_none(self) -> Check:
        encoded = InstanceCache(capacity=0).get(self.problem, self.encoding, self.limits)
        if not isinstance(encoded, Encoded):
            return replace(UNCHECKED, message=f"{WHILE_ENCODING}{encoded.message}")
        return RunJudge().check_unsat(
            self.problem, self.encoding, self.backend, encoded, limits=self.limits
        )
