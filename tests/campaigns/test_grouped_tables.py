"""Tables for each value of a column."""

import json

import polars as pl
import pytest
from click.testing import CliRunner
from made_records import campaign, times

from nqbench.cli.app import app


def of(family, **seconds):
    return campaign(**seconds).with_columns(family=pl.lit(family))


THREE = pl.concat(
    [
        of("queens", a=times(1), b=times(2)),
        of("latin", a=times(9), b=times(3)),
        of("pigeonhole", a=times(5), b=[*times(4)[:8], *[None] * 4]),
    ]
)
"""Twelve problems of each family. Backend a is faster on boards, b on Latin squares."""


@pytest.fixture(autouse=True)
def three(monkeypatch):
    """These are the records of any results folder."""
    monkeypatch.setattr("nqbench.records.sources.read", lambda _: THREE)
    monkeypatch.setattr("nqbench.cli.summary.tell_outdated", lambda _: None)


def printed(*arguments):
    done = CliRunner(env={"COLUMNS": "100"}).invoke(app, ["summary", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done


def test_other_columns_split_the_records_as_well():
    rows = json.loads(printed("--by", "family,n", "--json").stdout)
    assert [(row["family"], row["n"]) for row in rows[:4]] == [("latin", 4)] * 2 + [
        ("latin", 5)
    ] * 2
    assert {row["problems"] for row in rows} == {1}
    assert printed("--by", "n,family").stdout.startswith("n = 4, family latin\n")
    shown = printed("--by", "answer").stdout
    assert [line for line in shown.splitlines() if line.startswith("answer")] == [
        "answer = none",
        "answer = sat",
    ]
