"""Reads scenarios of ASlib: the folder of one, with `description.txt` and `algorithm_runs.arff`.

B. Bischl et al., "ASlib: a benchmark library for algorithm selection", Artificial Intelligence 237,
2016. A scenario states how long each algorithm took on each instance, but not what it answered.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import polars as pl

from nqbench import files
from nqbench.column_types import LARGEST_INTEGER
from nqbench.errors import InputError
from nqbench.imported import cells
from nqbench.imported.base import Format, ResultFile
from nqbench.vocabulary import Answer, Outcome

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
    if limit_s is None:
        raise InputError(f"{folder / DESCRIPTION} states no algorithm_cutoff_time")
    try:
        stated, measure = _runs(files.decoded(files.content(folder / RUNS, _LARGEST)))
    except InputError as error:
        raise InputError(f"{RUNS}: {error}") from error
    is_ok = pl.col("runstatus").str.to_lowercase() == "ok"
    return stated.select(
        instance="instance_id",
        backend="algorithm",
        repeat=stated["repetition"] - 1,
        solve_s=measure,
        answer=pl.when(is_ok).then(pl.lit(str(Answer.UNSTATED))),
        outcome=pl.when(pl.col("runstatus") == "?")
        .then(pl.lit(str(Outcome.CRASHED)))
        .otherwise("runstatus"),
        time_limit_s=pl.lit(limit_s),
        memory_limit_bytes=pl.lit(_bytes(megabytes), pl.Int64),
        harness=pl.lit("ASlib"),
    )


def _number(description: str, name: str) -> float | None:
    """A number of the description, which is YAML; None if it is not known."""
    found = re.search(rf"^{name}:([^#\n]*)", description, re.MULTILINE)
    try:
        return cells.number(found[1].strip().strip("'\""), name) if found else None
    except InputError as error:
        raise InputError(f"{DESCRIPTION}: {error}") from error


def _bytes(megabytes: float | None) -> int | None:
    if megabytes is None:
        return None
    if not 0 <= megabytes * 1e6 <= LARGEST_INTEGER:
        raise InputError(
            f"{DESCRIPTION}: algorithm_cutoff_memory is {megabytes:g}, which is not allowed"
        )
    return int(megabytes * 1e6)


def _runs(text: str) -> tuple[pl.DataFrame, pl.Series]:
    """The needed columns of an ARFF file, with numbers as `repetition`, and the column with the
    times. Raises `InputError`.
    """
    lines = (line.strip() for line in text.split("\n"))
    names = []
    for line in lines:
        if line[:5].lower() == "@data":
            break
        if found := _ATTRIBUTE.match(line):
            names.append(_plain(found[1]).lower())
    else:
        raise InputError("it has no @DATA")
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise InputError(f"it has no attribute {missing[0]}")
    # The measure is the attribute between the algorithm and the status.
    measure = names[(names.index("algorithm") + 1) % len(names)]
    if measure in _NEEDED or names[-1] == "algorithm":
        raise InputError("it has no attribute with a time after algorithm")
    data = (line for line in lines if line and not line.startswith("%"))
    table = cells.table(names, _rows(data), {*_NEEDED, measure})
    repetition = cells.numbers(cells.given(table["repetition"]), pl.Int64())
    times = cells.numbers(cells.given(table[measure]), pl.Float64())
    return table.with_columns(repetition), times


def _rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """The values in lines of data."""
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            raise InputError(f"row {number} is sparse: write the values of all attributes")
        if "'" in line or '"' in line:
            yield _quoted(line, number)
        else:
            yield line.split(",")


def _quoted(line: str, number: int) -> list[str]:
    """The values in a line, of which some are in quotes."""
    values, at = [], 0
    while at <= len(line):
        found = _VALUE.match(line, at)
        if found is None:
            raise InputError(f"row {number}: a quote is not closed, or ends inside of a value")
        one, other, bare = found.groups()
        values.append(bare if bare is not None else _unescaped(other if one is None else one))
        at = found.end() + (not found[0].endswith(","))
    return values


def _plain(name: str) -> str:
    """A name without quotes."""
    return _unescaped(name[1:-1]) if name[0] in "'\"" and len(name) > 1 else name


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: found[1] or found[0][0], text)
