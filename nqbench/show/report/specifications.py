"""The charts of a page that have controls: specifications of Vega-Lite, and the rows they draw.

All numbers are computed here, from the whole campaign. The page hides rows, ranks those that are
left, and chooses a time and a scale. Strings that begin with $ stand for what depends on that
choice, or on the room for the chart: `templates/charts.js` fills them in.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import polars as pl

from nqbench import summary
from nqbench.common import units
from nqbench.common.vocabulary import combination
from nqbench.show.plots import KINDS, combination_rows, labels, scales
from nqbench.show.plots.style import COLOURS, Looks
from nqbench.summary.evidence import UNIT, with_unit

TIMES: Final = ("solve_s", summary.TOTAL)
"""The times that a reader can choose from."""

DARK: Final = {
    "#333": "#ccc",
    "#661144": "#C85A93", "#000000": "#BBBBBB", "#332288": "#9A8CE0",
    "#d0d0d0": "#555", "#8f8f8f": "#888", "#222": "#eee", "#f2f2f2": "#2c2c2c",
}  # fmt: skip
"""The colours of a dark page in place of those that would not be seen on it."""

Spec = dict[str, Any]

_INK: Final = "#333"
_SHAPES: Final = (
    "circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right",
    "triangle-left",
)  # fmt: skip
_DASHES: Final = (
    [1, 0], [6, 3], [1.5, 2], [9, 2, 2, 2], [3, 1], [12, 3], [9, 2, 2, 2, 2, 2],
)  # fmt: skip
_WIDTHS: Final = (1.5, 3.2, 5)
_CROSS: Final = "M-1,-1L1,1M1,-1L-1,1"

_MOST_POINTS: Final = 2000
_MOST_MARKS: Final = 20_000
_MOST_NAMED: Final = 40
_NAME_PIXELS: Final = 16
_LONGEST_LABEL: Final = 140
_LETTER_PIXELS: Final = 6.5

_PHASES: Final = {
    "encode_s": ("encode (once a formula)", "#d0d0d0"),
    "load_s": ("load", "#8f8f8f"),
    "solve_s": ("solve", "#222"),
    "other_s": ("rest of the process", "#f2f2f2"),
}

_TITLES: Final = {
    "par2_s": "PAR-2", "low_s": "fastest", "high_s": "slowest", "time_limit_s": "limit",
}  # fmt: skip
_LEGEND: Final = {
    "orient": "bottom", "direction": "horizontal", "labelLimit": 250, "columns": "$legend",
}  # fmt: skip
_FIT: Final[Spec] = {"width": "$width", "autosize": {"type": "fit-x", "contains": "padding"}}
_WHOLE: Final[Spec] = {"format": "d", "labelOverlap": True}
_COUNTED: Final[Spec] = {
    **_WHOLE,
    "values": {
        "expr": "span(domain('x')) < 12 ? sequence(ceil(domain('x')[0]), domain('x')[1]) : null"
    },
}
"""Of few, the usual ticks would not be whole numbers."""
_FROM_LEAST: Final[Spec] = {"zero": False, "nice": False, "padding": 6}


@dataclass(frozen=True, slots=True)
class Drawing:
    """How a chart is drawn: its specification, and for each time its rows and what the strings that
    begin with $ stand for on each scale. A linear scale ends at the greatest value of the column
    `height` that is shown. The `notes` say what else a reader has to know. The chart has a panel or
    a column for each value of the column `across`; beside them are labels so many pixels wide.
    """

    spec: Spec
    rows: Mapping[str, pl.DataFrame]
    fills: Mapping[str, Mapping[str, Spec]]
    height: str = ""
    notes: Mapping[str, str] = field(default_factory=lambda: dict.fromkeys(TIMES, ""))
    across: str = ""
    labels: float = 0


def drawing(kind: str, measured: summary.Measured, looks: Looks) -> Drawing | None:
    """How a kind of chart shows the records of one family, which it can be drawn of; None if it is
    a picture.
    """
    if kind not in _DRAWN:
        return None
    (drawable,) = KINDS[kind].parts(measured.records).values()
    drawn = _DRAWN[kind](drawable, looks)
    if not KINDS[kind].ranks:
        return drawn
    covered = summary.coverage(measured)
    note = (
        f"Only the {covered.common} of {covered.measured} problems that every combination ran on."
        if covered.common < covered.measured
        else ""
    )
    notes = {time: f"{own} {note}".strip() for time, own in drawn.notes.items()}
    return replace(drawn, notes=notes)


def _time_over_n(records: pl.DataFrame, looks: Looks) -> Drawing:
    """A panel for each name that is shown by a dash."""
    tables = {time: summary.over_n(records, time) for time in TIMES}
    limits = {time: _Limits.of(table, "high_s") for time, table in tables.items()}
    x = _n_axis(records["n"])
    tips = _tips(
        records, "encoding", "backend", "n", "median_s", "low_s", "high_s", "runs", "unsolved"
    )
    layers = [
        {"mark": {"type": "area", "fillOpacity": 0.2}, "encoding": _band(x, looks)},
        {
            "mark": {"type": "line", "strokeWidth": 1.5},
            "encoding": {"x": x, "y": _time("median_s"), **_colour(looks)},
        },
        *_medians({"x": x, "tooltip": tips}, looks, size=30),
    ]
    spec = {
        "facet": {"field": looks.by_dash, "type": "nominal", "title": None},
        "columns": "$columns",
        "spec": {
            "width": "$panel",
            "height": 200,
            "transform": [{"filter": "$positive"}],
            "layer": [_LIMIT_LINES, *layers],
        },
    }
    notes = _spread_notes("Band", tables, limits, records)
    fills = _time_fills(tables, ["low_s", "high_s"], limits)
    return Drawing(spec, tables, fills, "high_s", notes, looks.by_dash)


def _time_over_instances(records: pl.DataFrame, looks: Looks) -> Drawing:
    """Formulas by name, or by place if there are too many."""
    tables = {
        time: summary.over_instances(records, time).sort("instance", *summary.PAIR)
        for time in TIMES
    }
    limits = {time: _Limits.of(table, "high_s") for time, table in tables.items()}
    count = tables[TIMES[0]]["instance"].n_unique()
    every = -(-len(tables[TIMES[0]]) // _MOST_MARKS)
    if every > 1:
        drawn = tables[TIMES[0]].filter(pl.col("place") % every == 0)["instance"].unique()
        tables = {
            time: table.filter(pl.col("instance").is_in(drawn.implode()))
            for time, table in tables.items()
        }
    place: Spec
    if count <= _MOST_NAMED:
        axis = {
            "labelAngle": -40, "labelLimit": 120, "labelOverlap": False,
            "labelExpr": f"width > {_NAME_PIXELS * count} ? datum.label : ''",
        }  # fmt: skip
        # Marks are side by side at the place of the formula, so that equal times stay visible.
        aside = {"field": "backend", "type": "nominal"}
        name = {"field": "instance", "type": "nominal", "sort": "$order", "title": "formula"}
        place = {"x": name | {"axis": axis}, "xOffset": aside}
    else:
        title = "formula, in the order of the fastest time"
        number = {"field": "place", "type": "quantitative", "title": title}
        place = {"x": number | {"axis": _COUNTED, "scale": {**_FROM_LEAST, "domain": [1, count]}}}
    tips = _tips(
        records, "instance", *summary.PAIR, "median_s", "low_s", "high_s", "runs", "unsolved",
        "clauses",
    )  # fmt: skip
    bar = {**place, **_colour(looks), "y": _time("low_s"), "y2": {"field": "high_s"}}
    spec = {
        **_FIT,
        "height": 320,
        "transform": [{"filter": "$positive"}],
        "layer": [
            _LIMIT_LINES,
            {"mark": {"type": "rule"}, "encoding": bar},
            *_medians({**place, "tooltip": tips}, looks, size=44),
        ],
    }
    fills = _time_fills(tables, ["low_s", "high_s"], limits)
    if count <= _MOST_NAMED:
        for time, own in tables.items():
            order = own.unique("instance").sort("place")["instance"].to_list()
            fills[time] = {scale: {**fill, "$order": order} for scale, fill in fills[time].items()}
    part = f" One of {every} formulas is drawn." if every > 1 else ""
    notes = {
        time: f"{note}{part}"
        for time, note in _spread_notes("Bar", tables, limits, records).items()
    }
    return Drawing(spec, tables, fills, "high_s", notes)


def _cactus(records: pl.DataFrame, looks: Looks) -> Drawing:
    """A row for each combination and problem that it solved. The page ranks what is shown."""
    identified = with_unit(records)
    tables = {
        time: summary.boards(identified, time, [UNIT, "n"])
        .filter("solved")
        .drop_nulls("time_s")
        .sort(*summary.PAIR, UNIT)
        .select(*summary.PAIR, "n", "time_s")
        .pipe(_counted)
        for time in TIMES
    }
    limits_s = summary.observed(records)["time_limit_s"]
    limits = {time: _Limits.of(table, "time_s", limits_s) for time, table in tables.items()}
    rank = {"op": "sum", "field": "count", "as": "instances"}
    transform: list[Spec] = [
        {
            "window": [rank],
            "ignorePeers": True,
            "sort": [{"field": "time_s"}],
            "groupby": list(summary.PAIR),
        },
        {
            "joinaggregate": [{"op": "max", "field": "instances", "as": "of"}],
            "groupby": list(summary.PAIR),
        },
        {"joinaggregate": [{"op": "count", "as": "all"}]},
        {
            "filter": f"datum.instances % ceil(datum.all / {_MOST_POINTS}) == 0 "
            "|| datum.instances == datum.of"
        },
        {"filter": "$positive"},
    ]
    x = {
        "field": "instances", "type": "quantitative", "title": "instances solved", "axis": _COUNTED,
        "scale": _FROM_LEAST,
    }  # fmt: skip
    at = {"x": x, "y": _time("time_s"), **_colour(looks)}
    tips = _tips(records, *summary.PAIR, "instances", "time_s")
    spec = {
        **_FIT,
        "height": 320,
        "transform": transform,
        "layer": [
            _LIMIT_LINES,
            {"mark": {"type": "line"}, "encoding": {**at, **_dash(looks)}},
            {
                "mark": {"type": "point", "filled": True, "opacity": 1, "size": 24},
                "encoding": {**at, **_shape(looks), "tooltip": tips},
            },
        ],
    }
    lines = set(tables[TIMES[0]].select(summary.PAIR).rows())
    without = sorted(set(records.select(summary.PAIR).rows()) - lines)
    most = 4
    names = ", ".join(combination(*pair) for pair in without[:most])
    more = f" and {len(without) - most} more" if len(without) > most else ""
    lost = f"Solved nothing: {names}{more}." if without else ""
    notes = {time: f"{own.note()} {lost}".strip() for time, own in limits.items()}
    return Drawing(spec, tables, _time_fills(tables, ["time_s"], limits), "time_s", notes)


def _counted(problems: pl.DataFrame) -> pl.DataFrame:
    """The problems with the column `count`: 1, or the number up to the next faster one that is
    kept. Of many that no control hides some of, every k-th is kept and the last one of each line.
    """
    every = -(-len(problems) // _MOST_POINTS)
    if every < 2 or problems["n"].count():
        return problems.with_columns(count=pl.lit(1))
    place = pl.col("place")
    return (
        problems.sort(*summary.PAIR, "time_s")
        .with_columns(place=pl.int_range(1, pl.len() + 1).over(summary.PAIR))
        .filter((place % every == 0) | (place == place.max().over(summary.PAIR)))
        .with_columns(count=place - place.shift(1, fill_value=0).over(summary.PAIR))
        .drop("place")
    )


def _heatmap(records: pl.DataFrame, _: Looks) -> Drawing:
    """The longer list of names goes down the page, which also fits a phone held upright."""
    tables = {
        time: summary.overview(records, time)
        .select(*summary.PAIR, "par2_s", "median_s", "solved", "runs")
        .drop_nulls("par2_s")
        .with_columns(
            share=pl.struct("solved", "runs").map_elements(_share, return_dtype=pl.String)
        )
        .sort(summary.PAIR)
        for time in TIMES
    }
    across, down = sorted(("backend", "encoding"), key=lambda column: records[column].n_unique())
    label_style: Spec = {"labelLimit": _LONGEST_LABEL}
    if across == "encoding" and not summary.has_encodings(records):
        label_style = {"labels": False, "ticks": False}
    has_shares = any(tables[TIMES[0]]["share"])
    value = {"field": "par2_s", "type": "quantitative", "formatType": "duration", "format": 2}
    share = {"field": "shown", "type": "nominal"}
    spec = {
        "width": {"step": "$cell"},
        "height": {"step": 36 if has_shares else 28},
        "transform": [{"filter": "$positive"}],
        "encoding": {
            "x": {
                "field": across, "type": "nominal", "title": None, "sort": "$across",
                "axis": {"labelAngle": -35, **label_style},
            },
            "y": {
                "field": down, "type": "nominal", "title": None, "sort": "$down",
                "axis": {"labelLimit": _LONGEST_LABEL},
            },
            "tooltip": _tips(records, *summary.PAIR, "par2_s", "median_s", "solved", "runs"),
        },
        "layer": [
            {
                "mark": "rect",
                "encoding": {
                    "color": {
                        "field": "par2_s", "type": "quantitative", "title": "PAR-2",
                        "scale": "$scale", "legend": "$axis",
                    }
                },
            },
            # A cell with a share has two lines of text, around its middle.
            _cell_text(value, 0, "!datum.share"),
            *([_cell_text(value, -6, "datum.share"), _cell_text(share, 8, "datum.share")]
              if has_shares else []),
        ],
    }  # fmt: skip
    longest = max(map(len, records[down].unique()))
    fills = {time: _shades(table, across, down) for time, table in tables.items()}
    labels = min(_LONGEST_LABEL, _LETTER_PIXELS * longest)
    return Drawing(spec, tables, fills, across=across, labels=labels)


def _share(row: Mapping[str, int]) -> str:
    return (
        f"{units.percent(row['solved'] / row['runs'])} solved"
        if row["solved"] < row["runs"]
        else ""
    )


def _cell_text(text: Spec, dy: int, test: str) -> Spec:
    return {
        "transform": [{"filter": test}, {"calculate": "$share", "as": "shown"}],
        "mark": {"type": "text", "dy": dy, "fontSize": "$font"},
        "encoding": {"text": text, "color": "$contrast"},
    }


def _shades(table: pl.DataFrame, across: str, down: str) -> dict[str, Spec]:
    """The fills of a heat map: its colours, which stay whatever is hidden, and its names with the
    best first.
    """
    order = table.sort("par2_s")
    names = {
        f"${side}": order[column].unique(maintain_order=True).to_list()
        for side, column in (("across", across), ("down", down))
    }
    fills = _scale_fills(table, ["par2_s"])
    for kind, fill in fills.items():
        log = kind == "log"
        domain = fill["$scale"]["domain"] if log else [0, max(order["par2_s"], default=1.0)]
        middle = (domain[0] * domain[1]) ** 0.5 if log else domain[1] / 2
        white = {"test": f"datum.par2_s > {middle}", "value": "white"}
        fill |= {
            "$contrast": {"condition": white, "value": "black"},
            "$scale": {**fill["$scale"], "domain": domain, "scheme": "cividis", "reverse": True},
            "$axis": {
                **fill["$axis"], "orient": "bottom", "direction": "horizontal",
                "gradientLength": "$gradient",
            },
            **names,
        }  # fmt: skip
    return fills


def _phases(records: pl.DataFrame, _: Looks) -> Drawing:
    """A stacked bar for each combination, the shortest first."""
    total = pl.sum_horizontal(pl.col(list(_PHASES)))
    every = summary.phases(records).with_columns(pl.col(list(_PHASES)).fill_null(0.0))
    bars = every.sort(total, *summary.PAIR).head(combination_rows.MOST)
    bars = bars.with_columns(
        pair=pl.Series([combination(*pair) for pair in bars.select(summary.PAIR).rows()])
    )
    parts = {name: part for name, (part, _) in _PHASES.items()}
    table = bars.rename(parts).unpivot(
        list(parts.values()), index=[*summary.PAIR, "pair"], variable_name="part",
        value_name="seconds",
    )  # fmt: skip
    places = {part: place for place, part in enumerate(parts.values())}
    table = table.with_columns(order=pl.col("part").replace_strict(places))
    seconds: Spec = {"field": "seconds", "type": "quantitative"}
    as_time: Spec = {"formatType": "duration", "format": 3}
    spec = {
        **_FIT,
        "height": "$height",
        "mark": {"type": "bar", "stroke": "#777", "strokeWidth": 0.5},
        "encoding": {
            "y": {
                "field": "pair", "type": "nominal", "title": None, "sort": bars["pair"].to_list(),
                "axis": {"labelLimit": "$label"},
            },
            "x": {
                **seconds, "title": "mean time of a finished run", "stack": "zero",
                "axis": {**as_time, "tickCount": 5},
            },
            "order": {"field": "order", "type": "quantitative"},
            "color": {
                "field": "part", "type": "nominal",
                "legend": {**_LEGEND, "title": None, "symbolStrokeWidth": 0.5},
                "scale": {
                    "domain": list(parts.values()), "range": [look for _, look in _PHASES.values()],
                },
            },
            "tooltip": [*_tips(records, *summary.PAIR, "part"), {**seconds, **as_time}],
        },
    }  # fmt: skip
    labels = _LETTER_PIXELS * max(map(len, bars["pair"]))
    return Drawing(spec, dict.fromkeys(TIMES, table), {}, across="pair", labels=labels)


def _sizes(records: pl.DataFrame, looks: Looks) -> Drawing:
    table = _with_twins(summary.sizes(records))
    clauses: Spec = {
        "field": "clauses", "type": "quantitative", "axis": "$axis", "scale": "$scale",
    }  # fmt: skip
    twins = table["twin"].unique().sort().to_list()
    dash = {
        "field": "twin", "type": "ordinal", "legend": None,
        "scale": {"domain": twins, "range": [[5, 5 * twin] for twin in twins]},
    }  # fmt: skip
    coloured = looks.by_colour == "encoding"
    at = {
        "x": _n_axis(table["n"]),
        "y": clauses,
        "detail": {"field": "encoding"},
        **(_colour(looks) if coloured else {}),
    }  # fmt: skip
    tips = _tips(records, "encoding", "n", "clauses", "variables", "literals")
    shape = _shape(looks) if coloured else {}
    spec = {
        **_FIT,
        "height": 300,
        "transform": [{"filter": "$positive"}],
        "layer": [
            {"mark": {"type": "line", "color": _INK}, "encoding": {**at, "strokeDash": dash}},
            {
                "mark": {
                    "type": "point", "size": 24, "filled": True, "opacity": 1, "color": _INK,
                },
                "encoding": {**at, **shape, "tooltip": tips},
            },
        ],
    }  # fmt: skip
    fills = _scale_fills(table, ["clauses"], axis={"format": "~s"})
    return Drawing(spec, dict.fromkeys(TIMES, table), dict.fromkeys(TIMES, fills), "clauses")


_CLOSE: Final = 0.1


def _with_twins(table: pl.DataFrame) -> pl.DataFrame:
    """The sizes with the column `twin`. Lines with the same points cover each other, or nearly:
    each has a number that no line so close to it has, from 0, and dashes between which lower
    numbers show. These come first.
    """
    lines = {
        encoding: dict(own.select("n", "clauses").rows())
        for (encoding,), own in table.group_by(["encoding"], maintain_order=True)
    }

    def are_close(one: Mapping[int, int], other: Mapping[int, int]) -> bool:
        return all(
            abs(one[n] - other[n]) <= _CLOSE * max(one[n], other[n])
            for n in one.keys() & other.keys()
        )

    twins: dict[Any, int] = {}
    for name, line in lines.items():
        taken = {twin for other, twin in twins.items() if are_close(line, lines[other])}
        twins[name] = min(set(range(len(twins) + 1)) - taken)
    twin = pl.col("encoding").replace_strict(twins, return_dtype=pl.Int64)
    return table.with_columns(twin=twin).sort("twin", maintain_order=True)


_DRAWN: Final[Mapping[str, Callable[[pl.DataFrame, Looks], Drawing]]] = {
    "time-over-n": _time_over_n,
    "time-over-instances": _time_over_instances,
    "cactus": _cactus,
    "heatmap": _heatmap,
    "phases": _phases,
    "sizes": _sizes,
}


def _cycled(names: Sequence[str], looks: Sequence[Any], shift: int = 0) -> list[Any]:
    """A look for each name. Looks repeat; with a shift, not together with those without one."""
    count = len(looks)
    return [looks[(place + shift * (place // count)) % count] for place in range(len(names))]


def _colour(looks: Looks) -> Spec:
    scale = {"domain": looks.colours, "range": _cycled(looks.colours, COLOURS)}
    return {
        "color": {"field": looks.by_colour, "type": "nominal", "legend": _LEGEND, "scale": scale}
    }


def _shape(looks: Looks) -> Spec:
    scale = {"domain": looks.colours, "range": _cycled(looks.colours, _SHAPES, 1)}
    return {
        "shape": {"field": looks.by_colour, "type": "nominal", "legend": _LEGEND, "scale": scale}
    }


def _dash(looks: Looks) -> Spec:
    """After seven names the dashes repeat, wider."""
    names = looks.dashes
    widths = [_WIDTHS[place // len(_DASHES) % len(_WIDTHS)] for place in range(len(names))]
    key = {
        **_LEGEND, "symbolType": "stroke", "symbolSize": 1400, "symbolStrokeColor": _INK,
    }  # fmt: skip
    return {
        channel: {
            "field": looks.by_dash,
            "type": "ordinal",
            "legend": key if len(names) > 1 else None,
            "scale": {"type": "ordinal", "domain": names, "range": range_},
        }
        for channel, range_ in (
            ("strokeDash", _cycled(names, _DASHES)),
            ("strokeWidth", widths),
        )
    }


def _time(field: str) -> Spec:
    """The y-axis with a column of times."""
    return {
        "field": field, "type": "quantitative", "title": "$title", "axis": "$axis",
        "scale": "$scale",
    }  # fmt: skip


def _band(x: Spec, looks: Looks) -> Spec:
    return {"x": x, **_colour(looks), "y": _time("low_s"), "y2": {"field": "high_s"}}


def _medians(at: Spec, looks: Looks, size: int) -> list[Spec]:
    """Points at the medians, and crosses on the limit where runs are unsolved. A median at the
    limit is not a time, so there is only the cross.
    """
    at = {**at, **_colour(looks)}
    is_lost = "datum.unsolved > 0"
    return [
        {
            "transform": [{"filter": f"!({is_lost} && datum.median_s >= datum.time_limit_s)"}],
            "mark": {"type": "point", "size": size, "filled": True, "opacity": 1},
            "encoding": {**at, **_shape(looks), "y": _time("median_s")},
        },
        {
            "transform": [{"filter": is_lost}],
            "mark": {
                "type": "point", "shape": _CROSS, "size": 50, "strokeWidth": 2, "filled": False,
                "opacity": 1,
            },
            "encoding": {**at, "y": _time("time_limit_s")},
        },
    ]  # fmt: skip


def _tips(records: pl.DataFrame, *names: str) -> list[Spec]:
    """What the pointer shows. The encoding of a formula from a file has no name."""
    as_time = {"type": "quantitative", "formatType": "duration", "format": 3}
    with_encodings = summary.has_encodings(records)
    return [
        {"field": name, "title": _TITLES.get(name, name.removesuffix("_s"))}
        | (as_time if name.endswith("_s") else {})
        for name in names
        if name != "encoding" or with_encodings
    ]


def _n_axis(n: pl.Series) -> Spec:
    """Logarithmic if n spans a factor of 16 or more, as in the plots."""
    sizes = n.drop_nulls().sort()
    low, high = sizes[0], sizes[-1]
    scale: Spec = {"domain": "$range", "nice": False, "padding": 6}
    look = (
        {"axis": _WHOLE, "scale": {**scale, "type": "log", "base": 2}}
        if high >= 16 * low > 0
        else {"axis": {**_WHOLE, "values": "$n"}, "scale": scale}
    )
    return {"field": "n", "type": "quantitative", **look}


@dataclass(frozen=True, slots=True)
class _Limits:
    """The time limits that something comes near to, which are drawn, and the others."""

    near: Sequence[float]
    far: Sequence[float]

    @classmethod
    def of(cls, table: pl.DataFrame, highest: str, limits: pl.Series | None = None) -> Self:
        """The limits of this table, or these limits, seen from the highest of its times."""
        every_limit = table["time_limit_s"] if limits is None else limits
        if table.is_empty():
            return cls([], every_limit.drop_nulls().unique().sort().to_list())
        return cls(*scales.by_reach(every_limit, table[highest]))

    def note(self, *, crosses: bool = False) -> str:
        """What the lines are, and which limits have none."""
        cross = "; a cross on it: some or all runs were not solved" if crosses else ""
        line = f"Dashed line: time limit ({_listed(self.near)}){cross}." if self.near else ""
        off = (
            f"The time limit ({_listed(self.far)}) is more than ten times as long as any time "
            "here, and not drawn."
            if self.far
            else ""
        )
        return f"{line} {off}".strip()


_LIMIT_LINES: Final[Spec] = {
    "data": {"values": "$limits"},
    "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1, "color": _INK, "clip": True},
    "encoding": {"y": _time("time_limit_s")},
}


def _spread_notes(
    mark: str,
    tables: Mapping[str, pl.DataFrame],
    limits: Mapping[str, _Limits],
    records: pl.DataFrame,
) -> dict[str, str]:
    """The notes on marks that show a spread."""
    return {
        time: f"{mark}: {labels.spread(table, records)}. "
        f"{limits[time].note(crosses=bool(table['unsolved'].sum()))}"
        for time, table in tables.items()
    }


def _listed(limits: Iterable[float]) -> str:
    return ", ".join(units.seconds(limit) for limit in limits)


def _time_fills(
    tables: Mapping[str, pl.DataFrame], columns: Sequence[str], limits: Mapping[str, _Limits]
) -> dict[str, dict[str, Spec]]:
    """The fills of a chart over these columns of times and the limits that are drawn."""
    return {
        time: {
            scale: {
                **fill,
                "$title": labels.time_label(time),
                "$limits": [{"time_limit_s": limit} for limit in limits[time].near],
            }
            for scale, fill in _scale_fills(table, columns, limits[time].near).items()
        }
        for time, table in tables.items()
    }


def _scale_fills(
    table: pl.DataFrame,
    columns: Sequence[str],
    also: Sequence[float] = (),
    axis: Spec | None = None,
) -> dict[str, Spec]:
    """Both scales of these columns. A logarithmic one has the range of the whole campaign, so that
    what is shown can be compared, and leaves out values without a logarithm.
    """
    values = [*(value for column in columns for value in table[column].drop_nulls()), *also]
    low, high = scales.around(values)
    labels: Spec = {"formatType": "duration", "format": 3} if axis is None else axis
    return {
        "log": {
            "$positive": f"datum.{columns[0]} > 0",
            "$scale": {"type": "log", "domain": [low, high], "nice": False},
            "$axis": {**labels, "values": scales.log_ticks(low, high)},
        },
        "linear": {
            "$positive": "true",
            "$scale": {"type": "linear", "domain": "$top", "nice": True},
            "$axis": labels,
        },
    }
