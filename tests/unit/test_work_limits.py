"""A limit of work stops a solver at the same point whenever it is reached."""

import polars as pl
import pytest
from made_records import DONE, LATE, table

import nqbench
from nqbench.backends.base import Backend
from nqbench.backends.permission import complete_backend_names
from nqbench.common.errors import InputError
from nqbench.common.limits import parse_count
from nqbench.common.vocabulary import Outcome
from nqbench.summary import observed, overview


@pytest.mark.parametrize("name", complete_backend_names())
def test_a_backend_that_cannot_be_limited_is_refused_with_the_reason(name):
    backend = Backend.named(name)
    for counter in ("conflicts", "propagations"):
        reason = backend.why_not_limited(counter)
        assert (reason is None) == (counter in backend.capabilities.work_limits)
    if reason := backend.why_not_limited("conflicts"):
        with pytest.raises(InputError) as refused:
            nqbench.run(8, backends=[name], conflict_limit=10)
        assert str(refused.value) == reason


def made(conflicts, outcome=DONE, limit=100):
    return table((8, outcome, 1.0)).with_columns(
        conflicts=pl.lit(conflicts, pl.Int64),
        conflict_limit=pl.lit(limit, pl.Int64),
        answer=pl.lit("sat" if outcome is DONE else "unknown"),
    )


def test_unsolved_runs_count_as_twice_the_limit_of_conflicts():
    records = pl.concat([made(10), made(30), made(100, Outcome.WORK_LIMIT), made(None, LATE)])
    (row,) = overview(records, "conflicts").to_dicts()
    assert row["par2_s"] == (10 + 30 + 200 + 200) / 4
    assert row["median_s"] == (30 + 100) / 2
    assert (row["solved"], row["unsolved"]) == (2, "1 timeout, 1 work-limit")


def test_a_metric_that_some_runs_lack_is_an_error_and_not_a_smaller_sample():
    unknown = pl.concat([made(10), made(None)])
    with pytest.raises(InputError, match="pairwise x glucose4 does not report conflicts"):
        observed(unknown, "conflicts")
    unbounded = pl.concat([made(10, limit=None), made(99, LATE, limit=None)])
    with pytest.raises(InputError, match="unsolved runs without a limit of conflicts"):
        observed(unbounded, "conflicts")


@pytest.mark.parametrize("text", ["1000000", "1_000_000", "1e6", "1E+6", "1.0e6", "0.01e8"])
def test_a_million_is_one_number_in_every_notation(text):
    assert parse_count(text) == 10**6


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("1.5", "1e6"), ("1.4", "1e6"), ("1e-3", "1e6"), ("2k", "2e3"), ("2M", "2e6"),
        ("2G", "2e9"), ("1,000", "1000"), ("0", "from 1"),
        (str(2**31), "to 2147483647"), ("1e10", "to 2147483647"), ("1e999", "to"), ("", "1e6"),
        ("-5", "1e6"), ("nan", "1e6"), ("x", "1e6"),
    ],
)  # fmt: skip
def test_what_is_no_limit_of_work_gets_a_line_that_says_what_to_write(text, instead):
    with pytest.raises(InputError, match=f"'{text}' is .*{instead}"):
        parse_count(text)


@pytest.mark.parametrize(
    ("start", "why"), [("1" * 20 + "_", "out of range"), ("x" * 21, "not a whole number")]
)
def test_of_a_long_number_40_characters_are_repeated(start, why):
    """Enough to find it by, in one line."""
    text = start + "".join(f"{n}_" for n in range(100, 130)) + "1"
    with pytest.raises(InputError, match=f"'{text[:40]}' is {why}"):
        parse_count(text)
