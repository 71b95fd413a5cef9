"""`reencode`: find the at-most-one constraints of a formula, and write them in another scheme."""

from collections import Counter
from pathlib import Path

import click

from nqbench.cli.options.setting_options import lenient_option
from nqbench.cli.options.shared_options import FILE, output_option
from nqbench.cli.printing.formula_output import write_formula
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common.errors import InputError
from nqbench.common.units import counted


@click.command
@click.argument("file", type=FILE, metavar="FILE.cnf", required=False)
@click.option("--cnf", type=FILE, help="The same as FILE.cnf.")
@lenient_option
@click.option(
    "--amo",
    "--encoding",
    "scheme",
    metavar="ENCODING",
    help="The encoding whose scheme is used. [native if the output is called .knf, .cnf+ or .opb]",
)
@click.option(
    "--least",
    type=click.IntRange(3),
    default=6,
    show_default=True,
    help="Replace constraints of at least this many literals.",
)
@click.option("--list", "lists", is_flag=True, help="Print the constraints, and write no formula.")
@output_option("Write to this file instead of standard output.")
def reencode(
    file: Path | None,
    cnf: Path | None,
    lenient: bool | None,
    scheme: str | None,
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
    from nqbench.clauses.description import read_description
    from nqbench.clauses.rewriting.detection import find_constraints
    from nqbench.clauses.rewriting.rewrite import reencode as rewritten
    from nqbench.encodings.rewriting import scheme as scheme_named
    from nqbench.measure.formula import scheme_for
    from nqbench.problems.families.cnf import Formula

    path = file or cnf
    if path is None or (file and cnf):
        raise InputError("give one formula: nqbench reencode FILE.cnf")
    if output is not None:
        constraint_files.check_name(str(output))
    named_scheme = scheme or (None if lists else scheme_for(output))
    if lists == bool(named_scheme):
        raise InputError(
            "give either --amo with the name of an encoding, an output such as -o rows.knf, or "
            "--list"
        )
    original = Formula.at(path, path.name)
    content = original.content()
    with shown_while_waiting(f"reading {path.name}"):
        formula = constraint_files.read_clauses(content, original.source, lenient=bool(lenient))
    if lenient and (how := constraint_files.miscounted(content, original.source)):
        click.echo(f"nqbench: {original.instance}: {how}: counted anew", err=True)
    if lists:
        with shown_while_waiting(f"looking for constraints in {path.name}"):
            every = find_constraints(formula)
        for constraint in every.constraints:
            line = (
                f"{' '.join(map(str, constraint.literals))} {'=' if constraint.exactly else '<='} 1"
            )
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
        return
    encoding = scheme_named(str(named_scheme))
    with shown_while_waiting(f"rewriting {path.name}"):
        rewriting = rewritten(formula, encoding, least)
    annotations = constraint_files.annotations_of(content)
    description = read_description(content, original.source)
    described = description.encoded_by(encoding.name, encoding.version)
    write_formula(rewriting.formula, output, annotations.preceded_by(described.lines()))
    for doubt in annotations.doubts(rewriting.dropped_variables, rewriting.fresh_variables):
        click.echo(f"nqbench: {doubt}", err=True)
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
