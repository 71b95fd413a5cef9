"""Pictures of how cost grows, from the figures of `benchmarks/test_growth.py`.

Written by hand as SVG: the pictures of plotting libraries differ from version to version. Their
colours can be seen on a light and on a dark page.
"""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "benchmarks")]

from figures import Figures  # noqa: E402

OVER: Final = {"n": "n", "runs": "runs", "rows": "rows of the file"}
"""What the sizes of each picture are."""

LINES: Final = {
    "n": {"encode": "encode", "run": "encode and run"},
    "runs": {"plan": "plan", "measure": "measure", "summary": "summary", "report": "page"},
    "rows": {"read": "read, and write as OPB", "adder": "read, and encode by adder"},
}
"""What was measured of each, by its name in figures, and in words."""

LIMITS: Final = {"n": {"solver": "the solver"}, "rows": {"disk": "the disk, for the clauses"}}
"""What nqbench cannot be faster than, where it was measured at each size."""

FORK: Final = "run/minisat22/two/fork"
"""The figure for one fork, which each run needs."""

COLOURS: Final = ("#2B8CD6", "#E0672B", "#1A9E77", "#C86AA8")
GREY: Final = "#838383"
WIDTH, HEIGHT, LEFT, TOP, GAP, SPACE = 300, 220, 70, 66, 90, 44

SECONDS: Final = {
    power: f"{10 ** (power % 3)} {unit}"
    for start, unit in ((-9, "ns"), (-6, "µs"), (-3, "ms"))
    for power in range(start, start + 3)
} | {power: f"{10**power:,} s" for power in range(6)}
MEBIBYTES: Final = {-1: "0.1 MiB"} | {power: f"{10**power:,} MiB" for power in range(7)}
"""How powers of ten are spelled."""

Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Line:
    """Some sizes with what they cost; a limit is dashed."""

    name: str
    points: Points
    colour: str
    is_limit: bool = False


def pictures(known: Figures) -> dict[str, str]:
    """The picture over each of `OVER`, by the name of its file; none of what was not measured."""
    every = {over: _time(known, over) for over in OVER}
    return {
        f"growth-over-{over}.svg": picture(over, lines, _lines(known, over, "memory", 2**-20))
        for over, lines in every.items()
        if lines
    }


def _lines(known: Figures, over: str, kind: str, scale: float = 1.0) -> list[Line]:
    found = []
    for (what, name), colour in zip(LINES[over].items(), COLOURS, strict=False):
        if points := _points(known, f"growth/{over}/{what}/", kind, scale):
            found.append(Line(name, points, colour))
    return found


def _points(known: Figures, prefix: str, kind: str, scale: float) -> Points:
    return sorted(
        (float(name.split("/")[3]), figure.value * scale)
        for name, figure in known.figures.items()
        if name.startswith(prefix) and name.endswith(f"/{kind}") and figure.value is not None
    )


def _time(known: Figures, over: str) -> list[Line]:
    """The lines of times, with the limits."""
    lines = _lines(known, over, "time")
    for what, name in LIMITS.get(over, {}).items():
        lines.append(Line(name, _points(known, f"growth/{over}/{what}/", "time", 1.0), GREY, True))
    fork = known.figures.get(FORK)
    if lines and over != "rows" and fork and fork.value:
        sizes = sorted({size for line in lines for size, _ in line.points})
        is_each = over == "runs"
        points = [(size, fork.value * (size if is_each else 1)) for size in sizes]
        name = "a fork for each run" if is_each else "a fork"
        lines.append(Line(name, points, GREY if is_each else "#A0A060", True))
    return lines


def picture(over: str, times: Sequence[Line], memory: Sequence[Line]) -> str:
    """Time on the left and memory on the right, both axes logarithmic."""
    width, height = LEFT + 2 * WIDTH + GAP + 40, TOP + HEIGHT + SPACE
    label = f"Time and memory over {OVER[over]}"
    parts = [*_legend(times)]
    parts += _panel(LEFT, "CPU time", OVER[over], times, SECONDS)
    parts += _panel(LEFT + WIDTH + GAP, "peak memory", OVER[over], memory, MEBIBYTES)
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{label}" '
        f'font-family="sans-serif" font-size="12" fill="{GREY}">'
    )
    return "\n".join([start, *parts, "</svg>", ""])


def _legend(lines: Sequence[Line]) -> Iterator[str]:
    x, y = LEFT, 16
    for line in lines:
        needed = 40 + 7 * len(line.name)
        if x + needed > 2 * WIDTH + LEFT + GAP:
            x, y = LEFT, y + 18
        yield f'<path d="M{x} {y - 4}h22" {_stroke(line)}/>'
        yield f'<text x="{x + 28}" y="{y}">{line.name}</text>'
        x += needed


def _stroke(line: Line) -> str:
    dashed = ' stroke-dasharray="5 4"' if line.is_limit else ""
    return f'fill="none" stroke="{line.colour}" stroke-width="2"{dashed}'


def _panel(
    left: int, title: str, over: str, lines: Sequence[Line], spelled: Mapping[int, str]
) -> Iterator[str]:
    points = [point for line in lines for point in line.points]
    low_x, high_x = _decades([x for x, _ in points])
    low_y, high_y = _decades([y for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - low_x) / (high_x - low_x)
        up = (math.log10(y) - low_y) / (high_y - low_y)
        return round(left + across * WIDTH, 1), round(TOP + HEIGHT - up * HEIGHT, 1)

    yield f'<text x="{left}" y="{TOP - 8}" font-weight="bold">{title}</text>'
    for power in range(low_y, high_y + 1):
        _, y = place(10**low_x, 10.0**power)
        yield f'<path d="M{left} {y}h{WIDTH}" stroke="{GREY}" stroke-opacity="0.3"/>'
        yield f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{spelled[power]}</text>'
    for power in range(low_x, high_x + 1):
        x, _ = place(10.0**power, 10.0**low_y)
        yield f'<path d="M{x} {TOP}v{HEIGHT}" stroke="{GREY}" stroke-opacity="0.3"/>'
        yield f'<text x="{x}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{10**power:,}</text>'
    middle = left + WIDTH // 2
    yield f'<text x="{middle}" y="{TOP + HEIGHT + 34}" text-anchor="middle">{over}</text>'
    for line in lines:
        places = [place(*point) for point in line.points]
        path = "L".join(f"{x} {y}" for x, y in places)
        yield f'<path d="M{path}" {_stroke(line)}/>'
        if not line.is_limit:
            dots = "".join(f"M{x} {y}h0" for x, y in places)
            dot = f'stroke="{line.colour}" stroke-width="6" stroke-linecap="round"'
            yield f'<path d="{dots}" {dot}/>'


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten around all values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
