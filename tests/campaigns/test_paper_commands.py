"""Tables and plots for a paper, from the command line."""

import csv
import io
import json
import re
from functools import partial

import pytest
from addons import needs_addon
from called_here import called_here

from nqbench import Results
from nqbench.plugins import availability


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("paper")


@pytest.fixture(scope="module")
def measured(folder):
    """A command in a folder with a small campaign."""
    run = partial(called_here, folder)
    names = ("--encoding", "pairwise,product", "--backend", "minisat22", "--repeat", 1)
    assert run("run", "--n", "4..7", *names, "--no-plots").returncode == 0
    return run


@pytest.mark.parametrize("table", [(), ("--pairs",), ("--best",), ("--scaling",)])
def test_each_table_has_each_format(measured, table):
    as_latex = measured("summary", *table, "--format", "latex")
    assert as_latex.stdout.count(r"\toprule") == as_latex.stdout.count(r"\caption") == 1
    assert "Limits of a run: " in measured("summary", *table, "--format", "markdown").stdout
    rows = json.loads(measured("summary", *table, "--format", "json").stdout)
    assert measured("summary", *table, "--json").stdout == json.dumps(rows, indent=2) + "\n"
    found = csv.DictReader(io.StringIO(measured("summary", *table, "--format", "csv").stdout))
    assert [list(row) for row in found] == [list(row) for row in rows]


def test_what_the_command_prints_the_library_returns(measured, folder):
    printed = measured("summary", "--best", "--format", "latex").stdout
    assert Results(folder / "results").summary_text("latex", table="best") == printed


@needs_addon("compare")
def test_a_comparison_has_captions_with_both_campaigns(measured):
    names = ("--encoding", "pairwise,product", "--backend", "minisat22", "--repeat", 1)
    measured("run", "--n", "4..8", *names, "--no-plots", "--results", "newer")
    found = measured("compare", "results", "newer", "--format", "latex")
    assert found.returncode == 0
    labels = re.findall(r"\\label\{(.*)\}", found.stdout)
    assert labels == ["tab:compared-missing", "tab:compared-ratios"]
    for caption in re.findall(r"\\caption\{(.*)\}", found.stdout):
        assert "OLD: n-queens, n = 4 to 7, " in caption
        assert "NEW: n-queens, n = 4 to 8, " in caption
    as_markdown = measured("compare", "results", "newer", "--format", "markdown").stdout
    assert "P is of signed ranks, for all rows together." in as_markdown
    as_csv = measured("compare", "results", "newer", "--format", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(as_csv.stdout)) if row["what"] == "ratio"]
    assert [row["encoding"] for row in rows] == [
        row["encoding"]
        for row in json.loads(measured("compare", "results", "newer", "--json").stdout)["ratios"]
    ]


def test_lists_have_each_format(measured, monkeypatch):
    """Which backends work, which takes long to try, does not matter here."""
    monkeypatch.setattr(availability, "_working", lambda _, names, begin: names)
    as_latex = measured("list", "families", "--format", "latex").stdout
    assert r"\label{tab:families}" in as_latex
    assert r"n\textsuperscript{2}" in as_latex
    assert measured("list", "families", "--format", "markdown").stdout.startswith("| name |")
    names = [row["name"] for row in json.loads(measured("list", "families", "--json").stdout)]
    found = csv.DictReader(io.StringIO(measured("list", "families", "--format", "csv").stdout))
    assert [row["name"] for row in found] == names
    backends = csv.DictReader(io.StringIO(measured("list", "backends", "--format", "csv").stdout))
    (minisat,) = (row for row in backends if row["name"] == "minisat22")
    assert "counters" in minisat["capabilities"].split()


def test_a_mixture_is_warned_of_beside_a_table_for_a_paper(measured):
    more = ("--encoding", "pairwise,product", "--backend", "minisat22", "--time-limit", "20s")
    measured("run", "--n", "4..7", *more, "--repeat", 1, "--no-plots", "--results", "other")
    measured("merge", "results", "--results", "other")
    done = measured("summary", "--results", "other", "--format", "latex")
    assert "2 time limits are mixed" in done.stderr
    assert "Limits of a run: 20~s or 30~s and" in done.stdout


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("summary", "--format", "latx"), "did you mean 'latex'"),
        (("summary", "--schemes", "--format", "latex"), "nothing to compare: this needs formulas"),
        (("summary", "--format", "latex", "--width", "lncs"), "choose from one, two, llncs"),
        (("plot", "--width", "3miles"), "write a length such as 12.2cm"),
        (("plot", "--width", "1cm"), "is not from 3 to 20 inches"),
    ],
)
def test_what_is_wrong_is_one_line(measured, asked, said):
    done = measured(*asked)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_columns_that_do_not_fit_a_narrow_text_are_named(measured):
    wide, narrow = (
        measured("summary", "--format", "latex", "--width", width) for width in ("llncs", "3in")
    )
    assert (wide.stderr, narrow.stderr.count("\n")) == ("", 1)
    assert "not in the table, as the text is too narrow: " in narrow.stderr
    assert "largest n" in narrow.stderr


def test_a_plot_for_a_paper_has_its_caption_beside_it(measured):
    asked = ("--kind", "cactus", "--width", "llncs", "--format", "pdf", "--no-title")
    done = measured("plot", *asked, "--output", "figures")
    assert done.stderr == "plots: figures/cactus.{pdf,tex}\n"
