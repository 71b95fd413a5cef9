import numpy as np
import polars as pl
import pytest
from matplotlib.image import imread
from test_summary import DEAD, DONE, LATE, MIXED, SWEPT, table

from nqbench import plots
from nqbench.plots import layout


@pytest.mark.parametrize(
    "records",
    [
        MIXED,
        table((4, DONE, 1.0)),
        table((4, LATE, None), (5, LATE, None)),
        table((4, DEAD, None)),
        SWEPT,
    ],
    ids=["mixed", "one record", "only timeouts", "only a crash", "densities"],
)
def test_every_plot_is_drawn_of_whatever_was_measured(tmp_path, records):
    kinds = plots.kinds_of(records)
    written = plots.save_all(records, tmp_path / "plots", kinds)
    assert {path.name for path in written} == {
        f"{kind}.{suffix}" for kind in kinds for suffix in ("png", "svg")
    }
    for path in written:
        if path.suffix == ".png":
            assert np.ptp(imread(path)[..., :3]) > 0.5, f"{path} is blank"
        else:
            assert "</svg>" in path.read_text()


def test_unsolved_runs_are_shown_at_the_limit():
    figure = plots.time_over_n(MIXED)
    crosses = [line for line in figure.axes[0].lines if line.get_marker() == "x"]
    assert crosses[0].get_xdata().tolist() == [5, 6, 7]
    assert crosses[0].get_ydata().tolist() == [10, 10, 10]


def test_every_line_of_a_crowd_looks_different():
    looks = [tuple(look.values()) for _, look in layout.looks([str(i) for i in range(35)])]
    assert len(set(looks)) == 35


def test_axes_have_units():
    assert "(s)" in plots.time_over_n(MIXED).axes[0].get_ylabel()
    assert "(s)" in plots.cactus(MIXED).axes[0].get_ylabel()
    assert "(ms)" in plots.phases(MIXED).axes[0].get_xlabel()


def test_one_campaign_gives_one_picture(tmp_path):
    first = plots.save_all(MIXED, tmp_path / "a", ["cactus", "phases"])
    second = plots.save_all(MIXED, tmp_path / "b", ["cactus", "phases"])
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_a_transition_is_drawn_of_boards_with_a_density_only(tmp_path):
    assert "transition" not in plots.kinds_of(MIXED)
    figure = plots.transition(SWEPT)
    share, effort = figure.axes
    assert share.lines[0].get_xdata().tolist() == [0.5, 1.0]
    assert share.lines[0].get_ydata().tolist() == [1.0, 0.5]
    assert effort.lines[0].get_ydata().tolist() == [7.0, 18.0]
    assert "(s" in effort.get_ylabel()


def test_a_size_looks_the_same_in_every_panel_of_a_transition():
    other = SWEPT.with_columns(n=pl.lit(9, pl.Int64))
    lacking = other.with_columns(backend=pl.lit("another"))
    figure = plots.transition(pl.concat([SWEPT, other, lacking]))
    colours = [
        {line.get_label(): line.get_color() for line in axes.lines if len(line.get_xdata())}
        for axes in figure.axes
    ]
    assert {len(panel) for panel in colours} == {1, 2}
    assert len({panel["n = 9"] for panel in colours}) == 1
