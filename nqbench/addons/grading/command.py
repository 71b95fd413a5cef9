"""`grade`: judge and compare the submissions of a course."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench.addons.grading import functions
from nqbench.addons.grading.defaults import NAMES, PAGES
from nqbench.cli.face import PATH, calling, print_table, print_wrapped
from nqbench.common.printable import printable
from nqbench.common.units import time_unit
from nqbench.show.tables.columns import Column

if TYPE_CHECKING:
    from nqbench.addons.grading.scoreboard import Entry, Scoreboard

_MOST_DRAWN: Final = 12
"""Larger boards do not fit beside each other, and few look at them on a terminal."""


@click.command
@click.argument("submissions", type=PATH)
@calling(functions.grade)
@click.option("-q", "--quiet", is_flag=True, help="No progress, only the scoreboard.")
def grade(submissions: Path, results: Path, anonymous: bool, quiet: bool, **settings: Any) -> None:
    """Judge and compare the submissions of a course: programs, formulas and encoding classes.

    SUBMISSIONS is a folder with a file or a subfolder for each: a program that gets n as its
    argument and on standard input, and prints or writes a formula in DIMACS; a folder of formulas,
    each named after its n; or a Python file with the class of an encoding. If a program needs more,
    the file grade.toml in this folder has one line for it:

    \b
      alice = { command = "sh -c 'cc encode.c && ./a.out {n}'", sizes = "4..8" }

    Each runs in a sandbox, and only its formulas leave it. Before the first one starts, a line says
    how far this machine confines them; where nothing does, none is started. Every program can read
    /usr, /opt and the folders of Python, so submissions and results there are refused: copy them to
    another folder, such as one below your home. Formulas are certified,
    or refuted with a board. Those that are certified are measured with several solvers, shuffled.
    The scoreboard has columns and no marks. It is also written into the results folder, as
    scoreboard.html and scoreboard.csv, and the folder pages there has a page for each submission,
    which names no other one. The same command goes on where it was interrupted, and grades again
    only what has changed. The exit status is 0, whatever the submissions are like.

    \b
    Examples:
      nqbench grade submissions --n 4..12
      nqbench grade submissions --n 8 --keep one --shuffles 0
      nqbench grade submissions --n 4..20..4 --backend kissat --shuffles 20
    """
    board = functions.grade(
        submissions, results=results, anonymous=anonymous, progress=not quiet, **settings
    )
    _print(board)
    for name in ("scoreboard.html", "scoreboard.csv"):
        click.echo(f"scoreboard: {results / name}", err=True)
    if anonymous:
        click.echo(f"names: {results / NAMES}", err=True)
    click.echo(f"pages to hand out: {results / PAGES}", err=True)


def _print(board: "Scoreboard") -> None:
    """Print a row for each submission, then why some are not certified, with boards."""
    if board.protection and board.protection.remains:
        print_wrapped(board.protection.sentence)
        click.echo()
    unit, per_second = time_unit(entry.row()["median_s"] for entry in board.entries)
    rows = [_row(entry, per_second) for entry in board.entries]
    print_table(_columns(board, unit), rows, "scoreboard.csv")
    if board.solvers:
        click.echo()
        print_wrapped(f"{board.about_times} {board.about_letters}")
    for sentence in board.caution:
        print_wrapped(sentence)
    for entry in board.entries:
        _explain(entry)
    click.echo()
    for sentence in board.sentences:
        print_wrapped(f"{sentence}.")


def _columns(board: "Scoreboard", unit: str) -> list[Column]:
    columns = [Column("submission", wraps=12), Column("verdict", wraps=8)]
    columns += [
        Column("n", 4, right=True),
        Column("variables", 5, title="vars", right=True),
        Column("clauses", 5, right=True),
    ]
    if board.solvers:
        columns += [
            Column("time", 6, title=f"time ({unit})", right=True),
            Column("spread", 6, title="from-to", right=True),
            Column("alike", 6),
        ]
    return columns


def _row(entry: "Entry", per_second: float) -> dict[str, Any]:
    row = entry.row()
    median, low, high = (
        "" if row[name] is None else _short(row[name] * per_second)
        for name in ("median_s", "low_s", "high_s")
    )
    spread = f"{low}-{high}" if low else ""
    return {name: "" if value is None else value for name, value in row.items()} | {
        "time": median,
        "spread": spread,
    }


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 99.5 else f"{value:.2g}"


def _explain(entry: "Entry") -> None:
    """Print why a submission is not certified, and what is odd about it; and the board."""
    from nqbench.addons.grading.refutation import scene
    from nqbench.show.boards.text import text_scene

    if not entry.remarks:
        return
    click.echo()
    end = ":" if entry.cure else "."
    print_wrapped(f"{entry.name}: {printable('; '.join(entry.remarks))}{end}")
    if entry.pasted_n is not None and not entry.cure:
        click.echo(f"Lines for n = {entry.pasted_n}:")
    for line in entry.to_paste:
        click.echo(printable(line))
    worst = entry.worst
    if worst and worst.verdict and worst.board is not None and worst.n <= _MOST_DRAWN:
        click.echo(text_scene(scene(worst.n, worst.board, is_allowed=worst.verdict.is_allowed)))
