"""What a reader sees of the page: its columns, and room on narrow and wide screens."""

from random import Random

import polars as pl
import pytest
from made_pages import ODD, looked_at
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
    # On a phone, only charts with panels side by side have to be moved to be seen whole.
    charts = ".card:not(.wide) .chart" if width < 500 else ".chart"
    overhang = page.execute_script(
        "return [...document.querySelectorAll(arguments[0])]"
        ".map(chart => chart.scrollWidth - chart.clientWidth)",
        charts,
    )
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
    assert "repeat 1" in same


def test_columns_of_most_interest_stay_where_they_are_the_same_in_each_run(browser, tmp_path):
    page = looked_at(browser, tmp_path, campaign(a=[1], b=[1]))
    titles = "return [...document.querySelectorAll('#runs th')].map((cell) => cell.textContent)"
    assert page.execute_script(titles) == ["n", "encoding", "backend", "outcome", "solve (s)"]
    assert "total 1.75" in page.find_element("id", "runs-same").text.replace(" (s)", "")


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


@pytest.mark.parametrize("records", ODD.values(), ids=ODD)
def test_odd_campaigns_are_drawn_without_errors(browser, tmp_path, records):
    browser.get_log("browser")
    page = looked_at(browser, tmp_path, records)
    assert page.get_log("browser") == []
