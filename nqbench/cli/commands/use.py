"""`use`: print what to do with the encoding and backend that won."""

from dataclasses import replace
from pathlib import Path

import click

from nqbench.cli.options.shared_options import BACKEND, ENCODING, OneOf, output_option
from nqbench.cli.options.which_board import WhichBoard, which_problem
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Task
from nqbench.show.use import Subject, Use


@click.command
@which_problem
@click.option(
    "--encoding",
    type=ENCODING,
    help="The encoding that won. [the default of the backend or of the problem]",
)
@click.option("--backend", type=BACKEND, required=True, help="The backend that won.")
@click.option(
    "--task",
    type=OneOf([Task.BEST, Task.FIRST]),
    help="Of a file with an objective, find the model of the best value, or any. [best]",
)
@output_option("Write to this file instead of standard output.")
def use(
    which: WhichBoard, encoding: str | None, backend: str, task: str | None, output: Path | None
) -> None:
    """Print a program in Python that solves a problem or a formula with an encoding and a backend,
    as it was measured, and maps the model back. It needs the solver only, not nqbench.

    Its first lines say how to install the solver in the version that is installed here, how to
    write the formula, and the command of a solver that is a program. Where only nqbench can call
    the solver, the program calls `nqbench.use`, which also checks the answer. Of a file with an
    objective, the program finds the best value.

    \b
    Examples:
      nqbench use jobs.cnf --backend cadical195
      nqbench use jobs.cnf --encoding product --backend cadical195 -o solve.py
      nqbench use rows.knf --encoding native --backend minicard
      nqbench use knapsack.opb --backend highs
      nqbench use --n 8 --encoding sequential --backend kissat
    """
    from nqbench.backends.base import Backend
    from nqbench.backends.fit import encoding_to_optimise, loaded, task_of
    from nqbench.problems.clausal import Clausal

    with shown_while_waiting(f"trying {backend}"):
        problem = which.problem()
        is_best = task_of(problem, Task(task) if task else None) is Task.BEST
        if is_best and isinstance(problem, Clausal):
            encoding = encoding or encoding_to_optimise(problem, Backend.named(backend))
        asked = Task.BEST if is_best else Task.FIRST
        chosen_encoding, _ = loaded(problem, encoding, backend, asked)
        names = encoding or chosen_encoding.name, backend
        subject = replace(_subject(which), task=task or "")
        program = Use.of(subject, *names, recorded=False, is_best=is_best).program
    if output is None:
        click.echo(program, nl=False)
        return
    files.write(output, program.encode())
    click.echo(f"wrote {output}; its first lines say how to run it", err=True)


def _subject(which: WhichBoard) -> Subject:
    from nqbench.clauses import dimacs
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.constraints import num_stated_variables
    from nqbench.problems.clausal import Clausal

    problem = which.problem()
    path = which.cnf or which.board
    if isinstance(problem, Clausal) and path is not None:
        if which.lenient:
            raise InputError(
                f"--lenient does not apply here: write {path} anew with nqbench encode --lenient"
            )
        formula = problem.formula()
        plain = isinstance(formula, CNF) and dimacs.is_plain(problem.content(), formula)
        return Subject.of_file(str(path), num_stated_variables(formula), is_plain=plain)
    if path is not None:
        return Subject.of_board(str(path), which.family, which.diagonals)
    assert which.n is not None
    drawn = {"density": which.density, "seed": which.seed}
    given = {name: value for name, value in drawn.items() if value is not None}
    return Subject.of_family(which.family or "queens", which.n, **given)
