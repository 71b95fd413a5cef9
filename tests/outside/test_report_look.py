"""What a reader sees of the page: limits, ticks, keys, and room on narrow and wide screens."""

from random import Random

import polars as pl
import pytest
from made_pages import MARKS, ODD, is_cross, looked_at, wait_for_charts
from made_records import DONE, campaign, table

NAMES = ["cryptominisat", "glucose4", "backtracking:forward=on:order=mrv", "cadical195", "pyeda"]
ENCODINGS = ["cardinality-network", "pairwise", "pyeda-onehot"]
RANDOM = Random(1)
WIDE = pl.concat(
    [
        table(*((n, DONE, RANDOM.uniform(0.001, 0.5)) for n in range(8, 31, 2)))
        .with_columns(backend=pl.lit(name), encoding=pl.lit(encoding))
        .with_columns(conflicts=pl.lit(123_456), message=pl.lit("a message " * 20))
        for i, name in enumerate(NAMES)
        for j, encoding in enumerate(ENCODINGS)
    ]
)
"""Long names, and values in all columns."""
ONE_ENCODING = WIDE.filter(encoding="pairwise")
COLOURED = {"encoding": (WIDE, ENCODINGS), "backend": (ONE_ENCODING, NAMES)}
"""What colour and shape are, of which records, and its names."""


@pytest.fixture(autouse=True)
def size_of_the_window(browser):
    yield
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


OVERFLOWING = """
const boxes = ".scroll, .chart, .scroll *, .chart *";
return [...document.body.querySelectorAll("*")]
  .filter((part) => !part.matches(boxes) || part.matches(".scroll, .chart"))
  .filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((part) => part.outerHTML.slice(0, 80));
"""


@pytest.mark.parametrize("width", [400, 1000, 1600])
def test_nothing_is_wider_than_the_window(browser, tmp_path, width):
    page = looked_at(browser, tmp_path, WIDE, width)
    assert page.execute_script("return innerWidth") == width
    assert page.execute_script(OVERFLOWING) == []
    whole = "document.documentElement"
    assert page.execute_script(f"return {whole}.scrollWidth - {whole}.clientWidth") == 0
    charts = "[...document.querySelectorAll('.chart')]"
    overhang = page.execute_script(f"return {charts}.map(c => c.scrollWidth - c.clientWidth)")
    # Charts fit as well, the last column of the heat map included.
    assert max(overhang) <= 0


VISIBLE = """
const table = document.getElementById(arguments[0]);
const end = table.parentElement.getBoundingClientRect().right;
return [...table.querySelectorAll("th")]
  .filter((cell) => cell.getBoundingClientRect().right <= end)
  .map((cell) => cell.textContent);
"""


@pytest.mark.parametrize("width", [400, 1000, 1600])
def test_the_columns_of_most_interest_are_in_view(browser, tmp_path, width):
    page = looked_at(browser, tmp_path, WIDE, width)
    visible = page.execute_script(VISIBLE, "runs")
    assert visible[:5] == ["n", "encoding", "backend", "outcome", "solve (s)"]
    ranked = page.execute_script(VISIBLE, "overview")
    assert ranked[:3] == ["encoding", "backend", "PAR-2 (s)"]
    same = page.find_element("id", "runs-same").text
    assert "conflicts 123456" in same
    assert "repeat 0" in same


def test_columns_of_most_interest_stay_where_they_are_the_same_in_each_run(browser, tmp_path):
    page = looked_at(browser, tmp_path, campaign(a=[1], b=[1]))
    titles = "return [...document.querySelectorAll('#runs th')].map((cell) => cell.textContent)"
    assert page.execute_script(titles) == ["n", "encoding", "backend", "outcome", "solve (s)"]
    assert "total 1.75" in page.find_element("id", "runs-same").text.replace(" (s)", "")


def drawn(page, chart):
    found = page.execute_script(MARKS, chart)
    rules = [mark for mark in found if mark["kind"] == "rule" and "median_s" not in mark]
    crosses = [mark for mark in found if mark["kind"] == "symbol" and is_cross(mark)]
    return rules, crosses


def test_the_limit_is_drawn_if_something_comes_within_a_factor_of_ten(browser, tmp_path):
    """The limit is 10 s."""
    page = looked_at(browser, tmp_path, campaign(a=[0.02, 0.5, 1.0], b=[0.1, 0.2, 0.3]))
    for chart in ("time-over-n", "cactus"):
        rules, crosses = drawn(page, chart)
        assert {rule["time_limit_s"] for rule in rules} == {10}
        assert crosses == []
        assert "Dashed line: time limit (10 s)" in page.find_element("id", f"{chart}-note").text


def test_a_limit_that_is_far_away_is_named_and_not_drawn(browser, tmp_path):
    page = looked_at(browser, tmp_path, campaign(a=[0.02, 0.5, 0.99], b=[0.1, 0.2, 0.3]))
    for chart in ("time-over-n", "cactus"):
        assert drawn(page, chart) == ([], [])
        note = page.find_element("id", f"{chart}-note").text
        assert "The time limit (10 s) is more than ten times as long" in note


def test_unsolved_runs_are_crosses_on_the_limit(browser, tmp_path):
    page = looked_at(browser, tmp_path, campaign(a=[0.1, None, None], b=[None] * 3))
    rules, crosses = drawn(page, "time-over-n")
    at_limit = {round(rule["y"], 3) for rule in rules}
    assert {round(cross["y"], 3) for cross in crosses} == at_limit
    found = sorted((cross["backend"], cross["n"]) for cross in crosses)
    assert found == [("a", 5), ("a", 6), ("b", 4), ("b", 5), ("b", 6)]
    assert "Solved nothing: e x b." in page.find_element("id", "cactus-note").text


@pytest.mark.parametrize("column", ["unsolved", "PAR-2"])
def test_the_last_columns_of_the_overview_are_in_view(browser, tmp_path, column):
    """On 1000 pixels, with the columns of a usual campaign."""
    records = pl.concat(
        [
            campaign(minisat22=[0.1] * 5, glucose4=[0.2, 0.3, 9.0, None, None]).with_columns(
                encoding=pl.lit(name), solve_s=pl.col("solve_s") / 1000
            )
            for name in ("pairwise", "sequential")
        ]
    )
    page = looked_at(browser, tmp_path, records)
    end = page.execute_script(
        "const cells = [...document.querySelectorAll('#overview th')];"
        "const cell = cells.find((th) => th.textContent.startsWith(arguments[0]));"
        "const scroll = document.querySelector('.scroll').getBoundingClientRect();"
        "return scroll.right - cell.getBoundingClientRect().right",
        column,
    )
    assert end >= 0


def test_texts_are_in_the_middle_of_the_cells_of_a_heat_map(browser, tmp_path):
    """Of a cell with two lines, the middle is between them."""
    page = looked_at(browser, tmp_path, campaign(a=[0.1, 0.2, 0.3], b=[0.1, None, 0.2]))
    found = page.execute_script("""
      const rects = [], texts = [];
      const walk = (mark) => (mark.items || []).forEach((item) => {
        if (mark.marktype === "group") (item.items || []).forEach(walk);
        if (mark.role !== "mark") return;
        const name = (item.datum || {}).backend;
        if (mark.marktype === "rect") rects.push([name, item.y + item.height / 2]);
        if (mark.marktype === "text") texts.push([name, item.y + (item.dy || 0)]);
      });
      walk(VIEWS.heatmap.scenegraph().root);
      return [rects, texts];
    """)  # fmt: skip
    middles, texts = dict(found[0]), found[1]
    assert sorted(name for name, _ in texts) == ["a", "b", "b"]
    for name, middle in middles.items():
        places = [y for own, y in texts if own == name]
        assert sum(places) / len(places) == pytest.approx(middle, abs=1.5)


def test_lines_of_formulas_of_nearly_the_same_size_are_both_seen(browser, tmp_path):
    """The one on top has gaps."""
    sizes = {"a": 100, "b": 100, "c": 103, "d": 500}
    records = pl.concat(
        campaign(x=[0.1] * 4).with_columns(encoding=pl.lit(name), clauses=pl.col("n") * factor)
        for name, factor in sizes.items()
    )
    page = looked_at(browser, tmp_path, records)
    lines = page.execute_script("""
      const found = [];
      const walk = (mark) => {
        if (mark.marktype === "line") {
          const { datum, strokeDash } = mark.items[0];
          found.push([datum.encoding, strokeDash ? strokeDash[1] : 0]);
        } else (mark.items || []).forEach((item) => (item.items || []).forEach(walk));
      };
      walk(VIEWS.sizes.scenegraph().root);
      return found;
    """)
    gaps = dict(lines)
    assert set(gaps) == set(sizes)
    assert gaps["a"] == gaps["d"] == 0
    assert 0 < gaps["b"] < gaps["c"]
    drawn = [name for name, _ in lines]
    assert drawn.index("a") < drawn.index("b") < drawn.index("c")


def test_ticks_are_different_whole_numbers(browser, tmp_path):
    page = looked_at(browser, tmp_path, campaign(a=[0.1, 0.2, 0.3], b=[0.2, 0.1, 0.4]))
    labels = """
      const svg = await VIEWS[arguments[0]].toSVG();
      return [...svg.matchAll(/>(\\d+)<\\/text>/g)].map((found) => found[1]);
    """
    assert page.execute_script(f"return (async () => {{{labels}}})()", "cactus") == ["1", "2", "3"]


LEGEND = """
const [id] = arguments;
const found = [];
const walk = (mark) => {
  for (const item of mark.items || []) {
    if (mark.role === "legend-symbol") found.push([item.datum.value, item.shape, item.fill]);
    if (mark.marktype === "group") item.items.forEach(walk);
  }
};
walk(VIEWS[id].scenegraph().root);
return found;
"""


def points(page, chart, coloured):
    """Name, shape and colour of the marks of a chart."""
    marks = [mark for mark in page.execute_script(MARKS, chart) if mark["kind"] == "symbol"]
    return {(m[coloured], m["shape"], m["fill"]) for m in marks if not is_cross(m)}


@pytest.mark.parametrize("coloured", COLOURED)
@pytest.mark.parametrize("chart", ["time-over-n", "cactus"])
def test_the_legend_shows_the_shapes_and_colours_of_the_marks(browser, tmp_path, chart, coloured):
    records, names = COLOURED[coloured]
    page = looked_at(browser, tmp_path, records)
    legend = {
        (name, shape, fill) for name, shape, fill in page.execute_script(LEGEND, chart) if fill
    }
    drawn = points(page, chart, coloured)
    assert {entry for entry in legend if entry[0] in names} == drawn
    assert len({shape for _, shape, _ in drawn}) == len(names)


@pytest.mark.parametrize("coloured", COLOURED)
def test_a_name_has_one_colour_in_all_charts_whatever_is_chosen(browser, tmp_path, coloured):
    records, names = COLOURED[coloured]
    page = looked_at(browser, tmp_path, records)
    script = f"document.querySelector('#{coloured}s input').checked = false; announce()"
    before = points(page, "time-over-n", coloured)
    page.execute_script(script)
    wait_for_charts(page, 2)
    after = points(page, "cactus", coloured)
    assert len(after) == len(names) - 1
    assert after < before


@pytest.mark.parametrize("records", ODD.values(), ids=ODD)
def test_odd_campaigns_are_drawn_without_errors(browser, tmp_path, records):
    browser.get_log("browser")
    page = looked_at(browser, tmp_path, records)
    page.execute_script("element('scale').value = 'linear'; announce()")
    wait_for_charts(page, 2)
    assert page.get_log("browser") == []
