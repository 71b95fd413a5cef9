"""Options that several commands share, and the words in which their values are written."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from nqbench import boards
from nqbench.errors import InputError
from nqbench.limits import parse_duration, parse_size
from nqbench.problem import EMPTY_BOARDS, Problem
from nqbench.ranges import parse_range, parse_square


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
SQUARE = Parsed("square", parse_square)
BOARD_SIZE = click.IntRange(min=1)

results_option = click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="Folder of the store and the plots.",
)


def problem_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that `problem` reads."""
    for option in (
        click.option(
            "--diagonals",
            type=click.IntRange(min=0),
            metavar="D",
            help="Exclude the first D diagonals that a CSPLib file lists. [all]",
        ),
        click.option(
            "--board",
            type=click.Path(path_type=Path, dir_okay=False),
            help="A board in a file: Q . # or 1 0, a row a line; or a CSPLib 079 instance.",
        ),
        click.option(
            "--family",
            type=click.Choice(EMPTY_BOARDS),
            help=f"What kind of empty board. [{EMPTY_BOARDS[0]}]",
        ),
        click.option("--n", type=BOARD_SIZE, help="Rows of an empty board."),
    ):
        command = option(command)
    return command


def problem(
    n: int | None, family: str | None, board: Path | None, diagonals: int | None
) -> Problem:
    """The problem that `problem_options` ask for. Raises `InputError`."""
    if (n is None) == (board is None):
        raise InputError("say which board: --n 8, or --board FILE")
    if board is not None:
        if family is not None:
            raise InputError("--family is for an empty board: leave it out, or say --n")
        return boards.read(board, diagonals)
    if diagonals is not None:
        raise InputError("--diagonals needs a CSPLib instance: add --board FILE")
    assert n is not None
    return Problem(n, family or EMPTY_BOARDS[0])


def names(
    values: tuple[str, ...], default: tuple[str, ...], every: Callable[[], Iterable[str]]
) -> list[str]:
    """Names given by repeating the option or by comma, in the order given and without repeats.

    `all` stands for what `every` returns, nothing for the default.
    """
    given = [name.strip() for value in values for name in value.split(",") if name.strip()]
    chosen = given or list(default)
    return list(dict.fromkeys(every() if "all" in chosen else chosen))
