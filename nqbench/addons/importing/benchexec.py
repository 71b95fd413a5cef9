"""Reads results of BenchExec: the XML file that it writes for each run definition.

D. Beyer, S. Löwe, P. Wendler, "Reliable benchmarking: requirements and solutions", STTT 21, 2019;
`doc/run-results.md` of BenchExec says what a column is. `timelimit` limits CPU time, and
`walltimelimit` wall-clock time. For a SAT solver, `true` means satisfiable and `false`
unsatisfiable. The category, or else the expected verdict, says whether an answer is wrong.
"""

import itertools
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final
from xml.parsers import expat

import polars as pl

from nqbench.addons.importing import cells, status_words
from nqbench.addons.importing.base import Format, ResultFile
from nqbench.common.column_types import LARGEST_INTEGER, LATEST
from nqbench.common.errors import InputError, Place
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.records import frame
from nqbench.records.measures import is_name

_UNITS: Final[Mapping[str, float]] = {
    "": 1, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "ks": 1e3, "Ms": 1e6, "Gs": 1e9,
    "min": 60, "h": 3600, "d": 86400, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
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

_WRONG: Final = ("wrong", "incorrect")
"""How categories of wrong answers begin, as in `wrong` and `wrong-property`."""

_UNCONFIRMED: Final = "correct-unconfirmed"
"""The category of answers that are as expected, but whose witness nobody confirmed."""

_FIELDS: Final = {
    "walltime": "wall_s",
    "cputime": "cpu_s",
    "memory": "peak_rss_bytes",
    "memUsage": "peak_rss_bytes",
    "returnvalue": "exit_status",
    "exitsignal": "signal",
}
"""The field of each column that BenchExec fills itself."""

_COUNTS: Final = (*Counters.__dataclass_fields__, "variables", "clauses", "literals")
"""The fields that a column of the same name fills: what a solver says about its work."""

_KNOWN: Final = {
    *_FIELDS, "status", "category", "exitcode", "starttime", "terminationreason", "host",
}  # fmt: skip
_OTHERS: Final = "benchexec_"
"""The measure of a column whose name records have already begins with this."""


class Run:
    """A run: the name of its task, its properties and options, the verdict that was expected, and
    the value of each of its columns by title.
    """

    def __init__(
        self, name: str, properties: str = "", options: str = "", expected: str = ""
    ) -> None:
        self.name, self.properties, self.options = name, properties, options
        self.expected = expected
        self.values: dict[str, str] = {}
        self.hidden: set[str] = set()


class BenchExec(Format):
    """The XML file of a run definition."""

    meaning = "XML of BenchExec, one file for each run definition"
    reference = "https://github.com/sosy-lab/benchexec"
    suffixes = (".xml",)

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each run states. Raises `InputError` if this is not a result of BenchExec."""
        return read(file.content)


def read(content: bytes) -> pl.DataFrame:
    """What each run states. Raises `InputError` if this is not a result of BenchExec."""
    document = _Document(content)
    return statements(document.runs, document.facts)


def statements(runs: Sequence[Run], facts: Mapping[str, object]) -> pl.DataFrame:
    """What each of these runs states, and the facts that hold for all."""
    hidden = {title for run in runs for title in run.hidden} | _KNOWN
    titles = dict.fromkeys(title for run in runs for title in run.values)
    shown_titles = [title for title in titles if title not in hidden]
    if len(shown_titles) > frame.MOST_MEASURES:
        raise InputError(f"more than {frame.MOST_MEASURES} columns")
    columns = {t: [run.values.get(t) for run in runs] for t in (*_KNOWN, *shown_titles)}
    table = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    return (
        pl.DataFrame(
            [
                pl.Series("instance", _instances(runs), pl.String),
                *_endings(table, [run.expected for run in runs]),
                *_fields(table),
                *_measures(table.select(shown_titles)),
            ]
        )
        .with_columns(
            pl.lit(value, frame.schema()[name]).alias(name) for name, value in facts.items()
        )
        .with_columns(_backends(runs, str(facts.get("backend", ""))))
    )


def _instances(runs: Sequence[Run]) -> list[str]:
    """The name of the problem of each run: its file, and the property that it is about. The path is
    shortened only if that leaves different files with different names.
    """
    short = {name: _OUTSIDE.sub("", name) for name in {run.name for run in runs}}
    is_unique = len(set(short.values())) == len(short)
    paths = (short[run.name] if is_unique else run.name for run in runs)
    return [
        f"{path} ({run.properties})" if run.properties else path
        for path, run in zip(paths, runs, strict=True)
    ]


def _backends(runs: Sequence[Run], tool: str) -> list[pl.Series]:
    """The name of the solver of each run with its options, if a task was run with several."""
    tasks = {(run.name, run.properties) for run in runs}
    if len({(run.name, run.properties, run.options) for run in runs}) == len(tasks):
        return []
    return [pl.Series("backend", [f"{tool} {run.options}".strip() for run in runs], pl.String)]


class _Document:
    """What is read of a file: the `facts` that hold for all runs, by field, and the runs. Raises
    `InputError`. The file is read element by element: its elements may be nested in any depth.
    """

    def __init__(self, content: bytes) -> None:
        self.runs: list[Run] = []
        self._root: dict[str, str] = {}
        self._machine: dict[str, str] = {}
        self._host = ""
        self._depth = 0
        self._run_depth = 0
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.EntityDeclHandler = self._declare
        try:
            parser.Parse(content, True)
        except (expat.ExpatError, LookupError, ValueError) as error:  # also unknown encodings
            raise InputError(f"it is not XML: {error}") from error
        if not self.runs:
            raise InputError("it has no runs")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1:
            if tag != "result" or not {"toolmodule", "tool"} & set(attributes):
                raise InputError("it is not a result of BenchExec")
            self._root = attributes
        elif tag == "systeminfo":
            self._host = self._host or attributes.get("hostname", "")
        elif tag == "cpu":
            self._machine = self._machine or attributes
        elif tag == "run":
            if self._run_depth:
                raise InputError("a run is inside of this run", place=Place(row=len(self.runs)))
            self._run_depth = self._depth
            names = ("name", "properties", "options", "expectedVerdict")
            self.runs.append(Run(*(attributes.get(name, "") for name in names)))
        elif tag == "column" and self._run_depth:
            title, value = attributes.get("title", ""), attributes.get("value", "")
            self.runs[-1].values[title] = value
            if attributes.get("hidden"):
                self.runs[-1].hidden.add(title)

    def _end(self, _tag: str) -> None:
        if self._depth == self._run_depth:
            self._run_depth = 0
        self._depth -= 1

    def _declare(self, name: str, *_: object) -> None:
        raise InputError(
            f"it is not XML of BenchExec, which declares no entities: {name!r:.40} is one"
        )

    @property
    def facts(self) -> dict[str, object]:
        """What holds for all runs, by field."""
        facts = self._root
        cpu_s, wall_s, memory = (
            cells.number(facts.get(name, ""), name, _UNITS)
            for name in ("timelimit", "walltimelimit", "memlimit")
        )
        if memory is not None and memory > LARGEST_INTEGER:
            raise InputError(f"memlimit is {facts['memlimit']!r:.60}, which is too large")
        of_cpu = f"{self._machine.get('model', '')}, {self._machine.get('cores', '?')} CPUs"
        generator = facts.get("generator", "").removeprefix("BenchExec ")
        fields: dict[str, object] = {
            "backend": " ".join(filter(None, [facts.get("tool", ""), facts.get("options", "")])),
            "backend_version": facts.get("version") or None,
            "time_limit_s": wall_s or cpu_s,
            "cpu_limit_s": cpu_s,
            "memory_limit_bytes": None if memory is None else int(memory),
            "machine": of_cpu if self._machine else self._host or None,
            "harness": f"BenchExec {generator}".strip(),
        }
        return {name: value for name, value in fields.items() if value is not None}


def _endings(table: pl.DataFrame, expected: Iterable[str]) -> list[pl.Series]:
    """Outcome, answer, whether that is wrong, message and start of each run."""
    statuses = table.select(pl.col("status", "terminationreason", "category").fill_null(""))
    endings = [_ending(*row) for row in statuses.iter_rows()]
    if {Answer.SAT, Answer.UNSAT} & {answer for _, answer, _ in endings}:
        # Where tasks have answers, one that is only done has none.
        no_answer = {str(Answer.UNSTATED): str(Answer.UNKNOWN)}
        endings = [(how, no_answer.get(answer or "", answer), why) for how, answer, why in endings]
    names = ("outcome", "answer", "message")
    columns = [
        pl.Series(name, [ending[at] for ending in endings], pl.String)
        for at, name in enumerate(names)
    ]
    judged = zip(statuses["status"], statuses["category"], expected, strict=True)
    wrong = pl.Series("wrong", ["yes" if _is_wrong(*row) else None for row in judged], pl.String)
    moments = map(_moment, table["starttime"])
    return [*columns, wrong, pl.Series("started_at", list(moments), pl.Float64)]


def _ending(status: str, reason: str, category: str) -> tuple[str, str | None, str]:
    """Outcome, answer and message of a run."""
    if not status.strip() and not reason:
        return status_words.NOT_RUN, None, ""
    answer = answer_of(status)
    limit = _STATUSES.get(status.partition(" (")[0])
    outcome = _REASONS.get(reason, Outcome.CRASHED) if reason else limit
    if outcome is None:
        outcome = Outcome.CRASHED if answer is None else Outcome.FINISHED
    if outcome is Outcome.FINISHED:
        unconfirmed = category.strip().lower() == _UNCONFIRMED
        message = f"{_UNCONFIRMED}, says BenchExec" if unconfirmed else ""
        return str(outcome), answer and str(answer), message
    return str(outcome), None, status


def answer_of(status: str) -> Answer | None:
    """The answer of a status or expected verdict such as `false(unreach-call)`, if it is one."""
    return _ANSWERS.get(status.partition("(")[0].strip().lower())


def _is_wrong(status: str, category: str, expected: str) -> bool:
    """Whether a status is another one than expected, by the category that BenchExec gave it or by
    what was expected: its answer, or what it is about as in `false(unreach-call)`.
    """
    if category.strip().lower().startswith(_WRONG):
        return True
    answers = {answer_of(status), answer_of(expected)}
    if not answers <= {Answer.SAT, Answer.UNSAT}:
        return False
    about = {text.partition("(")[2].strip().lower() for text in (status, expected)} - {""}
    return len(answers) > 1 or len(about) > 1


def _fields(table: pl.DataFrame) -> Iterable[pl.Series]:
    """Times, memory, and how the process ended."""
    columns: dict[str, pl.Series] = {}
    for title, name in _FIELDS.items():
        numbers = cells.numbers(cells.given(table[title]), frame.schema()[name], _UNITS)
        columns[name] = (columns[name].fill_null(numbers) if name in columns else numbers).alias(
            name
        )
    return columns.values()


def _measures(table: pl.DataFrame) -> Iterable[pl.Series]:
    """The columns with numbers: as counts if they have the name of a count, else as measures. Each
    has a separate name.
    """
    columns: dict[str, pl.Series] = {}
    for title in table.columns:
        column = table[title]
        if title in _COUNTS:
            columns[title] = cells.numbers(cells.given(column), frame.schema()[title])
            continue
        numbers = cells.numbers_among(column, units=_UNITS)
        if numbers.null_count() < len(numbers):
            name = _measure_name(title, columns)
            columns[name] = numbers.alias(name)
    return columns.values()


def _measure_name(title: str, used_names: Container[str]) -> str:
    """A name for the measure of a column, which no other one has."""
    plain = re.sub("[^A-Za-z0-9_]", "_", title)[:50]
    plain = plain if is_name(plain) else f"{_OTHERS}{plain}"
    numbered = (f"{plain}_{number}" for number in itertools.count(2))
    return next(name for name in itertools.chain([plain], numbered) if name not in used_names)


def _moment(text: str | None) -> float | None:
    """A time stamp in seconds since 1970; None if it is no date that records can have."""
    try:
        moment = datetime.fromisoformat(text or "").timestamp()
    except (ValueError, OverflowError):
        return None
    return moment if 0 <= moment <= LATEST else None
