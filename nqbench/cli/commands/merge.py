"""`merge`: add the records of other stores."""

from pathlib import Path
from typing import Final

import click

from nqbench.cli.options.results_folder import alone
from nqbench.cli.options.shared_options import PATH, store_option
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common.units import counted
from nqbench.records import sources
from nqbench.records.store import Store
from nqbench.results import Results

_OF_BUILDS: Final = ("backend", "backend_version", "backend_build")


@click.command
@store_option
@click.argument(
    "others",
    metavar="OTHER...",
    nargs=-1,
    required=True,
    type=PATH,
)
def merge(results: Path, others: tuple[Path, ...]) -> None:
    """Add the records of other results folders or stores (.db), for example from other machines.
    No record is added twice. Each record keeps the name of the folder or file that it comes from,
    and findings say how many there are from each.

    A run that was measured here and there, on machines of the same kind, has both records, which
    count as repeats.

    If a store has a record that nqbench would not write, nothing is added.

    Combinations are compared on one machine at a time. A problem is one piece of evidence, however
    many machines measured it: tests use the mean over the machines.

    \b
    Examples:
      nqbench merge --results all laptop/ server/nqbench.db
      nqbench summary --results all --where "machine LIKE '%Xeon%'"
    """
    from nqbench.records.frame import OF_RUNS, measured_again  # imports Polars
    from nqbench.summary import builds

    with alone(sources.new_store(results)), shown_while_waiting(f"merging into {results}"):
        merged = Results(results).merge(*others)
    for other, (added, duplicates) in zip(others, merged, strict=True):
        note = f"; {duplicates} were recorded already and stay as they are" if duplicates else ""
        click.echo(f"{added} records from {other}{note}", err=True)
    with Store(sources.new_store(results), read_only=True) as store:
        if again := measured_again(store.frame(columns=OF_RUNS)):
            click.echo(
                f"nqbench: {counted(again, 'run')} with several records, measured at different "
                "times on machines of the same kind: they count as repeats",
                err=True,
            )
        for backend, mixed in builds(store.frame(columns=_OF_BUILDS)).items():
            click.echo(
                f"nqbench: one version of {backend} is there in {len(mixed)} builds: "
                f"{'; '.join(mixed)}",
                err=True,
            )
