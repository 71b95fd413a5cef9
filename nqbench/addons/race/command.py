"""`race`: find the best combination without measuring the whole grid."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nqbench.addons.race.rules import METRICS, Average, Rules
from nqbench.campaign.execution import Execution
from nqbench.campaign.executors.interpreter import start_ahead, stop_ahead
from nqbench.cli.face import (
    FOLDER,
    UNIT_HELP,
    OneOf,
    Parsed,
    Requested,
    Sectioned,
    campaign_options,
    given_parameters,
    option_group,
    option_in,
    options_of,
    store_path,
    tell,
    tell_shadowed,
    tell_unchecked,
    this_command,
)
from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.common.limits import parse_duration
from nqbench.common.units import counted, seconds
from nqbench.common.vocabulary import When
from nqbench.records import settings
from nqbench.records.settings import Section
from nqbench.records.sources import RESULTS

if TYPE_CHECKING:
    from nqbench.addons.race.standing import Standing

_MOST_ROWS = 30
_EXECUTION = [
    setting
    for setting in settings.of(Execution)
    if setting.sets not in ("give_up_after", "budget_s", "fresh", "retry_failed", "shard", "times")
]
_order, _output = option_in(Section.ORDER), option_in(Section.OUTPUT)


def _average(_context: object, _option: object, word: str) -> Average:
    return Average(word)


rules_options = option_group(
    Rules,
    "rules",
    _order(
        "--budget",
        "budget_s",
        type=Parsed("duration", parse_duration),
        metavar="DURATION",
        help="Start no new runs after this time. If it does not suffice, the worst leave early.",
    ),
    _order(
        "--metric",
        type=OneOf(METRICS),
        default=metrics.USUAL,
        show_default=True,
        help="What decides.",
    ),
    _order(
        "--average",
        type=OneOf(Average),
        callback=_average,
        default="mean",
        show_default=True,
        help="Of the problems: their mean, or the typical one, by geometric means. An unsolved run "
        "counts as twice its limit (PAR-2).",
    ),
    _order(
        "--confidence",
        type=float,
        default=0.95,
        show_default=True,
        help="Probability that neither of two equal combinations leaves because of the other.",
    ),
    _order(
        "--margin",
        type=float,
        default=0.05,
        show_default=True,
        help="The race also ends when all that are left are this close to the best.",
    ),
    _order(
        "--unit",
        metavar="COLUMN",
        help=UNIT_HELP.format(columns="'formula_family' (folders), 'family', 'n' or 'density'"),
    ),
)


@click.command(cls=Sectioned)
@campaign_options
@options_of(Execution.usual, "execution", _EXECUTION)
@rules_options
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
@click.pass_context
def race(
    context: click.Context,
    /,
    requested: Requested,
    execution: Execution,
    rules: Rules,
    results: Path,
    plots: bool,
    quiet: bool,
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
    from nqbench.addons.race.live import Race
    from nqbench.campaign.decidable import Forecast

    tell_shadowed()
    if execution.is_local:
        start_ahead()
        context.call_on_close(stop_ahead)
    from nqbench.addons.race.printing import LiveTable
    from nqbench.cli.face import read_campaigns

    execution = replace(execution, budget_s=rules.budget_s)
    requested = replace(requested, settings={"repeat": 1, **requested.settings})
    campaigns = read_campaigns(given_parameters(context), requested)
    job = replace(
        campaigns.job(execution, tell),
        folder=results,
        command=this_command(),
        tell=tell,
    )
    job.check()
    forecast = Forecast(() if quiet else job.runs)
    for sentence in forecast.sentences():
        tell(sentence)
    with job.open_store() as store:
        racing = Race(job, store, rules)
        table = LiveTable(forecast, is_shown=not quiet)
        try:
            racing.run(table)
        finally:
            standing = racing.standing()
            _print(standing)
        if plots:
            _draw(standing, results)
        click.echo(f"records: {store_path(results)} ({standing.runs} of this race)", err=True)
        if execution.checking.when is When.LATER:
            tell_unchecked(standing.records, results)
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
