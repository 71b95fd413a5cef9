"""The options that say what is measured: the problems of `run` and `certify`, and for `run` and
`race` also a suite or a campaign file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from nqbench.campaign.suites import SUITES
from nqbench.campaign.workload import DEFAULT_FAMILY, Workload
from nqbench.cli.options.function_options import option_group, option_in
from nqbench.cli.options.shared_options import (
    COUNT,
    DENSITIES,
    DIAGONALS,
    FAMILY,
    FILE,
    PATH,
    RANGE,
    SEED,
    OneOf,
    allow_option,
    given_parameters,
    separated,
)
from nqbench.common.errors import InputError
from nqbench.plugins import lists
from nqbench.records.settings import Section

INSTEAD_OF_A_FILE: Final = {
    "sizes": "--n",
    "families": "--family",
    "densities": "--density",
    "instances": "--instances",
    "files": "--file",
    "diagonals": "--diagonals",
    "formulas": "--cnf",
    "cnfgen": "--cnfgen",
}
"""The options that state problems, which a suite or a campaign file does otherwise, by their
parameters."""

_problem = option_in(Section.WORKLOAD)

_problems = (
    _problem(
        "-n",
        "--n",
        "sizes",
        type=RANGE,
        default=(),
        metavar="RANGE",
        help="Sizes: 8, 4..30, 4..30..2 (step), or several, separated by comma.",
    ),
    _problem(
        "--family",
        "families",
        multiple=True,
        type=FAMILY,
        callback=separated(lists.FAMILIES),
        help="Kind of problems: `nqbench list families` says what each takes. Repeat, or separate "
        "by comma; 'all' selects every family that has one problem for each n. "
        f"[default: {DEFAULT_FAMILY}]",
    ),
    _problem(
        "--density",
        "densities",
        type=DENSITIES,
        default=(),
        metavar="RANGE",
        help="How full random problems are: 0.9, 0.5..1.5..0.1 (step), or several, separated by "
        "comma. `nqbench list families` explains what 1 means.",
    ),
    _problem(
        "--instances",
        type=COUNT,
        default=10,
        show_default=True,
        help="Random problems for each n and density.",
    ),
    _problem(
        "--file",
        "--board",
        "files",
        multiple=True,
        type=PATH,
        metavar="PATH",
        help="File or folder with problems of the family. Boards: one row per line, of Q . # or 1 "
        "0; JSON; CSPLib 079.",
    ),
    _problem(
        "--diagonals",
        type=DIAGONALS,
        metavar="RANGE|n",
        help="Exclude this many of the diagonals that a CSPLib file lists; n: as many as there are "
        "rows, or all if it lists fewer. [all]",
    ),
)


def _formulas(text: str) -> Callable[..., Any]:
    return _problem("--cnf", "formulas", multiple=True, type=PATH, metavar="PATH", help=text)


workload_options = option_group(
    Workload,
    "workload",
    *_problems,
    _formulas(
        "Measure formulas instead: a file of clauses (DIMACS) or of clauses and rows (KNF, CNF+, "
        "OPB), also .gz or .xz, or a folder."
    ),
    _problem(
        "--cnfgen",
        multiple=True,
        metavar="COMMAND",
        help="Measure a formula that CNFgen makes instead, such as 'php 8 7' or 'tseitin 20 3'.",
    ),
    without=["seed"],  # it also decides the order of the runs: see `settings`
)

problem_options = option_group(
    Workload,
    "workload",
    *_problems,
    click.option(
        "--seed", type=SEED, default=0, show_default=True, help="Seed of the random problems."
    ),
    _formulas(
        "Formulas to judge, files or folders; with an ENCODING, files whose rows it encodes: KNF, "
        "CNF+ or OPB."
    ),
    without=["cnfgen"],
)
"""The same for `certify`, which needs problems with rules or files with rows."""


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
