"""Puts the queries of a file to a solver, and has the answers judged."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nqbench.addons.sequences import steps as of_steps
from nqbench.addons.sequences.judging import MODELS_OPEN, SequenceJudge
from nqbench.addons.sequences.problem import SequenceFile
from nqbench.addons.sequences.steps import Step
from nqbench.backends.base import Solver
from nqbench.checking.evidence import Certifier
from nqbench.checking.verify import UNCHECKED, Check
from nqbench.common.errors import SolverError
from nqbench.common.limits import Limits
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer
from nqbench.isolate.fork import Isolation
from nqbench.measure.asking import Asking
from nqbench.measure.search import Search


@lru_cache(maxsize=2)
def judge_of(problem: SequenceFile) -> SequenceJudge:
    """The judge of a file, which is kept for the next run on it, with what it has proved."""
    return SequenceJudge(problem.sequence())


class Replay(Asking):
    """The queries of one run."""

    def __init__(self, problem: SequenceFile) -> None:
        self._judge = judge_of(problem)
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - until `close`
        self.descriptor = self._file.fileno()

    def ask(self, search: Search, shuffle: Sequence[int] | None) -> Answer:
        """Put the queries to the solver in order, up to one that it does not answer. A step is
        written when it is done.
        """
        queries, names = self._judge.sequence, None
        if shuffle is not None:
            with search.shuffling:
                queries, names = queries.shuffled(shuffle)
        search.instance = queries.clauses(0, 1)
        solver = search.load_solver()
        before = Counters()
        loaded_s = solved_s = 0.0
        for number, query in enumerate(queries.queries):
            with search.load:
                for block in query.added if number else ():
                    solver.add_all(block)
            with search.solve:
                solver.assume(query.assumptions)
                search.answer = solver.solve()
            if not isinstance(search.answer, Answer):
                raise SolverError(f"solve() returned {search.answer!r}: expected an Answer")
            after = search.counters()
            with search.decode:
                step = Step(
                    search.answer,
                    search.load.wall_s - loaded_s,
                    search.solve.wall_s - solved_s,
                    tuple(_differences(after, before)),
                    *_shown(solver, search.answer, names),
                )
                of_steps.write_step(self._file, step)
            before, loaded_s, solved_s = after, search.load.wall_s, search.solve.wall_s
            if search.answer is Answer.UNKNOWN:
                break
        return search.answer

    def check(
        self,
        answer: Answer | None,
        certifier: Certifier | None,
        limits: Limits,
        caller: Isolation,
    ) -> Check:
        """Check all answers: models by the clauses, and all cores by one proof."""
        return self._judge.check(self._steps, answer, certifier, limits, caller)

    def check_log(
        self, log: bytes, answer: Answer, said: str, certifier: Certifier, limits: Limits
    ) -> Check:
        """Check the cores of a log. Its models were checked when they were found, unless the record
        says otherwise: they are not kept.
        """
        if MODELS_OPEN in said:
            return replace(UNCHECKED, message=said)
        steps = of_steps.of_log(log)
        return self._judge.check(steps, answer, certifier, limits, has_models=False)

    def fields(self) -> dict[str, Any]:
        """The column `queries`."""
        return {"queries": of_steps.to_column(self._judge.sequence, self._steps)}

    def log(self) -> bytes:
        """A line for each query."""
        return of_steps.to_log(self._judge.sequence, self._steps)

    def close(self) -> None:
        """Remove the file of steps."""
        self._file.close()

    @property
    def _steps(self) -> list[Step]:
        size = os.fstat(self.descriptor).st_size
        content = os.pread(self.descriptor, size, 0)
        return list(of_steps.read_steps(content))[: len(self._judge.sequence.queries)]


def _differences(after: Counters, before: Counters) -> Iterator[int | None]:
    for now, then in zip(astuple(after)[:4], astuple(before)[:4], strict=True):
        yield None if now is None else now - (then or 0)


def _shown(
    solver: Solver, answer: Answer, names: NDArray[np.int32] | None
) -> tuple[bytes, int, list[int]]:
    """The model and its size, or the core, in the names of the file."""
    if answer is Answer.SAT:
        model = solver.model()
        if names is not None and 2 * model.size + 1 == names.size:
            renamed, model = model, np.empty_like(model)
            model[names[1 : model.size + 1] - 1] = renamed
        return np.packbits(model).tobytes(), model.size, []
    core = list(solver.core()) if answer is Answer.UNSAT else []
    return b"", 0, core if names is None else names[core].tolist()
