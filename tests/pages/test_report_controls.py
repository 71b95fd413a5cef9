"""Each control of the page hides marks of charts and rows of tables, and changes no number: what is
left is what the library computes from the whole campaign.
"""

import polars as pl
import pytest
from made_pages import is_cross, marks, page_of, wait_for_charts
from made_records import DONE, LATE, campaign, table

from nqbench import summary

SOLVE, TOTAL = "solve_s", summary.TOTAL


def boards(encoding, factor, encode_s):
    """Of three backends on n = 4 to 8, the last of which alone was measured on n = 9 as well; the
    limit of 10 s is passed once.
    """
    runs = campaign(
        a=[1.5, 2, 3, None, 5], b=[2.5, 2, 2, 6, 8], c=[3.5, 3, 9, 4.5, 4.2, 7]
    ).with_columns(encoding=pl.lit(encoding), encode_s=encode_s)
    more_clauses = pl.col("clauses") * (2 if factor > 1 else 1)
    return runs.with_columns(solve_s=pl.col("solve_s") / factor, clauses=more_clauses)


def formulas(encoding, factor):
    """Two formulas, each solved by each backend in another time, one of them not by the first."""
    runs = [
        table((None, DONE if seconds else LATE, seconds)).with_columns(
            instance=pl.lit(instance), backend=pl.lit(backend), encoding=pl.lit(encoding)
        )
        for instance, times in {"f": [None, 2.5, 3.5], "g": [4.5, 1.4, 2.8]}.items()
        for backend, seconds in zip("abc", times, strict=True)
    ]
    return pl.concat(runs).with_columns(solve_s=pl.col("solve_s") / factor)


def unequal(runs):
    """One more repeat of one run, and another one under another limit: nothing to compare with."""
    more = runs.filter(pl.col("n") == 5, backend="a", encoding="e")
    other = runs.filter(pl.col("n") == 4, backend="b", encoding="f")
    return [
        more.with_columns(repeat=pl.col("repeat") + 1, solve_s=pl.col("solve_s") * 3),
        other.with_columns(time_limit_s=20.0, solve_s=pl.col("solve_s") * 2),
    ]


_EQUAL = pl.concat(
    [boards("e", 1, 0.25), boards("f", 1.25, 1.5), formulas("e", 1), formulas("f", 1.3)],
    how="vertical_relaxed",
)
RECORDS = pl.concat([_EQUAL, *unequal(_EQUAL)], how="vertical_relaxed").with_columns(
    run_id=pl.int_range(pl.len()).cast(pl.String)
)

AT_LEAST = (pl.col("n") >= 6) | pl.col("n").is_null()
AT_MOST = (pl.col("n") <= 7) | pl.col("n").is_null()
CONTROLS = {
    "encodings": "document.querySelector('#encodings input[value=e]').checked = false",
    "backends": "document.querySelector('#backends input[value=c]').checked = false",
    "time": "element('time').value = 'total_s'",
    "scale": "element('scale').value = 'linear'",
    "n from": "element('least').value = 6",
    "n to": "element('most').value = 7",
}
"""What each control is set to."""

LEFT = {
    "encodings": pl.col("encoding") != "e",
    "backends": pl.col("backend") != "c",
    "n from": AT_LEAST,
    "n to": AT_MOST,
}
"""The rows that are left then."""


def over_n(time):
    return summary.over_n(RECORDS.filter(summary.SIZED), time)


def over_instances(time):
    return summary.over_instances(RECORDS, time)


def sizes(_time):
    return summary.sizes(RECORDS.filter(summary.SIZED))


def cactus(time):
    """The problems that each combination solved, which are ranked after some are hidden."""
    return summary.boards(summary.on_common(RECORDS), time).filter("solved")


def heatmap(time):
    return summary.overview(RECORDS, time)


def phases(_time):
    """The phases as one row for each part of a bar."""
    names = {
        "encode_s": "encode (once a formula)", "load_s": "load", "solve_s": "solve",
        "other_s": "rest of the process",
    }  # fmt: skip
    means = summary.phases(summary.on_common(RECORDS)).rename(names)
    return means.unpivot(
        names.values(), index=summary.PAIR, variable_name="part", value_name="seconds"
    )


# The library's table, and the columns that say which mark it is; the last one is its height.
CHARTS = {
    "time-over-n": (over_n, ["encoding", "backend", "n", "median_s"]),
    "time-over-instances": (over_instances, ["encoding", "backend", "instance", "median_s"]),
    "cactus": (cactus, ["encoding", "backend", "instances", "time_s"]),
    "heatmap": (heatmap, ["encoding", "backend", "par2_s"]),
    "phases": (phases, ["encoding", "backend", "part", "seconds"]),
    "sizes": (sizes, ["encoding", "n", "clauses"]),
}
INDEPENDENT = {
    "those controls do not change it": {("time", "phases"), ("scale", "phases")},
    "It is of all n": {(n, chart) for n in ("n from", "n to") for chart in ("heatmap", "phases")},
    "Formulas depend on neither the backend nor the time": {
        ("backends", "sizes"), ("time", "sizes"),
    },
    "Formulas have no n": {(n, "time-over-instances") for n in ("n from", "n to")},
}  # fmt: skip
"""What does not change a chart, by what the page says about it."""


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page_of(RECORDS))
    browser.get(path.as_uri())
    wait_for_charts(browser, 1)
    browser.execute_script("document.querySelector('.choose').open = true")
    return browser


@pytest.fixture(scope="module")
def first(page):
    """What the page shows before a control is changed."""
    return {chart: shown(page, chart) for chart in CHARTS}, places(page), overview_of(page)


@pytest.fixture
def at_first(page, first):
    """The page, whose controls are reset afterwards."""
    yield page
    page.execute_script(
        "for (const b of document.querySelectorAll('[type=checkbox]')) b.checked = true;"
        "element('time').value = 'solve_s'; element('scale').value = 'log';"
        "element('least').value = 4; element('most').value = 9;"
    )


@pytest.fixture
def another_tab(browser):
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    yield browser
    browser.close()
    browser.switch_to.window(first)


def change(page, script):
    """Change controls as a reader does, and wait until the page has changed."""
    before = int(page.execute_script("return document.body.dataset.drawn"))
    event = "element('controls').dispatchEvent(new Event('change'))"
    page.execute_script(f"{script}; {event}")
    wait_for_charts(page, before + 1)


def shown(page, chart):
    """What the points of a chart show, as the columns of `CHARTS`."""
    names = CHARTS[chart][1]
    points = [mark for mark in marks(page, chart) if not is_cross(mark)]
    return sorted(tuple(point[name] for name in names) for point in points)


def places(page):
    """Where the marks of each chart are, or their colours if these are the scale."""
    looks = {chart: "fill" if chart == "heatmap" else "y" for chart in CHARTS}
    return {chart: [mark[look] for mark in marks(page, chart)] for chart, look in looks.items()}


def expected(chart, time, control=""):
    compute, names = CHARTS[chart]
    rows = compute(time)
    left = LEFT.get(control, pl.lit(value=True))
    if set(left.meta.root_names()) <= set(rows.columns):
        rows = rows.filter(left)
    if chart == "cactus":
        rank = pl.col("time_s").rank("ordinal").over(summary.PAIR)
        rows = rows.with_columns(instances=rank.cast(pl.Int64))
    if "median_s" in names:  # where the median is the limit, there is a cross in place of a point
        solved = pl.col("unsolved") == 0
        rows = rows.filter(solved | (pl.col("median_s") < pl.col("time_limit_s")))
    return sorted(rows.select(names).rows())


def same(rows, others):
    assert [row[:-1] for row in rows] == [row[:-1] for row in others]
    assert [row[-1] for row in rows] == pytest.approx([row[-1] for row in others], rel=1e-3)


def overview_of(page):
    """The visible rows of the table of encodings and backends."""
    rows = "[...element('overview').rows].filter((row) => !row.hidden)"
    return page.execute_script(f"return {rows}.map(r => [...r.cells].map(c => c.textContent))")


def test_at_first_charts_show_what_the_library_computes(first):
    for chart in CHARTS:
        assert first[0][chart]
        same(first[0][chart], expected(chart, SOLVE))


@pytest.mark.parametrize("control", CONTROLS)
def test_a_control_hides_rows_and_changes_no_number(at_first, first, control):
    change(at_first, CONTROLS[control])
    charts, first_places, first_overview = first
    section = at_first.find_element("id", "charts").find_element("xpath", "..").text
    for chart, before in charts.items():
        after = shown(at_first, chart)
        same(after, expected(chart, TOTAL if control == "time" else SOLVE, control))
        reasons = [said for said, pairs in INDEPENDENT.items() if (control, chart) in pairs]
        assert (after == before) is bool(reasons or control == "scale")
        assert all(said in section for said in reasons)
    if control == "scale":
        moved = places(at_first)
        fixed = [chart for chart in CHARTS if moved[chart] == first_places[chart]]
        assert fixed == ["phases"]
    kept = {"encodings": lambda row: row[0] != "e", "backends": lambda row: row[1] != "c"}
    assert overview_of(at_first) == [*filter(kept.get(control), first_overview)]
    left = len(RECORDS.filter(LEFT.get(control, pl.lit(value=True))))
    assert at_first.find_element("id", "shown").text.startswith(f"{left} of {len(RECORDS)} runs")
    titles = "return [...document.querySelectorAll('#runs th')].map((cell) => cell.textContent)"
    first_time = {"time": "total (s)"}.get(control, "solve (s)")
    assert at_first.execute_script(titles)[5] == first_time
    said = at_first.find_element("id", "controls").text
    assert "All numbers are of the whole campaign, whatever is hidden" in said


@pytest.mark.parametrize("scale", ["log", "linear"])
def test_heights_are_those_of_the_scale(at_first, scale):
    """Equal ratios are equally far apart on a logarithmic scale, equal differences on a linear."""
    change(at_first, f"element('scale').value = '{scale}'")
    for chart in ("time-over-n", "time-over-instances", "cactus", "sizes"):
        points = [mark for mark in marks(at_first, chart) if not is_cross(mark)]
        value = pl.Series([float(point[CHARTS[chart][1][-1]]) for point in points])
        heights = pl.DataFrame(
            {"x": value.log() if scale == "log" else value, "y": [float(p["y"]) for p in points]}
        )
        assert heights.select(pl.corr("x", "y")).item() == pytest.approx(-1, abs=1e-6)


def test_changes_in_quick_succession_end_with_the_last_one(at_first):
    for least in (8, 7, 5):
        at_first.execute_script(f"element('least').value = {least}; announce()")
    change(at_first, "element('least').value = 6")
    at_first.execute_async_script("drawing.then(arguments[0])")
    assert min(mark["n"] for mark in marks(at_first, "time-over-n")) == 6


def test_without_a_choice_the_page_says_that_nothing_is_left(at_first):
    at_first.get_log("browser")
    change(
        at_first,
        "document.querySelectorAll('#encodings input').forEach((box) => { box.checked = false; })",
    )
    assert at_first.execute_script("return Object.values(VIEWS)") == [None] * 6
    notes = at_first.execute_script(
        "return Object.keys(DATA.charts).map((id) => element(`${id}-note`).textContent)"
    )
    assert set(notes) == {"None of the chosen runs can be drawn here."}
    assert at_first.get_log("browser") == []


AXIS_TITLES = """
const found = [];
const walk = (mark) => {
  for (const item of mark.items || []) {
    if (mark.role === "axis-title") found.push(item.text);
    walk(item);
  }
};
walk(VIEWS[arguments[0]].scenegraph().root);
return found;
"""


def test_axes_say_which_time_they_show(at_first):
    for time, title in ((SOLVE, "solve time"), (TOTAL, "total time")):
        change(at_first, f"element('time').value = '{time}'")
        for chart in ("time-over-n", "time-over-instances", "cactus"):
            assert title in at_first.execute_script(AXIS_TITLES, chart)


def test_controls_can_be_worked_with_keys(at_first):
    from selenium.webdriver.common.keys import Keys

    drawn = int(at_first.execute_script("return document.body.dataset.drawn"))
    at_first.execute_script("document.querySelector('.choose').open = false")
    at_first.find_element("css selector", ".choose summary").send_keys(Keys.ENTER)
    boxes = at_first.find_elements("css selector", "#backends input")
    assert [box.get_attribute("value") for box in boxes] == ["a", "b", "c"]
    boxes[0].send_keys(Keys.SPACE)
    wait_for_charts(at_first, drawn + 1)
    assert not boxes[0].is_selected()
    at_first.find_element("id", "scale").send_keys("linear")
    wait_for_charts(at_first, drawn + 2)
    assert at_first.get_log("browser") == []


def test_a_reader_chooses_one_family(another_tab, tmp_path):
    queens = campaign(a=[1.0, 2.0, 3.0], b=[1.5, 2.5, 9.0])
    latin = campaign(a=[0.1, 0.2, 0.6], b=[0.3, 0.4, 0.5]).with_columns(family=pl.lit("latin"))
    path = tmp_path / "report.html"
    path.write_text(page_of(pl.concat([queens, latin])))
    another_tab.get(path.as_uri())
    wait_for_charts(another_tab, 1)
    change(another_tab, "element('family').value = 'queens'")
    assert not another_tab.find_element("id", "block").is_displayed()
    assert another_tab.find_element("id", "block-1").is_displayed()
    assert len(marks(another_tab, "time-over-n-1")) == 6
    assert another_tab.find_element("id", "shown").text.startswith("6 of 12 runs")
    change(another_tab, "element('family').value = ''")
    assert len(marks(another_tab, "time-over-n")) == 6
