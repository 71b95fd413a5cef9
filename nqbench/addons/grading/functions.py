"""`nqbench.grade`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING

import click

from nqbench.campaign import arguments
from nqbench.common import parsing
from nqbench.common.keywords import suggesting
from nqbench.records.sources import RESULTS

if TYPE_CHECKING:
    from nqbench.addons.grading.scoreboard import Scoreboard


@suggesting
def grade(
    submissions: str | PathLike[str],
    n: int | str | Iterable[int],
    *,
    keep: str = "all",
    backends: str | Sequence[str] | None = None,
    shuffles: int = 5,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    fresh: bool = False,
    unconfined: bool = False,
    anonymous: bool = False,
    results: str | PathLike[str] = RESULTS,
    progress: bool | None = None,
) -> Scoreboard:
    """Judge and compare the submissions in a folder: each turned into formulas of n queens in a
    sandbox, for each size `n`; certified, or refuted with a board; and those that are certified
    measured with several solvers, `shuffles` times each with the clauses in another order.

    `keep` says which solutions have to remain, as in `certify_formula`. The limits are those of a
    program, of each step of a verdict, and of a run, 4 seconds and 1 GiB by default. What the
    folder `results` has of the same submissions is not graded again, unless `fresh`. The scoreboard
    is also written there, as HTML and CSV, and a page for each submission. With `anonymous`, it has
    numbers in place of names, and `names.csv` says which is whose. See `nqbench grade --help` for
    what a submission is.

    The result prints how many submissions have which verdict. Its `table()` has a row for each
    submission and n, `entries` an object for each submission, and `protection` how far programs
    were confined. Raises `InputError` for wrong arguments, and where nothing confines programs
    unless `unconfined`, but not for anything that a submission does.
    """
    from nqbench.addons.certify.formula_verdict import Keep
    from nqbench.addons.grading import defaults
    from nqbench.addons.grading.grading import Grading
    from nqbench.campaign.progress import display
    from nqbench.common.limits import Limits

    grading = Grading(
        submissions=parsing.path(submissions),
        sizes=arguments.sizes(n),
        folder=parsing.path(results),
        keep=parsing.choice(Keep).read("keep", keep),
        backends=defaults.SOLVERS if backends is None else parsing.name_list("backends", backends),
        shuffles=parsing.whole_number("shuffles", shuffles, least=0),
        limits=Limits(
            defaults.TIME_S if time_limit is None else parsing.duration("time_limit", time_limit),
            defaults.MEMORY_BYTES
            if memory_limit is None
            else parsing.byte_count("memory_limit", memory_limit),
        ),
        fresh=parsing.yes_or_no("fresh", fresh),
        unconfined=parsing.yes_or_no("unconfined", unconfined),
        anonymous=parsing.yes_or_no("anonymous", anonymous),
        command="nqbench.grade",
        announce=lambda protection: click.echo(protection.sentence, err=True),
    )
    shown = display(None if progress is None else parsing.yes_or_no("progress", progress))
    return grading.finish(grading.judge(), shown)
