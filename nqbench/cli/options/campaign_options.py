"""What `run` and `race` measure: the problems, a suite or a campaign file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from nqbench.campaign.suites import SUITES
from nqbench.campaign.workload import Workload
from nqbench.cli.options.allow_programs import allow_option
from nqbench.cli.options.option_group import option_group
from nqbench.cli.options.sections import option_in
from nqbench.cli.options.shared_options import FILE, OneOf, given_parameters
from nqbench.cli.options.workload_options import INSTEAD_OF_A_FILE, workload_options
from nqbench.common.errors import InputError
from nqbench.records.settings import Section


@dataclass(frozen=True, slots=True)
class Requested:
    """What a command line asks for, by a campaign file, a suite or options, and the programs that
    are `allowed` although only a file names them.
    """

    campaign_file: Path | None
    workload: Workload
    suite: str | None
    allowed: tuple[str, ...]

    def arguments(self) -> dict[str, Any]:
        """The arguments of a function such as `nqbench.run` that are no settings. Raises
        `InputError` if nothing is asked for, or in several ways.
        """
        parameters = given_parameters(click.get_current_context())
        if self.suite is None and self.campaign_file is None:
            self._check_problems("instances" in parameters)
            return {"problems": self.workload}
        self._check_alone([name for name in INSTEAD_OF_A_FILE if name in parameters])
        return {
            "suite": self.suite,
            "campaign_file": self.campaign_file,
            "allow_programs": self.allowed,
        }

    def _check_problems(self, has_instances: bool) -> None:
        if not self.workload.asks:
            raise InputError(
                "nothing to measure: give --n 4..30, --file, --cnf, --cnfgen or a campaign file"
            )
        if has_instances and not self.workload.is_random:
            raise InputError(
                "--instances is a number of random problems: add --n and a random --family, or "
                "leave it out"
            )

    def _check_alone(self, problem_options: list[str]) -> None:
        """Raise `InputError` if there are problems or a suite as well, or if there is no file."""
        file = self.campaign_file
        if self.suite is not None and file is not None:
            raise InputError(
                "a suite and a campaign file are two campaigns: start one after the other"
            )
        if file is not None and not file.exists():
            raise InputError(
                f"there is no campaign file '{file}'; several names are joined by commas"
            )
        for name in problem_options:
            raise InputError(
                f"{INSTEAD_OF_A_FILE[name]} says what is measured, and so does the suite or "
                "campaign file"
            )


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
    allow_option,
)
