"""Against values worked out by hand."""

from dataclasses import asdict, replace

import polars as pl
import pytest
from test_store import RUN

from nqbench import summary
from nqbench.record import Record
from nqbench.store import _polars_schema
from nqbench.vocabulary import Answer, Outcome, Verdict

LIMIT = 10.0


def table(*rows):
    """Records of n, outcome and solve time; a further item is the verdict."""
    records = []
    for position, (n, outcome, seconds, *verdict) in enumerate(rows):
        records.append(
            replace(
                Record.of(RUN, "here"),
                run_id=str(position),
                n=n,
                time_limit_s=LIMIT,
                outcome=outcome,
                answer=Answer.SAT if outcome is Outcome.FINISHED else None,
                verdict=verdict[0] if verdict else Verdict.VERIFIED,
                solve_s=seconds,
                load_s=0.5,
                wall_s=None if seconds is None else seconds + 0.75,
                encode_s=0.25,
                clauses=10 * n,
                variables=n * n,
                literals=20 * n,
            )
        )
    schema = _polars_schema()
    return pl.DataFrame([asdict(record) for record in records], schema=schema)


DONE, LATE, DEAD = Outcome.FINISHED, Outcome.TIMEOUT, Outcome.CRASHED
MIXED = table(
    (4, DONE, 1.0), (4, DONE, 3.0), (4, DONE, 2.0),
    (5, DONE, 4.0), (5, LATE, None), (5, LATE, None),
    (6, DONE, 6.0), (6, DONE, 6.0), (6, DONE, 0.5, Verdict.REFUTED),
    (7, DEAD, None), (7, DONE, 1.0), (7, DONE, 9.0),
)  # fmt: skip


def test_unsolved_runs_stay_in_every_figure():
    (row,) = summary.overview(MIXED).iter_rows(named=True)
    assert (row["solved"], row["runs"]) == (8, 12)
    # 1 1 2 3 4 6 6 9 and four at the limit of 10
    assert row["median_s"] == 6.0
    assert row["par2_s"] == pytest.approx((1 + 1 + 2 + 3 + 4 + 6 + 6 + 9 + 4 * 20) / 12)
    assert row["largest_n"] == 4
    assert (row["wrong"], row["crashed"], row["timeouts"], row["memouts"]) == (1, 1, 2, 0)


def test_a_campaign_without_a_single_solution_has_a_summary():
    (row,) = summary.overview(table((4, LATE, None), (5, DEAD, None))).iter_rows(named=True)
    assert (row["solved"], row["largest_n"], row["median_s"], row["par2_s"]) == (0, None, 10, 20)


def test_a_time_beyond_the_limit_counts_as_the_limit():
    assert summary.observed(table((4, DONE, 11.0)))["time_s"].to_list() == [LIMIT]


def test_over_n_gives_median_range_and_unsolved():
    rows = summary.over_n(MIXED).select("n", "median_s", "low_s", "high_s", "unsolved").rows()
    assert rows == [(4, 2, 1, 3, 0), (5, 10, 4, 10, 2), (6, 6, 6, 10, 1), (7, 9, 1, 10, 1)]


def test_cactus_counts_instances_that_are_mostly_solved():
    rows = summary.cactus(MIXED).select("time_s", "instances").rows()
    assert rows == [(2.0, 1), (6.0, 2), (9.0, 3)]


def test_sizes_are_one_row_for_each_formula():
    rows = summary.sizes(MIXED).select("n", "variables", "clauses", "literals").rows()
    assert rows == [(n, n * n, 10 * n, 20 * n) for n in (4, 5, 6, 7)]


def test_phases_are_means_of_what_finished():
    (row,) = summary.phases(table((4, DONE, 1.0), (4, DONE, 3.0), (4, LATE, None))).rows()
    assert row[2:] == (0.25, 0.5, 2.0, 0.25)


def test_pairs_are_kept_apart_and_the_best_comes_first():
    slow = MIXED.with_columns(backend=pl.lit("slow"), solve_s=pl.col("solve_s") + 0.1)
    overview = summary.overview(pl.concat([slow, MIXED]))
    assert overview["backend"].to_list() == ["glucose4", "slow"]
    assert overview["runs"].to_list() == [12, 12]


def said(**fields):
    record = replace(Record.of(RUN, "here"), outcome=Outcome.FINISHED, **fields)
    return asdict(record)


def test_who_contradicts_whom_is_told_even_if_nobody_knows_who_is_right():
    rows = [
        said(n=40, answer=Answer.SAT, backend="a"),
        said(n=40, answer=Answer.SAT, backend="a", repeat=1),
        said(n=40, answer=Answer.UNSAT, backend="b"),
        said(n=40, answer=Answer.UNKNOWN, backend="c"),
        said(n=41, answer=Answer.SAT, backend="b"),
        said(n=41, answer=Answer.UNSAT, backend="b", instance="another board"),
        said(n=42, answer=Answer.SAT, backend="a", task="all", solutions=7),
        said(n=42, answer=Answer.SAT, backend="b", task="all", solutions=8),
        said(n=42, answer=Answer.SAT, backend="b"),
    ]
    schema = _polars_schema()
    found = summary.disagreements(pl.DataFrame(rows, schema=schema))
    assert found.select("n", "said", "by").rows() == [
        (40, "sat", ["pairwise x a"]),
        (40, "unsat", ["pairwise x b"]),
        (42, "7 solutions", ["pairwise x a"]),
        (42, "8 solutions", ["pairwise x b"]),
    ]
