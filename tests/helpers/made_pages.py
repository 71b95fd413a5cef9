"""Report pages of records that no run made, and what a browser shows of them."""

import json
import re
import time

import polars as pl
from made_records import DEAD, DONE, LATE, THREE, campaign, table

from nqbench.common.vocabulary import Outcome
from nqbench.show.report.contents import NEEDED, Contents
from nqbench.show.report.page import render

MISSING = Outcome.UNAVAILABLE


def page_of(records):
    """The page from the columns that the command reads."""
    return render(Contents("a title", records.select(NEEDED), [], []))


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


WITH_CRASHES = pl.concat([THREE, table(*((n, DEAD, None) for n in range(4, 9)))])
"""The three backends of `THREE`, and one that crashed on the same boards."""


ODD = {
    "one record": table((4, DONE, 1.0)),
    "only timeouts": table((4, LATE, None), (5, LATE, None)),
    "only a crash": table((4, DEAD, None)),
    "one backend": campaign(a=[1, 2]),
    "missing": table((4, MISSING, None)),
    "half missing": table((4, MISSING, None), (5, DONE, 1.0)),
}


def wait_for_charts(browser, times):
    deadline = time.monotonic() + 60
    while int(browser.execute_script("return document.body.dataset.drawn || 0")) < times:
        assert time.monotonic() < deadline, "the charts were not drawn"
        time.sleep(0.05)


MARKS = """
const [id, shape] = arguments;
const found = [];
const walk = (mark) => {
  for (const item of mark.items || []) {
    if (mark.marktype === "group") item.items.forEach(walk);
    else if (mark.role === "mark") found.push({
      kind: mark.marktype, shape: item.shape, fill: item.fill, y: item.y,
      ...Object.fromEntries(Object.entries(item.datum || {}).filter(([name]) => name !== "items")),
    });
  }
};
walk(VIEWS[id].scenegraph().root);
return found;
"""


def marks(page, chart):
    """The marks of a chart that stand for a value, each once: points, or the cells of a table."""
    kind = "rect" if chart in {"heatmap", "phases"} else "symbol"
    found = page.execute_script(MARKS, chart)
    return [mark for mark in found if mark["kind"] == kind]


def is_cross(mark):
    return str(mark["shape"]).startswith("M-1")


def looked_at(browser, tmp_path, records, width=1000):
    """The page of these records, drawn in a window of that width."""
    path = tmp_path / "report.html"
    path.write_text(page_of(records))
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(path.as_uri())
    wait_for_charts(browser, 1)
    return browser


def column_of(data, name):
    """What the scripts of the page read: a text or a number for each run."""
    return _decoded(data["runs"][name], data["count"])


def rows_of(data, chart, time):
    """The rows that a chart of the page draws for a time, by the names of their columns."""
    drawn = data["charts"][chart]
    columns = drawn["columns"] | drawn["by_time"][time]
    return {name: _decoded(column, drawn["counts"][time]) for name, column in columns.items()}


def _decoded(column, count):
    if "constant" in column:
        return [column["constant"]] * count
    if "codes" in column:
        return [column["values"][code] for code in column["codes"]]
    return column["numbers"]
