"""The house style of figures: what a reader can rely on in each of them."""

import numpy as np
import polars as pl
import pytest
from drawn_texts import texts
from made_records import DONE, LATE, MIXED, table
from matplotlib.colors import to_hex
from places import REFERENCE

from nqbench.api import read
from nqbench.show import plots
from nqbench.show.plots import style

MEASURED = ("campaign", "at-most-one")


def named(records, encoding="pairwise", backend="minisat22"):
    """The records, of that encoding and backend."""
    return records.with_columns(encoding=pl.lit(encoding), backend=pl.lit(backend))


def grid(records, encodings, backends):
    """The records for each encoding with each backend, each a little slower than the one before."""
    pairs = [(encoding, backend) for encoding in encodings for backend in backends]
    return pl.concat(
        named(records, *pair).with_columns(pl.col("solve_s") * 1.1**place)
        for place, pair in enumerate(pairs)
    )


FAST = table(*((n, DONE, n**2 * 1e-5) for n in range(4, 31) for _ in range(3))).with_columns(
    load_s=pl.col("solve_s"), encode_s=pl.col("solve_s")
)
FOUR = grid(FAST, ["a", "b", "c"], ["w", "x", "y", "z"])
CROWD = grid(FAST, [f"e{place:02}" for place in range(12)], ["x", "y"])


def drawn_lines(axes):
    """The lines of data in a panel: not the crosses, and not the limit."""
    return [line for line in axes.lines if len(line.get_xdata()) > 2]


def filled(figure):
    """The share of the height of the panels between the lowest and the highest line."""
    values = [
        value for axes in figure.axes for line in drawn_lines(axes) for value in line.get_ydata()
    ]
    low, high = figure.axes[0].get_ylim()
    return np.log(max(values) / min(values)) / np.log(high / low)


@pytest.mark.parametrize("kind", ["time-over-n", "cactus"])
def test_a_line_does_not_hide_an_equal_one(kind):
    equal = pl.concat([named(FAST, backend=name) for name in ("one", "two")])
    other = named(FAST, backend="three").with_columns(pl.col("solve_s") * 2)
    (axes,) = plots.draw(pl.concat([equal, other]), kind).axes
    lines = drawn_lines(axes)
    assert len({line.get_color() for line in lines}) == 3
    points = [tuple(line.get_ydata()) for line in lines]
    below, above = (line for line, own in zip(lines, points, strict=True) if points.count(own) > 1)
    assert below.get_linewidth() >= 2 * above.get_linewidth()


@pytest.mark.parametrize("kind", ["time-over-n", "total-over-n"])
@pytest.mark.parametrize(
    "records",
    [FOUR, CROWD, FAST, *(read(REFERENCE / name / "records.csv") for name in MEASURED)],
    ids=["four solvers", "crowd", "one line", *MEASURED],
)
def test_data_fill_the_height(kind, records):
    assert filled(plots.draw(records, kind)) >= 0.8


def limits(axes):
    """The heights at which a panel has a line across."""
    return [line.get_ydata()[0] for line in axes.lines if list(line.get_xdata()) == [0, 1]]


def test_a_limit_is_drawn_only_where_something_comes_near_it():
    """The limit of these records is 10 s."""
    slow = table((4, DONE, 1.1), (5, DONE, 2.0), (6, DONE, 3.0))
    for kind in ("time-over-n", "cactus"):
        near, far = plots.draw(slow, kind), plots.draw(FAST, kind)
        assert limits(near.axes[0]) == [10]
        assert "time limit 10 s" in texts(near)[1]
        assert limits(far.axes[0]) == []
        assert "Time limit 10 s: far above the plot." in " ".join(texts(far)[0])


def test_four_panels_are_two_by_two():
    figure = plots.draw(FOUR, "time-over-n")
    assert [axes.get_title() for axes in figure.axes] == ["w", "x", "y", "z"]
    places = [axes.get_subplotspec() for axes in figure.axes]
    assert [(p.rowspan.start, p.colspan.start) for p in places] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def colours(figure):
    """The colours of the lines of a figure."""
    return {to_hex(line.get_color()) for axes in figure.axes for line in drawn_lines(axes)}


def test_a_colour_means_the_same_encoding_in_all_figures():
    records = pl.concat([FOUR, named(table((4, LATE, None)), "c", "w")])
    expected = {name: style.coloured(place)["color"] for place, name in enumerate("abc")}
    for kind in ("time-over-n", "total-over-n", "memory-over-n", "sizes", "cactus"):
        assert colours(plots.draw(records, kind)) - {style.PALE} <= set(
            map(str.lower, map(to_hex, expected.values()))
        ), kind
    for kind in ("time-over-n", "total-over-n", "memory-over-n", "sizes"):
        key = plots.draw(records, kind).legends[0]
        drawn = dict(zip(texts(plots.draw(records, kind))[1], key.legend_handles, strict=True))
        assert {name: drawn[name].get_color() for name in "abc"} == expected, kind


def test_with_one_encoding_the_colours_are_the_solvers():
    records = grid(FAST, ["only"], ["x", "y", "z"])
    for kind in ("time-over-n", "cactus"):
        figure = plots.draw(records, kind)
        assert len(figure.axes) == 1
        assert len(colours(figure)) == 3
    assert {"x", "y", "z"} <= set(texts(plots.draw(records, "time-over-n"))[1])


def annotations(axes):
    """The names at the ends of lines, and their colours."""
    return {text.get_text() for text in axes.texts}


@pytest.mark.parametrize("kind", ["time-over-n", "sizes", "cactus"])
def test_of_many_lines_the_best_are_named_and_the_others_grey(kind):
    figure = plots.draw(CROWD, kind)
    for axes in figure.axes:
        shown = [to_hex(line.get_color()) for line in drawn_lines(axes)]
        assert shown.count(style.PALE) == len(shown) - 8 > 0
        assert len(annotations(axes)) == 8
    if kind != "sizes":
        assert any("e00" in name for name in annotations(figure.axes[0]))
        assert not any("e11" in name for name in annotations(figure.axes[0]))


def test_a_line_of_one_board_has_a_name_and_one_of_none_is_mentioned():
    once = named(table((4, DONE, 1e-3), (5, LATE, None)), "a", "x")
    never = named(table((4, LATE, None), (5, LATE, None)), "b", "y")
    figure = plots.draw(pl.concat([once, never]), "cactus")
    assert annotations(figure.axes[0]) == {"a x x"}
    assert "Solved nothing: b x y." in " ".join(texts(figure)[0])


def test_bands_and_crosses_have_a_key():
    key = texts(plots.draw(MIXED, "time-over-n"))[1]
    assert "fastest to slowest repeat" in key
    assert "with unsolved runs, counted at the limit" in key
    assert not any("unsolved" in name for name in texts(plots.draw(FAST, "time-over-n"))[1])


def test_the_time_to_encode_is_marked_as_a_single_measurement():
    varied = FOUR.with_columns(solve_s=pl.col("solve_s") * (1 + pl.int_range(pl.len()) % 3))
    figure = plots.draw(varied, "total-over-n")
    assert "fastest to slowest repeat, encoding measured once" in texts(figure)[1]
    assert "Runs on one formula share the time to encode it" in " ".join(texts(figure)[0])
    assert "encoded once" not in " ".join(texts(plots.draw(FOUR, "time-over-n"))[0])


def test_every_figure_says_what_it_shows_of_which_campaign():
    for kind in plots.kinds_of(FOUR):
        title, campaign, *_ = texts(plots.draw(FOUR, kind))[0]
        assert title
        assert campaign.startswith("n-queens, n = 4 to 30, 3 encodings, 4 solvers")


def test_a_scatter_plot_of_one_board_has_no_empty_decades():
    records = grid(table((8, DONE, 2e-4)), ["a"], ["x", "y"])
    low, high = plots.draw(records, "scatter").axes[0].get_xlim()
    assert high / low < 20


def test_more_combinations_than_fit_a_page_are_left_out_by_name():
    figure = plots.draw(grid(FAST, [f"e{n}" for n in range(5)], ["x", "y", "z"]), "scaling")
    assert len([axes for axes in figure.axes if axes.get_title()]) == 12
    caption, key = texts(figure)
    assert "The 12 fastest of 15 combinations." in " ".join(caption)
    assert key == ["median", "exponential", "power of n, supported by the data"]


@pytest.mark.parametrize(
    ("records", "width", "inches"),
    [(FOUR, "one", 3.4), (CROWD, "two", 7.0)],
    ids=["four solvers", "crowd"],
)
def test_all_that_is_written_is_on_the_page(records, width, inches):
    for kind in plots.kinds_of(records):
        figure = plots.draw(records, kind, width=width)
        assert figure.get_figwidth() == inches
        figure.draw_without_rendering()
        page, written = figure.bbox, figure.get_tightbbox(figure.canvas.get_renderer())
        left, bottom, right, top = (value * figure.dpi for value in written.extents)
        assert min(left, bottom) > -3, (kind, written)
        assert (right < page.width + 3, top < page.height + 3) == (True, True), (kind, written)


def test_neighbouring_colours_differ_in_print_without_colour():
    """In lightness, or in the filling of their markers."""
    for place in range(9):
        one, other = style.coloured(place), style.coloured(place + 1)
        assert (one["markerfacecolor"] == "white") != (other["markerfacecolor"] == "white")
        assert one["marker"] != other["marker"]


def test_the_command_line_draws_for_a_column_of_a_paper(nqbench, tmp_path):
    small = ("--encoding", "pairwise", "--backend", "minisat22", "--repeat", 1, "--no-plots")
    nqbench("run", "--n", "4..5", *small)
    done = nqbench("plot", "--kind", "cactus", "--width", "one", "--format", "pdf,svg")
    assert "cactus.{pdf,svg}" in done.stderr
    folder = tmp_path / "results" / "plots"
    assert {path.name for path in folder.iterdir()} == {"cactus.pdf", "cactus.svg"}
    assert f'width="{72 * 3.4:g}pt"' in (folder / "cactus.svg").read_text()
    unknown = nqbench("plot", "--format", "gif")
    assert unknown.returncode == 2
    assert "unknown format 'gif': choose from png, svg, pdf, pgf" in unknown.stderr
