"""What becomes of the runs of `run`: where they are recorded, which are measured again, and what is
shown; the options that make a `Recording`.
"""

from dataclasses import dataclass
from pathlib import Path

import click

from nqbench.cli.grouped import grouped
from nqbench.cli.options import results_option


@dataclass(frozen=True, slots=True)
class Recording:
    """What `recording_options` say."""

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
