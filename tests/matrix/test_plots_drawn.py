"""Every plot is drawn of whatever was measured."""

import itertools

import numpy as np
import polars as pl
import pytest
from drawn_texts import texts, ticks
from made_records import BOTH, DEAD, DONE, GRID, LATE, MIXED, SWEPT, all_ended, table
from matplotlib.image import imread

from nqbench.common.vocabulary import Outcome
from nqbench.show import plots

MEASURED = {
    "mixed": MIXED,
    "one record": table((4, DONE, 1.0)),
    "only timeouts": table((4, LATE, None), (5, LATE, None)),
    "only a crash": table((4, DEAD, None)),
    "densities": SWEPT,
    "none of two solved": pl.concat(
        [all_ended(SWEPT, Outcome.TIMEOUT), all_ended(SWEPT, Outcome.SKIPPED, "another")]
    ),
    "no formula": pl.concat(
        [all_ended(MIXED, Outcome.INVALID), all_ended(MIXED, Outcome.INVALID, "another")]
    ),
}


@pytest.mark.parametrize("name", MEASURED)
def test_every_plot_is_drawn_of_whatever_was_measured(tmp_path, name):
    kinds = plots.kinds_of(MEASURED[name])
    written = plots.save_all(MEASURED[name], tmp_path, kinds, formats=["png"])
    assert [path.name for path in written] == [f"{kind}.png" for kind in kinds]
    for path in written:
        assert np.ptp(imread(path)[..., :3]) > 0.5, f"{path} is blank"


def test_every_plot_is_written_in_other_formats_and_narrower(tmp_path):
    kinds = plots.kinds_of(MIXED)
    written = plots.save_all(MIXED, tmp_path, kinds, width="one", formats=["svg", "pdf"])
    assert sorted(path.name for path in written) == sorted(
        f"{kind}.{suffix}" for kind in kinds for suffix in ("svg", "pdf")
    )
    assert all("</svg>" in path.read_text() for path in written if path.suffix == ".svg")


ROUND = {str(digit * 10**zeros) for digit in (1, 2, 3, 5, 7) for zeros in range(4)} | {
    str(15 * 10**zeros) for zeros in range(3)
} | {"1.5"}  # fmt: skip


@pytest.mark.parametrize("factor", [1, 1.3, 4, 5.2, 9, 11, 40, 90, 101, 900, 1e5])
@pytest.mark.parametrize("low", [1.01e-4, 5.1e-3])
def test_a_logarithmic_axis_has_at_least_three_labels(low, factor):
    """Fewer would not show that it is logarithmic."""
    records = table((4, DONE, low), (5, DONE, low * factor))
    for kind in ("time-over-n", "cactus"):
        figure = plots.draw(records, kind)
        labels = ticks(figure, figure.axes[0].yaxis).values()
        assert 3 <= len(labels) == len(set(labels)) <= 9
        assert all(label.split()[0] in ROUND for label in labels)


def test_every_figure_can_be_highlighted_and_without_a_title():
    for records in (GRID, BOTH, SWEPT):
        name = " x ".join(records.select("encoding", "backend").row(0))
        for kind in plots.kinds_of(records):
            bare = plots.draw(records, kind, highlight=[name], title=False)
            whole = plots.draw(records, kind)
            assert bare.get_figheight() < whole.get_figheight() + 3  # of one panel, maybe taller
            assert not any("solvers" in text for text in texts(bare)[0])


def test_one_campaign_gives_one_picture(tmp_path):
    kinds, formats = ["cactus", "phases"], plots.WITHOUT_LATEX
    first = plots.save_all(MIXED, tmp_path / "a", kinds, formats=formats)
    second = plots.save_all(MIXED, tmp_path / "b", kinds, formats=formats)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@pytest.mark.parametrize("kind", plots.kinds_of(BOTH))
def test_every_figure_of_two_families_names_both_and_fits_its_page(kind):
    figure = plots.draw(BOTH, kind)
    written = " ".join(
        itertools.chain(texts(figure)[0], *(texts(strip)[0] for strip in figure.subfigs))
    )
    assert "n-queens" in written
    assert "latin" in written
    figure.draw_without_rendering()
    left, bottom, right, top = figure.get_tightbbox(figure.canvas.get_renderer()).extents
    assert min(left, bottom) > -0.02
    assert right < figure.get_figwidth() + 0.02
    assert top < figure.get_figheight() + 0.02
