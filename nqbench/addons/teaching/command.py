"""`watch`: show the steps of a search on the terminal, in a file, or in a window."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from nqbench.addons.teaching.sampling import Thinned
from nqbench.campaign.progress import tracked
from nqbench.cli.face import (
    BACKEND,
    DURATION,
    ENCODING,
    WhichBoard,
    given_parameters,
    output_option,
    which_board,
)
from nqbench.common.errors import InputError
from nqbench.common.units import counted
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens, as_board, placement_of
from nqbench.show.boards.text import Style, text_board

if TYPE_CHECKING:
    from nqbench.addons.teaching.steps import Moment

_FORMATS: Final = (".gif", ".html")
_NOT_IN_WINDOW: Final = {"every": "--all", "frames": "--frames", "time_limit": "--time-limit"}


@click.command
@which_board
@click.option(
    "--backend",
    default="backtracking",
    show_default=True,
    type=BACKEND,
    help="A backend that reports its steps: backtracking, astar.",
)
@click.option("--encoding", type=ENCODING, help="The encoding to use. [one that the backend takes]")
@click.option("--all", "every", is_flag=True, help="Continue after the first solution.")
@click.option(
    "--speed",
    type=click.FloatRange(min=1, max=60),
    default=8.0,
    show_default=True,
    help="Steps per second.",
)
@click.option(
    "--frames",
    type=click.IntRange(min=2),
    default=300,
    show_default=True,
    help="Keep at most this many steps of a long search, evenly spread.",
)
@click.option(
    "--time-limit", type=DURATION, default="10s", show_default=True, help="Time of the search."
)
@output_option("Write an animation to this .gif or .html file instead of showing it.")
@click.option(
    "--window",
    is_flag=True,
    help="Open a window with controls for n, backend and speed, to play and step back.",
)
def watch(
    which: WhichBoard,
    backend: str,
    encoding: str | None,
    every: bool,
    speed: float,
    frames: int,
    time_limit: float,
    output: Path | None,
    window: bool,
) -> None:
    """Show each step of a search. A black queen was given, a coloured one was placed, and a dot
    marks a square that is still free.

    The search runs first, then its steps are shown. Of a long search only some steps are kept.

    \b
    Examples:
      nqbench watch --n 8
      nqbench watch --board start.txt --backend astar --speed 2
      nqbench watch --n 10 --backend backtracking:order=mrv --output search.gif
      nqbench watch --board start.txt --backend astar --output search.html
      nqbench watch --window
    """
    if output is not None and output.suffix not in _FORMATS:
        raise InputError(f"cannot write {output}: name a file that ends in {' or '.join(_FORMATS)}")
    if window:
        if output is not None:
            raise InputError("--window cannot be combined with --output: leave one out")
        parameters = given_parameters(click.get_current_context())
        if unused := [option for name, option in _NOT_IN_WINDOW.items() if name in parameters]:
            raise InputError(f"{unused[0]} has no effect on a window: leave out it or --window")
        from nqbench.addons.teaching.window import open_window

        start = which if which != WhichBoard() else WhichBoard(n=8)
        open_window(start.queens("--window"), encoding, backend, speed)
        return
    from nqbench.addons.teaching.steps import Watched

    problem = which.problem()
    if output is not None:
        as_board(problem, "--output")
    watched = Watched.named(problem, encoding, backend)
    thinned, end, solution = _searched(watched.moments(), frames, every, time_limit)
    moments = thinned.items()
    if not moments:
        click.echo("unsatisfiable before the first step")
        return
    last = solution or moments[-1]
    if output is None:
        _show(problem, moments, last, speed)
    else:
        title = f"{watched.backend.name} on {problem}"
        _write(as_board(problem, "--output"), moments, output, speed, title)
        click.echo(f"wrote {output}", err=True)
    note = f" (1 in {thinned.every} shown)" if thinned.every > 1 else ""
    name = "last" if last is moments[-1] else "the last solution is that of"
    click.echo(f"{end} after {thinned.added} steps{note}; {name} {last}", err=True)


def _searched(
    moments: "Iterable[Moment]", frames: int, every: bool, time_limit: float
) -> "tuple[Thinned[Moment], str, Moment | None]":
    """Search, and return the kept steps, how the search ended, and its last solution."""
    from nqbench.backends.base import StepKind

    thinned: Thinned[Moment] = Thinned(frames)
    deadline = time.monotonic() + time_limit
    solutions = 0
    solution: Moment | None = None
    for moment in moments:
        thinned.add(moment)
        if moment.kind is StepKind.SOLUTION:
            solutions += 1
            solution = moment
        if solutions and not every:
            return thinned, "a solution", solution
        if time.monotonic() > deadline:
            end = f"stopped at the time limit with {counted(solutions, 'solution')}"
            return thinned, end, solution
    if solutions == 1:
        return thinned, "the only solution", solution
    return thinned, f"all {solutions} solutions" if solutions else "unsatisfiable", solution


def _show(problem: Problem, moments: "Sequence[Moment]", last: "Moment", speed: float) -> None:
    """Play the steps on a terminal, or print one state to other outputs."""
    from nqbench.show.boards import terminal

    console = Console()
    if not console.is_terminal:
        click.echo(_text(problem, last))
        return
    with Live(console=console, auto_refresh=False) as live:
        for moment in moments:
            picture = Text(_text(problem, moment))
            if isinstance(problem, Queens):
                picture = terminal.text(moment.board(problem))
            frame = Group(picture, Text(str(moment)))
            live.update(frame, refresh=True)
            time.sleep(1 / speed)


def _text(problem: Problem, moment: "Moment") -> str:
    if not isinstance(problem, Queens):
        return problem.drawing(moment.chosen)
    return text_board(problem, placement_of(moment.chosen), Style.UNICODE)


def _write(
    board: Queens, moments: "Sequence[Moment]", output: Path, speed: float, title: str
) -> None:
    if output.suffix == ".gif":
        from nqbench.addons.teaching import gif

        gif.write(board, tracked(moments, "drawing"), output, speed)
    else:
        from nqbench.addons.teaching import page

        page.write(board, moments, output, speed, title)
