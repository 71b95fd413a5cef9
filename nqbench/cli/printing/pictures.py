"""Shows boards and other solutions on the terminal, and writes pictures of them to files."""

from dataclasses import dataclass
from pathlib import Path

import click

from nqbench.cli.options.function_options import option_group
from nqbench.cli.options.shared_options import FILE, SQUARE, OneOf
from nqbench.common.errors import InputError
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution
from nqbench.problems.picture import Picture
from nqbench.problems.queens import Placement, Queens, Square, as_board, placement_of
from nqbench.show.boards.scene import Scene
from nqbench.show.boards.text import Style, text_scene


@dataclass(frozen=True, slots=True)
class Pictures:
    """The values of `picture_options`."""

    style: str | None
    attacked: bool
    lines_of: Square | None
    svg: Path | None
    png: Path | None

    def refuse_files(self, subject: str) -> None:
        """Raise `InputError` if a file was requested, because a file has only one picture."""
        for option, path in (("--svg", self.svg), ("--png", self.png)):
            if path is not None:
                raise InputError(f"{option} holds one picture, not {subject}: leave it out")

    def show(self, problem: Problem, solution: Solution, first: bool = True) -> None:
        """Print the board, after an empty line if it is not the first, and write the files. Print
        the solution of any other problem as its family draws it.

        Raises `InputError` if a file cannot be written, the square of `lines_of` is outside, an
        option is for boards only, or the family has no pictures.
        """
        if isinstance(problem, Queens):
            self._show_board(problem, placement_of(solution), first)
            return
        self.check_for(problem)
        if not first:
            click.echo()
        click.echo(problem.drawing(solution))
        if picture := problem.picture(solution):
            self._write(picture)

    def check_for(self, problem: Problem) -> None:
        """Raise `InputError` if an option is for boards only, and the problem is none; or if a file
        was requested, and the family has no pictures.
        """
        for option in ("style", "attacked", "lines_of"):
            if getattr(self, option):
                as_board(problem, f"--{option.replace('_', '-')}")
        for option, path in (("--svg", self.svg), ("--png", self.png)):
            if path is not None and not isinstance(problem, Queens) and not problem.picture(()):
                raise InputError(f"{problem} has no picture: leave out {option}")

    def _show_board(self, problem: Queens, placement: Placement, first: bool) -> None:
        if self.lines_of is not None and max(self.lines_of) >= problem.n:
            raise InputError(f"square {self.lines_of} is outside the board of {problem.n} rows")
        from rich.console import Console

        board = Scene(problem, placement, attacked=self.attacked, lines_of=self.lines_of)
        if not first and self.style != Style.ALGEBRAIC:
            click.echo()
        console = Console()
        if self.style is None and console.is_terminal and not console.no_color:
            from nqbench.show.boards import terminal

            console.print(terminal.text(board), crop=False, soft_wrap=True)
        else:
            click.echo(text_scene(board, Style(self.style or Style.UNICODE)))
        self._write(board)

    def _write(self, drawn: Scene | Picture) -> None:
        if self.svg is not None:
            from nqbench.show.boards import svg

            svg.write(drawn, self.svg)
            _tell_written(self.svg)
        if self.png is not None:
            from nqbench.show.boards import figure

            figure.write_png(drawn, self.png)
            _tell_written(self.png)


def _tell_written(path: Path) -> None:
    click.echo(f"wrote {path}", err=True)


picture_options = option_group(
    Pictures,
    "pictures",
    click.option(
        "--style",
        type=OneOf(style.value for style in Style),
        help="How to draw the board. [unicode, in colours on a terminal]",
    ),
    click.option("--attacked", is_flag=True, help="Mark the squares that queens attack."),
    click.option(
        "--lines-of",
        type=SQUARE,
        metavar="ROW,COLUMN",
        help="Draw the lines on which a queen on this square attacks.",
    ),
    click.option("--svg", type=FILE, help="Also draw a picture as SVG, into this file."),
    click.option("--png", type=FILE, help="Also draw a picture as PNG, into this file."),
)
