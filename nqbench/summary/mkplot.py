"""Exports records for mkplot (A. Ignatiev), which draws cactus and scatter plots."""

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from nqbench.common import files
from nqbench.common.vocabulary import combination
from nqbench.summary.observed import NOT_CAPPED, PAIR, observed

_Problem = tuple[str, int | None, str]
"""Family, n and instance."""


def to_mkplot(records: pl.DataFrame) -> dict[str, bytes]:
    """JSON files for mkplot (A. Ignatiev), one for each encoding x backend, by file name. No two
    names are equal, also where names ignore case.

    The instances are the boards and repeats. If one was run under several conditions, the latest
    run counts. `rtime` is encode_s + load_s + solve_s + decode_s in seconds, or the time limit of
    an unsolved run; of an imported run, the time that its source states. Capped runs are left out.
    """
    runs = observed(records.filter(NOT_CAPPED), "total_s")
    problems = _problem_names(runs)
    combinations = runs.select(PAIR).unique().sort(PAIR).rows()
    stems = files.distinct_names(map(_stem, combinations), ".json")
    tables = runs.partition_by(PAIR, as_dict=True)
    return {
        stems[_stem(pair)]: _of_combination(pair, tables[pair], problems) for pair in combinations
    }


def _stem(pair: tuple[str, ...]) -> str:
    """The name of a combination's file, before it is made distinct: no record has a NUL."""
    return "\0\0".join(pair)


def _of_combination(
    pair: tuple[str, ...], table: pl.DataFrame, problems: Mapping[_Problem, str]
) -> bytes:
    """The file of one combination."""
    rows = table.sort("n", "instance", "repeat", "started_at").iter_rows(named=True)
    stats = {f"{problems[_problem(row)]} {row['repeat']}": _mkplot_facts(row) for row in rows}
    name = combination(*pair)
    preamble = {"benchmark": "nqbench", "program": name, "prog_alias": name}
    return json.dumps({"preamble": preamble, "stats": stats}, indent=1).encode()


def _problem_names(records: pl.DataFrame) -> dict[_Problem, str]:
    """A name for each problem, the same in all files."""
    names: dict[_Problem, str] = {}
    used_names = set()
    for row in records.select("family", "n", "instance").unique().sort(pl.all()).to_dicts():
        board = f"{row['family']} n{row['n']} {row['instance']}".strip()
        name = row["instance"] if row["n"] is None else board
        # A formula and a problem of another family may have the same name.
        while name in used_names:
            name = f"{row['family']}: {name}"
        used_names.add(name)
        names[_problem(row)] = name
    return names


def _problem(row: Mapping[str, Any]) -> _Problem:
    return row["family"], row["n"], row["instance"]


def _mkplot_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    memory = f"{(row['peak_rss_bytes'] or 0) // 1024} KiB"
    # An imported run may have no phases to add up, and only one time.
    time_s = row["solve_s"] if row["time_s"] is None else row["time_s"]
    return {"status": row["solved"], "rtime": time_s, "mempeak": memory}
