"""`solve` and `count`: find or count the solutions of one problem."""

import time
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from nqbench.cli.options.shared_options import BACKEND, ENCODING, given_parameters, limits_option
from nqbench.cli.options.which_board import WhichBoard, which_problem
from nqbench.cli.printing.pictures import Pictures, picture_options
from nqbench.common.limits import Limits
from nqbench.common.units import counted, plural
from nqbench.common.vocabulary import Answer, CheckedBy, Task

if TYPE_CHECKING:
    from nqbench.checking.verify import Check

_LINE_EVERY_S: Final = 5.0


_encoding_option = click.option(
    "--encoding",
    type=ENCODING,
    help="The encoding to use. [pairwise, or one that the backend takes]",
)
_limits_option = limits_option("the solver", "1h")

_FOR_SOLVERS: Final = {
    "encoding": "encoding",
    "time_s": "time_limit",
    "memory_bytes": "memory_limit",
}
"""The arguments that need a solver, by the parameters of their options."""


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
    from nqbench.campaign.counting import follow, is_counted
    from nqbench.measure.solutions import Solving

    problem = which.problem()
    task = Task.ALL if every or fundamental else Task.FIRST
    solving = Solving.named(problem, encoding, backend, task, limits)
    is_wanted = is_counted(problem, fundamental)
    if task is Task.ALL:
        pictures.refuse_files("all solutions")
    drawn, end = follow(
        solving.solutions(), is_wanted, show=partial(pictures.show, problem), observe=_SoFar()
    )
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
    from nqbench.campaign.counting import Counting

    parameters = given_parameters(context)
    for_solvers = [name for parameter, name in _FOR_SOLVERS.items() if parameter in parameters]
    counting = Counting(backend, encoding, ganak, models, fundamental, limits, for_solvers)
    number, checked = counting.count(which.problem(), _SoFar())
    click.echo(number)
    if checked is not None:
        click.echo(rests_on(checked), err=True)


class _SoFar:
    """Reports on standard error how many solutions were found so far, every few seconds."""

    def __init__(self) -> None:
        self._last_line = time.monotonic()

    def __call__(self, solutions: int) -> None:
        if time.monotonic() - self._last_line > _LINE_EVERY_S:
            self._last_line = time.monotonic()
            click.echo(f"{counted(solutions, 'solution')} so far", err=True)


def rests_on(checked: "Check") -> str:
    """The verdict and its evidence, as text."""
    by = "" if checked.checked_by is CheckedBy.NONE else f" by {checked.checked_by}"
    why = f" ({checked.message})" if checked.message else ""
    return f"{checked.verdict}{by}{why}"
