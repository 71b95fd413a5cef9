"""Checks what a worker reports before it enters a record.

A worker runs untrusted code. Its report must have the types of a `WorkerReport`, have possible
values, and agree with what was measured of its process from outside. Otherwise the run counts as
crashed, and its record says why.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

import msgspec

from nqbench.errors import InputError
from nqbench.isolate.supervise import Ending
from nqbench.measure.encode import EncodeReport
from nqbench.measure.timing import PhaseTime
from nqbench.measure.worker import WorkerReport
from nqbench.printable import LONGEST
from nqbench.problems.options import Option
from nqbench.records import log, measures, rules
from nqbench.records.record import IDENTITY, Record, Run
from nqbench.values import LARGEST_INTEGER
from nqbench.vocabulary import Outcome, Task, combination

_SLACK_S: Final = 0.05
"""Tolerance between two clocks that are not read at the same moment."""

_CPU_SLACK: Final = 1.02
"""Tolerance for CPU time: the kernel counts that of an ended process in another way."""

_UNEXPLAINED_S: Final = 0.5
_UNEXPLAINED_SHARE: Final = 0.2
_LARGEST_COORDINATE: Final = 2**31

_NOTE: Final = re.compile(
    r"[\d.]+ of [\d.]+ s were spent outside load, solve and decode"
    rf"|decode took [\d.]+ s, solve only [\d.e+-]+ s|{measures.UNREAD}"
)
"""Matches each part of a message that `what_phases_leave_open` or a measure adds."""

_identity = attrgetter(*IDENTITY)

_UNDECODABLE: Final = (msgspec.DecodeError, ValueError, RecursionError)
_BITS: Final = 8
_NUMBER_BYTES: Final = 4


def admitted(run: Run, ending: Ending) -> WorkerReport | Ending:
    """Return the report of a finished run's worker, or the ending of the run as crashed if the
    report is impossible.
    """
    worker = f"the worker of {combination(run.encoding, run.backend)} reported"
    try:
        report = msgspec.msgpack.decode(ending.payload, type=WorkerReport)
    except _UNDECODABLE as error:
        return _crashed(ending, f"{worker} an invalid report: {error}")
    flaw = _flaw_of_report(run, ending, report)
    return _crashed(ending, f"{worker} {flaw}") if flaw else report


def admitted_encoding(ending: Ending, name: str) -> EncodeReport | Ending:
    """Return the report of the process that made an instance, or its ending as crashed."""
    try:
        report = msgspec.msgpack.decode(ending.payload, type=EncodeReport)
    except _UNDECODABLE as error:
        return _crashed(ending, f"{name} did not return a report: {error}")
    flaw = _flaw_of_times({"encode": report.spent}, ending)
    return _crashed(ending, f"{name} reported {flaw}") if flaw else report


def flaw_of_record(record: Record, expected: Record) -> str | None:
    """Why this cannot be the record of a run, in words; None if it can. `expected` is the result of
    `Record.of` for that run.
    """
    for name, told, asked in zip(IDENTITY, _identity(record), _identity(expected), strict=True):
        if told != asked:
            return f"the {name} {_shown(told)} for a run with {_shown(asked)}"
    if len(record.message) > LONGEST:
        return f"a message of {len(record.message)} characters"
    flaw = rules.flaw_of_record(record)
    return f"a record in which {flaw}" if flaw else None


def flaw_of_log(content: object, run: Run) -> str | None:
    """Why this cannot be the log of the run, in words; None if it can."""
    if not run.keep_output:
        return "a log that the run does not ask for"
    try:
        log.unpacked(content)
    except InputError as error:
        return str(error)
    return None


def what_phases_leave_open(wall_s: float, report: WorkerReport) -> str:
    """What the times of a run's phases do not explain, in words; empty if they explain all."""
    phases = (report.load, report.solve, report.decode, report.shuffle)
    open_s = wall_s - sum(phase.wall_s for phase in phases)
    if open_s > max(_UNEXPLAINED_S, _UNEXPLAINED_SHARE * wall_s):
        return f"{open_s:.1f} of {wall_s:.1f} s were spent outside load, solve and decode"
    decode_s, solve_s = report.decode.wall_s, report.solve.wall_s
    if decode_s > max(_UNEXPLAINED_S, solve_s):
        return f"decode took {decode_s:.1f} s, solve only {solve_s:.2g} s"
    return ""


def notes(message: str) -> list[str]:
    """What the message of a record says besides the check of its answer."""
    return [found[0] for found in _NOTE.finditer(message)]


def _crashed(ending: Ending, message: str) -> Ending:
    return replace(ending, outcome=Outcome.CRASHED, message=message)


def _flaw_of_report(run: Run, ending: Ending, report: WorkerReport) -> str | None:
    numbers = {"rejected models": report.rejected, **msgspec.to_builtins(report.counters)}
    phases = {"load": report.load, "solve": report.solve, "decode": report.decode}
    return (
        _flaw_of_times(phases | {"shuffle": report.shuffle}, ending)
        or _flaw_of_counts(numbers)
        or _flaw_of_model(report)
        or _flaw_of_solution(report.solution, len(run.problem.options))
        or _flaw_of_solutions(report.solutions, run.task)
    )


def _flaw_of_times(phases: dict[str, PhaseTime], ending: Ending) -> str | None:
    for name, phase in phases.items():
        for what, seconds in (("", phase.wall_s), (" CPU", phase.cpu_s)):
            if not (math.isfinite(seconds) and seconds >= 0):
                return f"{seconds:g} s{what} of {name}"
    wall_s = sum(phase.wall_s for phase in phases.values())
    if wall_s > ending.wall_s + _SLACK_S:
        return f"phases of {wall_s:.3g} s in a process of {ending.wall_s:.3g} s"
    cpu_s = sum(phase.cpu_s for phase in phases.values())
    if cpu_s > ending.cpu_s * _CPU_SLACK + _SLACK_S:
        return f"phases of {cpu_s:.3g} s CPU in a process of {ending.cpu_s:.3g} s CPU"
    return None


def _flaw_of_counts(numbers: dict[str, Any]) -> str | None:
    for name, value in numbers.items():
        if value is not None and not 0 <= value <= LARGEST_INTEGER:
            return f"{name} = {_shown(value)}"
    return None


def _flaw_of_model(report: WorkerReport) -> str | None:
    if report.model_size < 0 or len(report.model) != -(-report.model_size // _BITS):
        return f"a model of {_shown(report.model_size)} values in {len(report.model)} bytes"
    return None


def _flaw_of_solution(solution: Sequence[Option], options: int) -> str | None:
    if len(solution) > options:
        return f"{len(solution)} options"
    for option in solution:
        if not option or max(map(abs, option)) >= _LARGEST_COORDINATE:
            return f"the option {_shown(option)}"
    return None


def _flaw_of_solutions(solutions: bytes, task: Task) -> str | None:
    end = bytes(_NUMBER_BYTES)
    cut = len(solutions) % _NUMBER_BYTES or not solutions.endswith(end)
    if solutions and (task is not Task.ALL or cut):
        return f"{len(solutions)} bytes of solutions"
    return None


def _shown(value: object) -> str:
    """The value in at most 60 characters; a number may have millions of digits."""
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        return f"a number of {value.bit_length()} bits"
    return f"{value}"[:60]
