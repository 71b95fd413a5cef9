"""Checks what a worker reports before it enters a record.

A worker runs untrusted code. Its report must have the types of a `WorkerReport`, have possible
values, and agree with what was measured of its process from outside. Otherwise the run counts as
crashed, and its record says why.
"""

import math
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

import msgspec

from nqbench.common.column_types import FINEST, LARGEST_INTEGER
from nqbench.common.errors import REFUSALS, InputError
from nqbench.common.machine.cpus import cpu_list
from nqbench.common.printable import LONGEST
from nqbench.common.vocabulary import (
    AFTER_ANSWER,
    NOTED,
    OUTSIDE,
    Answer,
    Outcome,
    Task,
    combination,
)
from nqbench.isolate import printed_output
from nqbench.isolate.shared_memory import PhaseReading
from nqbench.isolate.supervise import Ending
from nqbench.measure.encode import EncodeReport
from nqbench.measure.timing import PhaseTime
from nqbench.measure.worker import SHOWN, WorkerReport
from nqbench.problems.base import ProblemOfK
from nqbench.problems.clausal import Clausal
from nqbench.problems.options import Option
from nqbench.records import integrity, measures
from nqbench.records.record import COUNTED_BY_WORKER, IDENTITY, Record, Run

_SLACK_S: Final = 0.05
"""Tolerance between two clocks that are not read at the same moment."""

_CPU_SLACK: Final = 1.02
"""Tolerance for CPU time: the kernel counts that of an ended process in another way."""

_OPEN_S: Final = 0.01
"""Wall time between the phases of a run above which its message says so. Honest runs have less:
docs/explanation/timing.md has the measurement.
"""

_REFUSED_S: Final = 0.25
"""Such time above which the report of a run is refused."""

_PER_MODEL_S: Final = 0.0002
"""Tolerance for each further model, which the worker compares and excludes between the phases."""

_PIN_SLACK_S: Final = 0.01
"""Tolerance for CPU time beyond that of the CPUs of a pin."""

_SLOW_DECODE_S: Final = 0.5
"""Decoding that takes longer than this, and longer than solving, may be a separate search."""

_CPUS: Final = os.cpu_count() or 1
_LARGEST_COORDINATE: Final = 2**31

_NOTE: Final = re.compile(
    rf"[\d.]+ of [\d.]+ s (?:CPU )?{OUTSIDE}"
    r"|decode took [\d.]+ s, solve only [\d.e+-]+ s"
    rf"|[\w ]+ {AFTER_ANSWER} '\w+'"
    rf"|left its pin to CPU [\d,]+: [^;]*|{measures.UNREAD}"
    rf"|{NOTED} [^;]*"
)
"""Matches each part of a message that `what_phases_leave_open`, `left_pin`, a program, an encoding
or a measure adds.
"""

_LONGEST_NOTE: Final = 200

_identity = attrgetter(*IDENTITY)

_UNDECODABLE: Final = (msgspec.DecodeError, ValueError, RecursionError)
_BITS: Final = 8
_NUMBER_BYTES: Final = 4


def admitted(run: Run, ending: Ending) -> WorkerReport | Ending:
    """Return the report of a finished run's worker; or the ending of the run, as invalid if its
    instance was refused, and as crashed if the report is impossible.
    """
    worker = f"the worker of {combination(run.encoding, run.backend)} reported"
    try:
        report = msgspec.msgpack.decode(ending.payload, type=WorkerReport)
    except _UNDECODABLE as error:
        return _crashed(ending, f"{worker} an invalid report: {error}")
    if flaw := _flaw_of_report(run, ending, report):
        return _crashed(ending, f"{worker} {flaw}")
    if report.refusal:
        return replace(ending, outcome=Outcome.INVALID, message=report.refusal)
    return report


def admitted_encoding(ending: Ending, name: str) -> EncodeReport | Ending:
    """Return the report of the process that made an instance, or its ending as crashed."""
    try:
        report = msgspec.msgpack.decode(ending.payload, type=EncodeReport)
    except _UNDECODABLE as error:
        return _crashed(ending, f"{name} did not return a report: {error}")
    flaw = _flaw_of_times({"encode": report.spent}, ending) or _flaw_of_note(report.note)
    return _crashed(ending, f"{name} reported {flaw}") if flaw else report


def admitted_progress(run: Run, ending: Ending) -> PhaseReading | Ending:
    """Return how far the worker of a stopped run was, or the ending of the run as crashed if it
    cannot have been there. What was not shown is a phase that did not begin.
    """
    progress = ending.progress or PhaseReading({}, None)
    spent_s = {name: progress.spent_s.get(name, 0.0) for name in SHOWN}
    if flaw := _flaw_of_times({name: PhaseTime(s) for name, s in spent_s.items()}, ending):
        return _crashed(
            ending, f"the worker of {combination(run.encoding, run.backend)} showed {flaw}"
        )
    return PhaseReading(
        {name: s if s >= FINEST else 0.0 for name, s in spent_s.items()}, progress.running
    )


def flaw_of_record(record: Record, expected: Record) -> str | None:
    """Why this cannot be the record of a run, in words; None if it can. `expected` is the result of
    `Record.of` for that run.
    """
    for name, value, expected_value in zip(
        IDENTITY, _identity(record), _identity(expected), strict=True
    ):
        if value != expected_value:
            return f"the {name} {_show(value)} for a run with {_show(expected_value)}"
    if len(record.message) > LONGEST:
        return f"a message of {len(record.message)} characters"
    flaw = integrity.flaw_of_record(record)
    return f"a record in which {flaw}" if flaw else None


def flaw_of_log(content: object, run: Run) -> str | None:
    """Why this cannot be the log of the run, in words; None if it can."""
    if not run.keeps_log:
        return "a log that the run does not ask for"
    try:
        printed_output.unpack_log(content)
    except InputError as error:
        return str(error)
    return None


def what_phases_leave_open(run: Run, report: WorkerReport, ending: Ending) -> str:
    """What the times of a run's phases do not explain, in words; empty if they explain all."""
    open_s = _between_phases(run, report, ending)
    if open_s > _OPEN_S:
        return f"{open_s:.3f} of {ending.function_s:.3f} s {OUTSIDE}"
    phases_cpu_s = _spent(report).cpu_s
    own_s = ending.function_cpu_s - phases_cpu_s - _tolerance(report, phases_cpu_s)
    all_s = _cpu_in_function(ending) - phases_cpu_s
    if own_s > _OPEN_S or all_s > ending.cpu_s * (_CPU_SLACK - 1) + _SLACK_S:
        return f"{max(own_s, all_s):.3f} of {ending.cpu_s:.3f} s CPU {OUTSIDE}"
    decode_s, solve_s = report.decode.wall_s, report.solve.wall_s
    if decode_s > max(_SLOW_DECODE_S, solve_s):
        return f"decode took {decode_s:.1f} s, solve only {solve_s:.2g} s"
    return ""


def left_pin(pinned: Collection[int], ending: Ending) -> str:
    """How a worker left the CPUs that it was pinned to, in words; empty if it did not, as far as
    can be seen from outside.
    """
    where = f"left its pin to CPU {cpu_list(pinned)}"
    if pinned and ending.cpus - set(pinned):
        return f"{where}: at its end it could run on CPU {cpu_list(ending.cpus)}"
    if pinned and ending.cpu_s > ending.wall_s * len(pinned) * _CPU_SLACK + _PIN_SLACK_S:
        return f"{where}: it used {ending.cpu_s:.3f} s CPU in {ending.wall_s:.3f} s"
    return ""


def _between_phases(run: Run, report: WorkerReport, ending: Ending) -> float:
    """Seconds between the call of a worker's function and its result that no phase has, and in
    which other processes did not keep the worker from running, or in which its CPUs were busy with
    it. All but the phases is measured outside the worker.
    """
    phases_s = _spent(report).wall_s
    free_s = ending.function_s - ending.function_wait_s
    # With the children, which may be the other processes.
    cpu_s = max(ending.function_cpu_s, _cpu_in_function(ending))
    busy_s = min(cpu_s / (run.cores or _CPUS), ending.function_s)
    return max(free_s, busy_s) - phases_s - _tolerance(report, phases_s)


def _tolerance(report: WorkerReport, phases_s: float) -> float:
    """Time that the models of a run may take between the phases. It is not more than the phases,
    since a worker whose clock stands still could report any number of models.
    """
    return min(phases_s, _PER_MODEL_S * report.models)


def _cpu_in_function(ending: Ending) -> float:
    """CPU time of the worker and its children while it executed its function, or a little less: one
    thread starts and ends a process, which takes no more CPU time than wall time.
    """
    return ending.cpu_s - (ending.wall_s - ending.function_s)


def _spent(report: WorkerReport) -> PhaseTime:
    phases = (report.load, report.solve, report.decode, report.shuffle)
    return PhaseTime(sum(phase.wall_s for phase in phases), sum(phase.cpu_s for phase in phases))


def notes(message: str) -> list[str]:
    """What the message of a record says besides the check of its answer."""
    return [match[0] for match in _NOTE.finditer(message)]


def _crashed(ending: Ending, message: str) -> Ending:
    return replace(ending, outcome=Outcome.CRASHED, message=message)


def _flaw_of_report(run: Run, ending: Ending, report: WorkerReport) -> str | None:
    numbers = {
        "rejected models": report.rejected,
        **report.counts,
        **msgspec.to_builtins(report.counters),
    }
    phases = {"load": report.load, "solve": report.solve, "decode": report.decode}
    return (
        _flaw_of_times(phases | {"shuffle": report.shuffle}, ending)
        or _flaw_of_names(report.counts)
        or _flaw_of_counts(numbers)
        or _flaw_of_model(report)
        or _flaw_of_solution(report.solution, len(run.problem.options))
        or _flaw_of_solutions(report.solutions, run.task)
        or _flaw_of_best(run, report)
        or _flaw_of_note(report.note)
        or _flaw_of_refusal(report)
        or _flaw_of_short_times(run, report, ending)
    )


def _flaw_of_times(phases: dict[str, PhaseTime], ending: Ending) -> str | None:
    for name, phase in phases.items():
        for kind, seconds in (("", phase.wall_s), (" CPU", phase.cpu_s)):
            if not (math.isfinite(seconds) and seconds >= 0):
                return f"{seconds:g} s{kind} of {name}"
    wall_s = sum(phase.wall_s for phase in phases.values())
    if wall_s > ending.wall_s + _SLACK_S:
        return f"phases of {wall_s:.3g} s in a process of {ending.wall_s:.3g} s"
    cpu_s = sum(phase.cpu_s for phase in phases.values())
    if cpu_s > ending.cpu_s * _CPU_SLACK + _SLACK_S:
        return f"phases of {cpu_s:.3g} s CPU in a process of {ending.cpu_s:.3g} s CPU"
    return None


def _flaw_of_short_times(run: Run, report: WorkerReport, ending: Ending) -> str | None:
    """Times that are shorter than the worker's clock and the one outside allow."""
    shown = (
        {"load": report.load} if report.refusal else {"load": report.load, "solve": report.solve}
    )
    for name, phase in shown.items():
        if not phase.wall_s:
            return f"0 s of {name}: its clock stood still"
    if _between_phases(run, report, ending) > _REFUSED_S:
        return (
            f"phases of {_spent(report).wall_s:.3g} s, but {ending.function_s:.3g} s passed "
            "between its start and its answer"
        )
    return None


def _flaw_of_names(counts: Collection[str]) -> str | None:
    unknown = sorted({*counts} - COUNTED_BY_WORKER)
    return f"a count of {_show(unknown[0])}" if unknown else None


def _flaw_of_counts(numbers: dict[str, Any]) -> str | None:
    for name, value in numbers.items():
        if value is not None and not 0 <= value <= LARGEST_INTEGER:
            return f"{name} = {_show(value)}"
    return None


def _flaw_of_model(report: WorkerReport) -> str | None:
    if report.model_size < 0 or len(report.model) != -(-report.model_size // _BITS):
        return f"a model of {_show(report.model_size)} values in {len(report.model)} bytes"
    return None


def _flaw_of_solution(solution: Sequence[Option], options: int) -> str | None:
    if len(solution) > options:
        return f"{len(solution)} options"
    for option in solution:
        if not option or max(map(abs, option)) >= _LARGEST_COORDINATE:
            return f"the option {_show(option)}"
    return None


def _flaw_of_solutions(solutions: bytes, task: Task) -> str | None:
    end = bytes(_NUMBER_BYTES)
    cut = len(solutions) % _NUMBER_BYTES or not solutions.endswith(end)
    if solutions and (task is not Task.ALL or cut):
        return f"{len(solutions)} bytes of solutions"
    return None


def _flaw_of_best(run: Run, report: WorkerReport) -> str | None:
    has_k = run.task is Task.BEST and not isinstance(run.problem, Clausal)
    needs_k = has_k and report.answer is Answer.SAT
    k = report.best_k
    if (k is not None) != needs_k:
        return f"the best k {_show(k)} for the task {run.task} and the answer {report.answer}"
    problem = run.problem
    if k is not None and isinstance(problem, ProblemOfK) and not 0 <= k <= problem.largest_k:
        return f"the best k {_show(k)} instead of 0 to {problem.largest_k}"
    return None


def _flaw_of_note(note: str) -> str | None:
    return f"a note of {len(note)} characters" if len(note) > _LONGEST_NOTE else None


def _flaw_of_refusal(report: WorkerReport) -> str | None:
    if report.refusal and report.answer is not Answer.UNKNOWN:
        return f"the answer {report.answer} to an instance that it refused"
    if report.refusal and not report.refusal.startswith(REFUSALS):
        return "a refusal that does not say by what"
    return (
        f"a refusal of {len(report.refusal)} characters" if len(report.refusal) > LONGEST else None
    )


def _show(value: object) -> str:
    """The value in at most 60 characters; a number may have millions of digits."""
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        return f"a number of {value.bit_length()} bits"
    return f"{value}"[:60]
