"""The options that choose the board of a command."""

from dataclasses import dataclass
from pathlib import Path

import click

from nqbench.cli.grouped import grouped
from nqbench.cli.options import BOARD_SIZE, SEED, OneOf
from nqbench.errors import InputError
from nqbench.plan.workload import Workload
from nqbench.problems import board_files
from nqbench.problems.base import EMPTY_BOARDS, FAMILIES, Problem


@dataclass(frozen=True, slots=True)
class WhichBoard:
    """The values of the `which_board` options."""

    n: int | None = None
    family: str | None = None
    board: Path | None = None
    diagonals: int | None = None
    density: float | None = None
    seed: int | None = None

    def problem(self) -> Problem:
        """The requested problem. Raises `InputError`."""
        if (self.n is None) == (self.board is None):
            raise InputError("give one board: either --n 8 or --board FILE")
        if self.board is not None:
            for name in ("family", "density", "seed"):
                if getattr(self, name) is not None:
                    raise InputError(
                        f"--{name} does not apply to a board in a file: leave it out, or use --n"
                    )
            return board_files.read(self.board, self.diagonals)
        if self.diagonals is not None:
            raise InputError("--diagonals needs a CSPLib instance: add --board FILE")
        assert self.n is not None
        workload = Workload(
            sizes=[self.n],
            family=self.family or EMPTY_BOARDS[0],
            densities=[] if self.density is None else [self.density],
            instances=1,
            seed=self.seed or 0,
        )
        return workload.boards()[0][0]


which_board = grouped(
    WhichBoard,
    "which",
    click.option("-n", "--n", type=BOARD_SIZE, help="Rows of the board."),
    click.option(
        "--family",
        type=OneOf(FAMILIES),
        help=f"Kind of board. [{EMPTY_BOARDS[0]}]",
    ),
    click.option(
        "--board",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File with a board: one row per line, of Q . # or 1 0; JSON; a CSPLib 079 instance.",
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
        help="How full a random board is. `nqbench list families` explains what 1 means.",
    ),
    click.option("--seed", type=SEED, help="Seed of the random board. [0]"),
)
