import itertools

import numpy as np
import polars as pl
import pytest
from drawn_texts import meshes, texts, ticks
from made_records import DONE, MIXED, SWEPT, all_ended, campaign, table
from matplotlib.colors import to_rgb
from matplotlib.legend import Legend

from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Outcome
from nqbench.show import plots
from nqbench.show.plots import style


def test_names_may_have_dollar_signs(tmp_path):
    """Formulas are drawn in `scaling` only."""
    named = MIXED.with_columns(backend=pl.lit("exe:/opt/$HOME/a$b_c^d"))
    kinds = ["cactus", "scaling"]
    plots.save_all(named, tmp_path, kinds, formats=["svg"])
    assert all("$HOME/a$b_c^d" in (tmp_path / f"{kind}.svg").read_text() for kind in kinds)


def test_two_combinations_without_a_common_board_are_not_drawn():
    apart = pl.concat([SWEPT, all_ended(MIXED, Outcome.FINISHED, "another").with_columns(
        family=pl.lit("torus"), solve_s=1.0)])  # fmt: skip
    assert "scatter" not in plots.kinds_of(apart)
    pairs = list(apart.select(pl.format("{} x {}", "encoding", "backend")).unique().to_series())
    with pytest.raises(InputError, match="were not measured on the same"):
        plots.draw(apart, "scatter", pairs=sorted(pairs)[:2])


def test_unsolved_runs_are_shown_at_the_limit():
    figure = plots.draw(MIXED, "time-over-n")
    crosses = [line for line in figure.axes[0].lines if line.get_marker() == "x"]
    assert crosses[0].get_xdata().tolist() == [5, 6, 7]
    assert crosses[0].get_ydata().tolist() == [10, 10, 10]


def test_every_name_of_a_crowd_looks_different_and_has_no_cross():
    """A cross means unsolved."""
    drawn = [style.coloured(position) for position in range(35)]
    assert len({tuple(look.values()) for look in drawn}) == 35
    assert not {"x", "X", "+", "P"} & {look["marker"] for look in drawn}


def crowd(solvers, encodings=("e",)):
    """Records of so many solvers on 12 boards, the last one best."""
    return pl.concat(
        campaign(
            **{
                f"s{number:02}": [0.01 * 1.5**n * 1.2 ** (solvers - number) for n in range(12)]
                for number in range(solvers)
            }
        ).with_columns(encoding=pl.lit(encoding))
        for encoding in encodings
    )


def brightness(colour):
    return sum(share * part for share, part in zip((0.3, 0.6, 0.1), to_rgb(colour), strict=True))


@pytest.mark.parametrize("solvers", [12, 67])
@pytest.mark.parametrize("kind", ["cactus", "time-over-n"])
def test_the_lines_that_stand_out_differ_in_colour(solvers, kind):
    """However many others there are, they have the colours of ten, of which one is black. So do
    their names.
    """
    axes = plots.draw(crowd(solvers), kind).axes[0]
    drawn = [line for line in axes.lines if len(line.get_xdata()) > 2]
    colours = [line.get_color() for line in drawn if line.get_color() != style.PALE]
    assert len(colours) == len(set(colours)) == 8
    assert set(colours) <= set(style.COLOURS)
    assert sum(brightness(colour) < 0.1 for colour in colours) <= 1
    names = {text.get_text(): text.get_color() for text in axes.texts}
    assert len(names) == len(set(names.values())) == 8


def test_a_solver_has_one_colour_in_both_plots():
    records = crowd(12)
    by_kind = [
        {text.get_text(): text.get_color() for text in plots.draw(records, kind).axes[0].texts}
        for kind in ("cactus", "time-over-n")
    ]
    assert by_kind[0] == by_kind[1]


def test_lines_of_several_encodings_and_many_solvers_look_different():
    """Colours mean encodings and dashes solvers, as far as there are dashes."""
    axes = plots.draw(crowd(45, ("e", "f")), "cactus").axes[0]
    strong = [line for line in axes.lines if line.get_color() != style.PALE]
    strong = [line for line in strong if len(line.get_xdata()) > 2]
    drawn = [(line.get_color(), line.get_marker(), str(line._dash_pattern)) for line in strong]
    assert len(drawn) == len(set(drawn)) == 8


def test_many_solvers_on_formulas_have_a_short_key():
    records = crowd(30).with_columns(
        family=pl.lit("cnf"), instance=pl.format("{}.cnf", "n"), n=pl.lit(None, pl.Int64)
    )
    figure = plots.draw(records, "time-over-instances")
    (key,) = [child for child in figure.findobj(Legend) if len(child.get_texts()) > 2]
    said = [text.get_text() for text in key.get_texts()]
    assert said[:9] == [*(f"s{number}" for number in range(22, 30)), "22 others"]
    handles = key.legend_handles[:8]
    assert len({handle.get_color() for handle in handles}) == 8


def test_many_highlighted_combinations_do_not_fade():
    records = crowd(45)
    asked = [f"e x s{number:02}" for number in range(20, 45)]
    look = style.Looks.of(records, asked)
    drawn = [look.combination("e", name.removeprefix("e x ")) for name in asked]
    assert len({(each["color"], each["marker"]) for each in drawn}) == len(asked)
    assert sum(brightness(each["color"]) < 0.1 for each in drawn) < 6


def test_times_have_units():
    figure = plots.draw(MIXED, "phases")
    told = ticks(figure, figure.axes[0].xaxis).values()
    assert all(text == "0" or text.endswith(" s") for text in told)
    for kind in ("time-over-n", "cactus"):
        figure = plots.draw(table((4, DONE, 2e-4), (5, DONE, 3e-3), (6, DONE, 4e-2)), kind)
        told = ticks(figure, figure.axes[0].yaxis).values()
        assert told
        assert {text.split()[1] for text in told} <= {"µs", "ms"}


@pytest.mark.parametrize("sizes", [[16, 32, 48, 64], [4, 16, 100]], ids=str)
def test_sizes_are_ticked_where_there_is_room(sizes):
    records = table(*((n, DONE, 1.0) for n in sizes))
    for kind in ("time-over-n", "sizes", "memory-over-n"):
        figure = plots.draw(records, kind)
        assert list(ticks(figure, figure.axes[0].xaxis)) == sizes


@pytest.mark.parametrize("sizes", [(4, 5, 6, 8, 9, 700), range(4, 31), range(100, 113)])
def test_ticks_are_at_measured_sizes_and_at_both_ends(sizes):
    figure = plots.draw(table(*((n, DONE, 1.0) for n in sizes)), "sizes")
    told = list(ticks(figure, figure.axes[0].xaxis))
    assert set(told) <= set(sizes)
    assert (told[0], told[-1]) == (sizes[0], sizes[-1])
    assert len(told) > 2


@pytest.mark.parametrize("times", [[3e-4, 3.1e-4], [2.2e-4, 8e-4]], ids=str)
def test_a_cactus_of_few_boards_has_whole_numbers_and_times_beside_it(times):
    records = table(*((n, DONE, seconds) for n, seconds in enumerate(times, 4)))
    figure = plots.draw(records, "cactus")
    instances, seconds = (ticks(figure, axis) for axis in figure.axes[0]._axis_map.values())
    assert list(instances) == list(range(1, len(times) + 1))
    assert len(set(seconds.values())) >= 2
    assert all(seconds.values())


def test_times_that_are_nearly_the_same_look_nearly_the_same():
    other = MIXED.with_columns(pl.col("solve_s") * 1.001, backend=pl.lit("another"))
    records = pl.concat([MIXED, other])
    cells, bar = plots.draw(records, "heatmap").axes
    (mesh,) = meshes([cells])
    (colours,) = mesh.cmap(mesh.norm(mesh.get_array()))
    assert np.abs(colours[0] - colours[1]).max() < 0.05
    figure = plots.draw(records, "portfolio")
    for axis in (bar.yaxis, figure.axes[1].xaxis):
        told = ticks(axis.get_figure(), axis).values()
        assert len(told) == len(set(told)) >= 2


def test_a_scatter_plot_says_of_how_many_boards_it_is():
    other = MIXED.with_columns(backend=pl.lit("another"))
    figure = plots.draw(pl.concat([MIXED, other.filter(n=5)]), "scatter")
    assert texts(figure)[0][0].startswith("Solve time of 1 board,")
    figure = plots.draw(pl.concat([MIXED, other]), "scatter", "total_s")
    assert texts(figure)[0][0].startswith("Total time of 4 boards,")


@pytest.mark.parametrize(("family", "noun"), [("queens", "board"), ("latin", "problem")])
def test_distributions_say_what_was_measured(family, noun):
    runs = [(n, DONE, 1.0) for n in range(4, 18) for _ in range(10)]
    figure = plots.draw(table(*runs).with_columns(family=pl.lit(family)), "distribution")
    said = " ".join(itertools.chain(*texts(figure)))
    assert f"10 runs for each {noun} and line" in said
    assert f"The 12 largest of 14 {noun}s" in said


def test_a_transition_is_drawn_of_boards_with_a_density_only(tmp_path):
    assert "transition" not in plots.kinds_of(MIXED)
    figure = plots.draw(SWEPT, "transition")
    share, effort = figure.axes
    assert share.lines[0].get_xdata().tolist() == [0.5, 1.0]
    assert share.lines[0].get_ydata().tolist() == [1.0, 0.5]
    assert effort.lines[0].get_ydata().tolist() == [7.0, 18.0]
    assert all(text.endswith(" s") for text in ticks(figure, effort.yaxis).values())


def test_a_size_looks_the_same_in_every_panel_of_a_transition():
    other = SWEPT.with_columns(n=pl.lit(9, pl.Int64))
    lacking = other.with_columns(backend=pl.lit("another"))
    figure = plots.draw(pl.concat([SWEPT, other, lacking]), "transition")
    colours = [
        {line.get_label(): line.get_color() for line in axes.lines if len(line.get_xdata())}
        for axes in figure.axes
    ]
    assert {len(panel) for panel in colours} == {1, 2}
    assert len({panel["n = 9"] for panel in colours}) == 1


def test_the_key_of_fits_has_only_the_lines_that_are_drawn_and_a_decided_fit_a_formula():
    n = np.arange(4.0, 16)
    falls = campaign(falls=(8 * n**-1.9).tolist())
    cube = campaign(cube=(1e-3 * n**3).tolist())
    fast = campaign(fast=[1e-5] * 12)
    few = campaign(few=[1e-5] * 8 + [2e-3, 3e-3, 8e-3, 9e-3])
    supported = "power of n, supported by the data"
    for records, lines, said in (
        (cube, ["exponential", supported], "$n^{3}$"),
        (fast, [], "too few sizes"),
        (few, ["power of n", "exponential"], "undecided"),
        (falls, ["power of n", "exponential"], "undecided"),
    ):
        figure = plots.draw(records, "scaling")
        assert texts(figure)[1] == ["median", *lines]
        assert [text.get_text() for text in figure.axes[0].texts] == [said]


def test_combinations_without_a_common_problem_have_no_heatmap():
    """Its order and its colours would rank them."""
    apart = pl.concat([campaign(a=[1, 2]), campaign(b=[1]).with_columns(n=pl.lit(9, pl.Int64))])
    assert "heatmap" not in plots.kinds_of(apart)
    assert "heatmap" in plots.kinds_of(campaign(a=[1, 2], b=[2, 3]))


def overlap(one, other):
    return one.overlaps(other) and one.width > 0 and other.width > 0


def boxes(figure, written):
    plots.lay_out(figure)
    figure.canvas.draw()
    return [text.get_window_extent() for text in written if text.get_text()]


@pytest.mark.parametrize("width", ["one", "two"])
def test_texts_of_cells_do_not_overlap_beside_long_names(width):
    records = crowd(6, encodings=("pindakaas:sequential-counter", "e"))
    figure = plots.draw(records, "heatmap", width=width)
    cells = boxes(figure, figure.axes[0].texts)
    assert not any(overlap(*two) for two in itertools.combinations(cells, 2))


def test_long_names_of_panels_stay_beside_each_other():
    long = pl.when(backend="s01").then(pl.lit("exe:/opt/some/path/kissat --time=3 --sat"))
    records = crowd(8, encodings=("e", "f")).with_columns(backend=long.otherwise("backend"))
    figure = plots.draw(records, "time-over-n")
    titles = boxes(figure, [axes.title for axes in figure.axes])
    first, second = (axes.get_window_extent().x0 for axes in figure.axes[:2])
    assert len(titles) == 8
    assert all(title.width < second - first for title in titles)


def test_marks_of_formulas_differ_though_they_have_no_lines():
    """A dash would tell the backends apart, if there were lines."""
    records = crowd(2, encodings=("e", "f")).with_columns(
        instance=pl.format("{}.cnf", "n"), n=pl.lit(None, pl.Int64), family=pl.lit("cnf")
    )
    lines = plots.draw(records, "time-over-instances").axes[0].lines
    marks = {(m.get_color(), m.get_marker()) for m in lines if m.get_marker() not in {"x", "None"}}
    assert len(marks) == 4


def test_bands_are_in_the_key_only_where_there_are_some():
    def key(records):
        figure = plots.draw(records, "time-over-n")
        return [text.get_text() for legend in figure.legends for text in legend.get_texts()]

    once = campaign(a=[1, 2, 3], b=[2, 3, 4])
    assert not [text for text in key(once) if "slowest" in text]
    twice = pl.concat([once, once.with_columns(pl.col("solve_s") * 2, repeat=pl.lit(1, pl.Int64))])
    assert [text for text in key(twice) if "slowest" in text]


def test_one_cost_far_above_all_others_does_not_take_all_colours():
    def colours(costs):
        records = campaign(**{name: [s, s] for name, s in zip("abcdefgh", costs, strict=False)})
        (cells,) = plots.draw(records, "heatmap").axes[0].collections
        return cells.norm

    usual = [0.010, 0.011, 0.012, 0.013, 0.014]
    norm = colours([*usual, 8.0])
    assert norm(0.014) > 0.6
    assert norm(8.0) == 1
    assert colours([*usual, 1.0, 1.0]).vmax == 1.0
    assert colours([1.0, 50.0]).vmax >= 50
