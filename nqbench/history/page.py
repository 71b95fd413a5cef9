"""Writes trends as one HTML page that works from disk, without a network."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

from jinja2 import ChoiceLoader, Environment, PackageLoader

from nqbench.common import files, metrics, units
from nqbench.history.change_points import fewest_values
from nqbench.history.lines import Line, Trends
from nqbench.history.plot import chosen

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
    """The picture of a line: dots, levels as (x1, x2, y), and steps as (x, is worse)."""

    line: Line
    dots: Sequence[_Dot]
    levels: Sequence[tuple[float, float, float]]
    steps: Sequence[tuple[float, bool]]
    lowest: str
    highest: str


def render(trends: Trends, title: str) -> str:
    """Return the page: the steps, the largest increase first, then a picture of each line."""
    templates = Environment(
        loader=ChoiceLoader(
            [PackageLoader("nqbench.history"), PackageLoader("nqbench.show.report")]
        ),
        autoescape=True,
    )
    templates.filters |= {
        "amount": lambda value: units.amount(value, trends.metric),
        "factor": lambda value: f"{value:.3g}",
    }
    return templates.get_template("trends.html").render(
        title=title,
        version=version("nqbench"),
        trends=trends,
        noun=metrics.noun(trends.metric),
        steps=trends.table().to_dicts(),
        charts=[_chart(line, trends) for line in chosen(trends, _MOST)],
        changing=sum(bool(line.changes) for line in trends.lines),
        fewest=fewest_values(trends.level),
        width=_WIDTH,
        height=_HEIGHT,
        edge=_EDGE,
    )


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
    return _Chart(line, dots, levels, steps, lowest, highest)


def _text(trends: Trends, place: int, value: float) -> str:
    return ", ".join(_facts(trends, place, value))


def _facts(trends: Trends, place: int, value: float) -> Iterator[str]:
    point = trends.points[place]
    yield point
    if (date := trends.dates.get(point)) and date != point:
        yield date
    yield units.amount(value, trends.metric)
