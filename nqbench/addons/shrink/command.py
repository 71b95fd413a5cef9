"""`shrink`: make a formula small that shows a fault, or that a solver is slow."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from nqbench.addons.shrink import functions
from nqbench.cli.face import FOLDER, calling, print_wrapped, store_option, tell
from nqbench.common import files


@click.command
@click.argument("start", metavar="RUN | FILE")
@calling(functions.shrink)
@click.option(
    "-o",
    "--output",
    type=FOLDER,
    metavar="DIR",
    help="A new folder for the results.  [default: shrunk-NAME]",
)
@store_option
def shrink(start: str, output: Path | None, results: Path, **options: Any) -> int:
    """Make a formula small that shows a fault of a solver, for a report to its maintainers.

    RUN is the id of a run, or the start of one, that crashed, was refuted, or wrote a wrong proof.
    Or give a FILE and its --backend. Variables get values, clauses or rows go, then literals, and
    weights become smaller, as long as the failure is of the same kind: how the run ends, what it
    answers, and what the check says. Each try is a run, limited and judged as all are.

    With --by, FILE is slow: the first backend needs --at-least so many conflicts, and --factor
    times as many as a second one. Such a formula seldom becomes tiny, as few clauses are not hard.

    Files with rows stay rows, and their encoding takes part. Of queries with assumptions (.icnf),
    those that are not needed go first. Ctrl-C keeps what is smallest so far, as --budget does.

    The folder has the formula, a program `reproduce.py` that exits with 1 if the fault is present,
    and a text with the versions. The program needs only the solver, unless only nqbench can call it
    or show the fault.

    \b
    Examples:
      nqbench shrink 1f3a
      nqbench shrink wrong.cnf --backend exe:./mysolver
      nqbench shrink rows.opb --encoding ./mine.py --backend cadical195
      nqbench shrink slow.cnf --backend glucose4,minisat22 --by conflicts
      nqbench shrink asked.icnf --backend minisat22 --budget 60s --output small
    """
    folder = output or Path(f"shrunk-{Path(start).stem}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise click.UsageError(f"{folder} is there already: name another folder with --output")
    with _made(folder):
        shrunk = functions.shrink(start, results=results, **options)
        shrunk.write(folder)
    print_wrapped(str(shrunk))
    tell(f"wrote {folder}: {shrunk.file}, reproduce.py and README.md")
    if shrunk.needs_nqbench:
        tell("reproduce.py needs nqbench, since only it can show this")
    return 128 + signal.SIGINT if shrunk.is_interrupted else 0


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """The folder is made before the work that it is for, and goes if nothing was written there."""
    is_new = not folder.exists()
    files.make_folder(folder, parents=True)
    try:
        yield
    except BaseException:
        if is_new and not any(folder.iterdir()):
            folder.rmdir()
        raise
