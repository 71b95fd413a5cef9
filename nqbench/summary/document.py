"""A comparison of two campaigns as one JSON document, for programs that act on it."""

from importlib.metadata import version
from typing import Any, Final

import msgspec
import polars as pl

from nqbench.common.vocabulary import combination
from nqbench.summary.gate import Comparison, Gate
from nqbench.summary.observed import PAIR

FORMAT: Final = 1
"""The version of the document. It increases when a key changes its meaning or goes away."""

_OF_CAMPAIGN: Final = {"machines": "machine", "harnesses": "harness"}
"""What the document says about each campaign: the different values of these columns."""


def document(of: Comparison, gate: Gate) -> dict[str, Any]:
    """What `nqbench compare --json` prints, with values that JSON has.

    `docs/how-to/ci.md` describes each key. Lists have the rows and columns of the tables that
    `summary.compare` and `summary.missing` return; `ratios` are those of the function.
    """
    failures = gate.failures(of)
    return {
        "format": FORMAT,
        "nqbench": version("nqbench"),
        "metric": of.metric,
        "old": _campaign(of.old),
        "new": _campaign(of.new),
        "besides": [msgspec.to_builtins(each) for each in of.besides],
        "outcomes": of.outcomes.to_dicts(),
        "common_runs": of.common_runs,
        "missing": of.missing.to_dicts(),
        "changes": of.changes.to_dicts(),
        "solved": of.solved.to_dicts(),
        "machine": of.times.common,
        "ratios": ratios(of, gate),
        "boards_without_ratio": of.times.without_ratio,
        "boards_without_value": dict(of.times.unknown),
        "zeros_counted_as_1": of.times.raised,
        "gate": {
            "fail_above": gate.above,
            "fail_on_change": gate.on_change,
            "allow_missing": gate.allow_missing,
            "failed": bool(failures),
            "failures": failures,
            "nothing_compared": None if failures else gate.blind(of),
        },
    }


OF_RATIO: Final = (*PAIR, "boards", "ratio", "low", "high", "p", "worse", "can_be_significant")
"""The keys of a ratio, which are the columns of `nqbench compare --format csv`."""


def ratios(of: Comparison, gate: Gate) -> list[dict[str, Any]]:
    """The rows of `summary.compare.times`. Each also has `worse`, whether it is significantly
    larger by more than the gate allows, and `can_be_significant`.
    """
    worse = set(gate.slower(of).select(PAIR).rows())
    return [
        {
            **row,
            "worse": (row["encoding"], row["backend"]) in worse,
            "can_be_significant": combination(row["encoding"], row["backend"])
            not in of.times.never,
        }
        for row in of.times.table.iter_rows(named=True)
    ]


def _campaign(records: pl.DataFrame) -> dict[str, Any]:
    """The number of runs of a campaign, and where they were measured."""
    values = {key: records[name].unique().sort().to_list() for key, name in _OF_CAMPAIGN.items()}
    return {"runs": len(records), **values}
