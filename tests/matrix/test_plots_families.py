"""Figures show no line, mean or rank over problems that have nothing in common."""

import polars as pl
import pytest
from drawn_texts import meshes, texts
from made_records import BOTH, DONE, GRID, LATE, LATIN, QUEENS, SWEPT, labelled, table
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

import nqbench as package
from nqbench import summary
from nqbench.common.errors import InputError
from nqbench.show import plots
from nqbench.show.plots import style


def points(figure):
    """The points of each line of data of a figure."""
    return sorted(
        tuple(zip(*line.get_data(), strict=True))
        for axes in figure.axes
        for line in axes.lines
        if is_data(line)
    )


def is_data(line):
    """Whether it is no cross and no limit."""
    return len(line.get_xdata()) > 0 and line.get_marker() not in {"None", "x"}


def test_families_with_the_same_n_are_different_lines():
    """Pooled, n = 4 would have a median of (1 + 10) / 2."""
    expected = sorted(
        tuple((n, factor * time) for n, time in line)
        for line in (((4, 1.0), (5, 2.0), (6, 3.0)), ((4, 10.0), (5, 20.0), (6, 40.0)))
        for factor in (1.0, 1.5)
    )
    assert points(plots.draw(BOTH, "time-over-n")) == expected


def test_families_have_a_cactus_each():
    ends = sorted(line[-1] for line in points(plots.draw(BOTH, "cactus")))
    assert ends == [(3, 3.0), (3, 4.5), (3, 40.0), (3, 60.0)]


def test_a_heatmap_has_the_mean_of_each_family():
    """The means of 1, 2, 3 and of 10, 20, 40, and 1.5 times as much; the pooled one is 12.7."""
    found = meshes(plots.draw(BOTH, "heatmap").axes)
    cells = sorted(value for mesh in found for row in mesh.get_array() for value in row)
    assert cells == pytest.approx([2, 3, 70 / 3, 35])


def test_the_default_scatter_plot_has_the_best_two_of_each_family():
    fast = labelled(LATIN, "latin", "pyeda").with_columns(solve_s=pl.lit(0.1))
    figure = plots.draw(pl.concat([BOTH, fast]), "scatter")
    names = [(axes.get_xlabel(), axes.get_ylabel()) for axes in figure.axes]
    assert sorted(names) == [("minisat22", "glucose4"), ("pyeda", "minisat22")]


def test_a_family_alone_looks_as_before():
    (axes,) = plots.draw(labelled(QUEENS), "time-over-n").axes
    assert [line.get_xdata().tolist() for line in axes.lines if is_data(line)] == [[4, 5, 6]]
    assert not plots.draw(labelled(QUEENS), "time-over-n").subfigs


# Ten random boards of a size, each run once: 1 to 10 s.
TEN = [
    table((n, DONE, float(seconds))).with_columns(instance=pl.lit(f"seed={seconds}"))
    for n in (8, 9)
    for seconds in range(1, 11)
]
THREE = [each.with_columns(n=pl.lit(10, pl.Int64)) for each in TEN[:3]]
ELEVEN = [each.with_columns(n=pl.lit(11, pl.Int64)) for each in TEN[:3]]


def band(axes):
    """The lower and the upper end of the band at each n."""
    (area,) = axes.collections
    ends = {}
    for n, seconds in area.get_paths()[0].vertices:
        ends.setdefault(n, set()).add(float(seconds))
    return {int(n): (min(found), max(found)) for n, found in ends.items()}


@pytest.mark.parametrize(
    ("records", "ends", "said"),
    [
        # The quartiles of 1 to 10 are 3.25 and 7.75, those of 1 to 3 are 1.5 and 2.5.
        (
            pl.concat([*TEN, *THREE]),
            {8: (3.25, 7.75), 9: (3.25, 7.75), 10: (1.5, 2.5)},
            "middle half of the runs with the same n",
        ),
        (
            pl.concat([*TEN[:10], *THREE, *ELEVEN]),
            {8: (1, 10), 10: (1, 3), 11: (1, 3)},
            "fastest to slowest run with the same n",
        ),
        (
            table(*((n, DONE, float(seconds)) for n in (8, 9) for seconds in range(1, 11))),
            {8: (3.25, 7.75), 9: (3.25, 7.75)},
            "middle half of the repeats",
        ),
        (
            table(*((n, DONE, float(seconds)) for n in (8, 9) for seconds in range(1, 4))),
            {8: (1, 3), 9: (1, 3)},
            "fastest to slowest repeat",
        ),
    ],
    ids=["random boards", "few random boards", "many repeats", "few repeats"],
)  # fmt: skip
def test_the_key_says_what_the_band_is(records, ends, said):
    figure = plots.draw(records, "time-over-n")
    assert band(figure.axes[0]) == ends
    assert said in texts(figure)[1]


OVER_N = {"time-over-n", "total-over-n", "sizes", "memory-over-n", "scaling"}


def test_one_size_has_no_figure_over_n():
    one = pl.concat([labelled(QUEENS.head(1), backend=name) for name in ("a", "b")])
    assert set(plots.kinds_of(BOTH)) >= OVER_N
    drawn = set(plots.kinds_of(one, plots.AT_A_GLANCE))
    assert not OVER_N & drawn
    assert drawn == {"phases", "heatmap"}
    assert not {"portfolio", "ranks"} & set(plots.kinds_of(one))
    with pytest.raises(InputError, match="two sizes, but only n = 4 is measured: see heatmap"):
        plots.draw(one, "time-over-n")
    with pytest.raises(InputError, match="two or more problems that all combinations ran on"):
        plots.draw(one, "cactus")


def test_one_size_of_each_family_has_no_figure_over_n():
    apart = pl.concat([labelled(QUEENS.head(1)), labelled(LATIN.tail(1), "latin")])
    assert not OVER_N & set(plots.kinds_of(apart))


def test_ranks_and_means_are_over_problems_that_all_ran_on():
    part = pl.concat([labelled(QUEENS, backend="a"), labelled(QUEENS.head(2), backend="b")])
    figure = plots.draw(part, "cactus")
    assert [line[-1][0] for line in points(figure)] == [2, 2]
    note = "Of 3 boards, only the 2 that every combination ran on."
    assert note in " ".join(texts(figure)[0])
    (cells,) = meshes(plots.draw(part, "heatmap").axes)
    assert cells.get_array().tolist() == [[1.5, 1.5]]
    assert note not in " ".join(texts(plots.draw(BOTH.filter(family="queens"), "cactus"))[0])


def test_without_a_common_problem_nothing_is_ranked():
    apart = pl.concat(
        [labelled(QUEENS.head(1), backend="a"), labelled(QUEENS.tail(2), backend="b")]
    )
    kinds = set(plots.kinds_of(apart))
    assert not {"cactus", "heatmap", "phases", "portfolio", "ranks"} & kinds
    assert "time-over-n" in kinds


def test_a_leader_does_not_look_like_a_line_of_data():
    crowd = pl.concat(labelled(QUEENS, encoding=f"e{place:02}") for place in range(12))
    for kind in ("cactus", "time-over-n", "sizes"):
        for axes in plots.draw(crowd, kind).axes:
            leaders = [text.arrow_patch for text in axes.texts if text.arrow_patch]
            colours = {to_hex(line.get_color()) for line in axes.lines}
            assert len(leaders) == 8
            assert not colours & {to_hex(leader.get_edgecolor()) for leader in leaders}
            assert all(leader.get_linestyle() != "-" for leader in leaders)


CHOSEN = "pairwise x glucose4"


@pytest.mark.parametrize("kind", ["time-over-n", "memory-over-n", "cactus", "sizes"])
def test_only_what_is_highlighted_has_a_colour(kind):
    figure = plots.draw(GRID, kind, highlight=[CHOSEN])
    for axes in figure.axes:
        by_colour = {}
        for line in axes.lines:
            if line.get_marker() == "x" or list(line.get_xdata()) == [0, 1]:
                continue  # a cross, or a limit
            by_colour.setdefault(to_hex(line.get_color()), []).append(line.get_zorder())
        assert len(by_colour) == 2
        pale = by_colour.pop(style.PALE)
        (strong,) = by_colour.values()
        assert len(strong) == 1
        assert strong[0] > max(pale)


def test_a_highlighted_cell_has_a_frame():
    axes = plots.draw(GRID, "heatmap", highlight=[CHOSEN]).axes[0]
    (frame,) = (patch for patch in axes.patches if isinstance(patch, Rectangle))
    x, y = frame.get_x() + 0.5, frame.get_y() + 0.5
    down, across = (
        [label.get_text() for label in labels]
        for labels in (axes.get_yticklabels(), axes.get_xticklabels())
    )
    assert f"{down[round(y)]} x {across[round(x)]}" == CHOSEN


def test_unsolved_runs_of_grey_lines_have_crosses():
    """The key explains crosses, whose line has a colour or not."""
    lost = table((4, DONE, 1.0), (5, LATE, None), (6, DONE, 3.0))
    records = pl.concat(
        [labelled(QUEENS, backend="a"), labelled(lost, backend="b"), labelled(lost, backend="c")]
    )
    (axes,) = plots.draw(records, "time-over-n", highlight=["pairwise x b"]).axes
    crosses = [line for line in axes.lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert [line.get_xydata().tolist() for line in crosses] == [[[5, 10]]] * 2
    assert sum(to_hex(line.get_color()) == style.PALE for line in crosses) == 1


@pytest.mark.parametrize("name", ["pairwise", "glucose4"])
def test_an_encoding_or_a_backend_alone_means_all_its_combinations(name):
    both = [p for p in GRID.select(summary.NAMED).unique().to_series().sort() if name in p]
    assert len(both) == 2
    for kind in ("time-over-n", "cactus"):
        alone, named = (plots.draw(GRID, kind, highlight=of) for of in ([name], both))
        assert texts(alone) == texts(named)
        assert points(alone) == points(named)


def test_each_of_many_highlighted_combinations_looks_different():
    records = pl.concat(labelled(QUEENS, backend=f"b{place}") for place in range(9))
    chosen = plots.style.Looks.of(records, ["pairwise"])
    seen = {tuple(sorted(chosen.combination(*p).items())) for p in chosen.highlighted}
    assert len(seen) == 9


def axes_named(records, *highlight):
    axes = plots.draw(records, "scatter", highlight=highlight).axes[0]
    return axes.get_xlabel(), axes.get_ylabel()


def test_a_scatter_plot_is_of_what_is_highlighted():
    """The one highlighted and the best other, or the best two highlighted."""
    records = pl.concat(
        labelled(QUEENS, backend=name).with_columns(pl.col("solve_s") * factor)
        for name, factor in {"a": 1, "b": 2, "c": 3, "d": 4}.items()
    )
    assert axes_named(records) == ("a", "b")
    assert axes_named(records, "pairwise x c") == ("c", "a")
    assert axes_named(records, "d", "b") == ("b", "d")
    alone = labelled(QUEENS.with_columns(n=pl.col("n") + 10), backend="alone")
    assert axes_named(pl.concat([records, alone]), "alone") == ("a", "b")


def test_the_panel_of_what_is_highlighted_has_a_coloured_title():
    records = pl.concat(
        [labelled(SWEPT, "excluded-squares"), labelled(SWEPT, "excluded-squares", "other")]
    )
    figure = plots.draw(records, "transition", highlight=["other"])
    colours = {axes.get_title(): to_hex(axes.title.get_color()) for axes in figure.axes}
    black = to_hex("black")
    assert {title.split()[-1] for title, c in colours.items() if c != black} == {"other"}


def test_what_is_highlighted_must_have_been_measured():
    with pytest.raises(InputError, match="did you mean 'pairwise x glucose4'"):
        package.plot(GRID, "cactus", highlight="pairwise x glucose3")


def test_the_command_line_highlights(nqbench, tmp_path):
    small = ("--encoding", "pairwise", "--backend", "minisat22", "--no-plots")
    nqbench("run", "--n", "4..5", *small)
    chosen = ("--highlight", "pairwise x minisat22", "--no-title")
    done = nqbench("plot", "--kind", "cactus", "--format", "svg", *chosen)
    assert done.returncode == 0
    drawn = (tmp_path / "results" / "plots" / "cactus.svg").read_text()
    assert "n-queens" not in drawn
    assert "#d55e00" in drawn
    wrong = nqbench("plot", "--highlight", "nothing")
    assert (wrong.returncode, "no runs of 'nothing'" in wrong.stderr) == (2, True)


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_key_of_formulas_names_bars_only_where_there_are_some(repeats):
    named = pl.Series(["a.cnf", "b.cnf"] * repeats)
    times = ((None, DONE, 1.0 + repeat) for repeat in range(repeats) for _ in range(2))
    records = table(*times).with_columns(instance=named, family=pl.lit("cnf"))
    key = texts(plots.draw(labelled(records, "cnf", encoding="file"), "time-over-instances"))[1]
    assert ("fastest to slowest repeat" in key) == (repeats > 1)
