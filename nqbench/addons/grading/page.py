"""The scoreboard, and the result of one submission, as HTML pages that work from disk, without a
network.
"""

from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, Final

from markupsafe import Markup

from nqbench.addons.grading.refutation import scene
from nqbench.addons.grading.scoreboard import Entry, Scoreboard, write_sizes
from nqbench.addons.grading.verdict import Graded
from nqbench.common import units
from nqbench.common.printable import printable
from nqbench.show.boards.svg import svg
from nqbench.show.plots.kind import Chart
from nqbench.show.report.templating import templates_of

_KINDS: Final = ("time-over-n", "sizes")
"""The plots of the race on the page."""


_MOST_BOARDS: Final = 4
"""The most boards on the page of one submission."""


@dataclass(frozen=True, slots=True)
class _Picture:
    """The board that refutes a submission, and what it shows in words."""

    name: str
    text: str
    svg: str


def render(board: Scoreboard, title: str) -> str:
    """Return the page of all submissions."""
    pictures = [picture for entry in board.entries for picture in _pictures(entry, most=1)]
    charts = _charts(board)
    return _rendered("scoreboard.html", title, board, pictures=pictures, charts=charts)


def render_submission(board: Scoreboard, entry: Entry, number: str = "") -> str:
    """Return the page of one submission, which names no other one. `number` is what a scoreboard
    without names calls it.
    """
    pictures = _pictures(entry, most=_MOST_BOARDS)
    return _rendered(
        "submission.html", entry.name, board, entry=entry, pictures=pictures, number=number
    )


def _rendered(template: str, title: str, board: Scoreboard, **parts: Any) -> str:
    templates = templates_of("nqbench.addons.grading")
    templates.filters |= {
        "count": units.thousands,
        "sizes": write_sizes,
        "plain": printable,
        "seconds": _seconds,
    }
    page = templates.get_template(template)
    return page.render(title=title, version=version("nqbench"), board=board, **parts)


def _charts(board: Scoreboard) -> list[tuple[Chart, Markup]]:
    """The charts of the race, each with its picture."""
    if board.records is None:
        return []
    from nqbench.show import plots
    from nqbench.show.report.figures import drawing

    charts = (plots.KINDS[kind].shown(board.records) for kind in _KINDS)
    wide = [replace(chart, wide=True) for chart in charts if chart]
    return [(chart, drawing(board.records, chart, chart.kind)) for chart in wide]


def _pictures(entry: Entry, most: int) -> list[_Picture]:
    """The boards that refute a submission, that of the decisive grade first."""
    wrong = [grade for grade in [entry.worst, *entry.grades] if grade and grade.board is not None]
    return [_picture(entry.name, grade) for grade in list(dict.fromkeys(wrong))[:most]]


def _picture(name: str, grade: Graded) -> _Picture:
    assert grade.verdict is not None
    assert grade.board is not None
    picture = svg(scene(grade.n, grade.board, is_allowed=grade.verdict.is_allowed))
    return _Picture(name, f"n = {grade.n}: {grade.flaw}", picture)


def _seconds(value: float | None) -> str:
    return "" if value is None else units.seconds(value)
