"""Options that several commands share, and the words in which their values are written."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import click

from nqbench import boards
from nqbench.errors import InputError
from nqbench.limits import parse_duration, parse_size
from nqbench.problem import EMPTY_BOARDS, FAMILIES, Problem
from nqbench.ranges import parse_densities, parse_diagonals, parse_range, parse_square
from nqbench.workload import Workload


class Parsed(click.ParamType[Any]):
    """A value read by a function that raises `InputError`."""

    def __init__(self, name: str, parse: Callable[[str], object]) -> None:
        self.name = name
        self._parse = parse

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """What the function makes of the text; its complaint becomes click's."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except InputError as error:
            self.fail(str(error), param, ctx)


RANGE = Parsed("range", parse_range)
DURATION = Parsed("duration", parse_duration)
SIZE = Parsed("size", parse_size)
DENSITIES = Parsed("densities", parse_densities)
DIAGONALS = Parsed("diagonals", parse_diagonals)
SQUARE = Parsed("square", parse_square)
BOARD_SIZE = click.IntRange(min=1)

METRICS: Final = ("solve_s", "total_s", "wall_s", "cpu_s", "load_s", "encode_s")
"""The times by which runs can be judged."""

results_option = click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="Folder of the store and the plots.",
)


WORKLOAD_OPTIONS: Final = {
    "sizes": "--n",
    "family": "--family",
    "densities": "--density",
    "instances": "--instances",
    "board_files": "--board",
    "diagonals": "--diagonals",
    "formulas": "--cnf",
}
"""The options that say what to measure on, by their parameters."""


def workload_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `WORKLOAD_OPTIONS`."""
    for option in (
        click.option(
            "--cnf",
            "formulas",
            multiple=True,
            type=click.Path(path_type=Path),
            metavar="PATH",
            help="Instead of boards: formulas, DIMACS files or folders of them; .gz and .xz too.",
        ),
        click.option(
            "--diagonals",
            type=DIAGONALS,
            metavar="RANGE|n",
            help="How many of the diagonals that a CSPLib file lists are excluded; n: as many as "
            "there are rows, or all. [all]",
        ),
        click.option(
            "--board",
            "board_files",
            multiple=True,
            type=click.Path(path_type=Path),
            metavar="PATH",
            help="Boards in a file or a folder: Q . # or 1 0, a row a line; JSON; CSPLib 079.",
        ),
        click.option(
            "--instances",
            type=click.IntRange(min=1),
            default=10,
            show_default=True,
            help="Random boards of each n and density.",
        ),
        click.option(
            "--density",
            "densities",
            type=DENSITIES,
            metavar="RANGE",
            help="How full random boards are: 0.9, 0.5..1.5..0.1 (step), or a mix by comma; what "
            "1 means: nqbench list families.",
        ),
        click.option(
            "--family", type=click.Choice(FAMILIES), default=EMPTY_BOARDS[0], show_default=True
        ),
        click.option(
            "--n",
            "sizes",
            type=RANGE,
            metavar="RANGE",
            help="Board sizes: 8, 4..30, 4..30..2 (step), or a mix by comma.",
        ),
    ):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Asked:
    """What `problem_options` say."""

    n: int | None = None
    family: str | None = None
    board: Path | None = None
    diagonals: int | None = None
    density: float | None = None
    seed: int | None = None

    def problem(self) -> Problem:
        """The problem that is asked for. Raises `InputError`."""
        if (self.n is None) == (self.board is None):
            raise InputError("say which board: --n 8, or --board FILE")
        if self.board is not None:
            for name in ("family", "density", "seed"):
                if getattr(self, name) is not None:
                    raise InputError(
                        f"--{name} is not for a board in a file: leave it out, or say --n"
                    )
            return boards.read(self.board, self.diagonals)
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


def problem_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that say which board, for a command whose first parameter is an `Asked`."""

    @functools.wraps(command)
    def with_asked(**options: Any) -> Any:
        own = {field.name: options.pop(field.name) for field in fields(Asked)}
        return command(Asked(**own), **options)

    wrapped: Callable[..., Any] = with_asked
    for option in (
        click.option("--seed", type=int, help="Which random board. [0]"),
        click.option(
            "--density",
            type=click.FloatRange(min=0),
            help="How full a random board is; what 1 means: nqbench list families.",
        ),
        click.option(
            "--diagonals",
            type=click.IntRange(min=0),
            metavar="D",
            help="Exclude the first D diagonals that a CSPLib file lists. [all]",
        ),
        click.option(
            "--board",
            type=click.Path(path_type=Path, dir_okay=False),
            help="A board in a file: Q . # or 1 0, a row a line; JSON; a CSPLib 079 instance.",
        ),
        click.option(
            "--family",
            type=click.Choice(FAMILIES),
            help=f"What kind of board. [{EMPTY_BOARDS[0]}]",
        ),
        click.option("--n", type=BOARD_SIZE, help="Rows of the board."),
    ):
        wrapped = option(wrapped)
    return wrapped


def names(
    values: tuple[str, ...], default: tuple[str, ...], every: Callable[[], Iterable[str]]
) -> list[str]:
    """Names given by repeating the option or by comma, in the order given and without repeats.

    `all` stands for what `every` returns, nothing for the default.
    """
    given = [name.strip() for value in values for name in value.split(",") if name.strip()]
    chosen = given or list(default)
    return list(dict.fromkeys(every() if "all" in chosen else chosen))
