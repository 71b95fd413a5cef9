"""Summaries, compared with values calculated by hand."""

import re
from dataclasses import asdict, replace

import polars as pl
import pytest
from made_records import DEAD, DONE, LATE, LIMIT, MIXED, RUN, SWEPT, table

from nqbench import summary
from nqbench.common import units
from nqbench.common.units import factor, percents, three_digits
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.records import frame
from nqbench.records.record import Record
from nqbench.show.plots import labels
from nqbench.summary import description, intervals


def test_unsolved_runs_stay_in_every_figure():
    (row,) = summary.overview(MIXED).iter_rows(named=True)
    assert (row["solved"], row["runs"]) == (8, 12)
    # 1 1 2 3 4 6 6 9 and four at the limit of 10
    assert row["median_s"] == 6.0
    assert row["par2_s"] == pytest.approx((1 + 1 + 2 + 3 + 4 + 6 + 6 + 9 + 4 * 20) / 12)
    assert row["largest_n"] == 4
    assert (row["wrong"], row["unsolved"]) == (1, "2 timeout, 1 crashed")


def test_quartiles_are_those_of_the_textbook():
    (row,) = summary.overview(table(*((n, DONE, n - 3.0) for n in range(4, 9)))).rows(named=True)
    assert (row["q1_s"], row["median_s"], row["q3_s"]) == (2, 3, 4)


def test_a_total_is_the_time_to_encode_load_and_solve():
    observed = summary.observed(table((4, DONE, 1.0), (4, LATE, None)), summary.TOTAL)
    assert observed["time_s"].to_list() == [0.25 + 0.5 + 1.0, LIMIT]


def test_a_solver_that_was_not_there_has_no_time():
    gone = table((4, Outcome.UNAVAILABLE, None), (5, Outcome.UNAVAILABLE, None))
    assert summary.observed(gone)["time_s"].to_list() == [None, None]
    (row,) = summary.overview(gone).rows(named=True)
    assert (row["median_s"], row["par2_s"], row["unsolved"]) == (None, None, "2 unavailable")
    assert summary.over_n(gone).is_empty()
    both = pl.concat([gone, MIXED.with_columns(backend=pl.lit("there"))])
    assert summary.overview(both)["backend"].to_list() == ["there", "glucose4"]


def test_a_board_of_which_half_the_repeats_are_solved_is_not_solved():
    assert summary.boards(table((4, DONE, 1.0), (4, LATE, None)))["solved"].to_list() == [False]


def test_a_campaign_without_a_single_solution_has_a_summary():
    (row,) = summary.overview(table((4, LATE, None), (5, DEAD, None))).iter_rows(named=True)
    assert (row["solved"], row["largest_n"], row["median_s"], row["par2_s"]) == (0, None, 10, 20)


def test_a_solved_run_costs_what_it_took():
    """Encoding and solving each have the limit, and two CPUs use twice the CPU time."""
    records = table((4, DONE, 9.0)).with_columns(encode_s=8.0, load_s=0.5, cpu_s=35.0)
    for time, seconds in (("solve_s", 9.0), ("total_s", 17.5), ("cpu_s", 35.0)):
        assert summary.observed(records, time)["time_s"].to_list() == [seconds]
        assert summary.overview(records, time)["par2_s"].to_list() == [seconds]


def test_over_n_gives_median_range_and_unsolved():
    rows = summary.over_n(MIXED).select("n", "median_s", "low_s", "high_s", "unsolved").rows()
    assert rows == [(4, 2, 1, 3, 0), (5, 10, 4, 10, 2), (6, 6, 6, 10, 1), (7, 9, 1, 10, 1)]


def test_cactus_counts_instances_that_are_mostly_solved():
    rows = summary.cactus(MIXED).select("time_s", "instances").rows()
    assert rows == [(2.0, 1), (6.0, 2), (9.0, 3)]


def test_formulas_come_in_the_order_of_what_the_fastest_pair_takes():
    def formula(name, backend, *times):
        runs = [(None, LATE if s is None else DONE, s) for s in times]
        return table(*runs).with_columns(
            instance=pl.lit(name),
            backend=pl.lit(backend),
            clauses=pl.lit(7, pl.Int64),
            variables=pl.lit(3, pl.Int64),
        )

    invalid = table((None, Outcome.INVALID, None))
    formulas = pl.concat(
        [
            formula("slow", "a", 2, 4, None),
            formula("slow", "b", 3),
            formula("quick", "b", 1),
            formula("late", "a", None),
        ]
    )
    found = summary.over_instances(pl.concat([formulas, invalid, MIXED]))
    columns = ("place", "instance", "backend", "median_s", "low_s", "high_s", "runs", "unsolved")
    assert found.select(columns).rows() == [
        (1, "quick", "b", 1, 1, 1, 1, 0),
        (2, "slow", "a", 4, 2, 10, 3, 1),
        (2, "slow", "b", 3, 3, 3, 1, 0),
        (3, "late", "a", 10, 10, 10, 1, 1),
    ]
    assert set(found.select("clauses", "variables").rows()) == {(7, 3)}
    assert (summary.has_sizes(MIXED), summary.has_sizes(formulas)) == (True, False)


def test_sizes_are_one_row_for_each_formula():
    rows = summary.sizes(MIXED).select("n", "variables", "clauses", "literals").rows()
    assert rows == [(n, n * n, 10 * n, 20 * n) for n in (4, 5, 6, 7)]


def test_phases_are_means_of_what_finished():
    (row,) = summary.phases(table((4, DONE, 1.0), (4, DONE, 3.0), (4, LATE, None))).rows()
    assert row[2:] == (0.25, 0.5, 2.0, 0.25)


def of(backend, *rows):
    return table(*rows).with_columns(backend=pl.lit(backend))


def test_what_a_user_pays_is_beside_each_other():
    runs = table((4, DONE, 1.0), (5, DONE, 2.0), (6, DONE, 9.0)).with_columns(
        encode_s=pl.Series([3.0, 1.0, 2.0]), load_s=pl.Series([0.1, 0.2, 0.7]), decode_s=0.25
    )
    (row,) = summary.overview(runs).iter_rows(named=True)
    # Totals: 4.35, 3.45 and 11.95. The medians do not add up to their median.
    paid = [row[name] for name in ("encode_s", "load_s", "solve_s", "total_s")]
    assert paid == pytest.approx([2.0, 0.2, 2.0, 4.35])
    assert row["median_s"] == 2.0
    (other,) = summary.overview(runs, "load_s").iter_rows(named=True)
    assert [other[name] for name in ("encode_s", "load_s", "solve_s", "total_s")] == paid
    assert other["median_s"] == 0.2


def test_a_run_that_was_stopped_does_not_make_loading_look_fast():
    """It did not report how long loading took: that is more than it was in any other run."""
    stopped = {"load_s": pl.when(pl.col("outcome") == "finished").then("load_s")}
    for late, load in ((1, 0.5), (2, 0.5), (3, None), (4, None)):
        solved = [(n, DONE, 1.0) for n in range(4, 7)]
        rows = table(*solved, *((n, LATE, None) for n in range(7, 7 + late)))
        (row,) = summary.overview(rows.with_columns(**stopped)).iter_rows(named=True)
        assert row["load_s"] == load
    assert (row["solve_s"], row["total_s"], row["encode_s"]) == (LIMIT, LIMIT, 0.25)


def test_a_skipped_run_takes_the_time_to_encode_from_the_others_on_its_formula():
    skipped = of("b", (4, DONE, 1.0), (5, Outcome.SKIPPED, None), (6, Outcome.SKIPPED, None))
    gone = pl.when(pl.col("outcome") == "finished")
    skipped = skipped.with_columns(encode_s=gone.then("encode_s"), load_s=gone.then("load_s"))
    solved = of("a", (4, DONE, 1.0), (5, DONE, 1.0), (6, DONE, 1.0))
    solved = solved.with_columns(encode_s=0.25 * pl.col("n"))
    rows = summary.overview(pl.concat([solved, skipped])).sort("backend")
    assert rows["encode_s"].to_list() == [1.25, 1.25]
    assert rows["load_s"].to_list() == [0.5, None]


def test_times_and_order_are_those_of_the_problems_that_all_were_measured_on():
    """Backend a is slower on 4 and 5, where both were measured; b also has hard boards."""
    records = pl.concat(
        [
            of("a", (4, DONE, 2.0), (5, DONE, 3.0)),
            of("b", (4, DONE, 1.0), (5, DONE, 2.0), (6, DONE, 8.0), (7, LATE, None)),
        ]
    )
    first, second = summary.overview(records).iter_rows(named=True)
    assert (first["backend"], first["par2_s"], first["solve_s"]) == ("b", 1.5, 1.5)
    assert (second["backend"], second["par2_s"], second["solve_s"]) == ("a", 2.5, 2.5)
    assert (first["solved"], first["runs"], first["problems"], first["largest_n"]) == (3, 4, 2, 6)
    assert (summary.coverage(records).common, summary.coverage(records).measured) == (2, 4)
    assert "2 of 4 boards" in summary.coverage(records).caution
    assert not summary.coverage(records.filter(pl.col("n") < 6)).caution


def test_all_repeats_of_a_problem_count_as_one():
    """Backend b has a second, slow repeat of n = 4, and a fast run of it under another limit."""
    more = [of("b", (4, DONE, time)) for time in (9.0, 0.1)]
    records = pl.concat(
        [
            of("a", (4, DONE, 2.0), (5, DONE, 3.0)),
            of("b", (4, DONE, 1.0), (5, DONE, 2.0)),
            more[0].with_columns(repeat=pl.lit(1, pl.Int64)),
            more[1].with_columns(time_limit_s=pl.lit(99.0)),
        ]
    )
    first, second = summary.overview(records).iter_rows(named=True)
    assert (first["backend"], first["par2_s"], first["solve_s"]) == ("a", 2.5, 2.5)
    assert (second["backend"], second["par2_s"]) == ("b", ((1 + 9) / 2 + 2) / 2)
    assert second["solve_s"] == second["median_s"] == (5 + 2) / 2  # not 2, of its three runs
    assert (first["runs"], second["runs"]) == (2, 4)


@pytest.mark.parametrize("pair", [(1.0, 9.0), (9.0, 1.0)])
def test_repeats_count_whichever_is_first(pair):
    """One repeats each board, the other does not: 5 s on average against 4 s."""
    twice = [
        of("twice", *((n, DONE, time) for n in range(4, 12))).with_columns(
            repeat=pl.lit(repeat, pl.Int64)
        )
        for repeat, time in enumerate(pair)
    ]
    records = pl.concat([*twice, of("once", *((n, DONE, 4.0) for n in range(4, 12)))])
    table = summary.overview(records)
    assert table.select("backend", "par2_s", "median_s").rows() == [
        ("once", 4.0, 4.0),
        ("twice", 5.0, 5.0),
    ]
    assert summary.comparisons(records)["problems"].to_list() == [8]


def test_without_a_common_problem_there_is_no_order():
    """Backend b took less time, on other boards: a comes first only by its name."""
    apart = pl.concat([of("b", (4, DONE, 1.0)), of("a", (5, DONE, 2.0), (6, DONE, 3.0))])
    rows = summary.overview(apart)
    assert rows["backend"].to_list() == ["a", "b"]
    times = [name for name in rows.columns if name.endswith("_s")]
    assert rows.select(times).null_count().row(0) == (2,) * len(times)
    assert rows.select("solved", "runs", "problems").rows() == [(2, 2, 0), (1, 1, 0)]
    assert summary.coverage(apart).caution


def test_a_problem_is_compared_on_one_machine_but_counts_once():
    there = of("b", (4, DONE, 1.0), (5, DONE, 1.0))
    records = pl.concat([of("a", (4, DONE, 2.0), (5, DONE, 3.0)), there])
    apart = records.with_columns(
        machine=pl.when(backend="b", n=5).then(pl.lit("elsewhere")).otherwise("machine")
    )
    assert summary.overview(apart)["par2_s"].to_list() == [1.0, 2.0]
    assert (summary.coverage(apart).common, summary.coverage(apart).measured) == (1, 2)


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
    schema = frame.schema()
    found = summary.disagreements(pl.DataFrame(rows, schema=schema))
    assert found.select("n", "said", "by").rows() == [
        (40, "sat", ["pairwise x a"]),
        (40, "unsat", ["pairwise x b"]),
        (42, "7 solutions", ["pairwise x a"]),
        (42, "8 solutions", ["pairwise x b"]),
    ]


def test_versions_that_are_mixed_are_told_apart():
    rows = [
        said(n=4, backend="a", backend_version="1"),
        said(n=5, backend="a", backend_version="2"),
        said(n=6, backend="a", backend_version="2"),
        said(n=4, backend="b", backend_version="1", encoding="own", encoding_version="7"),
        said(n=5, backend="c", backend_version=None, encoding="own", encoding_version="8"),
    ]
    found = summary.versions(pl.DataFrame(rows, schema=frame.schema()))
    assert found == {"own": {"7": 1, "8": 1}, "a": {"2": 2, "1": 1}}
    assert list(found["a"]) == ["2", "1"]
    assert list(found["own"]) == ["7", "8"]


def test_machines_come_by_how_much_was_measured_there():
    names = ["b", "c", "a", "b", "a"]
    records = pl.DataFrame({"machine": names})
    assert list(summary.machines(records).items()) == [("a", 2), ("b", 2), ("c", 1)]


def test_the_share_of_satisfiable_boards_counts_boards_and_not_runs():
    thin, dense = summary.satisfiable(SWEPT).iter_rows(named=True)
    assert (thin["boards"], thin["satisfiable"], thin["unsolved"], thin["share"]) == (6, 6, 0, 1)
    assert (dense["boards"], dense["satisfiable"], dense["unsolved"]) == (5, 2, 1)
    assert dense["share"] == 0.5
    # Wilson's interval by hand: the lower bound for 2 in 5, the upper bound for 3 in 5
    z = 1.959964
    centre, half = (0.4 + z**2 / 10) / (1 + z**2 / 5), z * (0.24 / 5 + z**2 / 100) ** 0.5
    assert dense["low"] == pytest.approx(centre - half / (1 + z**2 / 5), abs=1e-6)
    assert dense["high"] == pytest.approx(1 - dense["low"], abs=1e-6)


def test_the_effort_of_an_unsolved_board_is_infinite():
    thin, dense = summary.effort(SWEPT, "solve_s").iter_rows(named=True)
    # costs 2 4 6 8 10 12, and 14 16 18 20 and the unsolved board
    assert (thin["boards"], thin["median"]) == (6, 7.0)
    assert (thin["low"], thin["high"]) == (2, 12)
    assert (dense["boards"], dense["median"]) == (5, 18.0)
    assert (dense["low"], dense["high"]) == (None, None)


def test_intervals_for_the_median_are_those_of_the_tables():
    """Conover, "Practical nonparametric statistics": the 4th and 12th of 15 values, the
    8th and 18th of 25.
    """
    for count, low, high in ((15, 4, 12), (25, 8, 18), (6, 1, 6)):
        assert intervals.median(range(1, count + 1)) == (low, high)
    assert intervals.median(range(5)) == (None, None)


def test_memory_counts_runs_that_were_stopped_as_well():
    rows = summary.memory(MIXED).select("n", "median_mib", "low_mib", "high_mib").rows()
    assert rows == [(n, n, n, n) for n in (4, 5, 6, 7)]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({}, "3 repeats"),
        ({"shuffle": "repeat"}, "3 shuffles"),
        ({"solver_seed": "repeat"}, "3 seeds"),
        ({"solver_seed": "repeat", "shuffle": "repeat"}, "3 seeds with shuffled clauses"),
    ],
)
def test_repeats_are_called_what_differs_between_them(columns, words):
    records = table((8, DONE, 1.0), (8, DONE, 2.0), (8, DONE, 3.0)).with_columns(
        repeat=pl.int_range(3)
    )
    records = records.with_columns(**{name: pl.col(of) for name, of in columns.items()})
    assert description.campaign(records).split(", ")[-2] == words
    machines = records.with_columns(machine=pl.format("m{}", "repeat"))
    bands = [labels.spread(summary.over_n(of, "solve_s"), of) for of in (records, machines)]
    assert bands == [f"fastest to slowest {words.split()[1].removesuffix('s')}",
                     "fastest to slowest run on 3 machines"]  # fmt: skip


def test_of_many_repeats_the_middle_half_is_shown():
    records = pl.concat([MIXED.with_columns(repeat=pl.lit(at, pl.Int64)) for at in range(40)])
    band = labels.spread(summary.over_n(records, "solve_s"), records)
    assert band == "middle half of the repeats"


def test_records_of_before_there_were_values_have_the_same_summary():
    earlier = MIXED.drop("ideal", "objective", "objective_text")
    assert summary.overview(earlier).equals(summary.overview(MIXED))


@pytest.mark.parametrize("value", [15.04, 83.2, 99.6, 140.0, 999.6, 1234.0])
def test_no_number_ends_with_a_point_or_an_exponent(value):
    for text in (factor(value), three_digits(value), percents(value / 100), units.seconds(value)):
        assert re.fullmatch(r"[\d\xa0]+(\.\d+)?( s)?", text)


@pytest.mark.parametrize(
    ("ratio", "text"), [(15.0, "15"), (83.2, "83"), (140, "140"), (1.5, "1.5"), (0.04, "0.040")]
)
def test_ratios_have_two_digits_and_no_loose_point(ratio, text):
    assert factor(ratio) == text
