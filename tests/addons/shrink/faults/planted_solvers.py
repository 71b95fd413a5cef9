"""Solvers with one fault each, made of PySAT alone. The fault shows on some formulas, as real ones
do: it needs a few clauses together, or so many conflicts.

`solve(name, clauses)` returns a model, or None.
"""

import os
import signal

from pysat.solvers import Solver


def usual(clauses, more=()):
    """The right answer, the number of conflicts, and the solver's proof."""
    with Solver("glucose4", bootstrap_with=[*clauses, *more], with_proof=True) as solver:
        model = solver.get_model() if solver.solve() else None
        return model, solver.accum_stats()["conflicts"], solver.get_proof()


def has_binary_after_fixing(clauses):
    """Whether two clauses are (a b) and (-a b), as an equivalence finder sees them."""
    two = {frozenset(clause) for clause in clauses if len(clause) == 2}
    return any({frozenset((-a, b)), frozenset((a, -b))} & two for a, b in map(tuple, two))


def occurs_thrice(clauses):
    """A literal that is in three clauses or more, and whose negation is in some clause."""
    literals = [literal for clause in clauses for literal in clause]
    return next((x for x in literals if literals.count(x) > 2 and -x in literals), None)


def wrong_unsat_after_conflicts(clauses):
    model, conflicts, _ = usual(clauses)
    return None if conflicts >= 1 else model


def wrong_unsat_on_resolvents(clauses):
    return None if has_binary_after_fixing(clauses) else usual(clauses)[0]


def wrong_unsat_by_pure_literal(clauses):
    """Takes a literal that occurs often for pure."""
    found = occurs_thrice(clauses)
    return usual(clauses, [] if found is None else [[-found], [-clauses[0][0]]])[0]


def flips_last_variable(clauses):
    model = usual(clauses)[0]
    return model and [*model[:-1], -model[-1]]


def forgets_last_third(clauses):
    return usual(clauses[: -max(1, len(clauses) // 3)])[0]


def forgets_binary_clauses(clauses):
    """All but the first one."""
    binary = [i for i, clause in enumerate(clauses) if len(clause) == 2]
    return usual([clause for i, clause in enumerate(clauses) if i not in binary[1:]])[0]


def model_is_all_true(clauses):
    model = usual(clauses)[0]
    return model and [abs(literal) for literal in model]


def aborts_on_conflicts(clauses):
    model, conflicts, _ = usual(clauses)
    if conflicts >= 1:
        os.kill(os.getpid(), signal.SIGABRT)
    return model


def crashes_on_resolvents(clauses):
    if has_binary_after_fixing(clauses):
        os.kill(os.getpid(), signal.SIGSEGV)
    return usual(clauses)[0]


def raises_on_frequent_literal(clauses):
    if occurs_thrice(clauses) is not None:
        raise IndexError("list index out of range")
    return usual(clauses)[0]


def proof_lacks_a_lemma(clauses):
    return usual(clauses)[0]


def lemmas_of(clauses):
    """The proof of `proof_lacks_a_lemma`: each lemma of one literal is missing."""
    proof = usual(clauses)[2] or []
    return [line for line in proof if line.startswith("d") or len(line.split()) != 2]


def solve(name, clauses):
    """What the solver `name` answers."""
    return globals()[name](clauses)
