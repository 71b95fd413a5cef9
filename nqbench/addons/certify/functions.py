"""`nqbench.certify` and `nqbench.certify_formula`."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from nqbench.campaign import arguments
from nqbench.campaign.caller import OneProblem, Problems, waiting
from nqbench.common import parsing
from nqbench.common.keywords import suggesting

if TYPE_CHECKING:
    from nqbench.addons.certify.certificate import Certificate
    from nqbench.addons.certify.formula_verdict import FormulaVerdict
    from nqbench.clauses.cnf import CNF
    from nqbench.clauses.constraints import Constraints
    from nqbench.encodings.base import Encoding
    from nqbench.problems.families.described import DescribedFormula


@suggesting
def certify(
    encoding: str | type[Encoding] | Encoding,
    problems: Problems,
    *,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
) -> list[Certificate]:
    """Show that the formula of an encoding has the same solutions as the rules, for each problem:
    by counting, and by checked proofs that it is equivalent to the rules, written as clauses.

    The limits are those of each step, 5 minutes and 4 GiB by default; finding and checking a proof
    together may take four times as long. `result` of a certificate is `certified`, `refuted`, or
    `open` if too few steps finished.

    Raises `InputError` for wrong arguments or an encoding without clauses, and `UnavailableError`
    if the encoding does not work here.
    """
    from nqbench.addons.certify.examiner import TIME_S, certificates
    from nqbench.common.limits import Limits
    from nqbench.encodings.base import Encoding

    limits = Limits(
        TIME_S if time_limit is None else parsing.duration("time_limit", time_limit),
        Limits().memory_bytes
        if memory_limit is None
        else parsing.byte_count("memory_limit", memory_limit),
    )
    encoder = encoding if isinstance(encoding, Encoding) else Encoding.named(encoding)
    with waiting(f"certifying {encoder.name}"):
        return list(certificates(encoder, arguments.problems(problems), limits))


@suggesting
def certify_formula(
    formula: str | PathLike[str] | bytes | CNF | Constraints | DescribedFormula,
    problem: OneProblem | None = None,
    *,
    keep: str | None = None,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
) -> FormulaVerdict:
    """Show that one formula has the same solutions as the rules of a problem, whoever wrote it; or
    that it has not, by a solution that it allows and should not, or forbids and should not.

    `formula` is a file, the content of one as bytes, or a formula. The problem may be left out if
    comment lines say which it is. They also say which variable is which option; without, the first
    variables are the options in their order. A wrong header is accepted, and is in the `notes`.

    `keep` says which solutions have to remain: 'all', by default; 'symmetric', one of each class
    of symmetric ones; or 'one'. The limits are those of each step, as in `certify`. `result` is
    `certified`, `refuted` or `open`, `drawing` shows what refutes it, and `hint` says if it is
    right for another order of its variables.

    Raises `InputError` for wrong arguments, and for what is no formula.
    """
    from nqbench.addons.certify.examiner import TIME_S
    from nqbench.addons.certify.formula_examiner import judge
    from nqbench.addons.certify.formula_verdict import Keep
    from nqbench.clauses.description import NO_DESCRIPTION
    from nqbench.common.limits import Limits
    from nqbench.problems.families.cnf import Formula
    from nqbench.problems.families.described import DescribedFormula

    name = "formula"
    if isinstance(formula, bytes):
        described = DescribedFormula.read(formula, name)
    elif isinstance(formula, str | PathLike):
        path = parsing.path(formula)
        name = path.name
        file = Formula.at(path, name)
        described = DescribedFormula.read(file.content(), file.source)
    elif isinstance(formula, DescribedFormula):
        described, name = formula, formula.source
    else:
        formula.check()
        described = DescribedFormula(formula, NO_DESCRIPTION, name)
    limits = Limits(
        TIME_S if time_limit is None else parsing.duration("time_limit", time_limit),
        Limits().memory_bytes
        if memory_limit is None
        else parsing.byte_count("memory_limit", memory_limit),
    )
    to_keep = None if keep is None else parsing.choice(Keep).read("keep", keep)
    to_certify = None if problem is None else arguments.problem(problem, "certify_formula")
    with waiting(f"certifying {name}"):
        return judge(described, to_certify, to_keep, limits, name=name)
