"""`encode`, `clauses`, `decode`: write a formula, show its clauses, draw its solution."""

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench import api
from nqbench.cli.commands.solve import rests_on
from nqbench.cli.options.function_options import calling
from nqbench.cli.options.shared_options import (
    BOARD_SIZE,
    ENCODING,
    FILE,
    FILE_OR_INPUT,
    SQUARE,
    encoding_option,
    output_option,
)
from nqbench.cli.options.which_board import WhichBoard, which_board, which_problem
from nqbench.cli.printing.terminal import Terminal
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.units import counted
from nqbench.common.vocabulary import USUAL_ENCODING, Answer, Verdict
from nqbench.encodings.base import Encoding
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens, variable_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from nqbench.backends.program.solver_output import Output
    from nqbench.clauses.cnf import Assignment
    from nqbench.clauses.constraints import Formula
    from nqbench.problems.families.described import DescribedFormula
    from nqbench.problems.options import Solution

    Decode = Callable[[Assignment], tuple[Solution, str | None]]

_LARGEST_OUTPUT: Final = 1 << 28
"""Limit for a solver's output, in bytes."""


@click.command
@which_problem
@calling(api.encode)
@output_option("Write to this file instead of standard output.")
def encode(which: WhichBoard, output: Path | None, **settings: Any) -> None:
    """Write a problem as a DIMACS file, for any SAT solver.

    A file with rows (KNF, CNF+, OPB) becomes one of clauses. Its variables keep their numbers and
    those of the encoding follow. Lines that model counters read, such as `c p show`, stay.

    Comment lines before the header say what the file encodes: problem, encoding, and which variable
    is which option. `nqbench decode` reads them, and so does what judges formulas.

    Encoding native writes the format CNF+: at-most-k constraints, such as 1 2 3 <= 1, follow the
    clauses. MiniCard, PySAT and clasp read it. If the output is called .knf, .cnf+ or .opb, it is
    written in that format.

    An objective is written to .opb, and to .wcnf as soft clauses. WCNF has no rows, which an
    encoding turns into clauses.

    \b
    Examples:
      nqbench encode --n 8 --encoding alo-row | head
      nqbench encode --n 8 --output q8.cnf && minisat q8.cnf q8.out
      nqbench encode --n 12 --family torus --output formulas/torus.cnf
      nqbench encode rows.knf --encoding totalizer -o rows.cnf
      nqbench encode rows.knf --encoding native -o rows.opb
      nqbench encode knapsack.opb --encoding adder -o knapsack.wcnf
    """
    api.encode(which.problem(), output=output or sys.stdout.buffer, **settings)
    if output is not None:
        (made,) = Terminal.current().noted
        kept = f"; {counted(len(made.annotations), 'line')} for model counters kept"
        click.echo(f"wrote {output}{kept if made.annotations else ''}", err=True)


@click.command
@click.option("-n", "--n", type=BOARD_SIZE, required=True, help="Rows of the board.")
@click.option(
    "--square", type=SQUARE, required=True, metavar="ROW,COLUMN", help="Both count from 0."
)
@encoding_option()
def clauses(n: int, square: tuple[int, int], encoding: str) -> None:
    """Show the clauses that mention a square, as literals and with names.

    The clauses are grouped by the line of the board that they constrain: a row, a column, a falling
    diagonal (down to the right) or a rising one. q[r,c] is the queen in row r and column c, both
    counted from 0; a[v] is the auxiliary variable v.

    \b
    Example:
      nqbench clauses --n 8 --square 3,3 --encoding alo-row
    """
    from nqbench.encodings.explain import mentions
    from nqbench.measure.formula import make_clauses as clauses_of

    if max(square) >= n:
        raise InputError(f"square {square[0]},{square[1]} is outside the {n} x {n} board")
    with shown_while_waiting(f"looking for clauses of {n} x {n} squares"):
        cnf = clauses_of(Encoding.named(encoding), Queens(n))
        if cnf.num_main != n * n:
            raise InputError(f"encoding '{encoding}' has no variables for squares: choose another")
        matches = mentions(cnf, n, square)
    variable = variable_of(square, n)
    click.echo(
        f"square {variable} (row {square[0]}, column {square[1]}, counted from 0): {len(matches)} "
        "clauses"
    )
    for line, group in itertools.groupby(matches, key=lambda mention: mention.line):
        of_line = list(group)
        click.echo(f"\n{line}: {len(of_line)}")
        for mention in of_line:
            literals = " ".join(map(str, mention.literals))
            click.echo(f"  {literals} 0    {' or '.join(mention.names)}")


@click.command
@click.argument("solver_output_file", metavar="SOLVER_OUTPUT", type=FILE_OR_INPUT)
@click.option(
    "--cnf",
    "solved_file",
    type=FILE,
    help="The file that was solved. If nqbench has written it, it says problem and encoding.",
)
@which_board
@click.option(
    "--encoding", type=ENCODING, help="The encoding of the solved file. [what --cnf says; pairwise]"
)
def decode(
    solver_output_file: Path, solved_file: Path | None, which: WhichBoard, encoding: str | None
) -> int:
    """Draw the boards in a solver's output, or print `unsatisfiable` or `unknown`.

    SOLVER_OUTPUT is MiniSat's result file, or the `v` lines that a solver printed, perhaps with an
    `s` line; - reads standard input. Each model is drawn as a board of its own. The answer is
    checked: the exit status is 1 if a board breaks a rule, or if there is a solution after all.
    Standard error reports how `unsatisfiable` was checked.

    Comment lines in the solved file say which variable is which option: see `nqbench encode`.

    \b
    Examples:
      nqbench decode q8.out --cnf q8.cnf
      nqbench decode --n 8 q8.out
      cadical q8.cnf | nqbench decode --n 8 -
      nqbench decode --n 12 --family torus --encoding product torus.out
    """
    from nqbench.backends.program import solver_output

    solved = None if solved_file is None else _read_solved(solved_file)
    if solved is None:
        problem = which.problem()
    else:
        problem = solved.problem(which.problem() if which.is_named else None)
    is_input = solver_output_file == files.STANDARD_INPUT
    source = "standard input" if is_input else str(solver_output_file)
    content = files.content_or_input(solver_output_file, _LARGEST_OUTPUT)
    output = solver_output.read(content, source)
    answer = Answer.SAT if output.answer is None and output.models else output.require_answer()
    if answer is Answer.UNKNOWN:
        click.echo("unknown")
        return 0
    if answer is Answer.UNSAT:
        click.echo("unsatisfiable")
        return _checked_unsat(problem)
    return _draw(problem, output, *_decoder(solved, problem, encoding))


def _read_solved(path: Path) -> "DescribedFormula":
    from nqbench.problems.families.cnf import Formula as InFile
    from nqbench.problems.families.described import DescribedFormula

    in_file = InFile.at(path, path.name)
    solved = DescribedFormula.read(in_file.content(), in_file.source)
    for note in solved.notes:
        click.echo(f"nqbench: {in_file.instance}: {note}", err=True)
    return solved


def _decoder(
    solved: "DescribedFormula | None", problem: Problem, named: str | None
) -> "tuple[Formula, Decode]":
    """The solved formula, and what decodes its models. Raises `InputError` if the solved file says
    something else than is named.
    """
    if solved is None:
        return _by_encoding(Encoding.named(named or USUAL_ENCODING), problem)
    said = solved.description.encoding
    if said and named and Encoding.named(named).name != said:
        raise InputError(f"{solved.source} says that its encoding is {said}, not {named}")
    if named and not solved.description.has_map:
        return _by_encoding(Encoding.named(named), problem)
    if said and not solved.description.has_map:
        # What only a file names is not loaded.
        raise InputError(f"{solved.source} has no map of its variables: add --encoding {said}")
    return _by_map(solved, problem)


def _by_map(solved: "DescribedFormula", problem: Problem) -> "tuple[Formula, Decode]":
    """The solved formula, and what decodes its models by the literals of the options."""
    from nqbench.clauses.comment_lines import chosen
    from nqbench.clauses.constraints import with_variables

    literals = solved.literals(problem)
    options = problem.options

    def decode_model(values: "Assignment") -> "tuple[Solution, str | None]":
        solution = tuple(options[at] for at in chosen(literals, values))
        return solution, problem.violation(solution)

    return with_variables(solved.formula, int(abs(literals).max(initial=0))), decode_model


def _by_encoding(encoding: Encoding, problem: Problem) -> "tuple[Formula, Decode]":
    """The formula of an encoding, and what decodes its models."""
    from nqbench.measure import formula

    instance = formula.make_formula(encoding, problem)
    return instance, lambda values: formula.decoded(encoding, problem, values)


def _draw(problem: Problem, output: "Output", instance: "Formula", decode_model: "Decode") -> int:
    """Draw the board of each model, and return the exit status."""
    models = [model for model in output.models if model.is_ended] or [output.model]
    boards = [(model.place, model.values(instance, trusting=True)) for model in models]
    status = 0
    for number, (place, values) in enumerate(boards):
        solution, violation = decode_model(values)
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
