"""The times over k, and the best k that they are drawn around."""

import polars as pl
import pytest
from drawn_texts import texts
from made_records import DONE, LATE, LIMIT, labelled, table

from nqbench import summary
from nqbench.common.errors import InputError
from nqbench.show import plots

SAT, UNSAT, OPEN = "sat", "unsat", None


def of_k(answers, family="f:k={}", n=8, **changed):
    """A record for each k, which takes k + 1 seconds."""
    runs = [
        labelled(
            table((n, LATE, None) if answer is OPEN else (n, DONE, k + 1.0)), family.format(k)
        ).with_columns(answer=pl.lit(answer, pl.String))
        for k, answer in answers.items()
    ]
    return pl.concat(runs).with_columns(**{name: pl.lit(value) for name, value in changed.items()})


LEAST = {2: UNSAT, 3: UNSAT, 4: SAT, 5: SAT}
GREATEST = {2: SAT, 3: SAT, 4: UNSAT, 5: UNSAT}


@pytest.mark.parametrize(
    ("answers", "title"),
    [
        (LEAST, "n = 8: least k is 4"),
        (GREATEST, "n = 8: greatest k is 3"),
        (LEAST | {3: OPEN}, "n = 8: least k is 3 to 4"),
        (GREATEST | {3: OPEN, 4: OPEN}, "n = 8: greatest k is 2 to 4"),
        ({0: SAT, 1: SAT}, "n = 8"),
        ({0: OPEN, 1: UNSAT}, "n = 8"),
    ],
)
def test_the_panel_names_the_best_k(answers, title):
    (axes,) = plots.draw(of_k(answers), "time-over-k").axes
    assert axes.get_title() == title
    assert len(axes.patches) == (" is " in title)  # the strip


@pytest.mark.parametrize("verdict", ["unchecked", "refuted"])
def test_only_verified_answers_name_the_best_k(verdict):
    doubtful = of_k({3: UNSAT}, verdict=verdict)
    records = pl.concat([of_k(LEAST).filter(pl.col("family") != "f:k=3"), doubtful])
    (best,) = summary.optima(summary.with_k(records)).to_dicts()
    assert best == {"n": 8, "has": 4, "lacks": 2, "best": "least"}


def test_marks_tell_the_answer_and_crosses_are_at_the_limit():
    (axes,) = plots.draw(of_k(LEAST | {3: OPEN}), "time-over-k").axes
    found = {
        "cross" if line.get_marker() == "x" else line.get_markerfacecolor() == "white": dict(
            zip(*line.get_data(), strict=True)
        )
        for line in axes.lines
        if line.get_linestyle() == "None"
    }
    assert found == {False: {4: 5.0, 5: 6.0}, True: {2: 3.0}, "cross": {3: LIMIT}}


def test_there_is_a_panel_for_each_n_and_a_line_for_each_combination():
    records = pl.concat(
        of_k(LEAST, n=n, backend=backend, encoding=encoding)
        for n in (8, 9)
        for backend in ("minisat22", "glucose4")
        for encoding in ("sequential", "totalizer")
    )
    figure = plots.draw(records, "time-over-k")
    assert [axes.get_title() for axes in figure.axes] == [f"n = {n}: least k is 4" for n in (8, 9)]
    for axes in figure.axes:
        lines = [line for line in axes.lines if list(line.get_xdata()) == [2, 3, 4, 5]]
        assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 4
    assert "totalizer x glucose4" in texts(figure)[1]


def test_of_many_n_the_largest_are_drawn():
    figure = plots.draw(pl.concat(of_k(LEAST, n=n) for n in range(1, 15)), "time-over-k")
    assert [axes.get_title().split(":")[0] for axes in figure.axes] == [
        f"n = {n}" for n in range(3, 15)
    ]
    assert "The 12 largest of 14 n." in " ".join(texts(figure)[0])


def test_other_parameters_and_families_are_drawn_apart():
    names = ["f:k={}", "f:k={}:x=y", "f:a=b:k={}", "f:rank={}"]
    records = pl.concat([of_k(LEAST, name) for name in names] + [of_k({3: SAT}, "f")])
    families = summary.with_k(records).group_by("family").agg(pl.col("k").sort())
    assert dict(families.rows()) == {name: [2, 3, 4, 5] for name in ("f", "f:x=y", "f:a=b")}
    assert len(plots.draw(records, "time-over-k").axes) == 3


def test_one_k_is_not_drawn():
    records = pl.concat([of_k({3: SAT}, n=8), of_k({4: SAT}, n=9)])
    assert "time-over-k" not in plots.kinds_of(records)
    with pytest.raises(InputError, match="needs several k of one n"):
        plots.draw(records, "time-over-k")
