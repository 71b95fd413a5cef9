"""`certify`: show that the formula of an encoding and the rules have the same solutions."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench.addons.certify import functions
from nqbench.addons.certify.printing import print_verdicts
from nqbench.campaign.grid import read_formulas
from nqbench.campaign.workload import Workload
from nqbench.cli.face import (
    ENCODING,
    Terminal,
    calling,
    json_option,
    lenient_option,
    print_table,
    print_wrapped,
    problem_options,
    tell,
)
from nqbench.common.errors import InputError
from nqbench.common.printable import listed, printable, without_numbers
from nqbench.common.spelling import says_all, split_names
from nqbench.encodings.base import Encoding
from nqbench.plugins import encoding_names
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.show.tables.columns import Column, name_column

if TYPE_CHECKING:
    from nqbench.addons.certify.certificate import Certificate
    from nqbench.addons.certify.formula_verdict import FormulaVerdict

_COLUMNS: Final = (
    name_column("encoding"),
    name_column("problem"),
    Column("clauses", 1),
    Column("found", 4),
    Column("expected", 3),
    Column("only_solutions", 5),
    Column("every_solution", 5),
    Column("wall_s", 2, title="s"),
    Column("result"),
)


@click.command
@click.argument("encodings", metavar="[ENCODING | FORMULA]...", nargs=-1, type=ENCODING)
@click.option(
    "--encoding",
    "named",
    multiple=True,
    metavar="NAMES",
    help="The same as ENCODING, as other commands take it: names, separated by commas.",
)
@problem_options
@calling(functions.certify_formula)
@lenient_option
@json_option
def certify(
    encodings: Sequence[str],
    named: Sequence[str],
    workload: Workload,
    keep: str | None,
    lenient: bool | None,
    as_json: bool,
    **limits: Any,
) -> int:
    """Show that the formula of an encoding and the rules have the same solutions, on each problem.

    FORMULA is a file of clauses, whoever wrote it. Without an ENCODING, it is compared with the
    rules of the problem, which comment lines in it may name. Its first variables are the options,
    unless such lines say otherwise: see `nqbench encode`. Or it is compared with a file of rows:
    then its first variables are those of the rows.

    ENCODING is a name, several, or `all`. Evidence comes from a count and from two proofs. The
    count takes the different solutions of the formula, checks each against the rules, and compares
    their number with an exhaustive count. The proofs show that the formula is equivalent to the
    rules, written as clauses: `only solutions` says that every model is a solution, and `every
    solution` that every solution has a model. An independent checker accepts each proof, or it does
    not count. For `pairwise`, this shows that the cover of a problem and its rules agree.

    Rules and rows of files may count too far for clauses. Then the proofs show that each template,
    with which the encoding states rows, allows exactly what a row does, and the formula is compared
    with copies of the templates.

    The result is `certified` if the count is right or both proofs hold. It is `refuted`, with a
    board, if the formula allows what the rules forbid, or forbids a solution; and if a template
    does so with a row. It is `open` if too few steps finished within the limits, and `no formula`
    if the encoding raised an error. The exit status is 0 if everything is certified, and otherwise
    1.

    \b
    Examples:
      nqbench certify product --n 4..12
      nqbench certify my-scheme my-scheme:group=5 --n 4..32..4 --time-limit 1m
      nqbench certify commander:group=4:state=rows --family torus --n 5..11
      nqbench certify all --n 8 --json > certificates.json
      nqbench certify --encoding ./my_scheme.py --n 4..10
      nqbench certify sequential totalizer --cnf constraints.knf
      nqbench certify student.cnf --n 8
      nqbench certify student.cnf --n 8 --keep symmetric
      nqbench certify mine.cnf --cnf rows.opb
    """
    names = split_names([*encodings, *named], encoding_names())
    if workload.formulas and not names:
        return _certify_formulas(workload, as_json, keep=keep, **limits)
    if keep is not None:
        raise InputError("--keep is for formulas: name a file, such as student.cnf")
    if not names:
        raise InputError("nothing to certify: name an encoding, or a file such as student.cnf")
    if not workload.asks:
        # A mistake in a file is reported before what is missing besides.
        for name in names:
            if not says_all([name]):
                Encoding.named(name)
        raise InputError("nothing to certify: give --n 4..12, --file FILE or --cnf FILE")
    problems = _told_problems(workload, lenient=bool(lenient))
    certificates: list[Certificate] = Terminal.current().found
    shows_all = False
    try:
        functions.certify(names, problems, **limits)
        shows_all = True
    finally:
        # What was finished before Ctrl-C or an error is shown as well.
        if certificates or shows_all:
            _print(certificates, problems, as_json)
    is_right = [each.result == "certified" and not each.is_scheme_wrong for each in certificates]
    return 0 if all(is_right) else 1


def _certify_formulas(workload: Workload, as_json: bool, **settings: Any) -> int:
    """Judge each formula for the one problem that is named, or that it describes itself; or for the
    rows of the one file that has some.
    """
    problem = _one_problem(replace(workload, formulas=()))
    formulas = replace(workload, sizes=(), files=(), families=(), densities=())
    files = [file for file in _told_problems(formulas) if isinstance(file, Clausal)]
    with_rows = [file for file in files if file.has_rows]
    if len(with_rows) == 1 < len(files):
        files.remove(settings.setdefault("rows", with_rows[0]))
    verdicts: list[FormulaVerdict] = []
    try:
        verdicts.extend(functions.certify_formula(file, problem, **settings) for file in files)
    finally:
        if verdicts:
            print_verdicts(verdicts, as_json)
    return 0 if all(verdict.result == "certified" for verdict in verdicts) else 1


def _told_problems(workload: Workload, *, lenient: bool = False) -> Sequence[Problem]:
    """The problems. What is left out or counted anew is printed."""
    problems, left_out = workload.problems()
    problems, notes = read_formulas(problems, lenient=lenient)
    for note in (*(f"left out: {why}" for why in left_out), *notes):
        tell(note)
    return problems


def _one_problem(workload: Workload) -> Problem | None:
    """The problem that formulas are judged for; None if none is named."""
    if not workload.asks:
        if workload.families:
            raise InputError("--family does not say which problem: add --n 8")
        return None
    problems, _ = replace(workload, instances=1).problems()
    if len(problems) != 1:
        raise InputError(f"a formula encodes one problem, not {len(problems)}: give one n")
    return problems[0]


def _print(
    certificates: "Sequence[Certificate]", problems: Sequence[Problem], as_json: bool
) -> None:
    if as_json:
        click.echo(json.dumps([_facts(certificate) for certificate in certificates], indent=2))
        return
    several = len({certificate.encoding for certificate in certificates}) > 1
    print_table(_COLUMNS if several else _COLUMNS[1:], map(_row, certificates))
    _print_refuted(
        [certificate for certificate in certificates if certificate.result == "refuted"], problems
    )
    _print_missing([certificate for certificate in certificates if certificate.result != "refuted"])
    _print_notes(certificates)
    for scheme in dict.fromkeys(each.scheme for each in certificates if each.scheme):
        click.echo()
        print_wrapped(f"{printable(scheme)}.")
    relied_on = list(
        dict.fromkeys(basis for certificate in certificates for basis in certificate.relied_on)
    )
    if relied_on:
        click.echo()
        print_wrapped(f"These results rely on {', '.join(relied_on)}.")


def _print_refuted(certificates: "Sequence[Certificate]", problems: Sequence[Problem]) -> None:
    """Print what refutes each encoding, with a board: that of the smallest problem is enough."""
    by_title = {str(problem): problem for problem in problems}
    shown: set[str] = set()
    for certificate in certificates:
        if certificate.encoding in shown:
            continue
        shown.add(certificate.encoding)
        click.echo()
        witness = certificate.witness
        for part, message in certificate.messages.items():
            if witness is None or part == certificate.shown_by_witness:
                print_wrapped(f"{certificate.name}: {part}: {printable(message)}.")
        if witness is not None:
            click.echo(by_title[certificate.problem].drawing(witness))


def _print_missing(certificates: "Sequence[Certificate]") -> None:
    """Print each reason why something was not shown once, and where that was."""
    places: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    for certificate in certificates:
        for message in dict.fromkeys(certificate.messages.values()):
            parts = [part for part, text in certificate.messages.items() if text == message]
            reason = f"No evidence for {', '.join(parts)}: {printable(message)}"
            # Of reasons that differ in numbers only, the first is enough.
            first = reasons.setdefault(without_numbers(reason), reason)
            places.setdefault(first, []).append(certificate.name)
    for reason, names_of in places.items():
        click.echo()
        print_wrapped(f"{reason} ({listed(names_of)}).")


def _print_notes(certificates: "Sequence[Certificate]") -> None:
    for certificate in certificates:
        if certificate.note:
            click.echo()
            print_wrapped(f"{certificate.name}: {printable(certificate.note)}.")


def _row(certificate: "Certificate") -> dict[str, Any]:
    return {
        "encoding": certificate.encoding,
        "problem": certificate.problem,
        "clauses": certificate.clauses,
        # What was found before a wrong model is no number of models.
        "found": certificate.count.found if certificate.count.is_whole else None,
        "expected": certificate.count.expected,
        "only_solutions": certificate.only_solutions.state,
        "every_solution": certificate.every_solution.state,
        "wall_s": certificate.wall_s,
        "result": certificate.result,
    }


def _facts(certificate: "Certificate") -> dict[str, Any]:
    return asdict(certificate) | {"result": certificate.result}
