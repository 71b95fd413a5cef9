"""`reencode`: find the at-most-one constraints of a formula, and write them in another scheme."""

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nqbench import api
from nqbench.cli.options.function_options import calling
from nqbench.cli.options.results_folder import tell
from nqbench.cli.options.shared_options import FILE, output_option
from nqbench.cli.printing.terminal import Terminal
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common.errors import InputError
from nqbench.common.units import counted

if TYPE_CHECKING:
    from nqbench.problems.families.cnf import Formula


@click.command
@click.argument("file", type=FILE, metavar="FILE.cnf", required=False)
@click.option("--cnf", type=FILE, help="The same as FILE.cnf.")
@calling(api.reencode)
@click.option("--list", "lists", is_flag=True, help="Print the constraints, and write no formula.")
@output_option("Write to this file instead of standard output.")
def reencode(
    file: Path | None,
    cnf: Path | None,
    lenient: bool,
    amo: str | None,
    least: int,
    lists: bool,
    output: Path | None,
) -> None:
    """Find the at-most-one constraints of a formula, and write the formula with another scheme for
    them, or with rows in their place.

    A clause of two literals says that not both of their negations are true. Literals of which any
    two are in such a clause have at most one that is true. A constraint that was written with
    auxiliary variables is found as well, if these occur nowhere else. Variables keep their numbers
    and those of the scheme follow. A model of the new formula, cut off after the variables of the
    old one, is a model of the old one, but for auxiliary variables that were dropped. Lines that
    model counters read, such as `c p show`, stay.

    --list prints a line for each constraint of three literals or more: `= 1` if clauses say that
    one of them is true, otherwise `<= 1`; then `by` and its auxiliary variables. `~ 1` is a clause
    whose literals occur nowhere else, so exactly one of them may be assumed to be true. Such a
    clause stays as it is.

    \b
    Examples:
      nqbench reencode formula.cnf --list
      nqbench reencode formula.cnf --amo product -o product.cnf
      nqbench reencode formula.cnf -o formula.knf
    """
    from nqbench.clauses import constraint_files
    from nqbench.measure.formula import scheme_for
    from nqbench.problems.families.cnf import Formula

    path = file or cnf
    if path is None or (file and cnf):
        raise InputError("give one formula: nqbench reencode FILE.cnf")
    if output is not None:
        constraint_files.check_name(str(output))
    if lists == bool(amo or (not lists and scheme_for(output))):
        raise InputError(
            "give either --amo with the name of an encoding, an output such as -o rows.knf, or "
            "--list"
        )
    original = Formula.at(path, path.name)
    if lenient and (how := constraint_files.miscounted(original.content(), original.source)):
        tell(f"{original.instance}: {how}: counted anew")
    if lists:
        _list_constraints(original, lenient)
        return
    rewriting = api.reencode(
        path, amo, least=least, lenient=lenient, output=output or sys.stdout.buffer
    )
    (annotations,) = Terminal.current().noted
    sizes = Counter(len(each.literals) for each in rewriting.replaced)
    given_up = len(rewriting.dropped_variables)
    kept_lines = (
        f"; {counted(len(annotations), 'line')} for model counters kept" if annotations else ""
    )
    sizes_text = ", ".join(f"{count} of {size} literals" for size, count in sizes.items()) or "none"
    click.echo(
        f"constraints: {sizes_text}; {rewriting.dropped} clauses replaced by {rewriting.added} and "
        f"{counted(rewriting.fresh_variables, 'variable')}"
        + (f" in place of {given_up}" if given_up else "")
        + kept_lines,
        err=True,
    )


def _list_constraints(formula: "Formula", is_lenient: bool) -> None:
    """Print a line for each constraint, and a summary."""
    from nqbench.clauses import constraint_files
    from nqbench.clauses.rewriting.detection import find_constraints

    with shown_while_waiting(f"looking for constraints in {formula.instance}"):
        clauses = constraint_files.read_clauses(
            formula.content(), formula.source, lenient=is_lenient
        )
        every = find_constraints(clauses)
    for constraint in every.constraints:
        line = f"{' '.join(map(str, constraint.literals))} {'=' if constraint.exactly else '<='} 1"
        by = f" by {' '.join(map(str, constraint.auxiliary))}" if constraint.auxiliary else ""
        click.echo(line + by)
    for literals in every.implicit:
        click.echo(f"{' '.join(map(str, literals))} ~ 1")
    exactness = "" if every.is_exact else ", chosen greedily: the formula is too large"
    click.echo(
        f"{counted(len(every.constraints), 'constraint')}; {every.left} of "
        f"{counted(every.binary, 'binary clause')} in none{exactness}",
        err=True,
    )
