"""Writes the scoreboard as one HTML page that works from disk, without a network."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Final

from markupsafe import Markup

from nqbench.addons.grading.scoreboard import Entry, Scoreboard, write_sizes
from nqbench.addons.grading.verdict import Placement
from nqbench.common import files, units
from nqbench.common.printable import printable
from nqbench.problems.queens import Queens, Square
from nqbench.show.boards.scene import Scene
from nqbench.show.boards.svg import svg
from nqbench.show.plots.kind import Chart
from nqbench.show.report.templating import templates_of

_KINDS: Final = ("time-over-n", "sizes")
"""The plots of the race on the page."""


@dataclass(frozen=True, slots=True)
class _Picture:
    """The board that refutes a submission, what it shows in words, and comment lines with which the
    formula would be right.
    """

    name: str
    text: str
    svg: str
    lines: Sequence[str]


def render(board: Scoreboard, title: str) -> str:
    """Return the page."""
    templates = templates_of("nqbench.addons.grading")
    templates.filters |= {
        "count": units.thousands,
        "sizes": write_sizes,
        "plain": printable,
        "seconds": _seconds,
    }
    return templates.get_template("scoreboard.html").render(
        title=title,
        version=version("nqbench"),
        board=board,
        pictures=_pictures(board.entries),
        charts=_charts(board),
    )


def write_page(board: Scoreboard, title: str, path: Path) -> None:
    """Write the page. Raises `InputError` if the file cannot be written."""
    files.write(path, render(board, title).encode())


def _charts(board: Scoreboard) -> list[tuple[Chart, Markup]]:
    """The charts of the race, each with its picture."""
    if board.records is None:
        return []
    from nqbench.show import plots
    from nqbench.show.report.figures import drawing

    charts = (plots.KINDS[kind].shown(board.records) for kind in _KINDS)
    wide = [replace(chart, wide=True) for chart in charts if chart]
    return [(chart, drawing(board.records, chart, chart.kind)) for chart in wide]


def _pictures(entries: Sequence[Entry]) -> list[_Picture]:
    return [picture for entry in entries if (picture := _picture(entry))]


def _picture(entry: Entry) -> _Picture | None:
    worst = entry.worst
    if worst is None or worst.verdict is None or worst.board is None:
        return None
    picture = draw(worst.n, worst.board, is_allowed=worst.verdict.is_allowed)
    return _Picture(entry.name, entry.reason, picture, entry.hint_lines)


def draw(n: int, placement: Placement, *, is_allowed: bool) -> str:
    """The board as SVG. If the formula allows what the rules forbid, with the lines of attack."""
    attacker = _attacker(placement) if is_allowed else None
    return svg(Scene(Queens(n), placement, lines_of=attacker, width="100%"))


def _attacker(placement: Placement) -> Square | None:
    """The first queen that attacks another; None if none does: then a row has no queen."""
    for (row, column), (other, there) in combinations(placement, 2):
        if row == other or column == there or abs(row - other) == abs(column - there):
            return row, column
    return None


def _seconds(value: float | None) -> str:
    return "" if value is None else units.seconds(value)
