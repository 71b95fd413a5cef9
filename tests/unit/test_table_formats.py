"""Tables for papers and other programs: nothing in a text is a command, and no value is lost."""

import csv
import io
import json
import re

import polars as pl
import pytest
from addons import is_here, needs_addon
from latex_compiled import compile_document, with_latex
from made_records import DONE, LATE, MIXED, campaign, table
from printed_tables import print_table_of

from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.results import Results
from nqbench.show import latex
from nqbench.show.paper import CLASSES
from nqbench.show.tables import formats
from nqbench.show.tables.columns import Column, Table, name_column
from nqbench.show.tables.kind import Asked
from nqbench.show.tables.kinds import KINDS
from nqbench.summary import Measured

if is_here("compare"):
    from nqbench.addons.compare.gate import Gate, compared
    from nqbench.addons.compare.tables import tables

HOSTILE = (
    r"a_b 50% {x} $y$ #1 & ~ ^ \input{/etc/passwd} [*] <p> |q| --fast 'r' " + "\N{MICRO SIGN}s"
)
TWO = pl.concat([MIXED, MIXED.with_columns(pl.col("solve_s") * 2, backend=pl.lit("slow_er"))])


def results(records):
    """Results that have these records, from no file."""
    found = Results("nowhere")
    found.chosen = found.records = records
    return found


def hostile():
    columns = [name_column("name"), Column("p"), Column("count"), Column("note")]
    rows = [
        {"name": HOSTILE, "p": 1.2e-7, "count": 3, "note": None},
        {"name": "[", "p": -0.5, "count": None, "note": "x" * 50},
    ]
    return Table(columns, rows, f"Of {HOSTILE}", "tab:hostile")


def test_no_text_is_a_command_of_latex():
    assert latex.escaped(HOSTILE) == (
        r"a\_b 50\% \{x\} \$y\$ \#1 \& \textasciitilde{} \textasciicircum{} "
        r"\textbackslash{}input\{/etc/passwd\} {[}{*}{]} \textless{}p\textgreater{} "
        r"\textbar{}q\textbar{} -{}-fast `r' $\mu$s"
    )


def test_a_table_of_latex_has_rules_and_aligned_numbers():
    text = formats.to_latex([hostile()])
    assert text.startswith("% Needs \\usepackage{booktabs,tabularx}\n\\begin{table}\n")
    for command in ("toprule", "midrule", "bottomrule", "caption{Of a", "label{tab:hostile}"):
        assert text.count(f"\\{command}") == 1
    (aligned,) = re.findall(r"\\begin\{tabularx\}\{\\linewidth\}\{(.*)\}", text)
    assert re.sub(r">\{.*?\}X", "X", aligned) == "@{}XrrX@{}"
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert [len(re.split(r"(?<!\\)&", row)) for row in rows] == [4, 4, 4]
    assert r"$1.20 \times 10^{-7}$ & 3 & -- \\" in rows[1]
    assert rows[2].startswith("{[} & $-0.500$ & -- & ")


@with_latex
def test_latex_compiles_a_table_with_any_text(tmp_path):
    text = formats.to_latex([hostile()])
    assert compile_document(tmp_path, "booktabs,tabularx", text, "12.2cm") == []


def long_names():
    """Records of combinations whose names are long, short, and without a place to break them."""
    named = {
        "cardinality-network:state=alo-columns:symmetry=half:order=proximity": (
            "exe:/opt/solvers/kissat-4.0.1/build/kissat --sat --time=60 --no-preprocess"
        ),
        "file:amo=commander:group=4": f"exe:/home/{'a' * 70}",
        "product": "ipasir:libsomesolverwithalongname.so",
    }
    return pl.concat(
        MIXED.with_columns(
            encoding=pl.lit(encoding), backend=pl.lit(backend), solve_s=pl.col("solve_s") * factor
        )
        for factor, (encoding, backend) in enumerate(named.items(), 1)
    )


@needs_addon("compare")
@with_latex
@pytest.mark.parametrize("width", ["llncs", "sigconf", "sigconf-page"])
def test_no_table_is_wider_than_the_text(tmp_path, width):
    texts = [
        results(records).summary_text("latex", table=name, width=width)
        for records in (TWO, long_names())
        for name in KINDS
        if name != "schemes"
    ]
    changed = compared(TWO, long_names())
    texts.append(formats.to_latex(tables(changed, Gate().slower(changed), False), width))
    body = "\n\\clearpage\n".join(texts)
    assert compile_document(tmp_path, "booktabs,tabularx", body, CLASSES[width]) == []


def test_names_that_fit_are_not_broken_and_a_width_of_two_columns_spans_them():
    one, both = (results(TWO).summary_text("latex", width=w) for w in ("llncs", "sigconf-page"))
    assert r"pairwise & slow\_er & " in one
    assert r"pairwise & slow\_er & " in both
    assert r"\begin{table}" in one
    assert both.count(r"{table*}") == both.count("{tabular}") == 2


def test_the_least_important_columns_go_first_where_the_text_is_too_narrow():
    for width, there in (("sigconf-page", True), ("sigconf", False)):
        text = results(long_names()).summary_text("latex", width=width)
        assert (formats.LEFT_OUT in text) != there
        assert (r"\shortstack[r]{load\strut" in text) == there
        assert r"\shortstack[r]{PAR-2\strut" in text


def test_a_table_of_markdown_has_a_cell_for_each_value():
    text = formats.to_markdown([hostile()])
    head, aligned, first, _, blank, below = text.splitlines()
    assert head == "| name | p | count | note |"
    assert aligned == "| --- | ---: | ---: | --- |"
    assert blank == ""
    assert [len(re.split(r"(?<!\\)\|", line)) for line in (head, aligned, first)] == [6, 6, 6]
    assert r"\|q\|" in first
    assert below.startswith(r"Of a\_b")


def as_csv(value):
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("name", KINDS)
def test_csv_and_json_have_the_values_unrounded(name):
    found = results(TWO)
    frame = found.summary(table=name)
    rows = list(csv.DictReader(io.StringIO(found.summary_text("csv", table=name))))
    as_json = json.loads(found.summary_text("json", table=name))
    assert len(rows) == len(as_json) == len(frame)
    for row, objects, true in zip(rows, as_json, frame.to_dicts(), strict=True):
        assert list(row) == list(objects) == list(true)
        assert row == {key: as_csv(value) for key, value in true.items()}
        assert objects == true


@pytest.mark.parametrize("kind", ["latex", "markdown"])
def test_each_family_has_a_table_with_a_label(kind):
    both = pl.concat([TWO, TWO.with_columns(family=pl.lit("latin_squares"))])
    text = results(both).summary_text(kind)
    if kind == "latex":
        labels = re.findall(r"\\label\{(.*)\}", text)
        assert labels == ["tab:overview-latin-squares", "tab:overview-queens"]
        assert r"slow\_er" in text
    assert text.count("PAR-2 is the mean") == 2


def test_every_column_is_there_whatever_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    head = results(TWO).summary_text("markdown").splitlines()[0]
    for title in ("encoding", "backend", "solved", "encode", "load", "total", "wrong", "unsolved"):
        assert title in head


def test_a_paper_has_the_share_solved_and_wrong_answers_even_if_there_are_none():
    fine = results(table((4, DONE, 1.0), (5, LATE, None), (6, DONE, 2.0)))
    head, _, row = fine.summary_text("markdown").splitlines()[:3]
    cells = dict(zip(head.split(" | "), row.split(" | "), strict=True))
    assert (cells["solved"], cells["solved (%)"], cells["wrong"]) == ("2/3", "67", "0")
    latex_text = fine.summary_text("latex", width="sigconf-page")
    assert re.search(r"shortstack\[r\]\{solved.*\(\\%\)", latex_text)
    assert "& wrong &" in latex_text
    (as_json,) = json.loads(fine.summary_text("json"))
    assert (as_json["solved_share"], as_json["wrong"]) == (2 / 3, 0)


def captioned(name, records):
    """The caption of a table, with plain spaces."""
    asked = Asked(Measured(records), metrics.USUAL, by=(), in_paper=True)
    ((_, of),) = KINDS[name].tables(asked)
    text = of.caption_of(of.columns)
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_a_caption_says_what_a_reviewer_asks():
    text = captioned("overview", TWO)
    for part in (
        "n-queens, n = 4 to 7", "2 solvers", "1 repeat", "24 runs on 4 boards",
        "Limits of a run: 10 s and 4 GiB of memory", "Measured by a harness on a machine",
        "PAR-2 is the mean solve time, with unsolved runs at twice the limit", "Times are medians",
    ):  # fmt: skip
        assert part in text


def test_a_caption_of_comparisons_names_the_test_and_its_correction():
    three = pl.concat([TWO, MIXED.with_columns(backend=pl.lit("third"))])
    for name in ("pairs", "best"):
        text = captioned(name, three)
        assert "P is of signed ranks of the log ratios" in text
        assert "for all 3 pairs together by joint sign flips" in text
        assert "a percentile-t interval of this row only" in text


def test_a_caption_explains_the_columns_that_are_there():
    latex = results(TWO).summary_text("latex", table="pairs", width="8cm")
    left_out = re.search(formats.LEFT_OUT + "(.*)", latex)[1].split(", ")
    assert "mean ratio" in left_out
    assert "The mean ratio is" not in latex
    assert "P is of signed ranks" in latex
    wide = results(TWO).summary_text("latex", table="pairs", width="40cm")
    assert formats.LEFT_OUT not in wide
    assert "The mean ratio is" in wide
    solved = campaign(a=[1.0] * 8, b=[2.0] * 8)
    assert "who solves more" not in results(solved).summary_text("latex", table="pairs")


def test_a_caption_has_each_limit_and_machine_that_the_records_have():
    other = MIXED.with_columns(
        time_limit_s=20.0, machine=pl.lit("another"), conflict_limit=pl.lit(7, pl.Int64)
    )
    records = pl.concat([MIXED, other])
    text = captioned("overview", records)
    assert "Limits of a run: 10 s or 20 s and 4 GiB of memory and 7 conflicts" in text
    assert "on a machine or another." in text


def test_a_counter_has_no_limit_in_its_caption():
    counted = table((4, DONE, 1.0), (5, DONE, 1.0)).with_columns(restarts=pl.lit(3, pl.Int64))
    text = results(counted).summary_text("markdown", "restarts")
    assert "PAR-2 is the mean number of restarts." in text


@pytest.mark.parametrize("name", ["pairs", "best", "schemes"])
def test_a_table_without_rows_says_what_is_missing(name):
    with pytest.raises(InputError, match="nothing to compare: this needs"):
        results(table((4, DONE, 1.0), (5, LATE, None))).summary_text("latex", table=name)


def test_an_unknown_format_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="unknown format 'latx': did you mean 'latex'"):
        results(MIXED).summary_text("latx")


def explained_in_vain(left_out, text):
    """The sentences after the first one that begin with a column that is left out, such as `Low and
    high are ...`.
    """
    names = [re.escape(heading.partition(" (")[0]) for heading in left_out]
    begins = re.compile(rf"(?:\w+ and )?(?:{'|'.join(names)})\b(?! of a run)", re.IGNORECASE)
    return [sentence for sentence in re.split(r"(?<=\.) ", text)[1:] if begins.match(sentence)]


@pytest.mark.parametrize("name", [name for name in KINDS if name != "schemes"])
def test_no_text_explains_a_column_that_is_not_shown(name, monkeypatch, capsys):
    boards = range(1, 25)  # as many as `stability` needs
    many = campaign(**{pair: [float(n) for n in boards] for pair in ("a" * 30, "b" * 30)})
    latex_text = results(many).summary_text("latex", table=name, width="8cm")
    if left_out := re.search(formats.LEFT_OUT + "(.*)", latex_text):
        caption = re.search(r"\\caption\{(.*)\}", latex_text)[1]
        assert explained_in_vain(left_out[1].split(", "), caption) == []
    monkeypatch.setenv("COLUMNS", "45")
    print_table_of(name, many)
    out, err = capsys.readouterr()
    if left_out := re.search("not shown at a width of 45: (.*);", err):
        assert explained_in_vain(left_out[1].split(", "), " ".join(out.split())) == []


@needs_addon("compare")
def test_a_comparison_explains_only_the_columns_that_it_shows():
    comparison = compared(long_names(), long_names())
    changed = tables(comparison, Gate().slower(comparison), False)
    narrow, wide = (formats.to_latex(changed, width) for width in ("8cm", "50cm"))
    (left_out,) = re.findall(formats.LEFT_OUT + "(.*)", narrow)
    for heading, text in ((", p,", "P is of"), ("mean ratio", "The mean ratio is")):
        assert heading in left_out
        assert text not in narrow
        assert text in wide
        assert text in formats.to_markdown(changed)
