"""Each control of the page changes the marks of each chart and the rows of each table that depend
on it, and these then show what the library computes from the same runs.
"""

import polars as pl
import pytest
from made_pages import is_cross, marks, page_of, wait_for_charts
from made_records import DONE, LATE, campaign, table

from nqbench import summary
from nqbench.show.report import overview
from nqbench.show.report.runs import unit_of

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

# What a control is set to, the runs that are left then, and the time that counts.
CONTROLS = {
    "encodings": (
        "document.querySelector('#encodings input[value=e]').checked = false",
        pl.col("encoding") != "e",
        SOLVE,
    ),
    "backends": (
        "document.querySelector('#backends input[value=c]').checked = false",
        pl.col("backend") != "c",
        SOLVE,
    ),
    "time": ("element('time').value = 'total_s'", pl.lit(value=True), TOTAL),
    "scale": ("element('scale').value = 'linear'", pl.lit(value=True), SOLVE),
    "n from": ("element('least').value = 6", (pl.col("n") >= 6) | pl.col("n").is_null(), SOLVE),
    "n to": ("element('most').value = 7", (pl.col("n") <= 7) | pl.col("n").is_null(), SOLVE),
}


def over_n(records, time):
    return summary.over_n(records.filter(summary.SIZED), time)


def sizes(records, time):
    return summary.sizes(records.filter(summary.SIZED))


def cactus(records, time):
    return summary.cactus(summary.on_common(records), time)


def phases(records, _time):
    """The phases as one row for each part of a bar."""
    names = {
        "encode_s": "encode (once a formula)", "load_s": "load", "solve_s": "solve",
        "other_s": "rest of the process",
    }  # fmt: skip
    table = summary.phases(summary.on_common(records)).rename(names)
    return table.unpivot(
        names.values(), index=summary.PAIR, variable_name="part", value_name="seconds"
    )


# The library's table, and the columns that say which mark it is; the last one is its height.
CHARTS = {
    "over-n": (over_n, ["encoding", "backend", "n", "median_s"]),
    "over-instances": (summary.over_instances, ["encoding", "backend", "instance", "median_s"]),
    "cactus": (cactus, ["encoding", "backend", "instances", "time_s"]),
    "heatmap": (summary.overview, ["encoding", "backend", "par2_s"]),
    "phases": (phases, ["encoding", "backend", "part", "seconds"]),
    "sizes": (sizes, ["encoding", "n", "clauses"]),
}
INDEPENDENT = {
    ("time", "phases"): "those controls do not change it",
    ("scale", "phases"): "those controls do not change it",
    ("time", "sizes"): "Formulas do not depend on the time",
    ("n from", "over-instances"): "Formulas have no n",
    ("n to", "over-instances"): "Formulas have no n",
}


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page_of(RECORDS))
    browser.get(path.as_uri())
    wait_for_charts(browser, 1)
    browser.execute_script("document.querySelector('.choose').open = true")
    return browser


@pytest.fixture
def at_first(page):
    """The page with its controls as they were when it was opened."""
    yield page
    change(
        page,
        "for (const b of document.querySelectorAll('[type=checkbox]')) b.checked = true;"
        "element('time').value = 'solve_s'; element('scale').value = 'log';"
        "element('least').value = 4; element('most').value = 9;",
    )


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


def expected(chart, records, time):
    compute, names = CHARTS[chart]
    found = compute(records, time)
    if "median_s" in names:  # where the median is the limit, there is a cross in place of a point
        solved = pl.col("unsolved") == 0
        found = found.filter(solved | (pl.col("median_s") < pl.col("time_limit_s")))
    return sorted(found.select(names).rows())


def same(rows, others):
    assert [row[:-1] for row in rows] == [row[:-1] for row in others]
    assert [row[-1] for row in rows] == pytest.approx([row[-1] for row in others], rel=1e-3)


@pytest.mark.parametrize("chart", CHARTS)
def test_at_first_a_chart_shows_what_the_library_computes_from_all_runs(page, chart):
    rows = shown(page, chart)
    assert rows
    same(rows, expected(chart, RECORDS, SOLVE))


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("control", CONTROLS)
def test_every_control_changes_every_chart(at_first, control, chart):
    before, looked = shown(at_first, chart), marks(at_first, chart)
    script, chosen, time = CONTROLS[control]
    change(at_first, script)
    after = shown(at_first, chart)
    same(after, expected(chart, RECORDS.filter(chosen), time))
    if (control, chart) in INDEPENDENT:
        assert after == before
        section = at_first.find_element("id", "charts").find_element("xpath", "..").text
        assert INDEPENDENT[control, chart] in section
    elif control == "scale":
        places = ("fill",) if chart == "heatmap" else ("y",)
        assert [[m[p] for p in places] for m in marks(at_first, chart)] != [
            [m[p] for p in places] for m in looked
        ]
    else:
        assert after != before


@pytest.mark.parametrize("chart", ["over-n", "over-instances", "cactus", "sizes"])
def test_heights_are_those_of_the_scale(at_first, chart):
    """Equal ratios are equally far apart on a logarithmic scale, equal differences on a linear."""

    def heights(forward):
        points = [mark for mark in marks(at_first, chart) if not is_cross(mark)]
        value = CHARTS[chart][1][-1]
        pairs = {"x": [float(p[value]) for p in points], "y": [float(p["y"]) for p in points]}
        places = pl.DataFrame(pairs)
        return places.select(pl.corr(forward(pl.col("x")), "y")).item()

    assert heights(lambda x: x.log()) == pytest.approx(-1, abs=1e-6)
    change(at_first, CONTROLS["scale"][0])
    assert heights(lambda x: x) == pytest.approx(-1, abs=1e-6)


def overview_of(page):
    table = "const table = element('overview'); return "
    texts = "(row) => [...row.cells].map((cell) => cell.textContent)"
    return page.execute_script(f"{table} [...table.rows].map({texts})")


def overview_by_library(records, time):
    found = overview.table(records, time, unit_of(RECORDS))
    rows = [[row[column.name] for column in found.columns] for row in found.rows]
    return [[column.title for column in found.columns], *rows]


@pytest.mark.parametrize("control", CONTROLS)
def test_every_control_changes_the_table_of_encodings_and_backends(at_first, control):
    before = overview_of(at_first)
    assert before == overview_by_library(RECORDS, SOLVE)
    script, chosen, time = CONTROLS[control]
    change(at_first, script)
    after = overview_of(at_first)
    assert after == overview_by_library(RECORDS.filter(chosen), time)
    # A table has no scale: the page says so.
    assert (after == before) is (control == "scale")
    assert "tables do not depend on it" in at_first.find_element("id", "controls").text


@pytest.mark.parametrize("control", CONTROLS)
def test_every_control_changes_the_table_of_runs(at_first, control):
    titles = "return [...document.querySelectorAll('#runs th')].map((cell) => cell.textContent)"
    assert at_first.execute_script(titles)[4:7] == ["repeat", "outcome", "solve (s)"]
    script, chosen, time = CONTROLS[control]
    change(at_first, script)
    left = len(RECORDS.filter(chosen))
    text = at_first.find_element("id", "shown").text
    assert text.startswith(f"{left} of {len(RECORDS)} runs")
    assert at_first.execute_script(titles)[6] == {SOLVE: "solve (s)", TOTAL: "total (s)"}[time]
    assert left < len(RECORDS) or control in {"time", "scale"}


def test_changes_in_quick_succession_end_with_the_last_one(at_first):
    for least in (8, 7, 5):
        at_first.execute_script(f"element('least').value = {least}; announce()")
    change(at_first, "element('least').value = 6")
    drawn = "return document.body.dataset.drawn"
    settled = int(at_first.execute_script(drawn))
    at_first.execute_async_script("drawing.then(arguments[0])")
    assert int(at_first.execute_script(drawn)) >= settled
    assert min(mark["n"] for mark in marks(at_first, "over-n")) == 6


def test_without_a_choice_the_page_says_that_nothing_is_left(at_first):
    at_first.get_log("browser")
    change(
        at_first,
        "document.querySelectorAll('#backends input').forEach((box) => { box.checked = false; })",
    )
    assert [shown(at_first, chart) for chart in CHARTS] == [[]] * 6
    notes = at_first.execute_script(
        "return Object.keys(CHARTS).map((id) => element(`${id}-note`).textContent)"
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


@pytest.mark.parametrize("chart", ["over-n", "over-instances", "cactus"])
def test_axes_say_which_time_they_show(at_first, chart):
    assert "solve time" in at_first.execute_script(AXIS_TITLES, chart)
    change(at_first, CONTROLS["time"][0])
    assert "total time" in at_first.execute_script(AXIS_TITLES, chart)
