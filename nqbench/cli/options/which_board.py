"""The options that choose the board of a command."""

from dataclasses import dataclass, fields
from pathlib import Path

import click

from nqbench.campaign.workload import DEFAULT_FAMILY, Workload
from nqbench.cli.options.function_options import lenient_option, option_group
from nqbench.cli.options.shared_options import BOARD_SIZE, FAMILY, FILE, SEED
from nqbench.common.errors import InputError
from nqbench.problems.base import Problem
from nqbench.problems.families import boards
from nqbench.problems.families.base import Family
from nqbench.problems.families.cnf import formulas
from nqbench.problems.queens import FAMILIES, Queens, as_board


@dataclass(frozen=True, slots=True)
class WhichBoard:
    """The values of the `which_board` options."""

    n: int | None = None
    family: str | None = None
    board: Path | None = None
    diagonals: int | None = None
    density: float | None = None
    seed: int | None = None
    cnf: Path | None = None
    lenient: bool | None = None

    def problem(self) -> Problem:
        """The requested problem. Raises `InputError`."""
        if self.cnf is not None or self.lenient:
            return self._formula()
        if self.n is None and self.board is None:
            raise InputError("give one problem: either --n 8 or --file FILE")
        if self.n is not None and self.board is not None:
            raise InputError("--n and --file are two problems: leave one out")
        if self.board is not None:
            return self._in_file(self.board)
        if self.diagonals is not None:
            raise InputError("--diagonals needs a CSPLib instance: add --file FILE")
        assert self.n is not None
        family = Family.named(self.family or DEFAULT_FAMILY)
        if self.seed is not None and not family.is_random:
            raise InputError(f"family '{family.name}' is not random: leave out --seed")
        workload = Workload(
            sizes=[self.n],
            families=[self.family] if self.family else [],
            densities=[] if self.density is None else [self.density],
            instances=1,
            seed=self.seed or 0,
        )
        problem, *_ = workload.problems()[0]
        return problem

    @property
    def is_named(self) -> bool:
        """Whether the options name a problem."""
        return any(getattr(self, field.name) is not None for field in fields(self))

    def queens(self, purpose: str) -> Queens:
        """The requested board of queens. Raises `InputError` for any other problem: `what` is for
        boards only.
        """
        return as_board(self.problem(), purpose)

    def _formula(self) -> Problem:
        """The formula of a file, which --file names as well."""
        path = self.cnf or self.board
        if path is None:
            raise InputError("--lenient is for formulas: add --cnf FILE")
        others = ("n", "family", "diagonals", "density", "seed", *(["board"] if self.cnf else []))
        for name in others:
            if getattr(self, name) is not None:
                raise InputError(f"--{name} does not apply to a formula: leave it out")
        if path.is_dir():
            raise InputError(f"{path} is a folder: name one formula")
        formula, *_ = formulas(path)
        if formula.facts.note and not self.lenient:
            click.echo(f"nqbench: {formula.instance}: {formula.facts.note}", err=True)
        if self.lenient:
            formula, how = formula.counted_anew()
            if how:
                click.echo(f"nqbench: {formula.instance}: {how}: counted anew", err=True)
        return formula

    def _in_file(self, path: Path) -> Problem:
        names = ("density", "seed", *(["family"] if self.family in FAMILIES else []))
        for name in names:
            if getattr(self, name) is not None:
                raise InputError(
                    f"--{name} does not apply to a board in a file: leave it out, or use --n"
                )
        family = Workload.reader(path, Family.named(self.family or DEFAULT_FAMILY))
        problems = boards.read(family, path, None if self.diagonals is None else [self.diagonals])
        if len(problems) != 1:
            raise InputError(f"{path} holds {len(problems)} problems: name a file with one")
        return problems[0]


_options = (
    click.option(
        "-n", "--n", type=BOARD_SIZE, help="Rows of the board, or size of another problem."
    ),
    click.option(
        "--family",
        type=FAMILY,
        help=f"Kind of problem: see `nqbench list families`. [{DEFAULT_FAMILY}]",
    ),
    click.option(
        "--file",
        "--board",
        "board",
        type=FILE,
        help="File with a problem of the family. A board: one row per line, of Q . # or 1 0; JSON; "
        "a CSPLib 079 instance.",
    ),
    click.option(
        "--diagonals",
        type=click.IntRange(min=0),
        metavar="D",
        help="Exclude the first D diagonals that a CSPLib file lists. [all]",
    ),
    click.option(
        "--density",
        type=click.FloatRange(min=0),
        help="How full a random problem is. `nqbench list families` explains what 1 means.",
    ),
    click.option("--seed", type=SEED, help="Seed of the random problem. [0]"),
)

which_board = option_group(WhichBoard, "which", *_options, without=["cnf", "lenient"])

which_problem = option_group(
    WhichBoard,
    "which",
    *_options,
    click.option(
        "--cnf",
        type=FILE,
        help="A formula instead: a file in DIMACS, KNF, CNF+ or OPB, also packed.",
    ),
    lenient_option,
)
"""The same with formulas, for what needs no board."""
