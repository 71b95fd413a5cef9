"""Exports for services that watch results over commits."""

import json
import statistics

import polars as pl
import pytest
from counted_records import counting
from jsonschema import Draft7Validator
from made_records import DEAD, DONE, LATE, table

from nqbench.summary.other_tools import to_bencher, to_github_action_benchmark

BENCHER = {
    "$id": "https://bencher.dev/bmf.json",
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "patternProperties": {
        ".+": {
            "type": "object",
            "patternProperties": {
                ".+": {
                    "type": "object",
                    "properties": {
                        "value": {"type": "number"},
                        "lower_value": {"type": "number"},
                        "upper_value": {"type": "number"},
                    },
                    "required": ["value"],
                }
            },
        }
    },
}
"""As published on https://bencher.dev/docs/reference/bencher-metric-format/"""

CUSTOM = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "unit": {"type": "string"},
            "value": {"type": "number"},
            "range": {"type": "string"},
            "extra": {"type": "string"},
        },
        "required": ["name", "unit", "value"],
        "additionalProperties": False,
    },
}
"""What the README of github-action-benchmark says about `customSmallerIsBetter`."""

TIMES = [0.3, 0.1, 0.2, 0.6, 0.5, 0.4]
"""Of six runs, the fewest with an interval of 95 %: from the least to the greatest."""


def runs(*rows, **counters):
    return counting(table(*rows), **counters)


SIX = runs(*((4, DONE, seconds) for seconds in TIMES), conflicts=7, decisions=9)
SHORT = "queens n=4: pairwise x glucose4"


def bencher(records):
    content = json.loads(to_bencher(records))
    Draft7Validator(BENCHER).validate(content)
    return content


def custom(records):
    content = json.loads(to_github_action_benchmark(records))
    Draft7Validator(CUSTOM).validate(content)
    assert len({row["name"] for row in content}) == len(content)
    return {row.pop("name"): row for row in content}


def test_six_runs_have_a_time_with_its_interval():
    assert bencher(SIX) == {
        SHORT: {
            "conflicts": {"value": 7, "lower_value": 7, "upper_value": 7},
            "decisions": {"value": 9, "lower_value": 9, "upper_value": 9},
            "solve_s": {"value": 0.35, "lower_value": 0.1, "upper_value": 0.6},
        },
        "pairwise x glucose4": {"unsolved": {"value": 0}},
    }
    assert statistics.median(TIMES) == 0.35
    assert custom(SIX) == {
        f"{SHORT}: conflicts": {
            "unit": "conflicts", "value": 7, "range": "7 to 7", "extra": "of 6 runs"
        },
        f"{SHORT}: decisions": {
            "unit": "decisions", "value": 9, "range": "9 to 9", "extra": "of 6 runs"
        },
        f"{SHORT}: solve_s": {
            "unit": "s", "value": 0.35, "range": "0.1 to 0.6", "extra": "of 6 runs"
        },
        "pairwise x glucose4: unsolved": {"unit": "runs", "value": 0, "extra": "of 6 runs"},
    }  # fmt: skip


def test_five_runs_have_counters_only():
    five = SIX.head(5)
    assert bencher(five)[SHORT] == {"conflicts": {"value": 7}, "decisions": {"value": 9}}
    assert custom(five)[f"{SHORT}: conflicts"] == {
        "unit": "conflicts", "value": 7, "extra": "of 5 runs"
    }  # fmt: skip


def test_runs_on_two_machines_have_no_time():
    two = SIX.with_columns(machine=pl.Series(["one", "other"] * 3))
    assert bencher(two)[SHORT].keys() == {"conflicts", "decisions"}


def test_a_counter_that_a_run_lacks_is_left_out():
    some = SIX.with_columns(conflicts=pl.Series([7] * 5 + [None], dtype=pl.Int64))
    assert bencher(some)[SHORT].keys() == {"decisions", "solve_s"}


@pytest.mark.parametrize("outcome", [LATE, DEAD])
def test_an_unsolved_run_is_counted_and_its_problem_left_out(outcome):
    lost = pl.concat([SIX, runs((4, outcome, None), (5, DONE, 1.0), conflicts=3)])
    found = bencher(lost)
    assert found == {
        "queens n=5: pairwise x glucose4": {"conflicts": {"value": 3}},
        "pairwise x glucose4": {"unsolved": {"value": 1}},
    }


def test_tasks_and_combinations_have_separate_names():
    both = pl.concat(
        SIX.with_columns(task=pl.lit(task), backend=pl.lit(backend))
        for task, backend in [("first", "a"), ("all", "a"), ("first", "b")]
    )
    assert [*bencher(both)] == [
        "queens n=4: pairwise x a",
        "queens n=4 all: pairwise x a",
        "queens n=4: pairwise x b",
        "pairwise x a",
        "pairwise x b",
    ]


def test_a_campaign_is_exported(nqbench):
    campaign = ("--n", "4..6", "--encoding", "pairwise", "--backend", "minisat22", "--repeat", "2")
    assert nqbench("run", *campaign, "--no-plots").returncode == 0
    for kind, values in (("bencher", 4), ("github-action-benchmark", 10)):
        printed = nqbench("export", "--format", kind)
        assert (printed.returncode, printed.stderr) == (0, "")
        assert len(json.loads(printed.stdout)) == values
