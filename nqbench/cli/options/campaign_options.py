"""What `run` and `race` measure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from nqbench.campaign.suites import SUITES
from nqbench.campaign.workload import Workload
from nqbench.cli.options.allow_programs import allow_option
from nqbench.cli.options.option_group import option_group
from nqbench.cli.options.sections import option_in
from nqbench.cli.options.setting_options import settings_options
from nqbench.cli.options.shared_options import FILE, OneOf
from nqbench.cli.options.workload_options import workload_options
from nqbench.records.settings import Section


@dataclass(frozen=True, slots=True)
class Requested:
    """What a command line asks for, by a campaign file, a suite or options, the `settings` of
    campaigns that it states, and the programs that are `allowed` although only a file names them.
    """

    campaign_file: Path | None
    workload: Workload
    suite: str | None
    settings: Mapping[str, Any]
    allowed: tuple[str, ...]


campaign_options = option_group(
    Requested,
    "requested",
    click.argument(
        "campaign_file", metavar="[N | FILE | CAMPAIGN.TOML]", required=False, type=FILE
    ),
    workload_options,
    option_in(Section.WORKLOAD)(
        "--suite", type=OneOf(SUITES), help="Boards and backends that belong together."
    ),
    settings_options,
    allow_option,
)
