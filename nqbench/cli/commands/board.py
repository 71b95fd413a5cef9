"""`board`: draw a board without solving it."""

from pathlib import Path

import click

from nqbench.cli.options.shared_options import FILE
from nqbench.cli.options.which_board import WhichBoard, which_board
from nqbench.cli.printing.pictures import Pictures, picture_options
from nqbench.common import files
from nqbench.problems import board_files


@click.command
@which_board
@picture_options
@click.option(
    "--json",
    "json_path",
    type=FILE,
    help="Write the board to this file, from which --board reads it.",
)
def board(which: WhichBoard, json_path: Path | None, pictures: Pictures) -> None:
    """Draw a board with its placed queens and blocked squares, without solving it.

    \b
    Examples:
      nqbench board --board start.txt --attacked
      nqbench board --n 8 --lines-of 3,3 --svg lines.svg
      nqbench board --n 12 --family completion --density 0.3 --json hard.json
    """
    problem = which.queens("board")
    pictures.show(problem, problem.placed)
    if json_path is not None:
        files.write(json_path, board_files.as_json(problem).encode())
