"""Report pages of records that no run made, and what a browser shows of them."""

import json
import re
from contextlib import contextmanager
from xml.etree import ElementTree

import polars as pl
import pytest
from made_records import DEAD, DONE, LATE, THREE, campaign, table
from markupsafe import Markup

from nqbench.common.vocabulary import Outcome
from nqbench.show.report import figures, page
from nqbench.show.report.contents import NEEDED, Contents
from nqbench.show.report.figures import SVG

MISSING = Outcome.UNAVAILABLE


def page_of(records):
    """The page from the columns that the command reads."""
    return page.render(Contents("a title", records.select(NEEDED), [], []))


@contextmanager
def empty_charts(*but):
    """Leave out the charts of pages, but for these, for a test of their texts: to draw them takes
    most of the time.
    """
    empty = Markup(f'<svg xmlns="{SVG.strip("{}")}"></svg>')

    def drawing(records, chart, name):
        return figures.drawing(records, chart, name) if chart.kind in but else empty

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "drawing", drawing)
        yield


def undrawn(records, *but):
    """The same page with empty charts, but for these."""
    with empty_charts(*but):
        return page_of(records)


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


def looked_at(browser, tmp_path, records, width=1000):
    """The page of these records, in a window of that width."""
    path = tmp_path / "report.html"
    path.write_text(page_of(records))
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(path.as_uri())
    return browser


def column_of(data, name):
    """What the scripts of the page read: a text or a number for each run."""
    return _decoded(data["runs"][name], data["count"])


def charts_of(page):
    """The elements of the charts of a page, by their ids."""
    texts = re.findall(
        r'<div id="([^"]*)" class="chart scroll">(<svg.*?</svg>)</div>', page, re.DOTALL
    )
    return {name: ElementTree.fromstring(text) for name, text in texts}


def titles_of(page, chart):
    """The texts under the pointer in a chart: of its lines and bars, and of points on them."""
    return [title.text for title in charts_of(page)[chart].iter(f"{SVG}title")]


def _decoded(column, count):
    if "constant" in column:
        return [column["constant"]] * count
    if "codes" in column:
        return [column["values"][code] for code in column["codes"]]
    return column["numbers"]
