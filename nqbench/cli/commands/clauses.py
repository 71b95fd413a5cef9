"""`encode`, `clauses`, `decode`: write a DIMACS file, show its clauses, draw its solution."""

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nqbench.cli.commands.solve import rests_on
from nqbench.cli.options.shared_options import (
    BOARD_SIZE,
    FILE_OR_INPUT,
    SQUARE,
    encoding_option,
    output_option,
)
from nqbench.cli.options.which_board import WhichBoard, which_board, which_problem
from nqbench.cli.printing.formula_output import write_formula
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer, Verdict
from nqbench.encodings.base import Encoding
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens, variable_of

if TYPE_CHECKING:
    from nqbench.backends.program.solver_output import Output

_LARGEST_OUTPUT: Final = 1 << 28
"""Limit for a solver's output, in bytes."""


@click.command
@which_problem
@encoding_option()
@output_option("Write to this file instead of standard output.")
def encode(which: WhichBoard, encoding: str, output: Path | None) -> None:
    """Write a problem as a DIMACS file, for any SAT solver.

    Encoding native writes the format CNF+: at-most-k constraints, such as 1 2 3 <= 1, follow the
    clauses. MiniCard, PySAT and clasp read it.

    \b
    Examples:
      nqbench encode --n 8 --encoding alo-row | head -2
      nqbench encode --n 8 --output q8.cnf && minisat q8.cnf q8.out
      nqbench encode --n 12 --family torus --output formulas/torus.cnf
    """
    from nqbench.measure.formula import make_formula

    write_formula(make_formula(Encoding.named(encoding), which.problem()), output)
    if output is not None:
        click.echo(f"wrote {output}", err=True)


@click.command
@click.option("-n", "--n", type=BOARD_SIZE, required=True, help="Rows of the board.")
@click.option(
    "--square", type=SQUARE, required=True, metavar="ROW,COLUMN", help="Both count from 0."
)
@encoding_option()
def clauses(n: int, square: tuple[int, int], encoding: str) -> None:
    """Show the clauses that mention a square, as literals and with names.

    The clauses are grouped by the line of the board that they constrain. q[r,c] is the queen in row
    r and column c; a[v] is the auxiliary variable v.

    \b
    Example:
      nqbench clauses --n 8 --square 3,3 --encoding alo-row
    """
    from nqbench.encodings.explain import mentions
    from nqbench.measure.formula import make_clauses as clauses_of

    if max(square) >= n:
        raise InputError(f"square {square[0]},{square[1]} is outside the {n} x {n} board")
    cnf = clauses_of(Encoding.named(encoding), Queens(n))
    if cnf.num_main != n * n:
        raise InputError(f"encoding '{encoding}' has no variables for squares: choose another")
    variable = variable_of(square, n)
    matches = mentions(cnf, n, square)
    click.echo(f"square {variable} (row {square[0]}, column {square[1]}): {len(matches)} clauses")
    for line, group in itertools.groupby(matches, key=lambda mention: mention.line):
        of_line = list(group)
        click.echo(f"\n{line}: {len(of_line)}")
        for mention in of_line:
            literals = " ".join(map(str, mention.literals))
            click.echo(f"  {literals} 0    {' or '.join(mention.names)}")


@click.command
@click.argument("solver_output_file", metavar="SOLVER_OUTPUT", type=FILE_OR_INPUT)
@which_board
@encoding_option("The encoding of the solved file.")
def decode(solver_output_file: Path, which: WhichBoard, encoding: str) -> int:
    """Draw the boards in a solver's output, or print `unsatisfiable` or `unknown`.

    SOLVER_OUTPUT is MiniSat's result file, or the `v` lines that a solver printed, perhaps with an
    `s` line; - reads standard input. Each model is drawn as a board of its own. The answer is
    checked: the exit status is 1 if a board breaks a rule, or if there is a solution after all.
    Standard error reports how `unsatisfiable` was checked.

    \b
    Examples:
      nqbench decode --n 8 q8.out
      cadical q8.cnf | nqbench decode --n 8 -
      nqbench decode --n 12 --family torus --encoding product torus.out
    """
    from nqbench.backends.program import solver_output

    problem = which.problem()
    is_input = solver_output_file == files.STANDARD_INPUT
    source = "standard input" if is_input else str(solver_output_file)
    component = Encoding.named(encoding)
    content = files.content_or_input(solver_output_file, _LARGEST_OUTPUT)
    output = solver_output.read(content, source)
    answer = Answer.SAT if output.answer is None and output.models else output.require_answer()
    if answer is Answer.UNKNOWN:
        click.echo("unknown")
        return 0
    if answer is Answer.UNSAT:
        click.echo("unsatisfiable")
        return _checked_unsat(problem)
    return _draw(problem, component, output)


def _draw(problem: Problem, encoding: "Encoding", output: "Output") -> int:
    """Draw the board of each model, and return the exit status."""
    from nqbench.measure import formula

    instance = formula.make_formula(encoding, problem)
    models = [model for model in output.models if model.is_ended] or [output.model]
    boards = [(model.place, model.values(instance, trusting=True)) for model in models]
    status = 0
    for number, (place, values) in enumerate(boards):
        solution, violation = formula.decoded(encoding, problem, values)
        click.echo("\n" * (number > 0) + problem.drawing(solution))
        if violation:
            click.echo(f"nqbench: {place}: not a solution: {violation}", err=True)
            status = 1
    for model in output.models:
        if model not in models:
            click.echo(f"nqbench: {model.place}: the model has no 0 and is left out", err=True)
    return status


def _checked_unsat(problem: Problem) -> int:
    """Check that the problem has no solution, print how, and return the exit status."""
    from nqbench.checking.verify import ProofCheck, check_unsat
    from nqbench.common.limits import Limits
    from nqbench.measure.run_judge import certifier

    knowledge = certifier().decide_problem(problem, Limits())
    checked = check_unsat(problem, knowledge, ProofCheck())
    is_refuted = checked.verdict is Verdict.REFUTED
    click.echo(f"{'nqbench: ' if is_refuted else ''}{rests_on(checked)}", err=True)
    return 1 if is_refuted else 0
