"""The options that make the workload of `run` and `certify`: their problems."""

from typing import Final

import click

from nqbench.campaign.workload import DEFAULT_FAMILY, Workload
from nqbench.cli.options.option_group import option_group
from nqbench.cli.options.sections import option_in
from nqbench.cli.options.shared_options import (
    COUNT,
    DENSITIES,
    DIAGONALS,
    FAMILY,
    PATH,
    RANGE,
    SEED,
    separated,
)
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

workload_options = option_group(
    Workload,
    "workload",
    *_problems,
    _problem(
        "--cnf",
        "formulas",
        multiple=True,
        type=PATH,
        metavar="PATH",
        help="Measure formulas instead: a file of clauses (DIMACS) or of clauses and rows (KNF, "
        "CNF+, OPB), also .gz or .xz, or a folder.",
    ),
    _problem(
        "--cnfgen",
        multiple=True,
        metavar="COMMAND",
        help="Measure a formula that CNFgen makes instead, such as 'php 8 7' or 'tseitin 20 3'.",
    ),
    without=["seed"],  # it also decides the order of the runs: see `request_options`
)

problem_options = option_group(
    Workload,
    "workload",
    *_problems,
    click.option(
        "--seed", type=SEED, default=0, show_default=True, help="Seed of the random problems."
    ),
    _problem(
        "--cnf",
        "formulas",
        multiple=True,
        type=PATH,
        metavar="PATH",
        help="Formulas to judge, files or folders; with an ENCODING, files whose rows it encodes: "
        "KNF, CNF+ or OPB.",
    ),
    without=["cnfgen"],
)
"""The same for `certify`, which needs problems with rules or files with rows."""
