"""Writes trends as one HTML page that works from disk, without a network."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from nqbench.addons.trends.change_points import fewest_values
from nqbench.addons.trends.lines import Line, Trends
from nqbench.addons.trends.plot import chosen
from nqbench.common import files, metrics, units
from nqbench.show.report.templating import templates_of

_MOST: Final = 400
_WIDTH, _HEIGHT, _EDGE = 320, 110, 6


@dataclass(frozen=True, slots=True)
class _Dot:
    """A value in the picture of a line, with the text that the pointer shows."""

    x: float
    y: float
    text: str
    is_change: bool


@dataclass(frozen=True, slots=True)
class _Chart:
    """The picture of a line: dots, levels as (x1, x2, y), steps as (x, is worse), and the range
    of its values in words.
    """

    line: Line
    dots: Sequence[_Dot]
    levels: Sequence[tuple[float, float, float]]
    steps: Sequence[tuple[float, bool]]
    range: str


def render(trends: Trends, title: str) -> str:
    """Return the page: the steps, the largest increase first, then a picture of each line."""
    templates = templates_of("nqbench.addons.trends")
    templates.filters |= {
        "amount": lambda value: units.amount(value, trends.metric),
        "ratio": units.ratio,
    }
    return templates.get_template("trends.html").render(
        title=title,
        version=version("nqbench"),
        trends=trends,
        noun=metrics.noun(trends.metric),
        steps=trends.table().to_dicts(),
        charts=[_chart(line, trends) for line in chosen(trends, _MOST)],
        changing=sum(bool(line.changes) for line in trends.lines),
        changes=[_change(trends, at, lines) for at, lines in trends.changing.items()][:_MOST],
        fewest=fewest_values(trends.level),
        width=_WIDTH,
        height=_HEIGHT,
        edge=_EDGE,
    )


def _change(trends: Trends, at: int, lines: Sequence[Line]) -> dict[str, Any]:
    """A row of the table of changes: the point, its date, how many lines, and the largest."""
    largest, before, after = max(
        (_values_around(line, at) for line in lines),
        key=lambda found: abs(math.log(max(found[2], 1) / max(found[1], 1))),
    )
    point = trends.points[at]
    return {
        "point": point,
        "date": trends.dates.get(point),
        "count": len(lines),
        "line": largest.name,
        "before": before,
        "after": after,
    }


def _values_around(line: Line, at: int) -> tuple[Line, float, float]:
    index = line.places.index(at)
    return line, line.values[index - 1], line.values[index]


def write_page(trends: Trends, title: str, path: Path) -> None:
    """Write the page to a file. Raises `InputError` if that is not possible."""
    files.write(path, render(trends, title).encode())


def _chart(line: Line, trends: Trends) -> _Chart:
    low, high = min(line.values), max(line.values)
    # A line that hardly varies is shown as flat, not as noise in full height.
    middle, half = (low + high) / 2, max((high - low) / 2, 0.05 * (low + high) / 2, 1e-12)
    column = (_WIDTH - 2 * _EDGE) / max(1, len(trends.points) - 1)

    def x(place: float) -> float:
        return round(_EDGE + column * place, 1)

    def y(value: float) -> float:
        share = (value - middle) / (2 * half)
        return round(_HEIGHT / 2 - share * (_HEIGHT - 2 * _EDGE), 1)

    changed = set(line.changes)
    dots = [
        _Dot(x(place), y(value), _text(trends, place, value), place in changed)
        for place, value in zip(line.places, line.values, strict=True)
    ]
    levels = [(x(start), x(end), y(median)) for start, end, median in line.levels]
    steps = [(x(step.at - 0.5), step.ratio > 1) for step in line.steps]
    lowest, highest = (units.amount(value, trends.metric) for value in (low, high))
    shown = f"always {lowest}" if lowest == highest else f"{lowest} to {highest}"
    return _Chart(line, dots, levels, steps, shown)


def _text(trends: Trends, place: int, value: float) -> str:
    return ", ".join(_facts(trends, place, value))


def _facts(trends: Trends, place: int, value: float) -> Iterator[str]:
    point = trends.points[place]
    yield point
    if (date := trends.dates.get(point)) and date != point:
        yield date
    yield units.amount(value, trends.metric)
