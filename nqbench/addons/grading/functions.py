"""`nqbench.grade`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING

import click

from nqbench.addons.certify.formula_verdict import Keep
from nqbench.addons.grading import defaults
from nqbench.campaign import arguments
from nqbench.campaign.caller import CALLER
from nqbench.campaign.options import Option, limit_options, options
from nqbench.common import parsing
from nqbench.common.keywords import suggesting
from nqbench.plugins import lists
from nqbench.records.sources import RESULTS

if TYPE_CHECKING:
    from nqbench.addons.grading.sandbox.protection import Protection
    from nqbench.addons.grading.scoreboard import Scoreboard

_KEEP = parsing.choice(Keep)
_SHUFFLES = parsing.whole(0, 1000)


@suggesting
@options(
    n=Option(
        arguments.SIZES,
        "Sizes: 8, 4..12, 4..12..2 (step), or several, separated by comma.",
        ("-n", "--n"),
        "RANGE",
        is_required=True,
    ),
    keep=Option(
        _KEEP,
        "Which solutions have to remain: all, one of each class of symmetric ones, or any one.",
    ),
    backends=Option(
        lists.BACKENDS,
        "Solvers that measure the formulas. Repeat, or separate by comma. "
        f"[default: {', '.join(defaults.SOLVERS)}]",
        ("--backend",),
    ),
    shuffles=Option(
        _SHUFFLES,
        "How often each solver gets each formula, with its clauses in another order each time; "
        "0 measures nothing.",
    ),
    **limit_options("a program that writes a formula, of each step of a verdict, and of a run"),
    results=Option(
        parsing.FOLDER, "Folder for formulas, records and the scoreboard.", metavar="FOLDER"
    ),
    fresh=Option(parsing.FLAG, "Grade everything again."),
    unconfined=Option(
        parsing.FLAG, "Run the programs even where the kernel offers nothing that confines them."
    ),
    anonymous=Option(
        parsing.FLAG, "Number the submissions on the scoreboard; names.csv says which is whose."
    ),
)
def grade(
    submissions: str | PathLike[str],
    n: int | str | Iterable[int],
    *,
    keep: str = "all",
    backends: str | Sequence[str] | None = None,
    shuffles: int = defaults.SHUFFLES,
    time_limit: str | float = defaults.TIME_S,
    memory_limit: str | int = defaults.MEMORY_BYTES,
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
    were confined. Raises `InputError` for wrong arguments, where nothing confines programs unless
    `unconfined`, and for submissions and results that every program can read, as below /usr, /opt
    and the folders of Python; but not for anything that a submission does.
    """
    from nqbench.addons.grading.grading import Grading
    from nqbench.campaign.progress import display

    def announce(protection: Protection) -> None:
        if protection.remains or progress is not False:
            click.echo(protection.sentence, err=True)

    caller = CALLER.get()
    shown = display(None if progress is None else parsing.yes_or_no("progress", progress))
    with caller.status(f"grading {submissions}", is_shown=progress is not False) as tell:
        grading = Grading(
            submissions=parsing.path(submissions),
            sizes=arguments.sizes(n),
            folder=parsing.path(results),
            keep=_KEEP.read("keep", keep),
            backends=(
                defaults.SOLVERS if backends is None else lists.BACKENDS.meant("backends", backends)
            ),
            shuffles=_SHUFFLES.read("shuffles", shuffles),
            limits=arguments.limits(time_limit, memory_limit),
            fresh=parsing.yes_or_no("fresh", fresh),
            unconfined=parsing.yes_or_no("unconfined", unconfined),
            anonymous=parsing.yes_or_no("anonymous", anonymous),
            command=caller.command("grade"),
            tell=tell,
            announce=announce,
        )
        judged = grading.judge()
    return grading.finish(judged, shown)
