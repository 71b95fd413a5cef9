"""The options that `run` and `race` have in common: what is measured, where, and when answers are
checked.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from nqbench.campaign.request import Request
from nqbench.campaign.suites import SUITES
from nqbench.campaign.workload import Workload
from nqbench.cli.options.allow_programs import allow_option
from nqbench.cli.options.check_options import checking_options
from nqbench.cli.options.option_group import option_group
from nqbench.cli.options.sections import option_in
from nqbench.cli.options.setting_options import execution_options, request_options
from nqbench.cli.options.shared_options import FILE, OneOf
from nqbench.cli.options.workload_options import workload_options
from nqbench.records.settings import Section


@dataclass(frozen=True, slots=True)
class Requested:
    """What a command line asks for, by a campaign file, a suite or options, and the programs that
    are `allowed` although only a file names them.
    """

    campaign_file: Path | None
    workload: Workload
    suite: str | None
    request: Request
    allowed: tuple[str, ...]


_requested_options = option_group(
    Requested,
    "requested",
    click.argument(
        "campaign_file", metavar="[N | FILE | CAMPAIGN.TOML]", required=False, type=FILE
    ),
    workload_options,
    option_in(Section.WORKLOAD)(
        "--suite", type=OneOf(SUITES), help="Boards and backends that belong together."
    ),
    request_options,
    allow_option,
)


def campaign_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which gets them as `requested`, `execution` and `checks`."""
    return _requested_options(execution_options(checking_options(command)))
