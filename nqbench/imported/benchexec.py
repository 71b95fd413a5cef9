"""Reads results of BenchExec: the XML file that it writes for each run definition.

D. Beyer, S. Löwe, P. Wendler, "Reliable benchmarking: requirements and solutions", STTT 21, 2019;
`doc/run-results.md` of BenchExec says what a column is. `timelimit` limits CPU time, and
`walltimelimit` wall-clock time. For a SAT solver, `true` means satisfiable and `false`
unsatisfiable.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final
from xml.etree import ElementTree as ET

import polars as pl

from nqbench.errors import InputError
from nqbench.records import frame
from nqbench.vocabulary import Answer, Outcome

_UNITS: Final = {
    "": 1, "s": 1, "ms": 1e-3, "min": 60, "h": 3600, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9,
    "TB": 1e12, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30,
}  # fmt: skip
_NUMBER: Final = re.compile(r"\s*([0-9.eE+-]+)\s*([A-Za-z]*)\s*")

_OUTSIDE: Final = re.compile(r"^(\.\.?/)+")
"""BenchExec names a file by its path from the folder of the results."""

_ANSWERS: Final = {
    "true": Answer.SAT,
    "sat": Answer.SAT,
    "satisfiable": Answer.SAT,
    "false": Answer.UNSAT,
    "unsat": Answer.UNSAT,
    "unsatisfiable": Answer.UNSAT,
    "unknown": Answer.UNKNOWN,
    "done": Answer.UNSTATED,
}

_REASONS: Final = {
    "cputime": Outcome.TIMEOUT,
    "cputime-soft": Outcome.TIMEOUT,
    "walltime": Outcome.TIMEOUT,
    "memory": Outcome.MEMOUT,
}
"""Why BenchExec ended a run; any other reason is a crash."""

_STATUSES: Final = {"TIMEOUT": Outcome.TIMEOUT, "OUT OF MEMORY": Outcome.MEMOUT}
"""The statuses of runs whose file does not state the reason."""

_TIMES: Final = {"walltime": "wall_s", "cputime": "cpu_s"}
_KNOWN: Final = {
    *_TIMES, "status", "category", "memory", "memUsage", "returnvalue", "exitsignal", "exitcode",
    "starttime", "terminationreason", "host",
}  # fmt: skip


def read(content: bytes) -> pl.DataFrame:
    """What each run states. Raises `InputError` if this is not a result of BenchExec."""
    try:
        root = ET.fromstring(content)
    except ET.ParseError as error:
        raise InputError(f"it is not XML: {error}") from error
    if root.tag != "result" or ("toolmodule" not in root.attrib and "tool" not in root.attrib):
        raise InputError("it is not a result of BenchExec")
    common = _of_all_runs(root)
    rows = [common | row for row in _runs(root)]
    if not rows:
        raise InputError("it has no runs")
    names = dict.fromkeys(name for row in rows for name in row)
    types = {name: frame.schema().get(name, pl.Float64()) for name in names}
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in names}, schema=types)


def _of_all_runs(root: ET.Element) -> dict[str, object]:
    facts = root.attrib
    cpu_s, wall_s = (_amount(facts.get(name)) for name in ("timelimit", "walltimelimit"))
    memory = _amount(facts.get("memlimit"))
    cpu, system = root.find("systeminfo/cpu"), root.find("systeminfo")
    machine = "" if cpu is None else f"{cpu.get('model', '')}, {cpu.get('cores', '?')} CPUs"
    host = "" if system is None else system.get("hostname", "")
    found: dict[str, object] = {
        "backend": " ".join(filter(None, [facts.get("tool", ""), facts.get("options", "")])),
        "backend_version": facts.get("version") or None,
        "time_limit_s": wall_s or cpu_s,
        "cpu_limit_s": cpu_s,
        "memory_limit_bytes": None if memory is None else int(memory),
        "machine": machine or host or None,
        "harness": f"BenchExec {facts['generator'].removeprefix('BenchExec ')}"
        if facts.get("generator")
        else "BenchExec",
    }
    return {name: value for name, value in found.items() if value is not None}


def _runs(root: ET.Element) -> Iterator[dict[str, object]]:
    for run in root.iter("run"):
        values = {column.get("title", ""): column.get("value", "") for column in run.iter("column")}
        hidden = {column.get("title", "") for column in run.iter("column") if column.get("hidden")}
        name = _OUTSIDE.sub("", run.get("name", ""))
        yield {"instance": name} | _ending(values) | _numbers(values, hidden)


def _ending(values: dict[str, str]) -> dict[str, object]:
    """Outcome, answer and message of a run."""
    status = values.get("status", "")
    # As in `false(unreach-call)`.
    answer = _ANSWERS.get(status.partition("(")[0].strip().lower())
    reason = values.get("terminationreason", "")
    limit = _STATUSES.get(status.partition(" (")[0])
    outcome = _REASONS.get(reason, Outcome.CRASHED) if reason else limit
    if outcome is None:
        outcome = Outcome.CRASHED if answer is None else Outcome.FINISHED
    return {
        "outcome": str(outcome),
        "answer": str(answer) if answer and outcome is Outcome.FINISHED else None,
        "message": "" if outcome is Outcome.FINISHED else status,
    }


def _numbers(values: dict[str, str], hidden: set[str]) -> dict[str, object]:
    """Times, memory, the end of the process, and as measures the other columns that are shown."""
    found: dict[str, object] = {field: _amount(values.get(name)) for name, field in _TIMES.items()}
    memory = _amount(values.get("memory") or values.get("memUsage"))
    found["peak_rss_bytes"] = None if memory is None else int(memory)
    for name, field in (("returnvalue", "exit_status"), ("exitsignal", "signal")):
        code = _amount(values.get(name))
        found[field] = None if code is None else int(code)
    if started := values.get("starttime"):
        found["started_at"] = _moment(started)
    for name, value in values.items():
        measure = re.sub(r"\W", "_", name)
        number = _amount(value)
        is_shown = name not in _KNOWN and name not in hidden
        if is_shown and number is not None and measure.isidentifier():
            found[measure] = number
    return found


def _amount(text: str | None) -> float | None:
    """The number with its unit; None if it is none."""
    match = _NUMBER.fullmatch(text or "")
    if match is None or match[2] not in _UNITS:
        return None
    try:
        return float(match[1]) * _UNITS[match[2]]
    except ValueError:
        return None


def _moment(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
