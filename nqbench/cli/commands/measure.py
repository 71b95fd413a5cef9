"""`measure`: add measures to records whose output was kept."""

from collections.abc import Sequence
from pathlib import Path

import click

from nqbench.cli.mistakes import with_options
from nqbench.cli.options.results_folder import where_option
from nqbench.cli.options.shared_options import store_option
from nqbench.common.units import counted
from nqbench.results import Results


@click.command
@click.argument("measures", metavar="NAME=REGEX...", nargs=-1, required=True)
@store_option
@where_option
def measure(measures: tuple[str, ...], results: Path, where: str | None) -> None:
    r"""Read numbers from the logs of runs that were measured with --keep-output, and add them to
    their records.

    The number is the first group of the last match of REGEX, as with `run --measure`. It becomes
    the column NAME, in place of an earlier measure of this name. Nothing is measured again.

    \b
    Examples:
      nqbench measure 'glue=average glue: ([\d.]+)'
      nqbench measure 'learnt=^conflict literals +: (\d+)' --where "backend = 'minisat'"
    """
    stored = Results(results, where=where)
    remeasured = stored.measure(*measures)
    for name, number in remeasured.with_value.items():
        click.echo(f"{name}: {number} of {counted(remeasured.read, 'log')}")
    for flaw in remeasured.flaws:
        click.echo(f"nqbench: {flaw}", err=True)
    if remeasured.without_log:
        click.echo(f"nqbench: {_without_log(stored, remeasured.without_log)}", err=True)


def _without_log(stored: Results, run_ids: Sequence[str]) -> str:
    """Which records have no log, in words."""
    from nqbench.summary.findings.wording import count_pairs, counts

    records = stored.records.filter(stored.records["run_id"].is_in(run_ids))
    whose = counts(f"{counted(len(records), 'record')} without a log", count_pairs(records))
    again = with_options("measure again with `keep_output=True` `fresh=True`")
    return f"{whose.removesuffix('.')}; {again}"
