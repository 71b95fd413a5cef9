"""Exports records for mkplot (A. Ignatiev), which draws cactus and scatter plots."""

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from nqbench.summary.observed import NOT_CAPPED, PAIR, observed
from nqbench.vocabulary import combination


def to_mkplot(records: pl.DataFrame) -> dict[str, bytes]:
    """JSON files for mkplot (A. Ignatiev), one for each encoding x backend, by file name.

    The instances are the boards and repeats. If one was run under several conditions, the latest
    run counts. `rtime` is encode_s + load_s + solve_s + decode_s in seconds, or the time limit of
    an unsolved run; of an imported run, the time that its source states. Capped runs are left out.
    """
    files, measured = {}, records.filter(NOT_CAPPED)
    for (encoding, backend), table in observed(measured, "total_s").group_by(*PAIR):
        rows = table.sort("n", "instance", "repeat", "started_at").iter_rows(named=True)
        stats = {_mkplot_instance(row): _mkplot_facts(row) for row in rows}
        name = combination(encoding, backend)
        preamble = {"benchmark": "nqbench", "program": name, "prog_alias": name}
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in f"{encoding}__{backend}")
        files[f"{safe}.json"] = json.dumps(
            {"preamble": preamble, "stats": stats}, indent=1
        ).encode()
    return files


def _mkplot_instance(row: Mapping[str, Any]) -> str:
    board = f"{row['family']} n{row['n']} {row['instance']}".strip()
    return f"{row['instance'] if row['n'] is None else board} {row['repeat']}"


def _mkplot_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    memory = f"{(row['peak_rss_bytes'] or 0) // 1024} KiB"
    time_s = row["solve_s"] if row["time_s"] is None else row["time_s"]
    return {"status": row["solved"], "rtime": time_s, "mempeak": memory}
