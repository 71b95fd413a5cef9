"""`nqbench.certify` and `nqbench.certify_formula`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from nqbench.addons.certify.formula_verdict import Keep
from nqbench.campaign import arguments
from nqbench.campaign.caller import CALLER, Names, OneProblem, Problems
from nqbench.campaign.options import Option, limit_options, options
from nqbench.common import parsing
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.keywords import suggesting
from nqbench.common.limits import Limits
from nqbench.common.spelling import with_all
from nqbench.common.vocabulary import Outcome
from nqbench.encodings.base import Encoding, complete_encoding_names
from nqbench.encodings.lines import LineEncoding
from nqbench.isolate import Isolation
from nqbench.plugins import from_file, lists
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal
from nqbench.records import component_files

if TYPE_CHECKING:
    from nqbench.addons.certify.certificate import Certificate
    from nqbench.addons.certify.formula_verdict import FormulaVerdict
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.constraints import Constraints
    from nqbench.problems.families.described import DescribedFormula

_LIMITS = limit_options("each step", " A proof may take four times as long.")


@suggesting
@options(**_LIMITS)
def certify(
    encoding: Encoding | Names,
    problems: Problems,
    *,
    time_limit: str | float = "5m",
    memory_limit: str | int = "4GiB",
) -> list[Certificate]:
    """Show that the formula of an encoding has the same solutions as the rules, for each problem:
    by counting, and by checked proofs that it is equivalent to the rules, written as clauses. Of
    several encodings, one after another; 'all' is every one that makes clauses of these problems.

    The limits are those of each step, 5 minutes and 4 GiB by default; finding and checking a proof
    together may take four times as long. `result` of a certificate is `certified`, `refuted`, or
    `open` if too few steps finished.

    Raises `InputError` for wrong arguments or an encoding without clauses, and `UnavailableError`
    if the encoding does not work here.
    """
    from nqbench.addons.certify.examiner import certificates

    caller, limits = CALLER.get(), arguments.limits(time_limit, memory_limit)
    to_certify = arguments.problems(problems)
    encoders = _read_encodings(encoding, to_certify)
    with caller.status(f"certifying {', '.join(each.name for each in encoders)}") as tell:
        isolating = Isolation(tell=lambda doing, _limit_s: tell(doing))
        # Wrong names are reported before the first certificate.
        every = [certificates(encoder, to_certify, limits, isolating) for encoder in encoders]

        def each() -> Iterator[Certificate]:
            for encoder, of_one in zip(encoders, every, strict=True):
                scheme, is_wrong = _examine_scheme(encoder, limits, isolating)
                for found in of_one:
                    certificate = replace(found, scheme=scheme, is_scheme_wrong=is_wrong)
                    tell(f"{certificate.name}: {certificate.result}")
                    yield certificate

        return caller.collect(each())


def _examine_scheme(encoding: Encoding, limits: Limits, caller: Isolation) -> tuple[str, bool]:
    """Whether an at-most-one scheme from a file is right on lines of every length that is tried, in
    words, and whether it is wrong: the problems may have no line that is long enough to show it.
    Nothing about other encodings, and about a scheme that did not end.
    """
    if not isinstance(encoding, LineEncoding) or not component_files.recorded_files(encoding.name):
        return "", False

    from nqbench.testing import LINES, check_at_most_one

    def check() -> bytes:
        try:
            for k in LINES:
                check_at_most_one(encoding, k)
        except AssertionError as error:
            return str(error).encode()
        return b""

    lengths = f"{LINES[0]} to {LINES[-1]} literals"
    ending = caller.call(f"{encoding.name}: trying {lengths}", check, limits)
    if ending.outcome is not Outcome.FINISHED:
        return "", False
    if flaw := ending.payload.decode():
        return f"Wrong on some lines: {flaw}", True
    return f"{encoding.name}: at most one holds on {lengths}", False


def _read_encodings(given: Encoding | Names, problems: Sequence[Problem]) -> list[Encoding]:
    """The encodings; `all` stands for those that make clauses of these problems."""
    if isinstance(given, Encoding):
        return [given]
    names = with_all(lists.ENCODINGS.read("encoding", given), lambda: _able(problems))
    from_file.settle([(Encoding, names)])
    return list(map(Encoding.named, names))


def _able(problems: Sequence[Problem]) -> Iterator[str]:
    """The names of the encodings that make clauses of these problems."""
    from nqbench.addons.certify.examiner import why_not

    for name in complete_encoding_names():
        try:
            reason = why_not(Encoding.named(name), problems)
        except UnavailableError as error:
            reason = str(error)
        if reason:
            CALLER.get().tell(f"left out: {reason}")
        else:
            yield name


@suggesting
@options(
    keep=Option(
        parsing.choice(Keep),
        "Which solutions a FORMULA has to keep: all, one of each class of symmetric ones, or any "
        "one. [all]",
    ),
    **_LIMITS,
)
def certify_formula(
    formula: str | PathLike[str] | bytes | CNF | Constraints | Clausal | DescribedFormula | Any,
    problem: OneProblem | None = None,
    *,
    rows: str | PathLike[str] | Clausal | None = None,
    keep: str | None = None,
    time_limit: str | float = "5m",
    memory_limit: str | int = "4GiB",
) -> FormulaVerdict:
    """Show that one formula has the same solutions as the rules of a problem, whoever wrote it; or
    that it has not, by a solution that it allows and should not, or forbids and should not. With
    `rows`, a file of rows such as OPB, its first variables have to be chosen as these allow.

    `formula` is a file, the content of one as bytes, a formula, or what `nqbench.constraints`
    takes, such as a list of clauses. The problem may be left out if comment lines say which it is.
    They also say which variable is which option; without, the first variables are the options in
    their order. A wrong header is accepted, and is in the `notes`.

    `keep` says which solutions have to remain: 'all', by default; 'symmetric', one of each class
    of symmetric ones; or 'one'. The limits are those of each step, as in `certify`. `result` is
    `certified`, `refuted` or `open`, `drawing` shows what refutes it, and `hint` says if it is
    right for another order of its variables.

    Raises `InputError` for wrong arguments, and for what is no formula.
    """
    from nqbench.addons.certify.formula_examiner import judge
    from nqbench.addons.certify.rows_examiner import judge_against_rows
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.comment_lines import NO_DESCRIPTION
    from nqbench.clauses.constraints import Constraints
    from nqbench.problems.families.cnf import Formula
    from nqbench.problems.families.described import DescribedFormula
    from nqbench.problems.from_python import constraints

    name = "formula"
    if isinstance(formula, str | PathLike):
        path = parsing.path(formula)
        formula = Formula.at(path, path.name)
    elif not isinstance(formula, bytes | CNF | Constraints | DescribedFormula | Clausal):
        formula = constraints(formula, name=name)
    if isinstance(formula, Clausal):
        name = formula.instance
        described = DescribedFormula.read(formula.content(), formula.source)
    elif isinstance(formula, bytes):
        described = DescribedFormula.read(formula, name)
    elif isinstance(formula, DescribedFormula):
        described, name = formula, formula.source
    else:
        formula.check()
        described = DescribedFormula(formula, NO_DESCRIPTION, name)
    limits = arguments.limits(time_limit, memory_limit)
    if isinstance(rows, str | PathLike):
        path = parsing.path(rows)
        rows = Formula.at(path, path.name)
    if rows is not None and (problem is not None or keep is not None or not rows.has_rows):
        raise InputError("rows are a file such as OPB or KNF, in place of a problem and `keep`")
    to_keep = None if keep is None else parsing.choice(Keep).read("keep", keep)
    to_certify = None if problem is None else arguments.problem(problem, "certify_formula")
    with CALLER.get().status(f"certifying {name}") as tell:
        isolating = Isolation(tell=lambda doing, _limit_s: tell(doing))
        if rows is not None:
            return judge_against_rows(described, rows, limits, name=name, caller=isolating)
        return judge(described, to_certify, to_keep, limits, name=name, caller=isolating)
