"""`replay`: measure the runs of a bundle again, and say what agrees."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench.addons.bundle.replay import replay as replay_bundle
from nqbench.campaign.executors.interpreter import start_ahead, stop_ahead
from nqbench.cli.face import (
    FILE,
    allow_option,
    calling,
    print_table,
    print_wrapped,
    tell_shadowed,
    with_options,
)
from nqbench.common.units import counted
from nqbench.common.vocabulary import combination
from nqbench.problems.base import title
from nqbench.show.tables.columns import Column, pair_columns, shown

if TYPE_CHECKING:
    from nqbench.addons.bundle.plan import Plan
    from nqbench.addons.bundle.replay import Replay

_MOST_DIFFERENCES: Final = 10

_EXACT: Final = ("answers", "formulas", "counters")
_COLUMNS: Final = (
    Column("runs", 2),
    *(Column(name, 8) for name in _EXACT),
    Column("ratio", 9, title="time ratio"),
    Column("low", 5, title="from"),
    Column("high", 5, title="to"),
)
_LEGEND: Final = (
    "Answers, formulas and counters: how many agree, of those compared. The time ratio is the "
    "solve time here divided by that in the bundle, with its 95 % interval for all rows together."
)


def _print_plan(plan: "Plan") -> None:
    """Print what is left out, and why."""
    for why, run_ids in plan.left_out.items():
        runs = counted(len(run_ids), "run")
        click.echo(f"nqbench: left out {runs}: {with_options(why)}", err=True)
    for difference in (*plan.others.values(), *plan.builds.values()):
        click.echo(f"nqbench: {difference}", err=True)


@click.command
@click.argument("bundle", metavar="BUNDLE", type=FILE)
@calling(replay_bundle, _print_plan)
@click.option("-q", "--quiet", is_flag=True, help="Print only what agrees, no progress.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@allow_option
@click.pass_context
def replay(
    context: click.Context,
    /,
    bundle: Path,
    quiet: bool,
    as_json: bool,
    allowed: tuple[str, ...],
    **settings: Any,
) -> int:
    """Measure the runs of a BUNDLE again, and report what agrees. `nqbench bundle` makes bundles.

    Answers, formulas and counters are compared exactly, and solve times as ratios: the time here
    divided by that in the bundle, with a 95 % interval. Exit status 1 means that an answer or a
    formula differs, that an answer here is wrong, that a run crashed, or that runs of the bundle
    were left out.

    A bundle that was changed is refused. A run is left out if its solver is missing here, or has
    another version than the one that measured the bundle. Files of plugins in a bundle are not
    executed: its README says how to install them.

    \b
    Examples:
      nqbench replay queens.zip
      nqbench replay queens.zip --sample 10% --results replayed
      nqbench replay queens.zip --allow-other-solvers
    """
    tell_shadowed()
    start_ahead()
    context.call_on_close(stop_ahead)
    outcome = replay_bundle(bundle, allow_programs=allowed, progress=not quiet, **settings)
    if as_json:
        click.echo(json.dumps(_with_options(outcome.document()), indent=2, allow_nan=False))
    else:
        _print(outcome)
    return 0 if outcome.agrees else 1


def _with_options(value: Any) -> Any:
    """The document, with options in place of arguments of Python in its texts."""
    if isinstance(value, dict):
        return {key: _with_options(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_options(item) for item in value]
    return with_options(value) if isinstance(value, str) else value


def _print(outcome: "Replay") -> None:
    """Print a row for each encoding and backend, what agrees, and the first differences."""
    rows = [
        {
            **row,
            **{name: f"{row[name]}/{row[f'{name}_of']}" for name in _EXACT if row[f"{name}_of"]},
            **{name: None for name in _EXACT if not row[f"{name}_of"]},
        }
        for row in outcome.agreement.iter_rows(named=True)
    ]
    columns = [*pair_columns(outcome.agreement["encoding"]), *_COLUMNS]
    print_table(columns, rows, "nqbench.replay in Python")
    print_wrapped(f"{_LEGEND}{_too_few(outcome)}")
    for sentence in outcome.sentences():
        print_wrapped(with_options(sentence), "- ")
    for row in outcome.differences.head(_MOST_DIFFERENCES).iter_rows(named=True):
        run = f"{title(row['family'], row['n'], row['instance'])}, repeat {row['repeat'] + 1}"
        pair = combination(row["encoding"], row["backend"])
        values = f"{shown(row['bundle'])} in the bundle, {shown(row['here'])} here"
        print_wrapped(f"{row['quantity']} of {pair} on {run}: {values}", "- ")
    if (more := len(outcome.differences) - _MOST_DIFFERENCES) > 0:
        print_wrapped(f"and {counted(more, 'more difference')}", "- ")


def _too_few(outcome: "Replay") -> str:
    """Why there are rows without an interval, as a sentence; empty if there are none."""
    from nqbench.addons.bundle.agreement import problems_needed

    if not outcome.agreement["low"].null_count():
        return ""
    return f" An interval needs {problems_needed(len(outcome.agreement))} solved problems."
