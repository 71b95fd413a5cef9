"""Reads scenarios of ASlib: the folder of one, with `description.txt` and `algorithm_runs.arff`.

B. Bischl et al., "ASlib: a benchmark library for algorithm selection", Artificial Intelligence 237,
2016. A scenario states how long each algorithm took on each instance, but not what it answered. It
may have several measures: the time is the first one whose type is `runtime`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import polars as pl

from nqbench.addons.importing import cells
from nqbench.addons.importing.base import Format, ResultFile
from nqbench.addons.importing.statements import LINE
from nqbench.common import files
from nqbench.common.column_types import LARGEST_INTEGER
from nqbench.common.errors import InputError, Place, at
from nqbench.common.vocabulary import Outcome

RUNS: Final = "algorithm_runs.arff"
DESCRIPTION: Final = "description.txt"
_LARGEST: Final = 2**30
_NAME: Final = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+"""
_ATTRIBUTE: Final = re.compile(rf"\s*@attribute\s+({_NAME})(?:\s|$)", re.IGNORECASE)
_INSIDE: Final = r"[^{0}\\]*(?:(?:\\.|{0}{0})[^{0}\\]*)*"
"""What is between quotes, where a quote is doubled or follows a backslash."""

_VALUE: Final = re.compile(
    rf"""[ \t]*(?:'({_INSIDE.format("'")})'|"({_INSIDE.format('"')})"|([^,'"][^,]*|))"""
    r"[ \t]*(?:,|$)"
)
_ESCAPED: Final = re.compile(r"""\\(['"\\])|''|"\"""")
_NEEDED: Final = ("instance_id", "repetition", "algorithm", "runstatus")
_RUNTIME: Final = "runtime"
"""The type of measures that are times in seconds."""


class ASlib(Format):
    """The folder of a scenario."""

    meaning = "folder of a scenario of ASlib"
    reference = "https://www.coseal.net/aslib/"
    is_campaign = True

    def recognises(self, file: ResultFile) -> bool:
        """Whether it is a folder with the two files of a scenario."""
        return file.is_folder and all(part.is_file() for part in self.parts(file.path))

    def parts(self, path: Path) -> Sequence[Path]:
        """The two files that are read."""
        return [path / RUNS, path / DESCRIPTION]

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each run states. Raises `InputError` if this is not a scenario."""
        return read(file.path)


def read(folder: Path) -> pl.DataFrame:
    """What each run states. Raises `InputError` if this is not a scenario."""
    description = files.text(folder / DESCRIPTION)
    limit_s = _number(description, "algorithm_cutoff_time")
    megabytes = _number(description, "algorithm_cutoff_memory")
    with at(RUNS):
        names, lines = _header(files.decoded(files.content(folder / RUNS, _LARGEST)))
    measure = _time_measure(description, names)
    with at(RUNS):
        runs, times = _runs(names, lines, measure)
    limits = {} if limit_s is None else {"time_limit_s": pl.lit(limit_s)}
    is_unknown = pl.col("runstatus").is_in(["?", ""]) & times.is_not_null()
    return runs.select(
        LINE,
        instance="instance_id",
        backend="algorithm",
        repeat=runs["repetition"] - 1,
        solve_s=times,
        # A run that took a while, and of whose end nothing is known.
        outcome=pl.when(is_unknown).then(pl.lit(str(Outcome.CRASHED))).otherwise("runstatus"),
        memory_limit_bytes=pl.lit(_bytes(megabytes), pl.Int64),
        harness=pl.lit("ASlib"),
        **limits,
    )


def _number(description: str, name: str) -> float | None:
    """A number of the description, which is YAML; None if it is not known."""
    match = re.search(rf"^{name}:([^#\n]*)", description, re.MULTILINE)
    with at(DESCRIPTION):
        return cells.number(match[1].strip().strip("'\""), name) if match else None


def _bytes(megabytes: float | None) -> int | None:
    if megabytes is None:
        return None
    if not 0 <= megabytes * 1e6 <= LARGEST_INTEGER:
        raise InputError(
            f"algorithm_cutoff_memory is {megabytes:g}, which is not allowed",
            place=Place(DESCRIPTION),
        )
    return int(megabytes * 1e6)


def _read_list(description: str, name: str) -> list[str]:
    """The values of a list in the description, or its only value; empty if it is not there."""
    match = re.search(
        rf"^{name}:([^\n]*)\n((?:[ \t]*(?:-[^\n]*|#[^\n]*)?\n)*)", f"{description}\n", re.MULTILINE
    )
    if match is None:
        return []
    inline, below = match.groups()
    values = inline.partition("#")[0].strip().removeprefix("[").removesuffix("]").split(",")
    values += re.findall(r"^[ \t]*-([^#\n]*)", below, re.MULTILINE)
    plain = (value.strip().strip("'\"") for value in values)
    return [value for value in plain if value]


def _time_measure(description: str, names: Sequence[str]) -> str:
    """The attribute with the times, among those of these names: the first of type `runtime`. Raises
    `InputError` if there is none, and if nobody can know which one it is.
    """
    after_algorithm = names[(names.index("algorithm") + 1) % len(names)]
    if after_algorithm in _NEEDED or names[-1] == "algorithm":
        reason = "it has no attribute with a time after algorithm"
        raise InputError(reason, place=Place(RUNS))
    types = [kind.lower() for kind in _read_list(description, "performance_type")]
    measures = [name.lower() for name in _read_list(description, "performance_measures")]
    if not types:
        if "time" in after_algorithm:
            return after_algorithm
        raise InputError(
            f"it states no performance_type, such as {_RUNTIME}", place=Place(DESCRIPTION)
        )
    measures = measures or [after_algorithm]
    if len(measures) != len(types):
        numbers = f"{len(measures)} performance_measures, but {len(types)} performance_type"
        raise InputError(
            f"it has {numbers}: write one type for each measure", place=Place(DESCRIPTION)
        )
    if _RUNTIME not in types:
        kinds = ", ".join(f"{name} is {kind}" for name, kind in zip(measures, types, strict=True))
        raise InputError(
            f"no measure has the type {_RUNTIME} ({kinds:.200})", place=Place(DESCRIPTION)
        )
    first = types.index(_RUNTIME)
    maximized = _read_list(description, "maximize")[first : first + 1]
    if maximized and maximized[0].lower() in ("true", "yes", "on"):
        raise InputError(
            f"{measures[first]:.60} is to be maximized, so it is not a time",
            place=Place(DESCRIPTION),
        )
    if measures[first] in names and measures[first] not in _NEEDED:
        return measures[first]
    if len(measures) == 1:
        return after_algorithm
    raise InputError(
        f"it has no attribute {measures[first]!r:.60}, which is a measure in {DESCRIPTION}",
        place=Place(RUNS),
    )


def _header(text: str) -> tuple[list[str], Iterator[tuple[int, str]]]:
    """The names of the attributes of an ARFF file, and the lines of its data with their numbers.
    Raises `InputError`.
    """
    lines = enumerate((line.strip() for line in text.split("\n")), 1)
    names = []
    for _, line in lines:
        if line[:5].lower() == "@data":
            break
        if match := _ATTRIBUTE.match(line):
            names.append(_plain(match[1]).lower())
    else:
        raise InputError("it has no @DATA")
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise InputError(f"it has no attribute {missing[0]}")
    return names, lines


def _runs(
    names: Sequence[str], lines: Iterator[tuple[int, str]], measure: str
) -> tuple[pl.DataFrame, pl.Series]:
    """The needed columns of the data with the lines, and numbers as `repetition`; and the column
    with the times, which is this attribute. Raises `InputError`.
    """
    numbers: list[int] = []
    with cells.in_lines(numbers):
        table = cells.table(names, _rows(lines, numbers), {*_NEEDED, measure})
        repetition = cells.numbers(cells.given(table["repetition"]), pl.Int64())
        times = cells.numbers(cells.given(table[measure]), pl.Float64())
    return table.with_columns(repetition, pl.Series(LINE, numbers, pl.Int64)), times


def _rows(lines: Iterable[tuple[int, str]], numbers: list[int]) -> Iterator[list[str]]:
    """The values in lines of data; the number of each line is added to `numbers`."""
    for number, line in lines:
        if not line or line.startswith("%"):
            continue
        if line.startswith("{"):
            raise InputError("sparse: write the values of all attributes", place=Place(line=number))
        numbers.append(number)
        if "'" in line or '"' in line:
            yield _quoted(line, number)
        else:
            yield line.split(",")


def _quoted(line: str, number: int) -> list[str]:
    """The values in a line, of which some are in quotes."""
    values, at = [], 0
    while at <= len(line):
        match = _VALUE.match(line, at)
        if match is None:
            raise InputError(
                "a quote is not closed, or ends inside of a value", place=Place(line=number)
            )
        single, other, bare = match.groups()
        values.append(bare if bare is not None else _unescaped(other if single is None else single))
        at = match.end() + (not match[0].endswith(","))
    return values


def _plain(name: str) -> str:
    """A name without quotes."""
    return _unescaped(name[1:-1]) if name[0] in "'\"" and len(name) > 1 else name


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: match[1] or match[0][0], text)
