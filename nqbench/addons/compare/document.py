"""A comparison of two campaigns as one JSON document, for programs that act on it."""

import math
from importlib.metadata import version
from typing import Any, Final

import msgspec
import polars as pl

from nqbench.addons.compare.changes import OF_RATIO as COLUMNS
from nqbench.addons.compare.gate import Comparison, Gate
from nqbench.common.vocabulary import combination
from nqbench.summary.observed import PAIR

FORMAT: Final = 3
"""The version of the document. It increases when a key changes its meaning or goes away."""

_OF_CAMPAIGN: Final = {"machines": "machine", "harnesses": "harness"}
"""What the document says about each campaign: the different values of these columns."""


def document(comparison: Comparison, gate: Gate) -> dict[str, Any]:
    """What `nqbench compare --json` prints, with values that JSON has.

    `docs/addons/compare.md` describes each key. Lists have the rows and columns of the tables that
    `changes` and `missing` return; `ratios` are those of the function.
    """
    failures, unseen = gate.failures(comparison), gate.unseen(comparison)
    return {
        "format": FORMAT,
        "nqbench": version("nqbench"),
        "metric": comparison.metric,
        "old": _campaign(comparison.old),
        "new": _campaign(comparison.new),
        "besides": [msgspec.to_builtins(difference) for difference in comparison.besides],
        "outcomes": comparison.outcomes.to_dicts(),
        "common_runs": comparison.common_runs,
        "missing": comparison.missing.to_dicts(),
        "changes": comparison.changes.to_dicts(),
        "solved": comparison.solved.to_dicts(),
        "machine": comparison.times.common,
        "sessions": comparison.times.sessions,
        "ratios": ratios(comparison, gate),
        "boards_without_ratio": comparison.times.without_ratio,
        "boards_without_value": dict(comparison.times.unknown),
        "zeros_counted_as_1": comparison.times.raised,
        "gate": {
            "fail_above": gate.above,
            "fail_on_change": gate.on_change,
            "allow_missing": gate.allow_missing,
            "fail_blind": gate.blind_above,
            "unseen": unseen[0] if unseen and math.isfinite(unseen[0]) else None,
            "asks_again": gate.asks_again(comparison),
            "failed": bool(failures),
            "failures": failures,
            "nothing_compared": None if failures else gate.blind(comparison),
        },
    }


OF_RATIO: Final = (*PAIR, *COLUMNS, "worse", "can_be_decided")
"""The keys of a ratio, which are the columns of `nqbench compare --format csv`."""


def ratios(comparison: Comparison, gate: Gate) -> list[dict[str, Any]]:
    """The rows of `changes.times`. Each also has `worse`, whether it is typically larger by
    more than the gate allows, and `can_be_decided`, whether there are enough boards for that.
    """
    worse_pairs = set(gate.slower(comparison).select(PAIR).rows())
    return [
        {
            **row,
            "worse": (row["encoding"], row["backend"]) in worse_pairs,
            "can_be_decided": combination(row["encoding"], row["backend"])
            not in comparison.times.never,
        }
        for row in comparison.times.table.iter_rows(named=True)
    ]


def _campaign(records: pl.DataFrame) -> dict[str, Any]:
    """The number of runs of a campaign, and where they were measured."""
    values = {key: records[name].unique().sort().to_list() for key, name in _OF_CAMPAIGN.items()}
    return {"runs": len(records), **values}
