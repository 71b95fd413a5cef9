"""`measure`: add measures to records whose output was kept."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nqbench.campaign.progress import tracked
from nqbench.cli.mistakes import with_options
from nqbench.cli.options.results_folder import where_option
from nqbench.cli.options.shared_options import store_option
from nqbench.common.units import counted
from nqbench.common.vocabulary import combination
from nqbench.records import sources
from nqbench.records.store import Store
from nqbench.results import Results

if TYPE_CHECKING:
    from nqbench.measure.user_measures import Remeasured

_MOST_NAMED: Final = 3


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
    from nqbench.measure import user_measures
    from nqbench.records.measures import parse_all

    parse_all(measures)
    run_ids = None if where is None else Results(results, where=where).records["run_id"].to_list()
    with Store(sources.store(results)) as store:
        logged, without = user_measures.runs_to_measure(store, run_ids)
        remeasured = user_measures.remeasure(
            store, measures, tracked(logged, "reading logs"), without
        )
        whose = Counter(combination(r.encoding, r.backend) for r in store.records(without))
    for name, number in remeasured.with_value.items():
        click.echo(f"{name}: {number} of {counted(remeasured.read, 'log')}")
    for flaw in remeasured.flaws:
        click.echo(f"nqbench: {flaw}", err=True)
    if without:
        click.echo(f"nqbench: {_without_log(remeasured, whose)}", err=True)


def _without_log(remeasured: "Remeasured", whose: "Counter[str]") -> str:
    """Which records have no log, in words."""
    from nqbench.summary.findings.wording import listed

    names = [f"{name} ({number})" for name, number in whose.most_common()]
    again = with_options("measure again with `keep_output=True` `fresh=True`")
    number = counted(len(remeasured.without_log), "record")
    return f"{number} without a log: {listed(names, _MOST_NAMED)}; {again}"
