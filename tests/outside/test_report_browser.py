"""The report page in a browser: charts, filters, texts under the pointer, light and dark."""

import json

import polars as pl
import pytest
from made_pages import WITH_CRASHES, page_of
from made_records import DONE, THREE, table


@pytest.fixture
def opened(browser, tmp_path):
    """The page of a campaign with solved, timed-out and crashed runs, in a browser."""
    path = tmp_path / "report.html"
    path.write_text(page_of(WITH_CRASHES))
    browser.get(path.as_uri())
    return browser


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
    charts = "[...document.querySelectorAll('.chart svg')]"
    heights = opened.execute_script(
        f"return {charts}.map(chart => chart.getBoundingClientRect().height)"
    )
    assert len(heights) == 5
    assert all(height > 50 for height in heights)


def test_a_csv_of_the_page_has_no_formulas_of_spreadsheets(browser, tmp_path):
    name = '=HYPERLINK("https://example.org")'
    path = tmp_path / "report.html"
    path.write_text(page_of(THREE.with_columns(instance=pl.lit(name), message=pl.lit("-1+1"))))
    browser.get(path.as_uri())
    browser.execute_script(
        "window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return '#'; };"
        "document.getElementById('download').click()"
    )
    text = browser.execute_async_script("saved[0].text().then(arguments[0])")
    table = pl.read_csv(text.encode(), infer_schema=False)
    assert set(table["instance"]) == {f"'{name}"}
    assert set(table["message"]) == {"'-1+1"}


def test_runs_are_filtered_and_sorted(opened):
    assert len(rows_of(opened)) == 20
    field = opened.find_element("id", "filter")
    field.send_keys("timeout")
    assert [row[3] for row in rows_of(opened)] == ["timeout"] * 3
    field.clear()
    field.send_keys("n=8 finished")
    assert [(row[0], row[3]) for row in rows_of(opened)] == [("8", "finished")] * 2
    field.send_keys(" nothing-like-this")
    assert opened.find_element("id", "shown").text == "0 of 20 runs, page 1 of 1"
    opened.execute_script(
        "arguments[0].value = ''; arguments[0].dispatchEvent(new Event('input'))", field
    )
    solve = "//table[@id='runs']//button[starts-with(., 'solve (s)')]"
    opened.find_element("xpath", solve).click()
    ascending = [float(row[4]) for row in rows_of(opened) if row[4]]
    assert ascending == sorted(ascending)
    opened.find_element("xpath", solve).click()
    descending = [float(row[4]) for row in rows_of(opened) if row[4]]
    assert descending == sorted(descending, reverse=True)
    assert [row[4] for row in rows_of(opened)][-8:] == [""] * 8


COLOURS = """
const colours = new Set();
for (const text of document.querySelectorAll("#time-over-n text")) {
  colours.add(getComputedStyle(text).fill);
}
return [getComputedStyle(document.body).backgroundColor, ...colours];
"""


@pytest.fixture
def look(opened):
    """Ask the page for what a browser gives it: a dark scheme, or paper."""

    def ask(scheme, media=""):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        wanted = {"media": media, "features": [feature]}
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)

    yield ask
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_the_page_and_its_charts_are_dark_if_asked_and_white_in_print(opened, look):
    found = []
    for scheme, media in (("light", ""), ("dark", ""), ("dark", "print")):
        look(scheme, media)
        found.append(opened.execute_script(COLOURS))
    light = ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    assert found == [light, ["rgb(22, 22, 22)", "rgb(232, 232, 232)"], light]


def test_cells_of_a_heat_map_keep_their_colours(opened, look):
    script = (
        "return [...document.querySelectorAll('#heatmap text.as-drawn')]"
        ".map(text => getComputedStyle(text).fill)"
    )
    fills = []
    for scheme in ("light", "dark"):
        look(scheme)
        fills.append(opened.execute_script(script))
    assert fills[0] == fills[1]
    assert set(fills[0]) == {"rgb(0, 0, 0)", "rgb(255, 255, 255)"}


COVERED = """
const hits = [...document.querySelectorAll(`#${arguments[0]} .hit`)];
const covered = hits.filter((hit) => {
  hit.scrollIntoView({ block: "center" });
  const box = hit.getBoundingClientRect();
  const met = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return !met.matches(".hit");
});
return [hits.length, covered.map((hit) => hit.textContent)];
"""


@pytest.mark.parametrize("chart", ["time-over-n", "cactus", "heatmap", "sizes"])
def test_nothing_covers_the_texts_under_the_pointer(opened, chart):
    count, covered = opened.execute_script(COVERED, chart)
    assert count > 3
    assert covered == []


def test_a_line_under_the_pointer_stands_out(opened):
    from selenium.webdriver import ActionChains

    circle = opened.find_element("css selector", "#time-over-n .mark .hit")
    opened.execute_script("arguments[0].scrollIntoView({ block: 'center' })", circle)
    widths_and_opacities = """
      const own = arguments[0].parentElement;
      const other = [...document.querySelectorAll("#time-over-n .mark")].find((m) => m !== own);
      return [own, other].map((mark) => [
        parseFloat(getComputedStyle(mark.querySelector("path")).strokeWidth),
        parseFloat(getComputedStyle(mark).opacity)]);
    """
    before = opened.execute_script(widths_and_opacities, circle)
    ActionChains(opened).move_to_element(circle).perform()
    own, other = opened.execute_script(widths_and_opacities, circle)
    ActionChains(opened).move_to_element(opened.find_element("tag name", "h1")).perform()
    assert own[0] > before[0][0]
    assert other[0] == before[1][0]
    assert (own[1], other[1]) == (1, 0.25)


def test_a_page_of_100_000_runs_is_sorted_and_filtered(browser, tmp_path):
    repeats, sizes, names = 250, range(4, 104), ["a", "b", "c", "d"]
    rows = table(*((n, DONE, 1.0) for n in sizes))
    many = pl.concat([rows.with_columns(repeat=pl.lit(i)) for i in range(repeats)])
    count = repeats * len(sizes) * len(names)
    runs = pl.concat([many.with_columns(backend=pl.lit(name)) for name in names]).with_columns(
        run_id=pl.int_range(count).cast(pl.String),
        solve_s=(pl.int_range(count) * 7919 % count + 1) / count,
    )
    page = page_of(runs)
    assert len(page) < 8_000_000
    path = tmp_path / "report.html"
    path.write_text(page)
    browser.get_log("browser")
    browser.get(path.as_uri())
    shown = browser.find_element("id", "shown")
    assert shown.text == "100,000 of 100,000 runs, page 1 of 2000"
    browser.find_element("xpath", "//table[@id='runs']//button[starts-with(., 'solve')]").click()
    least = pl.Series([float(row[4]) for row in rows_of(browser)])
    assert (least / least[0]).to_list() == pytest.approx([*range(1, 51)], rel=0.01)
    browser.find_element("id", "filter").send_keys("n=50")
    assert shown.text.startswith("1000 of 100,000 runs")
    assert browser.get_log("browser") == []
