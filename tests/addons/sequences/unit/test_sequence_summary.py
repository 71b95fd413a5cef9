"""What is said and drawn of the records of sequences."""

import polars as pl
from made_records import campaign
from matplotlib.legend import Legend

from nqbench.addons.sequences.summary import REPLAY, points, sentences
from nqbench.show import plots


def records(*rows):
    names = ("backend", "instance", "queries", "solve_s", "message")
    is_capped = pl.col("message").str.contains("race")
    return pl.DataFrame(rows, names, orient="row").with_columns(
        encoding=pl.lit("file"),
        outcome=pl.when(is_capped).then(pl.lit("capped")).otherwise(pl.lit("finished")),
    )


def test_the_slowest_and_the_wrong_query_are_named_with_their_lines():
    wrong = "the limit; query 3 (line 9): its model breaks the assumption 5; "
    wrong += "no answer to query 4 (line 12) of 9"
    stated = "the file is wrong about query 2 (line 7): it is sat"
    found = sentences(
        records(
            ("minisat22", "a.icnf", "1@4:0.5 7@80:1.5", 4.0, ""),
            ("kissat", "a.icnf", "1@4:0.1 3@9:0.2", None, wrong),
            ("kissat", "d.icnf", None, None, "signal SIGSEGV; no answer to query 1 (line 2) of 5"),
            ("glucose4", "b.icnf", "1@2:0.25", 0.25, stated),
            ("minisat22", "b.icnf", "1@2:0.25", 0.25, stated),
            ("glucose4", "e.icnf", "1@2:0.25 2@3:0.5", 0.75, "query 1 is fine"),
            ("glucose4", "c.cnf", None, 3.0, ""),
            ("a", "f.icnf", "1@1:9 2@2:9", None, "by a race; no answer to query 3 (line 4) of 4"),
        )
    )
    assert [sentence.replace("\xa0", " ") for sentence in found] == [
        "kissat answers query 3 (line 9) of a.icnf wrongly: its model breaks the assumption 5.",
        "The answer to query 2 (line 7) that b.icnf states is wrong: it is sat.",
        "No answer to query 4 (line 12) of a.icnf by kissat.",
        "No answer to query 1 (line 2) of d.icnf by kissat.",
        "The slowest query of a.icnf is 7 (line 80): with minisat22 it takes 1.5 s, 38 % of all "
        "queries together.",
        "The slowest query of e.icnf is 2 (line 3): with glucose4 it takes 500 ms, 67 % of all "
        "queries together.",
        REPLAY,
    ]
    assert (
        len(sentences(records(*[("s", f"{n}.icnf", "1@1:1 2@2:1", 1.0, "") for n in range(9)])))
        == 4
    )


def test_other_records_say_nothing():
    assert sentences(records(("glucose4", "c.cnf", None, 3.0, ""))) == []
    assert sentences(pl.DataFrame({"backend": ["minisat22"]})) == []


def test_the_curve_has_the_stated_queries_and_shares_the_rest():
    from nqbench.addons.sequences.plot import _curve  # after `plots`

    assert points("2@10:1e-05 4@12:0.5")[1] == (4, 12, 0.5)
    numbers, times = _curve("2@10:1 4@12:3", 6.0)
    assert numbers == [1, 2, 3, 4]
    assert times == [1.0, 2.0, 3.0, 6.0]
    assert _curve("1@1:1 4@4:2", 100.0, is_stopped=True) == (
        [1, 2, 3, 4, 5], [1.0, 2.0, 3.0, 5.0, 100.0],
    )  # fmt: skip
    assert _curve("1@1:1 2@2:2", 0.0, is_stopped=True) == ([1, 2, 3], [1.0, 3.0, 3.0])


def test_the_plot_has_files_with_several_queries_and_a_key_that_fits():
    names = ["minisat22", "cadical103", "cadical195", "glucose4", "cadical153", "cadical300"]
    made = campaign(**{name: [1.0, 2.0] for name in [*names, "maplechrono"]}).with_columns(
        family=pl.lit("sequence"),
        instance=pl.format("{}.icnf", "n"),
        queries=pl.when(pl.col("n") == pl.col("n").min()).then(pl.lit("1@1:1")).otherwise(
            pl.lit("1@1:1 2@2:1")
        ),
        n=pl.lit(None, pl.Int64),
    )  # fmt: skip
    figure = plots.draw(made, "time-over-queries")
    figure.draw_without_rendering()
    assert [axes.get_title() for axes in figure.axes] == ["5.icnf"]
    (key,) = figure.findobj(Legend)
    assert key.get_window_extent().x1 <= figure.bbox.x1
