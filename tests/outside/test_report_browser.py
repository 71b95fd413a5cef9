"""The report page in a browser: charts, filters, keys, and light and dark themes."""

import json

import polars as pl
import pytest
from made_pages import WITH_CRASHES, page_of, wait_for_charts
from made_records import DONE, THREE, table


@pytest.fixture
def opened(browser, tmp_path):
    """The page of a campaign with solved, timed-out and crashed runs, after drawing its charts."""
    path = tmp_path / "report.html"
    path.write_text(page_of(WITH_CRASHES))
    browser.get(path.as_uri())
    wait_for_charts(browser, 1)
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
    charts = "[...document.querySelectorAll('.chart')].map(c => c.querySelector('canvas, svg'))"
    heights = opened.execute_script(f"return {charts}.map(drawn => drawn.clientHeight)")
    assert len(heights) == 5
    assert all(height > 50 for height in heights)


def test_a_csv_of_the_page_has_no_formulas_of_spreadsheets(browser, tmp_path):
    name = '=HYPERLINK("https://example.org")'
    path = tmp_path / "report.html"
    path.write_text(page_of(THREE.with_columns(instance=pl.lit(name), message=pl.lit("-1+1"))))
    browser.get(path.as_uri())
    wait_for_charts(browser, 1)
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


PRINTED = """
const done = arguments[0];
const colours = () => {
  const found = new Set();
  const walk = (mark) => (mark.items || []).forEach((item) => {
    if (mark.role === "axis-label") found.add(item.fill);
    walk(item);
  });
  walk(VIEWS.cactus.scenegraph().root);
  return [...found];
};
const before = colours();
setTimeout(() => done([before, colours()]));
dispatchEvent(new Event("beforeprint"));
"""
"""A browser waits for promises before it prints, and for no timer."""


def test_a_dark_page_is_printed_on_white(opened):
    feature = {"name": "prefers-color-scheme", "value": "dark"}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    wait_for_charts(opened, 2)
    on_screen, on_paper = opened.execute_async_script(PRINTED)
    opened.execute_script("dispatchEvent(new Event('afterprint'))")
    wait_for_charts(opened, 4)
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert (on_screen, on_paper) == (["#fff"], ["#000"])


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
    wait_for_charts(browser, 1)
    shown = browser.find_element("id", "shown")
    assert shown.text == "100 000 of 100 000 runs, page 1 of 2000"
    browser.find_element("xpath", "//table[@id='runs']//button[starts-with(., 'solve')]").click()
    least = pl.Series([float(row[4]) for row in rows_of(browser)])
    assert (least / least[0]).to_list() == pytest.approx([*range(1, 51)], rel=0.01)
    browser.find_element("id", "filter").send_keys("n=50")
    assert shown.text.startswith("1 000 of 100 000 runs")
    assert browser.get_log("browser") == []


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
    heatmap = opened.execute_async_script(
        LABELS, "specificationOf(DATA.charts.heatmap, choice(), 800)"
    )
    shares = [f"{share}\N{NO-BREAK SPACE}% solved" for share in (80, 80, 80, 0)]
    assert heatmap["cells"] == ["5.6 s", "6.6 s", "10 s", "20 s", *shares]
    cactus = opened.execute_async_script(
        LABELS, "specificationOf(DATA.charts.cactus, choice(), 800)"
    )
    assert {"1 s", "3 s", "10 s"} <= set(cactus["times"])
    linear = opened.execute_async_script(
        LABELS,
        "specificationOf(DATA.charts.cactus, { ...choice(), scale: 'linear' }, 800)",
    )
    assert {"0 s", "5 s"} <= set(linear["times"])
    for drawn in (heatmap, cactus, linear):
        assert not any("(s)" in title for title in drawn["titles"])
    shown = opened.execute_script(
        "return [0, 2.5e-7, 0.0038, 0.19, 2, 12.34, 1234].map(s => duration(s, 2))"
    )
    assert shown == ["0 s", "0.25 µs", "3.8 ms", "190 ms", "2 s", "12 s", "1234 s"]


@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_legend_tells_the_lines_of_backends_apart(opened, look):
    feature = {"name": "prefers-color-scheme", "value": look}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    drawn = opened.execute_async_script(
        LABELS, "specificationOf(DATA.charts.cactus, choice(), 800)"
    )
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    colour = {"light": "#333", "dark": "#ccc"}[look]
    dashes = [dash for stroke, dash in drawn["strokes"] if stroke == colour]
    assert len(dashes) == len(set(dashes)) == 4


@pytest.mark.usefixtures("without_the_extra")
def test_the_page_of_pictures_works_in_a_browser_too(browser, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(page_of(WITH_CRASHES))
    browser.get_log("browser")
    browser.get(path.as_uri())
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    images = "[...document.querySelectorAll('img.picture')]"
    widths = browser.execute_script(f"return {images}.map(image => image.naturalWidth)")
    assert len(widths) == 5
    assert min(widths) > 300
    assert len(rows_of(browser)) == 20
