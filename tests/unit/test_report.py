"""The report page of a campaign: its statements and its content."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import polars as pl
import pytest
from databases import database, exported
from made_pages import (
    ODD,
    WITH_CRASHES,
    charts_of,
    column_of,
    data_of,
    empty_charts,
    page_of,
    titles_of,
    undrawn,
)
from made_records import DEAD, DONE, LATE, THREE, campaign, table
from printed_tables import print_table_of

from nqbench import summary
from nqbench.common.machine.environment import Conditions, Environment, Session
from nqbench.common.units import counted, percent, seconds, three_digits
from nqbench.common.vocabulary import Verdict
from nqbench.records.store import Store
from nqbench.records.store_file import SCHEMA_VERSION
from nqbench.show import plots
from nqbench.show.plots import layout, style
from nqbench.show.report import figures, page
from nqbench.show.report.contents import Contents
from nqbench.show.report.figures import SVG
from nqbench.show.report.page import render
from nqbench.show.report.tables import number
from nqbench.summary.findings import findings
from nqbench.summary.findings.cautions import Output, cautions

WICKED = "<script>alert(1)</script>"


@cache
def page_with_crashes():
    return page_of(WITH_CRASHES)


def without_scripts(page):
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def caveats(records, sessions=()):
    return [
        sentence.replace("\xa0", " ")
        for sentence in cautions(records, Output.PAGE, sessions=sessions)
    ]


def test_wrong_answers_and_crashes_come_first():
    records = table((4, DONE, 1.0), (5, DONE, 1.0, Verdict.REFUTED), (6, DEAD, None))
    page = undrawn(records)
    assert page.index("Wrong answers and crashes") < page.index('id="findings"')
    assert "Wrong answers and crashes" not in undrawn(table((4, DONE, 1.0)))


def test_caveats_tell_what_spoils_timings():
    calm = Conditions(0.0, 0.1, 0, None)
    busy = Session("nqbench run", Conditions(0.0, 9.0, 0, "powersave"), calm, 10, 2, 0.5)
    told = " ".join(caveats(table((4, DONE, 1.0)), [busy]))
    assert "2 runs at the same time share caches and memory." in told
    assert "The governor powersave changes the speed of the CPUs." in told
    assert "Few repeats" in told
    three = table((4, DONE, 1.0), (4, DONE, 1.0), (4, DONE, 1.0))
    assert caveats(three) == []
    noisy = table((4, DONE, 1.0), (4, DONE, 1.1), (4, DONE, 0.9), (5, DONE, 1.0))
    told = [
        "The slowest repeat of a run takes 22 % more time than the fastest "
        "(median over combinations and boards)."
    ]
    assert caveats(noisy) == told
    assert caveats(noisy.with_columns(shuffle=pl.lit(1))) == []


def test_numbers_are_written_one_way_and_only_all_is_100_percent():
    many = pl.concat([table((4, LATE, None)), *[table((4, DONE, 1.0))] * 1137])
    assert any("1137 of 1138\xa0runs" in said for said in findings(many))
    page = undrawn(many)
    assert "1138 runs" in page
    assert "1137/1138" in page
    assert "<td>1 timeout</td>" in page
    assert not re.search(r"1[,\s]13[78]", without_scripts(page))


def test_a_share_is_the_same_in_the_picture_on_the_page_and_in_the_table():
    """Of two in three, and of 133 in 200, which is 66.5 % exactly."""
    for solved, runs in ((2, 3), (133, 200)):
        seconds = [1.0] * solved + [None] * (runs - solved)
        records = campaign(a=[1.0] * runs, b=seconds)
        text = percent(solved / runs)
        cells = plots.draw(records, "heatmap").axes[0].texts
        assert [cell.get_text().split("\n")[1:] for cell in cells] == [[], [text]]
        (row,) = summary.overview(records).filter(backend="b").iter_rows(named=True)
        assert f"{solved} of {runs} runs solved" in undrawn(records, "heatmap")
        assert percent(row["solved_share"]) == text


def test_caveats_that_differ_in_a_number_are_one():
    def loaded(load, jobs):
        conditions = Conditions(0.0, load, 0, None)
        return Session("nqbench run", conditions, conditions, 10, jobs, 0.5)

    sessions = [loaded(4.5, 1), loaded(5.25, 2), loaded(11.0, 2), loaded(0.1, 1)]
    told = caveats(table(*[(4, DONE, 1.0)] * 3), sessions)
    assert told == [
        "2 runs at the same time share caches and memory.",
        "The load was 4.5 to 11 on 1 CPU at the start.",
    ]


def test_a_machine_is_described_once_with_all_that_was_on_it():
    here = Environment(
        cpu_model="a CPU", cpu_count=2, memory_bytes=2**34, kernel="Linux 6", python="CPython 3.12",
        nqbench="0.1.0", packages={"numpy": "2.1", "nqbench": "0.1.0"}, git_commit="1" * 40,
        git_dirty=False,
    )  # fmt: skip
    later = replace(here, packages={"numpy": "2.2", "python-sat": "1.9"}, git_dirty=True)
    other = replace(here, cpu_model="another CPU", git_commit=None)
    assert page.described([here, other, later, here]) == [
        "a CPU, 2 CPUs, 16 GiB, Linux 6, CPython 3.12, nqbench 0.1.0 "
        "(commit 1111111111 or 1111111111 with changes), numpy 2.1 or 2.2, python-sat 1.9.",
        "another CPU, 2 CPUs, 16 GiB, Linux 6, CPython 3.12, nqbench 0.1.0, numpy 2.1.",
    ]


@pytest.mark.parametrize("records", ODD.values(), ids=ODD)
def test_whatever_was_measured_makes_a_page(records):
    data = data_of(undrawn(records))
    for name in ("outcome", "n", "answer"):
        assert column_of(data, name) == records[name].to_list()


def test_names_and_messages_cannot_become_a_part_of_the_page():
    records = table((4, DONE, 1.0), (5, DEAD, None)).with_columns(
        backend=pl.lit(WICKED), message=pl.lit(WICKED), instance=pl.lit(WICKED)
    )
    page = undrawn(records)
    assert WICKED not in page
    assert column_of(data_of(page), "backend") == [WICKED, WICKED]


COMMAND = "--n 4..8 --encoding pairwise,product --backend minisat22,glucose4 --repeat 1"


@pytest.fixture(scope="module")
def page_of_a_campaign(nqbench_in, tmp_path_factory):
    """What the commands write that a user types."""
    folder = tmp_path_factory.mktemp("campaign")
    nqbench_in(folder)(*COMMAND.split(), "--no-plots", "--quiet")
    written = nqbench_in(folder)("report")
    assert written.returncode == 0, written.stderr
    return (folder / "results" / "report.html").read_text()


def test_the_page_is_self_contained_and_small(page_of_a_campaign):
    assert len(page_of_a_campaign) < 3_000_000
    outside = r'(?:src|href)="(?!#|data:)|@import|url\((?!#)'
    assert not re.search(outside, without_scripts(page_of_a_campaign))
    assert page_of_a_campaign.count("<figure>") == 5


def test_a_store_without_records_or_of_tomorrow_gets_one_line(nqbench, tmp_path):
    assert "no results at results" in nqbench("report").stderr
    with Store(tmp_path / "results" / "nqbench.db"):
        pass
    empty = nqbench("report")
    assert (empty.returncode, empty.stderr.count("\n")) == (2, 1)
    assert "has no records yet" in empty.stderr
    with database(tmp_path / "results" / "nqbench.db") as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    newer = nqbench("report")
    assert (newer.returncode, newer.stderr.count("\n")) == (2, 1)
    assert "written by a newer nqbench" in newer.stderr


@pytest.mark.parametrize(
    "value", [0.0123456, 1.005, 11.345, 99.96, 146, 1041.7, 11143.0, 100_600.0]
)
def test_the_table_has_the_digits_of_the_command_line(value):
    assert float(number(value, 1)) == float(three_digits(value))
    assert number(value / 1000, 0.001) == number(value, 1)


def overview_of(page):
    """The texts of the table of encodings and backends: the headings, and each row."""
    table = page.partition('id="overview"')[2].partition("</table>")[0]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("</tr>")]
    return [[re.sub("<.*?>", "", cell) for cell in row] for row in rows if row]


@pytest.mark.parametrize("factor", [1e-5, 1e-3, 1])
def test_the_page_has_the_units_of_the_command_line(capsys, factor):
    """The median and the mean of 1 ms, 1 ms and 2.5 s are far apart."""
    records = campaign(a=[0.001, 0.001, 2.5], b=[0.002, 0.002, 3]).with_columns(
        pl.col("solve_s", "load_s", "encode_s") * factor
    )
    print_table_of("overview", records)
    printed = capsys.readouterr().out
    page = undrawn(records)
    headings, first, second = overview_of(page)
    (unit,) = {heading.split("(")[1] for heading in headings if heading.startswith("PAR-2")}
    assert set(re.findall(r"\((µ?m?s\))", printed)) == {unit}
    costs = [row[headings.index(f"PAR-2 ({unit}")] for row in (first, second)]
    assert all(float(cost) > 0 and cost in printed for cost in costs)


def test_the_table_names_below_it_what_is_the_same_in_every_row():
    page = undrawn(campaign(a=[1, 2], b=[2, 3]))
    ranked = ["encoding", "backend", "PAR-2 (s)"]
    times = ["encode (s)", "load (s)", "solve (s)", "total (s)"]
    assert overview_of(page)[0] == [*ranked, *times]
    assert "The same in every row: solved 2/2, solved (%) 100, largest n 5, wrong 0." in page
    uneven = undrawn(campaign(a=[1, 2], b=[2, None]))
    solved = ["solved", "solved (%)"]
    assert overview_of(uneven)[0] == [*ranked, *solved, *times, "largest n", "unsolved"]
    assert "The same in every row: wrong 0." in uneven


def test_date_command_machine_and_a_board_are_at_the_top(page_of_a_campaign):
    top = page_of_a_campaign.partition("<header>")[2].partition("</header>")[0]
    # The board has the size that is nearest to the well-known one.
    campaign, board = "2 encodings, 2 backends, boards of n = 4 to 8", "n=8</figcaption>"
    for said in (f"{datetime.now(UTC):%Y-%m-%d}", campaign, COMMAND, "CPUs", "GiB", board):
        assert said in top


def test_facts_that_are_not_known_are_left_out():
    records = THREE.with_columns(started_at=pl.lit(None, pl.Float64), machine=pl.lit("a CPU"))
    facts = dict(page.facts(Contents("a title", records, [], [])))
    assert facts == {
        "campaign": "1 encoding, 3 backends, boards of n = 4 to 8, 1 repeat",
        "machine": "a CPU",
    }


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (90_000.0 + 30, "1970-01-02 01:00 UTC"),
        (90_000.0 + 3600, "1970-01-02 01:00 to 02:00 UTC"),
        (90_000.0 + 86_400, "1970-01-02 01:00 to 1970-01-03 01:00 UTC"),
    ],
)
def test_the_date_is_that_of_the_first_and_the_last_run(last, said):
    records = table((4, DONE, 1.0), (5, DONE, 1.0))
    records = records.with_columns(started_at=pl.Series([last, 90_000.0]))
    assert dict(page.facts(Contents("a title", records, [], [])))["measured"] == said


def test_a_page_has_the_units_of_evidence_that_were_asked_for(tmp_path):
    """Sixteen formulas in eight folders; the page that a campaign updates is one without units."""
    base = [0.01 * 1.3**board for board in range(16)]
    records = campaign(a=base, b=[1.01 * seconds for seconds in base]).with_columns(
        family=pl.lit("cnf"),
        instance=pl.format("{}/{}", pl.col("n") // 2, "n"),
        n=pl.lit(None, pl.Int64),
        encoding=pl.lit("file"),
    )
    path = tmp_path / "records.csv"
    path.write_bytes(exported(records))
    of_problems, of_groups = (
        Contents.read(path, "t", unit=unit) for unit in (None, "formula_family")
    )
    assert of_groups.digest != of_problems.digest
    with empty_charts():
        pages = [render(contents).replace("\xa0", " ") for contents in (of_problems, of_groups)]
    assert ["families or folders as one piece" in page for page in pages] == [True, False]
    assert "evidence_group" not in pages[1]


SPENT = campaign(a=[1.0, 2.0, None, None], b=[2.0, 1.5, 3.0, None]).with_columns(
    outcome=pl.col("outcome").replace("timeout", "work-limit"),
    answer=pl.when(outcome="timeout").then(pl.lit("unknown")).otherwise("answer"),
)
"""Runs that a limit of work ended."""


def test_runs_at_a_limit_of_work_are_counted_under_that_name():
    """Whatever a reader chooses: no script computes the table of the page."""
    page = undrawn(SPENT, "time-over-n")
    assert [row[-1] for row in overview_of(page)[1:]] == ["1 work-limit", "2 work-limit"]
    over_n = [title for title in titles_of(page, "time-over-n") if "n = " in title]
    times = {
        "a": ["1 s", "2 s", "10 s, 1 of 1 unsolved", "10 s, 1 of 1 unsolved"],
        "b": ["2 s", "1.5 s", "3 s", "10 s, 1 of 1 unsolved"],
    }
    assert sorted(over_n) == [
        f"e x {name}, n = {n}: {text}"
        for name, texts in times.items()
        for n, text in enumerate(texts, 4)
    ]


def test_each_mark_says_which_problem_and_which_value():
    page = page_with_crashes()
    for row in summary.overview(WITH_CRASHES).iter_rows(named=True):
        solved = f"{row['solved']} of {row['runs']} runs solved"
        name = f"{row['encoding']} x {row['backend']}"
        text = f"{name}: PAR-2 {seconds(row['par2_s'])}, {solved}"
        assert text in titles_of(page, "heatmap")
    clauses = summary.sizes(WITH_CRASHES).select("encoding", "n", "clauses").rows()
    sizes = [title for title in titles_of(page, "sizes") if "clauses" in title]
    assert sorted(sizes) == [
        f"{name}, n = {n}: {counted(size, 'clause')}" for name, n, size in clauses
    ]
    means = summary.phases(WITH_CRASHES).filter(backend="a").row(0, named=True)
    assert f"e x a, solve: {seconds(means['solve_s'])}" in titles_of(page, "phases")


def test_the_cactus_chart_has_solved_problems_that_all_combinations_ran_on():
    """The last board was measured with one of them only."""
    page = undrawn(campaign(a=[1.0, None, 3.0], b=[2.0, 1.5, 0.5, 0.1]), "cactus")
    points = [title for title in titles_of(page, "cactus") if "solved by then" in title]
    assert sorted(points) == [
        "e x a: queens n=4, 1 s (1 solved by then)",
        "e x a: queens n=6, 3 s (2 solved by then)",
        "e x b: queens n=4, 2 s (3 solved by then)",
        "e x b: queens n=5, 1.5 s (2 solved by then)",
        "e x b: queens n=6, 500 ms (1 solved by then)",
    ]


def test_the_pointer_meets_the_marks(monkeypatch):
    """The place with a text is that of the mark, which Matplotlib draws by itself."""
    monkeypatch.setattr(layout, "MOST_PANELS", 1)
    chart = charts_of(undrawn(campaign(a=[1.0, 2.0, 0.5]), "time-over-n"))["time-over-n"]
    (line,) = (part for part in chart.iter() if part.get("class") == "mark")
    marks = [(float(use.get("x")), float(use.get("y"))) for use in line.iter(f"{SVG}use")]
    circles = [(float(c.get("cx")), float(c.get("cy"))) for c in line.iter(f"{SVG}circle")]
    assert len(marks) == 3
    assert [*map(pytest.approx, marks, [None] * 3, [0.02] * 3)] == circles


def test_a_chart_with_many_points_has_texts_for_some_and_stays_small(monkeypatch):
    monkeypatch.setattr(figures, "_MOST_POINTS", 4)
    monkeypatch.setattr(figures, "_MOST_MARKS", 10)
    formulas = [f"f{place}" for place in range(7)]
    records = campaign(a=[7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], b=[1.0] * 7).with_columns(
        instance=pl.Series(formulas * 2), n=pl.lit(None, pl.Int64)
    )
    charts = charts_of(undrawn(records, "cactus", "time-over-instances"))
    circles = [*charts["cactus"].iter(f"{SVG}circle")]
    assert len(circles) == 4
    crowded = charts["time-over-instances"]
    assert [*crowded.iter(f"{SVG}image")]
    assert not [*crowded.iter(f"{SVG}circle")]


def test_a_page_of_many_runs_stays_small():
    """A chart has no mark for each repeat."""
    one = campaign(a=[1.0, 2.0], b=[2.0, 3.0])
    many = pl.concat([one.with_columns(repeat=pl.lit(k, pl.Int64)) for k in range(40)])
    counts = [len(titles_of(undrawn(each, "cactus"), "cactus")) for each in (one, many)]
    assert counts == [6, 6]


def test_each_id_is_on_the_page_once_and_each_reference_has_one():
    page = without_scripts(page_with_crashes())
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    used = re.findall(r'(?:href="|url\()#([^")]*)', page)
    assert len(set(used)) > 8
    assert set(used) <= {*ids, ""}


def _luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", [*style.COLOURS, style.GREY])
def test_colours_can_be_read_on_a_dark_page(colour):
    """By the contrast that WCAG 2 asks for texts."""
    contrast = (_luminance(figures.dark(colour.lower())) + 0.05) / (_luminance("#161616") + 0.05)
    assert contrast > 4.49


def test_a_dark_page_sets_every_colour_of_a_chart():
    for chart in charts_of(page_with_crashes()).values():
        (rule,) = (part.text for part in chart.iter(f"{SVG}style"))
        styles = " ".join(part.get("style", "") for part in chart.iter())
        used = set(re.findall(r"var\((--c\w+)", styles))
        assert used == set(re.findall(r"(--c\w+):", rule))


def test_a_page_does_not_grow_by_a_long_name_for_each_size():
    name = "e" * 300

    def times_named(sizes):
        runs = table(*((n, DONE, 1.0 + n) for n in range(4, 4 + sizes)))
        return undrawn(runs.with_columns(encoding=pl.lit(name))).count(name)

    assert times_named(60) == times_named(30)
