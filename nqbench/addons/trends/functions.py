"""`nqbench.trends`."""

from __future__ import annotations

import re
from os import PathLike
from typing import TYPE_CHECKING

from nqbench.campaign import arguments
from nqbench.campaign.options import Option, options
from nqbench.common import parsing
from nqbench.common.errors import InputError
from nqbench.common.keywords import suggesting

if TYPE_CHECKING:
    from nqbench.addons.trends.finding import FoundTrends


def _parse_level(text: str) -> float:
    match = re.fullmatch(r"(\d{1,2}(?:\.\d+)?)\s*%", text.strip())
    if match is None or not 0.2 <= float(match[1]) <= 50:
        raise InputError(f"'{text:.20}' is no level: write a percentage from 0.2% to 50%")
    return float(match[1]) / 100


def _read_level(_argument: str, level: float) -> float:
    if not 0 < level < 1:
        raise InputError(f"level is {level}: give a share between 0 and 1")
    return level


_LEVEL = parsing.Kind("percentage", _read_level, _parse_level, shown="{:.0%}".format)


@suggesting
@options(
    over=Option(
        parsing.TEXT,
        "The x-axis: revision, version (of backends), day (of runs), source (each SOURCE is a "
        "point), or any column. [revision if commits were measured, else what differs]",
        metavar="AXIS",
    ),
    per=Option(
        parsing.choice(("formula", "family", "combination")),
        "A line for each formula and combination; or the geometric mean over a family, or over "
        "all formulas.",
    ),
    level=Option(
        _LEVEL, "Share of lines without a change that have a step nevertheless.", metavar="PERCENT"
    ),
)
def trends(
    *results: str | PathLike[str],
    over: str | None = None,
    per: str = "formula",
    metric: str = "solve_s",
    where: str | None = None,
    level: float = 0.05,
) -> FoundTrends:
    """Return results over revisions, versions or days as lines, with the steps in them.

    `results` are results folders, stores or exports, or files of pytest-benchmark (.json). `over`
    is 'revision', 'version', 'day', 'source' (each of `results` is a point), or a column; without
    it, revisions if commits were measured, else what differs. A line is `per` 'formula' and
    combination, or the geometric mean over a 'family', or over all formulas of a 'combination'.
    `level` is the share of lines without a change that have a step nevertheless. Steps are found by
    E-divisive (D. Matteson, N. James, Journal of the American Statistical Association 109(505),
    2014).

    `table()` has the steps, `lines` and `points` all values. `plot()` draws the largest steps, and
    `write_page(path)` writes a page. Raises `InputError` for wrong arguments, and if there are no
    records.
    """
    from nqbench.addons.trends.finding import find

    return find(
        arguments.paths(results),
        over=over,
        per=per,
        metric_name=metric,
        where=where,
        level=_LEVEL.read("level", level),
    )
