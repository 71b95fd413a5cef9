"""Reads scenarios of ASlib: the folder of one, with `description.txt` and `algorithm_runs.arff`.

B. Bischl et al., "ASlib: a benchmark library for algorithm selection", Artificial Intelligence 237,
2016. A scenario states how long each algorithm took on each instance, but not what it answered.
"""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import polars as pl

from nqbench import files
from nqbench.errors import InputError
from nqbench.vocabulary import Answer, Outcome

RUNS: Final = "algorithm_runs.arff"
DESCRIPTION: Final = "description.txt"
_LARGEST: Final = 2**30
_ATTRIBUTE: Final = re.compile(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)\s", re.IGNORECASE)
_NEEDED: Final = ("instance_id", "repetition", "algorithm", "runstatus")


def is_scenario(folder: Path) -> bool:
    """Whether this is the folder of a scenario."""
    return (folder / RUNS).is_file() and (folder / DESCRIPTION).is_file()


def read(folder: Path) -> pl.DataFrame:
    """What each run states. Raises `InputError` if this is not a scenario."""
    description = files.text(folder / DESCRIPTION)
    limit_s = _number(description, "algorithm_cutoff_time")
    megabytes = _number(description, "algorithm_cutoff_memory")
    if limit_s is None:
        raise InputError(f"{folder / DESCRIPTION} states no algorithm_cutoff_time")
    names, rows = _arff(files.content(folder / RUNS, _LARGEST).decode(errors="replace"))
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise InputError(f"{folder / RUNS} has no attribute {missing[0]}")
    # The measure is the attribute between the algorithm and the status.
    measure = names.index("algorithm") + 1
    if names[measure] == "runstatus":
        raise InputError(f"{folder / RUNS} has no attribute with a time")
    at = [names.index(name) for name in _NEEDED]
    table = [[*(row[i] for i in at), row[measure]] for row in rows]
    stated = pl.DataFrame(
        table, schema=["instance", "repeat", "backend", "outcome", "solve_s"], orient="row"
    )
    memory = None if megabytes is None else int(megabytes * 1e6)
    is_ok = pl.col("outcome").str.to_lowercase() == "ok"
    return stated.with_columns(
        repeat=pl.col("repeat").cast(pl.Float64, strict=False).cast(pl.Int64, strict=False) - 1,
        solve_s=pl.when(pl.col("solve_s") != "?").then("solve_s"),
        answer=pl.when(is_ok).then(pl.lit(str(Answer.UNSTATED))),
        outcome=pl.when(pl.col("outcome") == "?")
        .then(pl.lit(str(Outcome.CRASHED)))
        .otherwise("outcome"),
        time_limit_s=pl.lit(limit_s),
        memory_limit_bytes=pl.lit(memory, pl.Int64),
        harness=pl.lit("ASlib"),
    )


def _number(description: str, name: str) -> float | None:
    """A number of the description, which is YAML; None if it is not known."""
    found = re.search(rf"^{name}:\s*'?([0-9.eE+]+)'?\s*$", description, re.MULTILINE)
    return float(found[1]) if found else None


def _arff(text: str) -> tuple[list[str], Iterator[list[str]]]:
    """The attributes of an ARFF file in lower case, and its rows. Raises `InputError`."""
    head, marker, data = text.partition("@DATA") if "@DATA" in text else text.partition("@data")
    if not marker:
        raise InputError(f"{RUNS} has no @DATA")
    names = [found[1].strip("'\"").lower() for found in _ATTRIBUTE.finditer(head)]
    quote = '"' if data.count('"') > data.count("'") else "'"
    lines = (line for line in data.splitlines() if line.strip() and not line.startswith("%"))

    def rows() -> Iterator[list[str]]:
        for number, row in enumerate(csv.reader(lines, quotechar=quote, skipinitialspace=True), 1):
            if len(row) != len(names):
                raise InputError(f"{RUNS}, row {number}: {len(row)} values, not {len(names)}")
            yield row

    return names, rows()
