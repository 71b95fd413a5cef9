"""The formula of a problem, for commands that measure nothing."""

from nqbench.encodings.base import Encoding
from nqbench.errors import InputError, SolverError
from nqbench.instances.base import Formula
from nqbench.instances.cnf import CNF
from nqbench.instances.cnf_plus import CNFPlus
from nqbench.limits import Limits
from nqbench.measure.cache import Encoded, InstanceCache
from nqbench.problems.base import Problem
from nqbench.problems.foreign import is_foreign
from nqbench.vocabulary import Outcome


def formula(encoding: Encoding, problem: Problem, limits: Limits | None = None) -> Formula:
    """The formula that the encoding makes of the problem. What a plugin makes is made in a separate
    process under limits.

    Raises `InputError` if there is none, and `SolverError` if that process does not end well.
    """
    if encoding.brought_by == "nqbench" and not is_foreign(problem):
        return encoding.formula(problem)
    encoded = InstanceCache(0).get(problem, encoding, limits or Limits())
    if isinstance(encoded, Encoded):
        if isinstance(encoded.instance, CNF | CNFPlus):
            return encoded.instance
        raise InputError(f"encoding '{encoding.name}' makes a {encoding.makes}, not clauses")
    if encoded.outcome is Outcome.INVALID:
        raise InputError(encoded.message)
    raise SolverError(f"encoding '{encoding.name}': {encoded.message}")


def clauses(encoding: Encoding, problem: Problem, limits: Limits | None = None) -> CNF:
    """The same as clauses only; raises `InputError` if there are constraints as well."""
    made = formula(encoding, problem, limits)
    if not isinstance(made, CNF):
        raise InputError(
            f"encoding '{encoding.name}' makes a {encoding.makes}, not clauses only: choose another"
        )
    return made
