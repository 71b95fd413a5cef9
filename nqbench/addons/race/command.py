"""`race`: find the best combination without measuring the whole grid."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nqbench.addons.race import functions
from nqbench.campaign.executors.interpreter import start_ahead, stop_ahead
from nqbench.campaign.job import Job
from nqbench.cli.face import (
    FOLDER,
    Requested,
    Sectioned,
    Terminal,
    calling,
    campaign_options,
    option_in,
    store_path,
    tell_unchecked,
)
from nqbench.common.errors import InputError
from nqbench.common.units import counted, seconds
from nqbench.common.vocabulary import When
from nqbench.records.settings import LOCAL, Section
from nqbench.records.sources import RESULTS

if TYPE_CHECKING:
    from nqbench.addons.race.standing import Standing

_MOST_ROWS = 30
_output = option_in(Section.OUTPUT)


def _show(known: "Job | tuple[Standing, bool]") -> None:
    """Show the race as it goes; and print and draw what is known at its end, or when it is
    interrupted, before any other command writes to the results.
    """
    terminal, parameters = Terminal.current(), click.get_current_context().params
    if isinstance(known, Job):
        from nqbench.addons.race.printing import LiveTable

        terminal.observer = LiveTable(known.runs, is_shown=not parameters["quiet"])
        return
    standing, is_ended = known
    _print(standing)
    if is_ended:
        results = parameters["results"]
        if parameters["plots"]:
            _draw(standing, results)
        click.echo(f"records: {store_path(results)} ({standing.runs} of this race)", err=True)
        if terminal.noted[0].execution.checking.when is When.LATER:
            tell_unchecked(standing.records, results)


@click.command(cls=Sectioned)
@campaign_options
@calling(functions.race, _show)
@_output(
    "--results",
    type=FOLDER,
    default=RESULTS,
    show_default=True,
    metavar="FOLDER",
    help="Folder for the store and the plot.",
)
@_output("--plots/--no-plots", default=True, help="Draw the race at the end.")
@_output("-q", "--quiet", is_flag=True, help="No progress, only the answer.")
def race(
    requested: Requested,
    results: Path,
    plots: bool,  # noqa: ARG001 - see `_show`
    quiet: bool,
    **settings: Any,
) -> int:
    """Find the best encoding and backend on these problems, without measuring the whole grid.

    Problems come in random order. A run that takes 1.5 times as long as the best on its problem is
    stopped (capped), and combinations leave when they are worse with confidence. The race ends when
    one is left, when those that are left are equally good, after all problems, or when the budget
    is used up. It ends with a recommendation. Ctrl-C ends it with the answer so far; the
    same command goes on.

    Each run is measured once, unless --repeat says otherwise. Runs are recorded like those of
    `nqbench run`, which then measures only what is missing. Capped runs are measured again.

    \b
    Examples:
      nqbench race --n 8..64 --backend all --budget 5m
      nqbench race --cnf formulas/ --backend all --budget 10m --time-limit 60s
      nqbench race --n 8..32 --encoding all --metric total_s --average typical
      nqbench race --suite hard --jobs 2 --check later
      nqbench race --cnf formulas/ --unit formula_family     folders are evidence
    """
    if settings["executor"] == LOCAL and settings["scheduler"] is None:
        start_ahead()
        click.get_current_context().call_on_close(stop_ahead)
    standing = functions.race(
        **requested.arguments(), results=results, progress=not quiet, **settings
    )
    if standing.leader is None:
        raise InputError(standing.sentences()[0].removesuffix("."))
    course = standing.course
    has_failed = any(not departure.beaten for departure in course.gone.values())
    return 1 if course.dropped or has_failed else 0


def _print(standing: "Standing") -> None:
    """Print the answer in words, and a row for each combination."""
    from nqbench.cli.face import (
        print_table,
        print_use,
        print_wrapped,
    )
    from nqbench.show.tables.columns import Column, name_column
    from nqbench.show.use import Use

    for sentence in standing.sentences():
        print_wrapped(sentence, "- ")
    click.echo()
    rows = [
        {
            **row,
            "average_s": _write_average(row),
            "spent_s": seconds(row["spent_s"]),
            "after": "" if row["after"] is None else f"{row['after']}: {row['left']}",
        }
        for row in standing.table().head(_MOST_ROWS).iter_rows(named=True)
    ]
    print_table(
        [
            name_column("combination"),
            Column("average_s", title=standing.course.average.value),
            Column("problems"),
            Column("capped", 2),
            Column("spent_s", 1, title="spent"),
            Column("after", 3, wraps=20, title="left after"),
        ],
        rows,
        "nqbench.race in Python",
    )
    if (more := len(standing.names) - len(rows)) > 0:
        print_wrapped(
            f"{counted(more, 'more combination')} left: nqbench.race in Python lists all."
        )
    click.echo()
    if standing.leader is not None:
        print_use(Use.of_best(standing.records, standing.leader))


def _write_average(row: Mapping[str, Any]) -> str:
    """The average of a row of the standing; empty for what could not run."""
    if row["average_s"] is None:
        return ""
    return f"{'> ' if row['at_least'] else ''}{seconds(row['average_s'])}"


def _draw(standing: "Standing", results: Path) -> None:
    """Draw the race, if a run was capped or a combination left."""
    from nqbench.cli.face import draw_chosen
    from nqbench.show.plots import kinds_of

    if kinds := kinds_of(standing.records, ["race"]):
        draw_chosen(standing.records, results / "plots", kinds, ("png", "svg"))
