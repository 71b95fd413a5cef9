"""The report page of several families, of formulas, in print, and its table of problems."""

import re

import polars as pl
import pytest
from made_pages import charts_of, data_of, looked_at, page_of, titles_of
from made_records import DONE, LATE, THREE, campaign, table

import nqbench as package
from nqbench import summary
from nqbench.common.vocabulary import NOT_YET
from nqbench.show.plots.kind import Chart
from nqbench.show.report import tables
from nqbench.show.report.blocks import placed
from nqbench.show.report.contents import unit_of

QUEENS = campaign(a=[1.0, 2.0, 3.0], b=[1.5, 2.5, 9.0])
LATIN = campaign(a=[0.1, 0.2, 0.6], b=[0.3, None, 0.5]).with_columns(family=pl.lit("latin"))
BOTH = pl.concat([QUEENS, LATIN]).with_columns(run_id=pl.int_range(pl.len()).cast(pl.String))
FORMULAS = pl.concat(
    table((None, DONE, seconds), (None, LATE, None)).with_columns(
        backend=pl.lit(backend), encoding=pl.lit("file"), family=pl.lit("cnf"),
        instance=pl.Series(["easy.cnf", "hard.cnf"]),
    )
    for backend, seconds in (("glucose4", 1.0), ("minisat22", 2.0))
)  # fmt: skip


@pytest.fixture(autouse=True)
def size_and_medium(browser):
    yield
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def texts_of(page, table):
    script = "return [...element(arguments[0]).rows].map(r => [...r.cells].map(c => c.textContent))"
    return page.execute_script(script, table)


def test_each_family_has_its_own_charts_and_table(browser, tmp_path):
    """Pooled, both combinations would have one line over n = 4 to 6, and one row each."""
    latin, queens = (
        sorted(
            title.partition("e x ")[2] for title in titles_of(page_of(BOTH), chart) if "=" in title
        )
        for chart in ("time-over-n", "time-over-n-1")
    )
    assert latin == [
        "a, n = 4: 100 ms", "a, n = 5: 200 ms", "a, n = 6: 600 ms", "b, n = 4: 300 ms",
        "b, n = 5: 10 s, 1 of 1 unsolved", "b, n = 6: 500 ms",
    ]  # fmt: skip
    assert queens == [
        "a, n = 4: 1 s", "a, n = 5: 2 s", "a, n = 6: 3 s", "b, n = 4: 1.5 s", "b, n = 5: 2.5 s",
        "b, n = 6: 9 s",
    ]  # fmt: skip
    page = looked_at(browser, tmp_path, BOTH)
    for suffix, own in (("", LATIN), ("-1", QUEENS)):
        rows = summary.overview(own).to_dicts()
        overview_table = tables.overview_table(rows, unit_of(rows))
        columns = overview_table.columns
        shown = [[c.show(row[c.name]) for c in columns] for row in overview_table.rows]
        assert texts_of(page, f"overview{suffix}")[1:] == shown


def test_each_family_has_a_verdict_at_the_top():
    page = page_of(BOTH).replace("\N{NO-BREAK SPACE}", " ")
    top = page[: page.index("</header>")]
    for name, own in (("latin", LATIN), ("n-queens", QUEENS)):
        assert f"<strong>{name}</strong>: {package.findings(own)[0]}</p>" in top


def test_the_word_file_is_not_on_a_page_of_formulas(browser, tmp_path):
    """The name of the encoding that leaves formulas as they are says nothing to a reader."""
    page = looked_at(browser, tmp_path, FORMULAS)
    page.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    text = page.execute_script("return document.body.innerText")
    assert "PAR-2 of each backend" in text
    assert "each encoding" not in text
    assert "n=8" not in text
    assert "glucose4" in text
    assert "hard.cnf" in text
    assert not re.search(r"\bfile\b", text)
    charts = charts_of(page_of(FORMULAS)).values()
    assert len(charts) > 2
    texts = [text for chart in charts for text in chart.itertext()]
    assert not any(re.match(r"file( x|$)", text) for text in texts)


def test_runs_are_ordered_by_problem_combination_and_repeat():
    again = BOTH.with_columns(repeat=pl.lit(1, BOTH.schema["repeat"]))
    shuffled = pl.concat([BOTH, again]).sample(fraction=1, shuffle=True, seed=1)
    data = data_of(page_of(shuffled))["runs"]

    def column(name):
        if "values" in data[name]:
            return [data[name]["values"][code] for code in data[name]["codes"]]
        return data[name]["numbers"]

    rows = list(zip(*(column(name) for name in ("family", "n", "backend", "repeat")), strict=True))
    assert rows == sorted(rows)
    # A reader counts from 1.
    assert rows[:3] == [("latin", 4, "a", 1), ("latin", 4, "a", 2), ("latin", 4, "b", 1)]


def overhang(page):
    """Pixels of the table of runs that are out of view."""
    return page.execute_script(
        "const s = element('runs').parentElement; return s.scrollWidth - s.clientWidth"
    )


@pytest.mark.parametrize("width", [1000, 1600])
def test_no_text_in_the_table_of_runs_is_cut(browser, tmp_path, width):
    page = looked_at(browser, tmp_path, BOTH.with_columns(message=pl.lit("a message " * 9)), width)
    cut = page.execute_script(
        "return [...document.querySelectorAll('#runs td, #runs th')]"
        ".filter(c => c.scrollWidth > c.clientWidth + 1).map(c => c.textContent)"
    )
    assert cut == []
    assert overhang(page) <= 0


def test_the_table_of_runs_of_unchecked_formulas_fits(browser, tmp_path):
    """After `--budget`, runs differ in all of these columns, and many have no check yet."""
    later = FORMULAS.filter(outcome="finished").with_columns(
        answer=pl.lit("unsat"), verdict=pl.lit("unchecked"), checked_by=pl.lit("none"),
        message=pl.lit(NOT_YET), instance=pl.lit("uniform-random-230-11.cnf"),
        conflicts=pl.lit(1_234_567), clauses=pl.lit(98_765),
    )  # fmt: skip
    checked = FORMULAS.with_columns(checked_by=pl.lit("clauses"))
    records = pl.concat([checked, later], how="vertical_relaxed")
    page = looked_at(browser, tmp_path, records, 1000)
    titles = page.execute_script(
        "return [...document.querySelectorAll('#runs th')].map(cell => cell.textContent)"
    )
    assert {"verdict", "checked by", "conflicts"} <= set(titles)
    assert overhang(page) <= 0
    assert NOT_YET not in page.find_element("id", "runs").text


def test_the_message_of_a_run_is_a_line_below_it(browser, tmp_path):
    said = pl.when(outcome="timeout").then(pl.lit("a message " * 20))
    page = looked_at(browser, tmp_path, FORMULAS.with_columns(message=said), 1000)
    heading, *rows = texts_of(page, "runs")
    assert "message" not in heading
    assert [len(row) == 1 for row in rows] == [False, False, False, True, False, True]
    page.execute_script("element('filter').value = 'timeout'; element('filter').oninput()")
    assert [len(row) for row in texts_of(page, "runs")[1:]] == [len(heading), 1] * 2


def test_commands_in_sentences_are_code():
    page = page_of(FORMULAS.with_columns(verdict=pl.lit("unchecked"), message=pl.lit(NOT_YET)))
    assert "<code>nqbench check</code>" in page
    assert "`" not in page[: page.index("<script")]


def test_the_table_of_problems_has_medians_marks_the_best_and_names_unsolved_ones():
    page = page_of(THREE)
    part = page[page.index('class="problems"') :]
    rows = re.findall(r'<tr><th scope="row"[^>]*>([^<]*)</th><td>sat</td>(.*?)</tr>', part)
    cells = {
        name: re.findall(r'<td class="number( least)?" data-key="[^"]*">([^<]*)</td>', row)[:3]
        for name, row in rows
    }
    heads = re.findall(r'class="number">e<br>(\w)</th>', part)
    # PAR-2: a (1 + 1 + 4 + 20 + 2) / 5, b (2 + 1 + 2 + 20 + 8) / 5, c (9 + 9 + 9 + 3 + 20) / 5
    assert heads == ["a", "b", "c"]
    assert [*cells.values()] == [
        [(" least", "1.00"), ("", "2.00"), ("", "9.00")],
        [(" least", "1.00"), (" least", "1.00"), ("", "9.00")],
        [("", "4.00"), (" least", "2.00"), ("", "9.00")],
        [("", "timeout"), ("", "timeout"), (" least", "3.00")],
        [(" least", "2.00"), ("", "8.00"), ("", "timeout")],
    ]


def column_by_click(page, heading, place):
    """A column of the table of problems after a click on a heading."""
    return page.execute_script(
        "const table = document.querySelector('table.problems');"
        "table.tHead.rows[0].cells[arguments[0]].firstChild.click();"
        "return [...table.tBodies[0].rows].map(row => row.cells[arguments[1]].textContent)",
        heading,
        place,
    )


def test_a_click_on_a_heading_sorts_the_problems(browser, tmp_path):
    page = looked_at(browser, tmp_path, THREE)
    assert column_by_click(page, 2, 2) == ["1.00", "1.00", "2.00", "4.00", "timeout"]
    assert column_by_click(page, 2, 2) == ["timeout", "4.00", "2.00", "1.00", "1.00"]
    names = [f"queens n={n}" for n in range(4, 9)]
    assert column_by_click(page, 0, 0) == names
    assert column_by_click(page, 0, 0) == names[::-1]
    sorted_by = page.execute_script(
        "return [...document.querySelectorAll('table.problems th[aria-sort]')].map(c => c.ariaSort)"
    )
    assert sorted_by == ["descending", *["none"] * 5]


@pytest.mark.parametrize("wide", [(0, 0), (1, 0, 0), (1, 0), (0, 0, 0), (1, 0, 0, 1, 0), (0,)])
def test_no_chart_is_alone_in_half_a_row(wide):
    made = placed([Chart(str(i), wide=bool(each)) for i, each in enumerate(wide)])
    half = [chart for chart in made if not chart.wide]
    assert len(half) % 2 == 0
    assert len(made) == len(wide)


def test_charts_fill_their_rows(browser, tmp_path):
    page = looked_at(browser, tmp_path, BOTH)
    boxes = page.execute_script(
        "return [...document.querySelectorAll('#block .card')]"
        ".map(c => c.getBoundingClientRect()).map(b => [Math.round(b.top), Math.round(b.right)])"
    )
    rows = {}
    for top, right in boxes:
        rows.setdefault(top, []).append(right)
    assert max(map(len, rows.values())) == 2
    # Each row ends at the right edge.
    assert len({max(ends) for ends in rows.values()}) == 1


def test_in_print_there_are_no_runs_or_boards(browser, tmp_path):
    page = looked_at(browser, tmp_path, BOTH)
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    for part in (".runs", ".of-controls"):
        shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
        assert page.execute_script(shown, part) == "none"
    headings = (
        "return [...document.querySelectorAll('h2, h3')].map(h => getComputedStyle(h).breakAfter)"
    )
    assert set(page.execute_script(headings)) == {"avoid"}
