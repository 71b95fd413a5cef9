"""Figures for a paper: the widths of its class, PGF, and what its caption says."""

import re

import polars as pl
import pytest
from latex_compiled import compile_document, with_latex
from made_records import MIXED

from nqbench.common.errors import InputError, UnavailableError
from nqbench.show import latex, plots
from nqbench.show.paper import paper
from nqbench.show.plots import pgf


@pytest.mark.parametrize(
    ("width", "inches"),
    [
        ("one", 3.4),
        ("two", 7.0),
        ("LLNCS", 4.803),
        ("sigconf", 3.337),
        ("ieeetran", 3.487),
        ("aaai-page", 7.0),
        ("2.54 cm", None),
        ("72.27pt", None),
        ("85mm", 3.346),
        ("345pt", 4.774),
        ("3.3in", 3.3),
    ],
)
def test_a_width_is_that_of_a_class_or_a_length(width, inches):
    if inches is None:  # an inch, which is too narrow
        with pytest.raises(InputError, match="is not from 3 to 20 inches"):
            paper(width)
    else:
        assert paper(width).inches == pytest.approx(inches, abs=1e-3)


@pytest.mark.parametrize("width", ["", "three", "12.2", "-3in", "1e3cm", "12.2 miles"])
def test_an_unknown_width_is_refused_with_what_works(width):
    with pytest.raises(InputError, match=r"choose from one, two, llncs, .*length such as 12\.2cm"):
        plots.draw(MIXED, "cactus", width=width)


@pytest.mark.parametrize("width", ["llncs", "3in"])
def test_all_that_is_written_fits_the_width_of_each_class(width):
    for kind in plots.kinds_of(MIXED):
        figure = plots.draw(MIXED, kind, width=width)
        assert figure.get_figwidth() == paper(width).inches
        figure.draw_without_rendering()
        left, _, right, _ = figure.get_tightbbox(figure.canvas.get_renderer()).extents
        assert left > -0.02, kind
        assert right < figure.get_figwidth() + 0.02, kind


def test_a_figure_has_a_caption_with_what_a_reviewer_asks():
    caption = plots.draw(MIXED, "cactus", title=False).caption.replace("\N{NO-BREAK SPACE}", " ")
    assert caption.startswith("Boards solved within a given solve time: n-queens, n = 4 to 7, ")
    assert "12 runs on 4 boards. Limits of a run: 10 s and 4 GiB of memory." in caption
    assert caption.endswith(" on a machine.")


def test_a_figure_without_a_title_comes_with_its_caption(tmp_path):
    titled = plots.save_all(MIXED, tmp_path, ["cactus"], formats=["svg"])
    assert [path.name for path in titled] == ["cactus.svg"]
    bare = plots.save_all(MIXED, tmp_path, ["cactus"], formats=["svg"], title=False)
    assert [path.name for path in bare] == ["cactus.svg", "cactus.tex"]
    text = bare[1].read_text()
    assert text.startswith(r"\caption{Boards solved within a given solve time: n-queens")
    assert text.endswith("}\n\\label{fig:cactus}\n")


def test_pgf_without_latex_names_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match=r"'pgf' needs LaTeX .* texlive"):
        plots.save_all(MIXED, tmp_path, ["cactus"], formats=["pgf"])
    assert list(tmp_path.iterdir()) == []


@with_latex
def test_every_figure_is_drawn_as_one_pgf_file_and_the_same_again(tmp_path):
    kinds = plots.kinds_of(MIXED)
    once, again = (
        plots.save_all(MIXED, tmp_path / name, kinds, width="llncs", formats=["pgf"])
        for name in ("once", "again")
    )
    assert {path.name for path in (tmp_path / "once").iterdir()} == {f"{k}.pgf" for k in kinds}
    assert [path.read_text() for path in once] == [path.read_text() for path in again]
    size = re.search(r"\\pgfqpoint\{(.*?)in\}", once[0].read_text())
    assert float(size[1]) == pytest.approx(12.2 / 2.54, abs=1e-5)


@with_latex
def test_latex_compiles_a_figure_whose_names_are_commands(tmp_path):
    name = r"x_%#&\undefined{}$^~"
    records = MIXED.with_columns(backend=pl.lit(name))
    plots.save_all(records, tmp_path, ["cactus"], width="llncs", formats=["pgf"], title=False)
    assert latex.escaped(name) in (tmp_path / "cactus.pgf").read_text()
    figure = r"\begin{figure}\input{cactus.pgf}\input{cactus.tex}\end{figure}"
    compile_document(tmp_path, "pgf", figure)


@with_latex
def test_a_letter_that_latex_does_not_know_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(pgf, "_ENGINES", ("pdflatex",))
    records = MIXED.with_columns(backend=pl.lit("\N{CYRILLIC CAPITAL LETTER ZHE}"))
    with pytest.raises(UnavailableError, match=r"pdflatex cannot set .*: .*Unicode"):
        plots.save_all(records, tmp_path, ["cactus"], formats=["pgf"])
