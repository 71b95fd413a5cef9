"""Problems with rows, by k/n and by the length of their longest rows."""

from collections import defaultdict
from statistics import mean

import polars as pl
import pytest
from places import REFERENCE

import nqbench
from nqbench import summary
from nqbench.records.derived import K_SHARE, ROW_LENGTHS, with_derived

pytestmark = pytest.mark.usefixtures("called_directly")


@pytest.fixture(scope="module")
def records():
    every = nqbench.read(REFERENCE / "constraints" / "records.csv")
    return every.filter(pl.col("encoding").is_in(["totalizer", "product"]), backend="minisat22")


def test_par_2_is_that_of_the_records_of_each_class(records):
    """`product` has too many clauses for most files, which counts as unsolved."""
    costs = defaultdict(list)
    for record in records.to_dicts():
        is_solved = record["outcome"] == "finished"
        cost = record["solve_s"] if is_solved else 2 * record["time_limit_s"]
        share = record["row_k"] / record["row_length"]
        (end,) = [e for e in (0.05, 0.15, 0.3, 0.5) if share <= e][:1]
        costs[record["encoding"], end].append(cost)
    table = summary.over_rows(records).filter(by=K_SHARE)
    assert len(table) == len(costs) == 8
    for row in table.to_dicts():
        end = float(row["value"].split()[-1])
        expected = costs[row["encoding"], end]
        assert row["problems"] == len(expected)
        assert row["par2_s"] == pytest.approx(mean(expected))
    by_length = summary.over_rows(records).filter(by=ROW_LENGTHS)
    assert by_length["problems"].sum() == len(records)


def test_a_run_that_was_not_encoded_is_of_its_problem_s_class():
    records = pl.DataFrame(
        {
            "family": "cnf",
            "instance": ["a", "a", "b", "c"],
            "n": pl.Series([None] * 4, dtype=pl.Int64),
            "row_length": [100, None, 16, None],
            "row_k": [15, None, 8, None],
        }
    )
    found = with_derived(records, [K_SHARE, ROW_LENGTHS])
    assert found[K_SHARE].to_list() == ["0.05 to 0.15", "0.05 to 0.15", "0.3 to 0.5", None]
    assert found[ROW_LENGTHS].to_list() == ["65 to 256", "65 to 256", "1 to 16", None]
