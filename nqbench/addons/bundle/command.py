"""`bundle`: write the results as one file for somebody else."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from nqbench.addons.bundle.functions import bundle as write_bundle
from nqbench.campaign.workload import Workload
from nqbench.cli.face import (
    FILE,
    Sectioned,
    calling,
    output_option,
    shown_while_waiting,
    store_option,
    tell_outdated,
    where_option,
    workload_options,
)
from nqbench.common.errors import InputError
from nqbench.results import Results


@click.command(cls=Sectioned)
@click.argument("paths", metavar="[OUT.ZIP] [CAMPAIGN.TOML]", nargs=-1, type=FILE)
@output_option("The file to write, in place of OUT.ZIP.", kind=FILE)
@store_option
@where_option
@workload_options
@calling(write_bundle)
def bundle(
    paths: tuple[Path, ...],
    output: Path | None,
    results: Path,
    where: str | None,
    workload: Workload,
    **settings: Any,
) -> None:
    """Write the results into a ZIP file, with all that somebody else needs to measure the same runs
    again: problems, formulas, files of plugins, exact versions, digests, plots, tables, and a
    README.

    `nqbench replay` measures them. The same results give the same bytes.

    Problems that come from files are not in the results: name these files as for `nqbench run`, or
    name the campaign file, which goes into the bundle. Others need no option.

    \b
    Examples:
      nqbench bundle queens.zip
      nqbench bundle queens.zip --license CC-BY-4.0
      nqbench bundle formulas.zip --results results/cnf --cnf formulas/
      nqbench bundle paper.zip examples/campaign.toml --where "backend <> 'pyeda'"
    """
    target, campaign_file = _target_and_campaign(paths, output)
    result_set = Results(results, where=where)
    tell_outdated(result_set)
    problems = workload.problems()[0] if workload.asks else []
    with shown_while_waiting(f"writing {target}"):
        archive = result_set.bundle(
            target, problems=problems, campaign_file=campaign_file, **settings
        )
    for note in archive.notes:
        click.echo(f"nqbench: not measured again: {note}", err=True)
    for need in archive.plugins:
        click.echo(f"nqbench: {need}", err=True)
    click.echo(str(archive))
    click.echo(f"SHA-256: {archive.sha256}")


def _target_and_campaign(paths: Sequence[Path], output: Path | None) -> tuple[Path, Path | None]:
    """The file to write and the campaign file. Raises `InputError` if the first is not named."""
    named = [*([] if output is None else [output]), *paths]
    if not named:
        raise InputError("name the file to write: nqbench bundle results.zip")
    target, *others = named
    if len(others) > 1:
        raise InputError(f"write one file, and at most one campaign file: {others[-1]} is too much")
    if output is not None and others and others[0].suffix == output.suffix:
        raise InputError(f"{others[0]} and --output {output} are two files to write: name one")
    return target, others[0] if others else None
