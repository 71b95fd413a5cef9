"""Runs in the process of one run: loads, solves, decodes, and reports."""

import contextlib
import ctypes
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import msgspec
import numpy as np

from nqbench.backends.base import Backend
from nqbench.clauses.cnf import Assignment, Block
from nqbench.common.errors import RefusedError
from nqbench.common.machine.event_counter import INSTRUCTIONS, open_counter
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Loading, Phase, Task
from nqbench.encodings.base import Encoding
from nqbench.isolate.shared_memory import Incumbents, Phases
from nqbench.measure.asking import Asking
from nqbench.measure.best_k import better
from nqbench.measure.search import Found, Search, objective_for
from nqbench.measure.shuffle import shuffled
from nqbench.measure.timing import CountedTime, PhaseTime, ShownTime
from nqbench.problems.base import ProblemOfK
from nqbench.problems.instances import Instance
from nqbench.problems.options import Option, variables
from nqbench.records.record import Run

_c: Final = ctypes.PyDLL(None)
_BY_LINE: Final = 1  # _IOLBF


@contextlib.contextmanager
def printed_by_line() -> Iterator[None]:
    """Write each line to standard output when it is complete, and at the end what is left."""
    # A process without a terminal would otherwise collect 4 KiB and more, in C and in Python.
    _c.setvbuf(ctypes.c_void_p.in_dll(_c, "stdout"), None, _BY_LINE, 0)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    try:
        yield
    finally:
        sys.stdout.flush()
        _c.fflush(None)


@dataclass(slots=True)
class WorkerReport:
    """The worker's report of a finished run.

    `model` holds a bit for each of `model_size` values. `best_k` is the best k with a solution, if
    the run asks for it. `note` is for the message of the record. If the run asks for all solutions,
    `model` is empty, and `solutions` holds the variables of the options of each solution, followed
    by 0, as little-endian 32-bit numbers. `counts` are columns of records that are annotated as
    `CountedByWorker`. `refusal` says why the solver did not take the instance, or the encoding a
    tighter one; then there is no answer.
    """

    answer: Answer
    model: bytes = b""
    model_size: int = 0
    solution: list[Option] = field(default_factory=list)
    solutions: bytes = b""
    best_k: int | None = None
    rejected: int = 0
    load: PhaseTime = field(default_factory=PhaseTime)
    solve: PhaseTime = field(default_factory=PhaseTime)
    decode: PhaseTime = field(default_factory=PhaseTime)
    shuffle: PhaseTime = field(default_factory=PhaseTime)
    counters: Counters = field(default_factory=Counters)
    loading: Loading | None = None
    counts: dict[str, int | None] = field(default_factory=dict)
    note: str = ""
    refusal: str = ""

    @property
    def assignment(self) -> Assignment:
        """The model as an array, shape (model_size,)."""
        bits = np.frombuffer(self.model, dtype=np.uint8)
        return np.unpackbits(bits, count=self.model_size).astype(np.bool_)

    @property
    def models(self) -> int:
        """Number of models that were rejected or gave one of all solutions."""
        return self.rejected + int((np.frombuffer(self.solutions, dtype="<i4") == 0).sum())

    @property
    def all_solutions(self) -> list[list[int]]:
        """The variables of the options of each solution, if the run asks for all."""
        numbers = np.frombuffer(self.solutions, dtype="<i4")
        ends = np.flatnonzero(numbers == 0)
        return (
            [part[:-1].tolist() for part in np.split(numbers, ends[:-1] + 1)] if ends.size else []
        )


_last: list[Search] = []
"""The search of this process. Freeing its solver takes time that belongs to no phase, and the end
of the process frees it anyway.
"""


SHOWN: Final = (Phase.LOAD, Phase.SOLVE, Phase.DECODE)
"""The phases that a worker shows to whoever may stop it."""


def answer(
    run: Run,
    encoding: Encoding,
    backend: Backend,
    instance: Instance,
    lazy: Block,
    *,
    phases: Phases | None = None,
    incumbents: Incumbents | None = None,
    asking: Asking | None = None,
) -> bytes:
    """Execute the run on this instance and these lazy clauses, and return the packed
    `WorkerReport`. `phases` show how far it is, and `incumbents` the models of an objective. With
    `asking`, the solver is asked these questions, and not about the instance.
    """
    phases = phases or Phases(SHOWN)
    seed = None if run.shuffle is None else (run.shuffle, run.repeat)
    shuffle = None if seed is None or asking else partial(shuffled, seed=seed)

    def answered() -> bytes:
        search = Search(
            run.problem,
            encoding,
            backend,
            instance,
            lazy,
            shuffle,
            objective=objective_for(run.task, run.problem, instance),
            incumbents=incumbents,
        )
        return _answer(run, search, phases, partial(asking.ask, shuffle=seed) if asking else None)

    if not run.needs_output:
        return answered()
    with printed_by_line():
        return answered()


def _answer(
    run: Run, search: Search, phases: Phases, ask: Callable[[Search], Answer] | None
) -> bytes:
    _last[:] = [search]
    times = [ShownTime(phases.numbers, at) for at in range(len(SHOWN))]
    search.load, search.solve, search.decode = times
    is_program = bool(search.backend.command("formula.cnf"))
    counter = open_counter(INSTRUCTIONS, on_exec=is_program)
    if counter and not is_program:
        search.solve = CountedTime(phases.numbers, SHOWN.index(Phase.SOLVE), counter)
    search.work, search.shows_output = run.limits.work, run.needs_output
    try:
        report = WorkerReport(ask(search)) if ask else _REPORT[run.task](search)
    except RefusedError as error:
        report = WorkerReport(Answer.UNKNOWN, refusal=str(error))
    report.rejected = search.rejected
    report.counters = search.counters()
    report.load, report.solve, report.decode = search.load, search.solve, search.decode
    report.shuffle, report.loading = search.shuffling, search.loading
    report.note = search.note
    if counter:
        report.counts["instructions"] = counter.count()
        counter.close()
    return msgspec.msgpack.encode(report)


def _report_first(search: Search) -> WorkerReport:
    found = search.first()
    return _report_of(found) if found else WorkerReport(search.answer)


def _report_best(search: Search) -> WorkerReport:
    report = None
    for found in search.best(better):
        report = _report_of(found)
        if isinstance(search.problem, ProblemOfK):
            report.best_k = search.problem.k
    if report is None or search.answer is Answer.UNKNOWN:
        return WorkerReport(search.answer)
    return report


def _report_of(found: Found) -> WorkerReport:
    return WorkerReport(
        Answer.SAT,
        model=np.packbits(found.model).tobytes(),
        model_size=found.model.size,
        solution=list(found.solution),
    )


def _report_all(search: Search) -> WorkerReport:
    solutions = bytearray()
    first_solution: list[Option] = []
    for found in search.all():
        first_solution = first_solution or list(found.solution)
        # What is no option is wrong: record a variable that never exists.
        numbers = [v or -1 for v in variables(search.problem.options, found.solution)]
        solutions += np.array([*numbers, 0], dtype="<i4").tobytes()
    final = Answer.SAT if solutions and search.answer is Answer.UNSAT else search.answer
    return WorkerReport(final, solution=first_solution, solutions=bytes(solutions))


_REPORT: Final[dict[Task, Callable[[Search], WorkerReport]]] = {
    Task.FIRST: _report_first,
    Task.ALL: _report_all,
    Task.BEST: _report_best,
}
