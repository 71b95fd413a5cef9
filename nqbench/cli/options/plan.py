"""What a command line asks for, by options, a suite, or a campaign file."""

from collections.abc import Container
from dataclasses import replace
from pathlib import Path

from nqbench.campaign.grid import Campaign
from nqbench.campaign.job import Campaigns
from nqbench.cli.options.allow_programs import on_terminal
from nqbench.cli.options.campaign_options import Requested
from nqbench.cli.options.workload_options import INSTEAD_OF_A_FILE
from nqbench.cli.printing.status_line import echo_status
from nqbench.common.errors import InputError


def read_campaigns(parameters: Container[str], requested: Requested) -> Campaigns:
    """The campaigns of a suite, a campaign file or a workload. `given` are the parameters of the
    options on the command line.

    Prints what was left out and why. Raises `InputError`.
    """
    campaigns = _campaigns(parameters, requested)
    for why, times in campaigns.left_out_of_all.items():
        echo_status(f"nqbench: left out {why}{_times(times)}")
    for note, times in campaigns.notes.items():
        echo_status(f"nqbench: {note}{_times(times)}")
    return campaigns


def _campaigns(parameters: Container[str], requested: Requested) -> Campaigns:
    settings, file, suite = requested.settings, requested.campaign_file, requested.suite
    if suite is not None or file is not None:
        _check_alone(parameters, suite, file)
        if file is not None:
            return Campaigns.in_file(file, settings, requested.allowed, on_terminal())
        return Campaigns.in_suite(str(suite), settings, requested.allowed, on_terminal())
    workload = replace(requested.workload, seed=settings.get("seed", Campaign.seed))
    if not workload.asks:
        raise InputError(
            "nothing to measure: give --n 4..30, --file, --cnf, --cnfgen or a campaign file"
        )
    if "instances" in parameters and not workload.is_random:
        raise InputError(
            "--instances is a number of random problems: add --n and a random --family, or leave "
            "it out"
        )
    problems, left_out = workload.problems()
    return Campaigns.of_problems(problems, settings, left_out)


def _check_alone(parameters: Container[str], suite: str | None, file: Path | None) -> None:
    """Raise `InputError` if there is more than one of a suite, a file and problems, or no file."""
    if suite is not None and file is not None:
        raise InputError("a suite and a campaign file are two campaigns: start one after the other")
    if file is not None and not file.exists():
        raise InputError(f"there is no campaign file '{file}'; several names are joined by commas")
    for parameter, option in INSTEAD_OF_A_FILE.items():
        if parameter in parameters:
            raise InputError(
                f"{option} says what is measured, and so does the suite or campaign file"
            )


def _times(times: int) -> str:
    return f" ({times} campaigns)" if times > 1 else ""
