"""`board`: draw a board or another problem without solving it."""

from pathlib import Path

import click

from nqbench.cli.options.shared_options import FILE
from nqbench.cli.options.which_board import WhichBoard, which_board
from nqbench.cli.printing.pictures import Pictures, picture_options
from nqbench.common import files
from nqbench.problems import board_files
from nqbench.problems.queens import as_board


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
    """Draw a board with its placed queens and blocked squares, without solving it; or what another
    problem has placed.

    \b
    Examples:
      nqbench board --board start.txt --attacked
      nqbench board --n 8 --lines-of 3,3 --svg lines.svg
      nqbench board --n 12 --family completion --density 0.3 --json hard.json
      nqbench board --n 9 --family quasigroup --density 0.4 --svg start.svg
    """
    problem = which.problem()
    if json_path is not None:
        as_board(problem, "--json")
    pictures.show(problem, problem.start)
    if json_path is not None:
        files.write(json_path, board_files.as_json(as_board(problem, "--json")).encode())
        click.echo(f"wrote {json_path}", err=True)
