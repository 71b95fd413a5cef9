"""The metrics by which runs are compared: times, counters, and measures that records have."""

import polars as pl
import pytest
from counted_records import COUNTED, SIX, counting, write_exports
from drawn_texts import texts
from made_records import DEAD, DONE, LATE, campaign, table
from printed_tables import print_table_of

import nqbench as library
from nqbench import summary
from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Verdict
from nqbench.records import frame
from nqbench.records.record import COLUMNS
from nqbench.show import plots
from nqbench.show.plots import labels
from nqbench.summary.observed import MANY, counts_as_1, has_many_repeats


@pytest.fixture
def exports(tmp_path):
    return write_exports(tmp_path)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_time_that_is_no_number_is_refused(number):
    """In a table that somebody has made in Python. It would be the time of a sentence."""
    records = campaign(a=[1.0, number], b=[2.0, 3.0])
    refused = "^solve_s of a run is not a finite number: it has to be None, and not NaN, if it was"
    for ask in (library.findings, lambda r: library.plot(r, "cactus"),
                lambda r: summary.metric(r, "total_s")):  # fmt: skip
        with pytest.raises(InputError, match=refused):
            ask(records)


def test_words_of_time_and_limits_belong_to_metrics_that_have_them(capsys, monkeypatch):
    """Counts and measures are not fast, not in seconds, and most have no limit."""
    monkeypatch.setenv("COLUMNS", "160")
    few = counting(SIX.filter(pl.col("n") < 6), restarts=[1, 2, 3, 4])
    (sentence,) = (s for s in library.findings(few, "restarts") if "no difference" in s)
    assert "fast" not in sentence
    assert "restarts" in sentence
    for metric in ("conflicts", "solve_s"):
        print_table_of("pairs", COUNTED, metric)
        heading = capsys.readouterr().out.splitlines()[0]
        assert "faster" in heading if metric == "solve_s" else "fewer" in heading
        assert ("slower" in heading) == (metric == "solve_s")
    for metric in ("conflicts", "solve_s"):
        print_table_of("scaling", COUNTED, metric)
        assert ("(s)" in capsys.readouterr().out) == (metric == "solve_s")
    measured = counting(SIX, restarts=7).with_columns(glue=pl.lit(2.0))
    for metric, limit in (("glue", False), ("restarts", False), ("solve_s", True)):
        print_table_of("overview", measured, metric)
        assert ("twice the limit" in capsys.readouterr().out) == limit
        figures = [plots.draw(measured, kind, metric) for kind in ("heatmap", "ranks", "portfolio")]
        said = " ".join(
            [text for figure in figures for text in texts(figure)[0]]
            + [axes.get_xlabel() for figure in figures for axes in figure.axes]
        )
        assert ("twice the limit" in said) == limit
        assert any(word in said for word in ("fast", "slow")) == (metric == "solve_s")


def test_ranks_of_counts_do_not_speak_of_drawn_counts():
    caption = " ".join(texts(plots.draw(counting(SIX, restarts=7), "ranks", "restarts"))[0])
    assert "drawn as 1" not in caption
    drawn = " ".join(texts(plots.draw(counting(SIX, restarts=7), "cactus", "restarts"))[0])
    assert "drawn as 1" in drawn


@pytest.mark.parametrize(
    ("name", "suggested"),
    [("conflict", "'conflicts'"), ("glu", "'glue'"), ("solve", "'solve_s'"), ("oil", "restarts")],
)
def test_a_name_that_is_neither_gets_the_nearest_of_both(name, suggested):
    records = COUNTED.with_columns(glue=pl.lit(2.0))
    asked = (
        lambda: summary.metric(records, name),
        lambda: summary.overview(records, name),
        lambda: library.findings(records, name),
        lambda: library.plot(records, "time-over-n", name),
    )
    for ask in asked:
        with pytest.raises(InputError, match=f"unknown metric '{name}'.*{suggested}"):
            ask()


def test_a_field_of_a_record_that_is_neither_time_nor_counter_is_no_metric():
    for name in ("encoding", "clauses", "n", "time_limit_s", "seed"):
        with pytest.raises(InputError, match=f"unknown metric '{name}'"):
            library.findings(COUNTED, name)


def test_every_number_that_a_solver_counts_is_a_metric():
    """The fields between those of the solver's work in a record."""
    fields = list(COLUMNS)
    work = fields[fields.index("loading") + 1 :]
    assert set(work) == {*metrics.COUNTERS}
    times = {name for name in fields if name.endswith("_s") and not name.endswith("_limit_s")}
    for name in metrics.METRICS:
        assert summary.metric(frame.of([]), name.upper()) == name
    for name in times:
        assert summary.metric(frame.of([]), name) == name
    assert {labels.time_label(name) for name in metrics.METRICS} & {*metrics.METRICS} == set()


def test_a_counter_that_nobody_reports_is_said():
    with pytest.raises(InputError, match="no solved run reports restarts"):
        library.findings(COUNTED, "restarts")
    some = counting(COUNTED, restarts=[1] * 6 + [None] * 6)
    with pytest.raises(InputError, match="e x b does not report restarts"):
        library.findings(some, "restarts")
    assert library.findings(some.filter(pl.sql_expr("restarts IS NOT NULL")), "restarts")


def counts(*rows):
    """Records of one combination: its outcome and its restarts, with n from 4."""
    records = table(*((n, outcome, 1.0) for n, (outcome, _) in enumerate(rows, 4)))
    return counting(records, restarts=[count for _, count in rows])


def test_a_count_of_0_counts_as_1_and_so_many_are_said():
    """Those of solved runs, as only they are drawn; a count of 1 or 2 stays what it is."""
    records = counts((DONE, 0), (DONE, 1), (DONE, 2), (LATE, 0), (DONE, 0))
    records = records.filter(outcome="finished")
    assert summary.observed(records, "restarts")["time_s"].to_list() == [1, 1, 2, 1]
    late = counts((DONE, 0), (DONE, 1), (DONE, 2), (DONE, 3), (LATE, 0), (LATE, 7), (DONE, 0))
    assert counts_as_1(late, "restarts") == 2
    assert counts_as_1(late, "solve_s") == 0
    fast = late.with_columns(solve_s=pl.lit(0.5), glue=pl.lit(0.5))
    assert counts_as_1(fast, "solve_s") == 0
    assert counts_as_1(fast, "glue") == 0
    assert (
        summary.observed(fast.filter(outcome="finished"), "glue")["time_s"].unique().item() == 0.5
    )


def refused(records, metric="conflicts"):
    with pytest.raises(InputError) as raised:
        summary.observed(records, metric)
    return str(raised.value)


def test_why_a_run_has_no_count_is_told_from_how_it_ended():
    """The count of a crashed run, of one with a wrong answer, and of one stopped too early."""
    known = counting(table((4, DONE, 1.0), (5, DONE, 1.0)), conflicts=[10, 20])
    for row, why in (
        ((6, DEAD, None), "pairwise x glucose4 has crashed runs, without conflicts: repair it"),
        ((6, DONE, 1.0, Verdict.REFUTED), "has runs with a wrong answer, which do not count"),
        ((6, LATE, None), "has unsolved runs without a limit of conflicts: measure with a limit"),
    ):
        assert why in refused(pl.concat([known, counting(table(row), conflicts=None)]))
    late = counting(table((6, LATE, None)), conflicts=None)
    assert "limit of restarts: choose" in refused(
        pl.concat([known, late]).with_columns(restarts=pl.Series([1, 2, None], dtype=pl.Int64)),
        "restarts",
    )


def test_all_combinations_that_report_no_count_are_named_before_one_that_was_stopped():
    """In the order of the records."""
    late = counting(table((4, LATE, None), (5, DONE, 1.0)), conflicts=[None, 3])
    silent = counting(table(*((n, DONE, 1.0) for n in range(4, 8))), conflicts=None)
    records = pl.concat(
        [
            late.with_columns(backend=pl.lit("stopped")),
            silent.with_columns(backend=pl.lit("zeta")),
            silent.with_columns(backend=pl.lit("alpha")),
        ]
    )
    assert refused(records) == (
        "pairwise x zeta, pairwise x alpha do not report conflicts: leave them out with "
        "`where=\"backend NOT IN ('zeta', 'alpha')\"`"
    )
    (kept,) = records.filter(pl.sql_expr("backend NOT IN ('zeta', 'alpha')"))["backend"].unique()
    assert kept == "stopped"


def test_a_program_that_reports_no_counter_gets_told_where_counters_come_from():
    records = counting(table((4, DONE, 1.0), (5, DONE, 1.0)), conflicts=[1, None])
    program = records.with_columns(backend=pl.lit("exe:/opt/it's"))
    assert "by its file name, such as minisat" in refused(program)
    assert "backend <> 'exe:/opt/it''s'" in refused(program)
    assert "file name" not in refused(records)
    measured = program.with_columns(glue=pl.Series([2.0, None]))
    assert "file name" not in refused(measured, "glue")


@pytest.mark.parametrize(("repeats", "many"), [(MANY - 1, False), (MANY, True), (MANY + 1, True)])
def test_many_repeats_are_those_of_one_board_with_one_combination(repeats, many):
    board = table(*[(8, DONE, 1.0)] * repeats)
    others = pl.concat(
        [board, board.with_columns(n=pl.lit(9, pl.Int64)), board.with_columns(encoding=pl.lit("e"))]
    )
    assert has_many_repeats(others) == many


def test_formulas_which_have_no_n_are_compared():
    formulas = counts((DONE, 3), (DONE, 4)).with_columns(
        n=pl.lit(None, pl.Int64), family=pl.lit("cnf"), instance=pl.Series(["a.cnf", "b.cnf"])
    )
    both = pl.concat([formulas, formulas.with_columns(backend=pl.lit("another"))])
    assert len(summary.on_common(both)) == 4


def test_records_of_a_family_keep_their_order():
    """The order is that of the runs, and what comes first names whose time is missing."""
    rows = pl.concat([table((4, DONE, 1.0))] * 3000).with_columns(
        family=pl.Series([("torus", "latin", "queens")[row * 7 % 3] for row in range(3000)]),
        run_id=pl.int_range(3000).cast(pl.String),
    )
    parts = summary.by_family(rows)
    assert list(parts) == ["latin", "queens", "torus"]
    for family, part in parts.items():
        assert part["run_id"].to_list() == rows.filter(family=family)["run_id"].to_list()
