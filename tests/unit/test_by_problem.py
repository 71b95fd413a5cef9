"""The table of problems and combinations has every run, in the order that was asked for."""

import csv
import io
import re

import polars as pl
import pytest
from click.testing import CliRunner
from made_pages import undrawn
from made_records import DEAD, DONE, LATE, LIMIT, THREE, results_of, table

from nqbench import summary
from nqbench.cli.app import app
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Outcome, Verdict
from nqbench.show.report import tables
from nqbench.show.report.contents import Unit
from nqbench.show.tables.by_problem import by_problem
from nqbench.show.tables.kind import Asked

A, B = "pairwise x a", "pairwise x b"


def of(backend, *rows, **changes):
    changed = {name: pl.lit(value) for name, value in changes.items()}
    return table(*rows).with_columns(backend=pl.lit(backend), **changed)


MIXED = pl.concat(
    [
        of(
            "a",
            (9, DONE, 1.0), (9, DONE, 3.0), (9, LATE, None),  # one of three repeats timed out
            (10, LATE, None), (10, DEAD, None), (10, DONE, 2.0),  # two are not solved
            (11, DONE, 1.0), (11, DONE, 0.1, Verdict.REFUTED), (11, DONE, 2.0),
            (12, LATE, None),
        ),
        of(
            "b",
            (9, DONE, 6.0), (9, DONE, 4.0),
            (10, DONE, 0.5),
            (11, DONE, 0.2, Verdict.REFUTED),
            (12, Outcome.UNAVAILABLE, None),
            (13, DONE, 7.0),
        ),
    ]
)  # fmt: skip


def rows_of(frame):
    return {row["n"]: row for row in frame.to_dicts()}


def test_each_cell_has_the_answer_of_its_runs_and_the_median_of_what_is_mostly_solved():
    found = rows_of(summary.by_problem(MIXED))
    cells = {n: (row[f"{A}: answer"], row[f"{A}: solve_s"]) for n, row in found.items()}
    assert cells == {
        9: ("2 sat, 1 timeout", 3.0),
        10: ("1 sat, 1 crashed, 1 timeout", None),
        11: ("2 sat, 1 wrong", 2.0),
        12: ("timeout", None),
        13: (None, None),
    }
    cells = {n: (row[f"{B}: answer"], row[f"{B}: solve_s"]) for n, row in found.items()}
    assert cells == {
        9: ("sat", 5.0), 10: ("sat", 0.5), 11: ("wrong", None), 12: ("unavailable", None),
        13: ("sat", 7.0),
    }  # fmt: skip


def test_a_wrong_answer_is_neither_the_fastest_nor_the_answer_of_the_problem():
    lie = of("b", (11, DONE, 0.2, Verdict.REFUTED)).with_columns(answer=pl.lit("unsat"))
    row = rows_of(summary.by_problem(pl.concat([of("a", (11, DONE, 2.0)), lie])))[11]
    assert (row["answer"], row["fastest"]) == ("sat", A)
    both = summary.by_problem(pl.concat([of("a", (4, LATE, None)), of("b", (4, DEAD, None))]))
    assert both.select("answer", "fastest", "spread").row(0) == (None, None, None)


def test_the_fastest_and_the_spread_count_an_unsolved_run_as_its_limit():
    found = rows_of(summary.by_problem(MIXED))
    told = {n: (r["fastest"], r["spread"], r["spread_is_least"]) for n, r in found.items()}
    assert told[9] == (A, pytest.approx(5 / 3), False)
    assert told[10] == (B, LIMIT / 0.5, True)
    assert told[12] == (None, None, False)
    assert told[13] == (B, None, False)  # measured with one combination only
    tied = summary.by_problem(pl.concat([of("a", (4, DONE, 1.0)), of("b", (4, DONE, 1.0))]))
    assert tied["fastest"].to_list() == [f"{A}, {B}"]


def test_contradicting_answers_are_both_shown():
    other = of("b", (4, DONE, 2.0)).with_columns(answer=pl.lit("unsat"))
    frame = summary.by_problem(pl.concat([of("a", (4, DONE, 1.0)), other]))
    assert frame["answer"].to_list() == ["sat, unsat"]
    (row,) = by_problem(frame, Asked(summary.Measured(frame), "solve_s")).rows
    assert sorted(row[f"{pair}: solve_s"] for pair in (A, B)) == ["*sat 1.00", "unsat 2.00"]


@pytest.mark.parametrize(
    ("sort", "descending", "expected"),
    [
        ("problem", False, [9, 10, 11, 12, 13]),
        ("problem", True, [13, 12, 11, 10, 9]),
        ("n", True, [13, 12, 11, 10, 9]),
        # a: 11 takes 2 s and 9 takes 3 s; 10 and 12 are not solved; 13 was not measured.
        (A, False, [11, 9, 10, 12, 13]),
        (A.upper(), True, [10, 12, 9, 11, 13]),
        # 9: 5/3; 11: b is wrong, and counts as its limit; 10: 20.
        ("spread", False, [9, 11, 10, 12, 13]),
        ("spread", True, [10, 11, 9, 12, 13]),
    ],
)
def test_rows_are_in_the_order_asked_for(sort, descending, expected):
    found = results_of(MIXED).by_problem(sort=sort, descending=descending)
    assert found["n"].to_list() == expected


def test_numbers_in_names_are_sorted_as_numbers():
    named = [
        of("a", (None, DONE, 1.0), instance=f"php-{i}.cnf", family="cnf") for i in (10, 9, 100)
    ]
    found = results_of(pl.concat(named)).by_problem()
    assert found["problem"].to_list() == ["php-9.cnf", "php-10.cnf", "php-100.cnf"]


def test_an_order_that_there_is_not_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="cannot sort by 'spred': did you mean 'spread'"):
        results_of(MIXED).by_problem(sort="spred")
    with pytest.raises(InputError, match="sort and descending are for the table by-problem"):
        results_of(MIXED).summary(sort="n")
    with pytest.raises(InputError, match="par is for the tables"):
        results_of(MIXED).summary(table="by-problem", par=10)


def test_a_counter_that_some_do_not_report_leaves_their_cells_empty():
    records = pl.concat([of("a", (4, DONE, 1.0)), of("b", (4, DONE, 1.0), (5, LATE, None))])
    counted = records.with_columns(
        conflicts=pl.when(backend="a").then(0).cast(pl.Int64), conflict_limit=pl.lit(None, pl.Int64)
    )
    frame = results_of(counted).by_problem("conflicts")
    assert frame[f"{A}: conflicts"].to_list() == [0, None]
    assert frame[f"{B}: conflicts"].to_list() == [None, None]
    row, late = by_problem(frame, Asked(summary.Measured(frame), "conflicts")).rows
    assert (row[f"{A}: conflicts"], row[f"{B}: conflicts"]) == ("*0", "sat")
    assert late[f"{B}: conflicts"] == "timeout"


def test_families_with_different_combinations_are_in_one_frame():
    other = of("c", (4, DONE, 1.0), family="latin")
    frame = results_of(pl.concat([MIXED, other])).by_problem(sort="pairwise x c")
    assert frame["family"].to_list() == ["latin", *["queens"] * 5]
    assert frame["pairwise x c: answer"].to_list() == ["sat", *[None] * 5]


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "records.csv"
    many = [
        THREE.with_columns(backend=pl.format("solver-{}-{}", pl.lit(i), "backend"))
        for i in range(4)
    ]
    records = pl.concat(many)
    ids = pl.int_range(pl.len()).cast(pl.String).str.zfill(32)
    checks = {"verdict": pl.lit("unchecked"), "checked_by": pl.lit("none")}
    records.with_columns(run_id=ids, **checks).drop("queens").write_csv(path)
    return str(path)


def told(export, *words, width=80):
    done = CliRunner(env={"COLUMNS": str(width)}).invoke(
        app, ["summary", "--results", export, "--by-problem", *words], standalone_mode=False
    )
    assert done.exception is None, done.exception
    return done


def test_a_narrow_terminal_shows_the_best_and_names_the_others(export):
    done = told(export)
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    heading = " ".join(" ".join(lines[:4]).split())
    assert {"problem", "answer", "fastest", "spread"} <= set(heading.split())
    (message,) = re.findall(r"not shown at a width of 80: (.*); use", done.stderr)
    assert "e x solver-3-c" in message
    assert "e x solver-0-a" not in message
    assert "Values are medians of the solve time in s over the repeats" in done.stdout
    wanted = told(export, "--sort", "e x solver-3-c", "--descending")
    assert (
        "e x solver-3-c"
        not in re.findall(r"not shown at a width of 80: (.*); use", wanted.stderr)[0]
    )
    first = next(line for line in wanted.stdout.splitlines() if line.startswith("queens"))
    assert first.startswith("queens n=8")
    assert "timeout" in first


def test_the_csv_has_every_combination_unrounded(export):
    rows = list(csv.DictReader(io.StringIO(told(export, "--format", "csv").stdout)))
    assert [row["problem"] for row in rows] == [f"queens n={n}" for n in range(4, 9)]
    assert len(rows[0]) == 9 + 2 * 12
    assert rows[3]["e x solver-0-a: answer"] == "timeout"
    assert rows[3]["e x solver-0-a: solve_s"] == ""
    assert rows[4]["e x solver-2-b: solve_s"] == "8.0"


def test_options_of_the_table_are_refused_without_it(export):
    for option in (["--sort", "n"], ["--descending"]):
        with pytest.raises(InputError, match=f"{option[0]} is for --by-problem"):
            CliRunner().invoke(
                app, ["summary", "--results", export, *option], standalone_mode=False,
                catch_exceptions=False,
            )  # fmt: skip


def test_the_page_has_a_number_to_sort_by_in_every_cell_that_was_measured():
    page = undrawn(MIXED)
    part = page[
        page.index('class="problems"') : page.index("</table>", page.index('class="problems"'))
    ]
    cells = re.findall(r'<td class="number([^"]*)" data-key="([^"]*)">([^<]*)</td>', part)
    *combinations, spread = cells[::3], cells[1::3], cells[2::3]
    of_a = {
        (" least", "3", "3.00, 1 timeout"),
        ("", "Infinity", "1 sat, 1 crashed, 1 timeout"),
        (" wrong", "2", "2.00, 1 wrong"),
        ("", "Infinity", "timeout"),
        ("", "", ""),
    }
    of_b = {
        ("", "5", "5.00"),
        (" least", "0.5", "0.500"),
        (" wrong", "Infinity", "wrong"),
        ("", "", "unavailable"),
        (" least", "7", "7.00"),
    }
    assert {frozenset(of_one) for of_one in combinations} == {frozenset(of_a), frozenset(of_b)}
    assert [text for _, _, text in spread] == ["1.67", "&gt; 20.0", "&gt; 5.00", "", ""]


def test_of_very_many_problems_the_page_says_which_it_shows():
    many = table(*((n, DONE, float(20_000 - n)) for n in range(1, 12_011)))
    found = tables.problem_table(many, Unit("s", 1.0))
    assert len(found.rows) == 12_000
    assert found.rows[0].name.text.endswith("n=1")
    assert found.left_out == "The 12,000 hardest of 12,010 problems."
