"""Checks proofs of unsatisfiability with code that is independent of all solvers.

DRAT: N. Wetzler, M. Heule, W. Hunt, "DRAT-trim: efficient checking and trimming using expressive
clausal proofs", SAT 2014. The checker is dratify, or its Rust engine if that is installed.
"""

import contextlib

from nqbench.instances.cnf import CNF


def flaw(cnf: CNF, proof: str) -> str | None:
    """Why a DRAT proof in text form does not prove that the formula has no model, in words; None if
    it does.
    """
    import dratify

    is_native()
    formula = dratify.CNF(cnf.num_variables)
    for clause in cnf.clauses():
        formula.add_dimacs(clause)
    try:
        checked = dratify.check_proof(formula, proof)
    except ValueError as error:
        return str(error)
    if checked.ok:
        return None
    if checked.failed_clause is not None:
        literals = " ".join(str(dratify.to_dimacs(literal)) for literal in checked.failed_clause)
        return f"step {checked.failed_step}, the clause '{literals}', does not follow"
    return f"it ends after {checked.steps} steps without the empty clause"


def is_native() -> bool:
    """Whether proofs are checked by dratify's Rust engine."""
    import dratify

    with contextlib.suppress(ImportError):
        import cdclkit  # noqa: F401 - registers its engine with dratify, if that is installed
    return bool(dratify.native_available())
