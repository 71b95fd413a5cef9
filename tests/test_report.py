"""The page of a campaign: what it says, what it holds, and how it behaves in a browser."""

import json
import re
import shutil
import sys
import time
from dataclasses import replace

import polars as pl
import pytest
from databases import database
from test_statistics import THREE, campaign
from test_summary import DEAD, DONE, LATE, table

from nqbench.errors import InputError
from nqbench.machine.conditions import Conditions, Session
from nqbench.machine.environment import Environment
from nqbench.records.record import Record
from nqbench.records.store import Store
from nqbench.records.store_file import SCHEMA_VERSION
from nqbench.report import findings, machines
from nqbench.report.contents import NEEDED, Contents
from nqbench.report.page import is_current, render, write
from nqbench.vocabulary import Outcome, Verdict

WICKED = "<script>alert(1)</script>"

MISSING = Outcome.UNAVAILABLE


def page_of(records):
    """Of the columns that the command reads."""
    return render(Contents("a title", records.select(NEEDED), [], []))


def headlines(records):
    """With simple spaces, for comparisons."""
    return [sentence.replace("\xa0", " ") for sentence in findings.headlines(records)]


def caveats(records, sessions=()):
    return [sentence.replace("\xa0", " ") for sentence in findings.caveats(records, [], sessions)]


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_findings_are_computed_from_the_data():
    extent, trust, winner, portfolio, growth, largest = headlines(THREE)
    assert extent == (
        "3 combinations of encoding and backend ran on 5 boards (n = 4 to 8): "
        "15 runs, 12 (80 %) of them solved."
    )
    assert trust == "No answer was found wrong; 12 were verified (12 by none)."
    # By hand: a costs 1 + 1 + 4 + 20 + 2 on five boards.
    assert winner.startswith("Least PAR-2: e x a with 5.6 s a board (95 % interval of the mean")
    assert "not surely different from it: e x b, e x c" in winner
    # The best choice costs 9 in place of 28.
    assert portfolio == (
        "Choosing the best combination for each board would save 68 % of that; "
        "most often fastest: e x a (50 %) and e x b (30 %)."
    )
    assert growth.startswith("Whether times grow as a power of n or exponentially, these data can")
    assert largest == "The largest n solved in every run is 8, by e x a, e x b."


def test_wrong_answers_and_crashes_come_first():
    records = table((4, DONE, 1.0), (5, DONE, 1.0, Verdict.REFUTED), (6, DEAD, None))
    assert "1 wrong answer and 1 crash." in headlines(records)
    page = page_of(records)
    assert page.index("Wrong answers and crashes") < page.index('id="findings"')
    assert "Wrong answers and crashes" not in page_of(table((4, DONE, 1.0)))


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
    assert "1\xa0138 runs, 1\xa0137 (99.9\xa0%) of them solved." in findings.headlines(many)[0]
    page = page_of(many)
    assert "1\xa0138 runs" in page
    assert "1\xa0137/1\xa0138" in page
    assert "<td>1 timeout</td>" in page
    assert not re.search(r"1,?13[78]", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))
    (told, *_) = headlines(table((4, DONE, 1.0)))
    assert told.endswith("ran on 1 board (n = 4): 1 run, all of them solved.")


def test_of_what_nobody_solved_nobody_is_the_best():
    (told,) = headlines(campaign(a=[None] * 4, b=[None] * 4))
    assert told.endswith("8 runs, none of them solved.")
    one = headlines(campaign(a=[1], b=[2]))
    assert "most often fastest: e x a (100 %)." in " ".join(one)


def test_caveats_that_differ_in_a_number_are_one():
    def loaded(load, jobs):
        conditions = Conditions(0.0, load, 0, None)
        return Session("nqbench run", conditions, conditions, 10, jobs, 0.5)

    sessions = [loaded(4.5, 1), loaded(5.25, 2), loaded(11.0, 2), loaded(0.1, 1)]
    told = caveats(table(*[(4, DONE, 1.0)] * 3), sessions)
    assert told == [
        "2 runs at the same time share caches and memory.",
        "4.5 to 11 processes were running on 1 CPU at the start.",
    ]


def test_a_machine_is_described_once_with_all_that_was_on_it():
    here = Environment(
        cpu_model="a CPU", cpu_count=2, memory_bytes=2**34, kernel="Linux 6", python="CPython 3.12",
        nqbench="0.1.0", packages={"numpy": "2.1", "nqbench": "0.1.0"}, git_commit="1" * 40,
        git_dirty=False,
    )  # fmt: skip
    later = replace(here, packages={"numpy": "2.2", "python-sat": "1.9"}, git_dirty=True)
    other = replace(here, cpu_model="another CPU", git_commit=None)
    assert machines.described([here, other, later, here]) == [
        "a CPU, 2 CPUs, 16 GiB, Linux 6, CPython 3.12, nqbench 0.1.0 "
        "(commit 1111111111 or 1111111111 with changes), numpy 2.1 or 2.2, python-sat 1.9.",
        "another CPU, 2 CPUs, 16 GiB, Linux 6, CPython 3.12, nqbench 0.1.0, numpy 2.1.",
    ]


@pytest.mark.parametrize(
    "records",
    [
        table((4, DONE, 1.0)),
        table((4, LATE, None), (5, LATE, None)),
        table((4, DEAD, None)),
        campaign(a=[1, 2]),
        table((4, MISSING, None)),
        table((4, MISSING, None), (5, DONE, 1.0)),
    ],
    ids=["one record", "only timeouts", "only a crash", "one backend", "missing", "half missing"],
)
def test_whatever_was_measured_makes_a_page(records):
    data = data_of(page_of(records))
    codes = data["runs"]["outcome"]
    assert [codes["values"][code] for code in codes["codes"]] == records["outcome"].to_list()
    assert data["runs"]["n"]["numbers"] == records["n"].to_list()


def test_names_and_messages_cannot_become_a_part_of_the_page():
    records = table((4, DONE, 1.0), (5, DEAD, None)).with_columns(
        backend=pl.lit(WICKED), message=pl.lit(WICKED), instance=pl.lit(WICKED)
    )
    page = page_of(records)
    assert WICKED not in page
    assert data_of(page)["par2"]["backend"] == [WICKED]


def test_the_page_is_self_contained_and_small(nqbench, tmp_path):
    nqbench("--n", "4..8", "--repeat", 1, "--no-plots", "--quiet")
    written = nqbench("report")
    assert written.returncode == 0, written.stderr
    page = (tmp_path / "results" / "report.html").read_text()
    assert len(page) < 3_000_000
    outside = r'(?:src|href)="(?!#)|@import|url\((?!#)'
    assert not re.search(outside, re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL))
    assert page.count("<figure>") == 5


def test_a_store_without_records_or_of_tomorrow_gets_one_line(nqbench, tmp_path):
    assert "no store at results/nqbench.db" in nqbench("report").stderr
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


@pytest.fixture
def without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)


@pytest.mark.usefixtures("without_the_extra")
def test_without_its_extra_the_page_has_pictures_in_place_of_charts():
    page = page_of(pl.concat([THREE, table((9, DEAD, None))]))
    assert page.count('<img class="picture" src="data:image/svg+xml;base64,') == 4
    assert "pip install 'nqbench[report]'" in page
    assert "vegaEmbed" not in page
    assert len(page) < 1_000_000
    assert data_of(page).keys() == {"runs"}
    # Nobody solved anything, and nothing but the sizes can be drawn.
    assert 'id="all-runs"' in page_of(table((4, MISSING, None)))


def test_a_page_is_current_until_its_campaign_changes(tmp_path):
    path = tmp_path / "deep" / "report.html"
    records = THREE.with_columns(started_at=0.0).select(NEEDED)
    assert not is_current(path, "a title", records)
    write(Contents("a title", records, [], []), path)
    assert is_current(path, "a title", records.select("run_id", "started_at"))
    assert not is_current(path, "another", records)
    assert not is_current(path, "a title", records.with_columns(started_at=1.0))
    assert not is_current(path, "a title", records.head(3))
    with pytest.raises(InputError, match="cannot write"):
        write(Contents("a title", records, [], []), path / "below" / "a" / "file.html")


def test_the_main_job_writes_the_page_once(nqbench, tmp_path):
    job = ["--n", "4,5", "--encoding", "pairwise", "--backend", "minisat22"]
    page = tmp_path / "results" / "report.html"
    assert "report: results/report.html (" in nqbench(*job).stderr
    written = page.stat().st_mtime_ns
    assert "report: results/report.html (" in nqbench(*job).stderr
    assert page.stat().st_mtime_ns == written
    nqbench(*job, "--repeat", 4)
    assert page.stat().st_mtime_ns > written


@pytest.fixture(scope="module")
def browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("the page is driven in a browser: install chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--window-size=1000,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=Service(driver))
    yield opened
    opened.quit()


@pytest.fixture
def opened(browser, tmp_path):
    """The page of a campaign with solved, late and crashed runs, when its charts are drawn."""
    path = tmp_path / "report.html"
    path.write_text(page_of(pl.concat([THREE, table((9, DEAD, None))])))
    browser.get(path.as_uri())
    wait_for_charts(browser, 1)
    return browser


def wait_for_charts(browser, times):
    deadline = time.monotonic() + 60
    while int(browser.execute_script("return document.body.dataset.drawn || 0")) < times:
        assert time.monotonic() < deadline, "the charts were not drawn"
        time.sleep(0.05)


def rows_of(browser):
    rows = "[...document.querySelectorAll('#runs tbody tr')]"
    return browser.execute_script(f"return {rows}.map(r => [...r.cells].map(c => c.textContent))")


def test_the_page_loads_from_disk_without_errors_or_requests(opened):
    assert [entry for entry in opened.get_log("browser") if entry["level"] == "SEVERE"] == []
    requested = [
        message["message"]["params"]["request"]["url"]
        for message in (json.loads(entry["message"]) for entry in opened.get_log("performance"))
        if message["message"]["method"] == "Network.requestWillBeSent"
    ]
    assert all(url.startswith(("file:", "data:", "blob:")) for url in requested)
    charts = "[...document.querySelectorAll('.chart')].map(c => c.querySelector('canvas, svg'))"
    heights = opened.execute_script(f"return {charts}.map(drawn => drawn.clientHeight)")
    assert len(heights) == 4
    assert all(height > 50 for height in heights)


def test_runs_are_filtered_and_sorted(opened):
    assert len(rows_of(opened)) == 16
    field = opened.find_element("id", "filter")
    field.send_keys("timeout")
    assert [row[6] for row in rows_of(opened)] == ["timeout"] * 3
    field.clear()
    field.send_keys("n=8 finished")
    assert [(row[1], row[6]) for row in rows_of(opened)] == [("8", "finished")] * 2
    field.send_keys(" nothing-like-this")
    assert opened.find_element("id", "shown").text == "0 of 16 runs, page 1 of 1"
    opened.execute_script(
        "arguments[0].value = ''; arguments[0].dispatchEvent(new Event('input'))", field
    )
    solve = opened.find_element("xpath", "//table[@id='runs']//button[starts-with(., 'solve s')]")
    solve.click()
    ascending = [float(row[12]) for row in rows_of(opened) if row[12]]
    assert ascending == sorted(ascending)
    solve.click()
    descending = [float(row[12]) for row in rows_of(opened) if row[12]]
    assert descending == sorted(descending, reverse=True)
    assert [row[12] for row in rows_of(opened)][-4:] == [""] * 4


def test_charts_show_what_is_chosen_and_can_be_worked_with_keys(opened):
    from selenium.webdriver.common.keys import Keys

    boxes = opened.find_elements("css selector", "#backends input")
    assert [box.get_attribute("value") for box in boxes] == ["a", "b", "c", "glucose4"]
    boxes[0].send_keys(Keys.SPACE)
    wait_for_charts(opened, 2)
    assert not boxes[0].is_selected()
    opened.find_element("id", "scale").send_keys("linear")
    wait_for_charts(opened, 3)
    assert opened.get_log("browser") == []


def test_the_page_is_dark_where_the_reader_wants_it(opened):
    def background():
        style = "return getComputedStyle(document.body).backgroundColor"
        return opened.execute_script(style)

    light = background()
    feature = {"name": "prefers-color-scheme", "value": "dark"}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    wait_for_charts(opened, 2)
    dark = background()
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(22, 22, 22)")


def test_every_field_of_the_table_is_one_of_a_record():
    from nqbench.report.page import COLUMNS

    assert set(COLUMNS) <= set(Record.__dataclass_fields__)


LABELS = """
const [chart, done] = arguments;
const place = document.body.appendChild(document.createElement("div"));
vegaEmbed(place, eval(chart), { ...options(), renderer: "svg" }).then(() => {
  const texts = (part) => [...place.querySelectorAll(part)].map((text) => text.textContent);
  done({
    times: [...texts(".role-axis-label text"), ...texts(".role-legend-label text")],
    titles: [...texts(".role-axis-title text"), ...texts(".role-legend-title text")],
    cells: texts("g.mark-text.role-mark text"),
    strokes: [...place.querySelectorAll(".role-legend-symbol path")]
      .map((path) => [path.getAttribute("stroke"), path.getAttribute("stroke-dasharray")]),
  });
});
"""


def test_times_have_their_unit_beside_each_number(opened):
    heatmap = opened.execute_async_script(LABELS, "heatmap(TABLES.par2)")
    assert heatmap["cells"] == ["5.6 s", "6.6 s", "10 s", "20 s"]
    cactus = opened.execute_async_script(LABELS, 'cactus(TABLES.cactus, "log")')
    assert {"1 s", "2 s", "5 s"} <= set(cactus["times"])
    linear = opened.execute_async_script(LABELS, 'cactus(TABLES.cactus, "linear")')
    assert {"0 s", "5 s"} <= set(linear["times"])
    for drawn in (heatmap, cactus, linear):
        assert not any("(s)" in title for title in drawn["titles"])
    shown = opened.execute_script(
        "return [0, 2.5e-7, 0.0038, 0.19, 2, 12.34, 1234].map(s => duration(s, 2))"
    )
    assert shown == ["0 s", "0.25 µs", "3.8 ms", "190 ms", "2 s", "12 s", "1234 s"]


@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_legend_tells_the_lines_of_encodings_apart(opened, look):
    feature = {"name": "prefers-color-scheme", "value": look}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    drawn = opened.execute_async_script(LABELS, 'cactus(TABLES.cactus, "log")')
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    colour = {"light": "#333", "dark": "#ccc"}[look]
    dashes = [dash for stroke, dash in drawn["strokes"] if stroke == colour]
    assert len(dashes) == len(set(dashes)) == 2


@pytest.mark.usefixtures("without_the_extra")
def test_the_page_of_pictures_works_in_a_browser_too(browser, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(page_of(pl.concat([THREE, table((9, DEAD, None))])))
    browser.get_log("browser")
    browser.get(path.as_uri())
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    images = "[...document.querySelectorAll('img.picture')]"
    widths = browser.execute_script(f"return {images}.map(image => image.naturalWidth)")
    assert len(widths) == 4
    assert min(widths) > 300
    assert len(rows_of(browser)) == 16
