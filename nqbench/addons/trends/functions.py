"""`nqbench.trends`."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from nqbench.campaign import arguments
from nqbench.common.errors import InputError
from nqbench.common.keywords import suggesting

if TYPE_CHECKING:
    from nqbench.addons.trends.finding import FoundTrends


@suggesting
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

    if not 0 < level < 1:
        raise InputError(f"level is {level}: give a share between 0 and 1")
    return find(
        arguments.paths(results),
        over=over,
        per=per,
        metric_name=metric,
        where=where,
        level=level,
    )
