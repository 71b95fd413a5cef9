"""`solve` and `count`: find or count the solutions of one problem."""

import time
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench import api
from nqbench.campaign import arguments
from nqbench.cli.options.function_options import calling
from nqbench.cli.options.which_board import WhichBoard, which_problem
from nqbench.cli.printing.pictures import Pictures, picture_options
from nqbench.cli.printing.terminal import Terminal
from nqbench.cli.printing.waiting import WaitingLine, shown_while_waiting
from nqbench.common.units import counted, plural
from nqbench.common.vocabulary import Answer, CheckedBy, Task
from nqbench.problems.clausal import Clausal

if TYPE_CHECKING:
    from nqbench.checking.verify import Check
    from nqbench.measure.solutions import Conclusion

_LINE_EVERY_S: Final = 5.0


@click.command
@which_problem
@calling(api.solve)
@click.option("--all", "every", is_flag=True, help="Show every solution as it is found.")
@click.option("--fundamental", is_flag=True, help="Draw one solution of each class under symmetry.")
@picture_options
def solve(
    which: WhichBoard, every: bool, fundamental: bool, pictures: Pictures, **settings: Any
) -> None:
    """Find a solution and draw it. Print `unsatisfiable` if there is none, `unknown` if the solver
    gives up.

    Each solution is checked before it is drawn. `unsatisfiable` is checked as far as possible, and
    standard error reports how. The exit status is 1 if an answer was wrong or the solver was
    stopped.

    Of a formula, print `satisfiable`; with --all a line `v 1 -2 0` for each model, with the
    literals of the variables that `c p show` or `c ind` lines name, or else of all in the file.

    \b
    Examples:
      nqbench solve --n 8
      nqbench solve --n 8 --fundamental --style algebraic
      nqbench solve --n 10 --all --style binary --backend minisat22 | head -11
      nqbench solve --board start.txt --backend astar
      nqbench solve --board diag-8-4-1.param --diagonals 8
      nqbench solve --n 8 --family completion --density 0.3 --svg solution.svg
      nqbench solve rows.knf --encoding totalizer
    """
    from nqbench.campaign.counting import follow, is_counted, solutions_of

    problem = which.problem()
    task = Task.ALL if every or fundamental else Task.FIRST
    is_formula = isinstance(problem, Clausal)
    is_wanted = is_counted(problem, fundamental)
    if is_formula:
        pictures.check_for(problem)
    elif task is Task.ALL:
        pictures.refuse_files("all solutions")
    limits = arguments.limits(settings["time_limit"], settings["memory_limit"])
    noun = "model" if is_formula else "solution"
    with shown_while_waiting(f"solving {problem}") as line:

        def show(solution: Any, is_first: bool) -> None:
            line.end()
            if not is_formula:
                pictures.show(problem, solution, is_first)
            elif task is Task.ALL:
                click.echo(" ".join(map(str, ("v", *solution, 0))))
            else:
                click.echo(problem.drawing(()))

        named = settings["encoding"], settings["backend"]
        coming = solutions_of(problem, *named, task, limits)
        drawn, end = follow(coming, is_wanted, show=show, observe=_SoFar(line, noun))
    of_all = f" of {end.found}" if fundamental else ""
    _conclude(end, task, f"{drawn}{of_all} {plural(end.found, noun)}")


def _conclude(end: "Conclusion", task: Task, number: str) -> None:
    """Print the last answer if nothing was found, and how it was checked."""
    if end.found == 0:
        click.echo("unsatisfiable" if end.answer is Answer.UNSAT else "unknown")
    if task is Task.ALL:
        click.echo(f"{number}: {rests_on(end.checked)}", err=True)
    elif end.answer is Answer.UNSAT:
        click.echo(rests_on(end.checked), err=True)


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
