"""`solve` and `count`: find or count the solutions of one problem."""

import time
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench import api
from nqbench.cli.options.function_options import calling
from nqbench.cli.options.which_board import WhichBoard, which_problem
from nqbench.cli.printing.pictures import Pictures, picture_options
from nqbench.cli.printing.terminal import Terminal
from nqbench.cli.printing.waiting import WaitingLine, shown_while_waiting
from nqbench.common.errors import GaveUpError, InputError
from nqbench.common.units import counted, plural
from nqbench.common.vocabulary import CheckedBy, Task
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.problems.options import Solution
from nqbench.show.boards.board import Board, Model, NoSolution, Solved

if TYPE_CHECKING:
    from nqbench.checking.verify import Check

_LINE_EVERY_S: Final = 5.0


@click.command
@which_problem
@calling(api.solve)
@click.option("--all", "every", is_flag=True, help="Show every solution as it is found.")
@click.option("--fundamental", is_flag=True, help="Draw one solution of each class under symmetry.")
@picture_options
def solve(
    which: WhichBoard, every: bool, fundamental: bool, pictures: Pictures, **settings: Any
) -> int:
    """Find a solution and draw it. Print `unsatisfiable` if there is none, `unknown` if the solver
    gives up.

    Each solution is checked before it is drawn. `unsatisfiable` is checked as far as possible, and
    standard error reports how. The exit status is 1 if an answer was wrong or the solver was
    stopped.

    Of a formula, print `satisfiable`; with --all a line `v 1 -2 0` for each model, with the
    literals of the variables that `c p show` or `c ind` lines name, or else of all in the file. Of
    a file with an objective, print the best value, what is known of it, and the model, as solvers
    do: lines `o`, `s` and `v`. The exit status is 1 if the value is not shown to be the best.

    \b
    Examples:
      nqbench solve --n 8
      nqbench solve --n 8 --fundamental --style algebraic
      nqbench solve --n 10 --all --style binary --backend minisat22 | head -11
      nqbench solve --board start.txt --backend astar
      nqbench solve --board diag-8-4-1.param --diagonals 8
      nqbench solve --n 8 --family completion --density 0.3 --svg solution.svg
      nqbench solve rows.knf --encoding totalizer
      nqbench solve knapsack.opb
      nqbench solve knapsack.opb --task first
    """
    from nqbench.backends.fit import task_of

    problem = which.problem()
    stated = settings.pop("task")
    task = task_of(problem, Task(stated) if stated else None)
    if isinstance(problem, Clausal):
        pictures.check_for(problem)
    elif stated is not None:
        raise InputError(f"--task is for files with an objective, not for {problem}")
    if every or fundamental:
        if not isinstance(problem, Clausal):
            pictures.refuse_files("all solutions")
        _solve_all(problem, pictures, fundamental=fundamental, **settings)
        return 0
    if isinstance(problem, Clausal) and task is Task.BEST:
        return _optimise(problem, **settings)
    try:
        found = api.solve(problem, task=stated, **settings)
    except GaveUpError:
        click.echo("unknown")
        return 0
    if isinstance(found, NoSolution):
        click.echo("unsatisfiable")
        click.echo(rests_on(found.checked), err=True)
    elif isinstance(found, Model):
        click.echo(problem.drawing(()))
    else:
        pictures.show(problem, _options_in(found))
    return 0


def _solve_all(problem: Problem, pictures: Pictures, **settings: Any) -> None:
    """Print each solution as it is found, then their number and how it was checked."""
    noun = "model" if isinstance(problem, Clausal) else "solution"
    coming = api.solutions(problem, **settings)
    (found,) = Terminal.current().noted
    with shown_while_waiting(f"solving {problem}") as line:
        tell = _SoFar(line, noun)
        for solution in coming:
            line.end()
            if isinstance(solution, Model):
                click.echo(" ".join(map(str, ("v", *solution.literals, 0))))
            else:
                pictures.show(problem, _options_in(solution), found.number == 1)
            tell(found.of_all)
    if not found.of_all:
        click.echo("unsatisfiable")
    drawn = f"{found.number} of " if settings["fundamental"] else ""
    number = f"{drawn}{found.of_all} {plural(found.of_all, noun)}"
    click.echo(f"{number}: {rests_on(found.end.checked)}", err=True)


def _options_in(solution: Board | Solved) -> Solution:
    return solution.queens if isinstance(solution, Board) else solution.solution


def _optimise(problem: Clausal, **settings: Any) -> int:
    """Print the best value of an objective, its model, and what shows that none is better."""
    (found,) = api.optimum([problem], **settings)
    last = found.steps[-1].record
    if found.best is None:
        is_none = found.is_settled
        click.echo("s UNSATISFIABLE" if is_none else "s UNKNOWN")
        click.echo(
            f"c by {last.backend}; {found.excluded_shown_by or last.message or last.outcome}"
        )
        return 0 if is_none else 1
    click.echo(f"o {found.best}")
    click.echo("s OPTIMUM FOUND" if found.is_settled else "s SATISFIABLE")
    click.echo(found.model_text)
    if found.is_settled:
        why = f"none is better: {found.excluded_shown_by}"
    elif found.claim:
        says = f"{found.claim.backend} says that none is better"
        why = f"{says}: {found.excluded_shown_by or f'not checked ({last.message})'}"
    else:
        why = f"{last.message or last.outcome}: a better value may exist"
    click.echo(f"c by {last.backend}; {why}")
    return 0 if found.is_settled else 1


@click.command
@which_problem
@calling(api.count)
def count(which: WhichBoard, **settings: Any) -> None:
    """Print the number of solutions, alone on standard output.

    By default nqbench counts by backtracking, which needs no solver and no clauses. For an empty
    board on a slow machine it takes 1 s at n = 14, 4 s at n = 15 and 25 s at n = 16. From n = 17,
    it prints the number that OEIS has, and says so on standard error. With --time-limit it counts.

    The solutions of a formula are its models, without auxiliary variables of an encoding. Models
    that differ only on variables that no line `c p show` or `c ind` names are one. MiniSat finds
    them one by one by default; --ganak counts without listing them.

    \b
    Examples:
      nqbench count --n 12
      nqbench count --n 8 --fundamental --backend pyeda
      nqbench count --n 11 --family torus
      nqbench count --n 17 --time-limit 1h
      nqbench count --board start.txt
      nqbench count --n 8 --ganak --encoding product
      nqbench count --n 6 --models --encoding ladder
      nqbench count rows.knf
    """
    click.echo(api.count(which.problem(), **settings))
    (result,) = Terminal.current().noted
    if result.checked is not None:
        click.echo(rests_on(result.checked), err=True)
    if result.source is not None:
        click.echo(f"{result.source}, not counted here: --time-limit 1h counts", err=True)


class _SoFar:
    """Reports on standard error how many solutions were found so far, every few seconds."""

    def __init__(self, line: WaitingLine, noun: str = "solution") -> None:
        self._line = line
        self._noun = noun
        self._last_line = time.monotonic()

    def __call__(self, solutions: int) -> None:
        if time.monotonic() - self._last_line > _LINE_EVERY_S:
            self._last_line = time.monotonic()
            self._line.end()
            click.echo(f"{counted(solutions, self._noun)} so far", err=True)


def rests_on(checked: "Check") -> str:
    """The verdict and its evidence, as text."""
    by = "" if checked.checked_by is CheckedBy.NONE else f" by {checked.checked_by}"
    why = f" ({checked.message})" if checked.message else ""
    return f"{checked.verdict}{by}{why}"
