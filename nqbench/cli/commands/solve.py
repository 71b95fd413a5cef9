"""`solve` and `count`: find or count the solutions of one problem."""

import time
from collections.abc import Callable, Container, Generator
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from nqbench.campaign.progress import tracked
from nqbench.cli.options.shared_options import BACKEND, ENCODING, limits_option, said_on
from nqbench.cli.options.which_board import WhichBoard, which_problem
from nqbench.cli.printing.pictures import Pictures, picture_options
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.units import counted, plural
from nqbench.common.vocabulary import AS_IT_IS, Answer, CheckedBy, Task
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution
from nqbench.problems.queens import Queens, as_board, placement_of

if TYPE_CHECKING:
    from nqbench.checking.verify import Check
    from nqbench.measure.solutions import Conclusion

_LINE_EVERY_S: Final = 5.0


_encoding_option = click.option(
    "--encoding",
    type=ENCODING,
    help="The encoding to use. [pairwise, or one that the backend takes]",
)
_limits_option = limits_option("the solver", "1h")

_OF_SOLVERS: Final = {
    "encoding": "--encoding",
    "time_s": "--time-limit",
    "memory_bytes": "--memory-limit",
}
"""The options that need a solver, by their parameters."""


@click.command
@which_problem
@click.option(
    "--backend", default="cadical195", show_default=True, type=BACKEND, help="The backend to use."
)
@_encoding_option
@_limits_option
@click.option("--all", "every", is_flag=True, help="Draw every solution as it is found.")
@click.option("--fundamental", is_flag=True, help="Draw one solution of each class under symmetry.")
@picture_options
def solve(
    which: WhichBoard,
    backend: str,
    encoding: str | None,
    limits: Limits,
    every: bool,
    fundamental: bool,
    pictures: Pictures,
) -> None:
    """Find a solution and draw it. Print `unsatisfiable` if there is none, `unknown` if the solver
    gives up.

    Each solution is checked before it is drawn. `unsatisfiable` is checked as far as possible, and
    standard error reports how. The exit status is 1 if an answer was wrong or the solver was
    stopped.

    \b
    Examples:
      nqbench solve --n 8
      nqbench solve --n 8 --fundamental --style algebraic
      nqbench solve --n 10 --all --style binary --backend minisat22 | head -11
      nqbench solve --board start.txt --backend astar
      nqbench solve --board diag-8-4-1.param --diagonals 8
      nqbench solve --n 8 --family completion --density 0.3 --svg solution.svg
    """
    from nqbench.measure.solutions import Solving

    asked = which.problem()
    task = Task.ALL if every or fundamental else Task.FIRST
    solving = Solving.named(asked, encoding, backend, task, limits)
    is_wanted = _wanted(asked, fundamental)
    if task is Task.ALL:
        pictures.refuse_files("all solutions")
    drawn, end = _followed(solving.solutions(), is_wanted, partial(pictures.show, asked))
    if end.found == 0:
        click.echo("unsatisfiable" if end.answer is Answer.UNSAT else "unknown")
    if task is Task.ALL:
        of_all = f" of {end.found}" if fundamental else ""
        click.echo(
            f"{drawn}{of_all} {plural(end.found, 'solution')}: {rests_on(end.checked)}", err=True
        )
    elif end.answer is Answer.UNSAT:
        click.echo(rests_on(end.checked), err=True)


@click.command
@which_problem
@click.option("--backend", type=BACKEND, help="Enumerate with this backend instead.")
@click.option("--ganak", is_flag=True, help="Count the models of the clauses with Ganak.")
@click.option(
    "--models",
    is_flag=True,
    help="Count the models of the clauses instead, with all values of auxiliary variables.",
)
@_encoding_option
@_limits_option
@click.option(
    "--fundamental", is_flag=True, help="Count one solution of each class under symmetry."
)
@click.pass_context
def count(
    context: click.Context,
    /,
    which: WhichBoard,
    backend: str | None,
    ganak: bool,
    models: bool,
    encoding: str | None,
    limits: Limits,
    fundamental: bool,
) -> None:
    """Print the number of solutions, alone on standard output.

    By default nqbench counts by backtracking, which needs no solver and no clauses and has no time
    limit. For an empty board on a slow machine it takes 1 s at n = 14, 4 s at n = 15 and 25 s at
    n = 16.

    \b
    Examples:
      nqbench count --n 12
      nqbench count --n 8 --fundamental --backend pyeda
      nqbench count --n 11 --family torus
      nqbench count --board start.txt
      nqbench count --n 8 --ganak --encoding product
      nqbench count --n 6 --models --encoding ladder
    """
    from nqbench.measure.solutions import Solving

    asked = which.problem()
    if models:
        if backend or fundamental or ganak:
            raise InputError("--models cannot be combined with --backend, --ganak or --fundamental")
        click.echo(_models(asked, encoding, limits))
        return
    if ganak:
        if backend or fundamental:
            raise InputError("--ganak cannot be combined with --backend or --fundamental")
        click.echo(_counted_by_ganak(asked, encoding or "pairwise", limits))
        return
    if not asked.has_rules:
        raise InputError("the solutions of a formula are its models: add --models to count them")
    if backend is None:
        _refuse_solver_options(said_on(context))
        click.echo(_counted_exhaustively(asked, fundamental))
        return
    solving = Solving.named(asked, encoding, backend, Task.ALL, limits)
    number, end = _followed(solving.solutions(), _wanted(asked, fundamental))
    click.echo(number)
    click.echo(rests_on(end.checked), err=True)


def _refuse_solver_options(said: Container[str]) -> None:
    for parameter, option in _OF_SOLVERS.items():
        if parameter in said:
            raise InputError(f"{option} needs a solver: add --backend, --ganak or --models")


def _counted_by_ganak(asked: Problem, encoding: str, limits: Limits) -> int:
    from nqbench.encodings.base import Encoding
    from nqbench.measure import ganak

    return ganak.count(asked, Encoding.named(encoding), limits)


def _models(asked: Problem, encoding: str | None, limits: Limits) -> int:
    from nqbench.encodings.base import Encoding
    from nqbench.measure import models

    usual = "pairwise" if asked.has_rules else AS_IT_IS
    return models.count(asked, Encoding.named(encoding or usual), limits)


def _wanted(asked: Problem, fundamental: bool) -> Callable[[Solution], bool]:
    """Says whether a solution counts: all do, or with `fundamental` one of each class."""
    if not fundamental:
        return lambda _: True
    from nqbench.problems import symmetry

    symmetries = symmetry.of_problem(as_board(asked, "--fundamental"))
    return lambda solution: symmetry.is_fundamental(placement_of(solution), symmetries)


def _counted_exhaustively(asked: Problem, fundamental: bool) -> int:
    from nqbench.checking import exhaustive, oracle
    from nqbench.problems import symmetry

    if not (isinstance(asked, Queens) or fundamental):
        return exhaustive.count(asked)
    board = as_board(asked, "--fundamental")
    steps = tracked(oracle.parts(board), "counting")
    if not fundamental:
        return sum(weight * oracle.count_part(part) for weight, part in steps)
    symmetries = symmetry.of_problem(board)
    # If a solution's first queen is in the right half, its mirror image comes earlier in the order.
    return sum(
        int(symmetry.fundamental(columns, symmetries).sum())
        for _, part in steps
        for columns in oracle.solutions(part)
    )


def _followed(
    solutions: "Generator[Solution, None, Conclusion]",
    is_wanted: Callable[[Solution], bool],
    show: Callable[[Solution, bool], None] | None = None,
) -> "tuple[int, Conclusion]":
    """Show each wanted solution, with whether it is the first, and report progress on standard
    error. Return the number of wanted solutions, and how it ended.
    """
    last_line = time.monotonic()
    taken = wanted = 0
    while True:
        try:
            solution = next(solutions)
        except StopIteration as stop:
            return wanted, stop.value
        if is_wanted(solution):
            if show:
                show(solution, wanted == 0)
            wanted += 1
        taken += 1
        if time.monotonic() - last_line > _LINE_EVERY_S:
            last_line = time.monotonic()
            click.echo(f"{counted(taken, 'solution')} so far", err=True)


def rests_on(checked: "Check") -> str:
    """The verdict and its evidence, as text."""
    by = "" if checked.checked_by is CheckedBy.NONE else f" by {checked.checked_by}"
    why = f" ({checked.message})" if checked.message else ""
    return f"{checked.verdict}{by}{why}"
