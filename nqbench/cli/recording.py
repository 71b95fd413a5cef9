"""The options that make a `Recording`: where `run` records its runs, which ones it measures again,
and what it shows.
"""

from dataclasses import dataclass
from pathlib import Path

import click

from nqbench.cli.grouped import grouped
from nqbench.cli.options import results_option


@dataclass(frozen=True, slots=True)
class Recording:
    """The values of `recording_options`."""

    results: Path
    fresh: bool
    retry_failed: bool
    dry_run: bool
    plots: bool
    quiet: bool


recording_options = grouped(
    Recording,
    "recording",
    results_option,
    click.option("--fresh", is_flag=True, help="Measure again what is already recorded."),
    click.option("--retry-failed", is_flag=True, help="Measure again what crashed."),
    click.option("--dry-run", is_flag=True, help="Print what would be run, and stop."),
    click.option(
        "--plots/--no-plots", default=True, help="Draw the plots and write the report at the end."
    ),
    click.option(
        "-q", "--quiet", is_flag=True, help="No progress, only the table and the findings."
    ),
)
