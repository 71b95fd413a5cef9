"""`reencode`: find the at-most-one constraints of a formula, and write them in another scheme."""

from collections import Counter
from pathlib import Path

import click

from nqbench.cli.formula_output import write_formula
from nqbench.cli.shared_options import FILE, output_option
from nqbench.errors import InputError
from nqbench.units import counted


@click.command
@click.argument("file", type=FILE, metavar="FILE.cnf")
@click.option("--amo", "scheme", metavar="ENCODING", help="The encoding whose scheme is used.")
@click.option(
    "--least",
    type=click.IntRange(3),
    default=6,
    show_default=True,
    help="Replace constraints of at least this many literals.",
)
@click.option("--list", "lists", is_flag=True, help="Print the constraints, and write no formula.")
@output_option("Write to this file instead of standard output.")
def reencode(file: Path, scheme: str | None, least: int, lists: bool, output: Path | None) -> None:
    """Find the at-most-one constraints of a formula, and write the formula with another scheme for
    them.

    A clause of two literals says that not both of their negations are true. Literals of which any
    two are in such a clause have at most one that is true. A constraint that was written with
    auxiliary variables is found as well, if these occur nowhere else. Variables keep their numbers
    and those of the scheme follow. A model of the new formula, cut off after the variables of the
    old one, is a model of the old one, but for auxiliary variables that were dropped.

    --list prints a line for each constraint of three literals or more: `= 1` if clauses say that
    one of them is true, otherwise `<= 1`; then `by` and its auxiliary variables. `~ 1` is a clause
    whose literals occur nowhere else, so exactly one of them may be assumed to be true. Such a
    clause stays as it is.

    \b
    Examples:
      nqbench reencode formula.cnf --list
      nqbench reencode formula.cnf --amo product -o product.cnf
    """
    from nqbench.amo.found import found
    from nqbench.amo.rewrite import reencode as rewritten
    from nqbench.encodings.rewriting import scheme as scheme_named
    from nqbench.families.cnf import Formula
    from nqbench.instances import dimacs

    if lists == bool(scheme):
        raise InputError("give either --amo with the name of an encoding, or --list")
    formula = dimacs.read(Formula.at(file, file.name).content(), str(file))
    if lists:
        every = found(formula)
        for each in every.constraints:
            line = f"{' '.join(map(str, each.literals))} {'=' if each.exactly else '<='} 1"
            by = f" by {' '.join(map(str, each.auxiliary))}" if each.auxiliary else ""
            click.echo(line + by)
        for literals in every.implicit:
            click.echo(f"{' '.join(map(str, literals))} ~ 1")
        exactness = "" if every.is_exact else ", chosen greedily: the formula is too large"
        click.echo(
            f"{counted(len(every.constraints), 'constraint')}; {every.left} of "
            f"{counted(every.binary, 'binary clause')} in none{exactness}",
            err=True,
        )
        return
    done = rewritten(formula, scheme_named(str(scheme)), least)
    write_formula(done.formula, output)
    sizes = Counter(len(each.literals) for each in done.replaced)
    given_up = sum(len(each.auxiliary) for each in done.replaced)
    told = ", ".join(f"{count} of {size} literals" for size, count in sizes.items()) or "none"
    click.echo(
        f"constraints: {told}; {done.dropped} clauses replaced by {done.added} and "
        f"{counted(done.formula.num_variables - formula.num_variables, 'variable')}"
        + (f" in place of {given_up}" if given_up else ""),
        err=True,
    )
