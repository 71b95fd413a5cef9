"""Counts the models of clauses, projected to their main variables, or to those that count in a
file, with Ganak.

S. Sharma, S. Roy, M. Soos, K. Meel, "GANAK: a scalable probabilistic exact model counter", IJCAI
2019. With projection, a placement counts once, however many values its auxiliary variables may
have.
"""

import importlib.util

import numpy as np

from nqbench import isolate
from nqbench.common.errors import InputError, SolverError, UnavailableError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.encodings.base import Encoding
from nqbench.measure.file_models import check_kept, counted_variables, split_free
from nqbench.plugins import install
from nqbench.problems.base import Problem
from nqbench.problems.clausal import Clausal


def count(problem: Problem, encoding: Encoding, limits: Limits) -> int:
    """Count the solutions that the encoding's clauses allow, in a separate process.

    Raises `UnavailableError` without pyganak, `InputError` if the encoding's models are not exactly
    the solutions, and `SolverError` at a limit.
    """
    if importlib.util.find_spec("pyganak") is None:
        raise UnavailableError(f"Ganak is not installed; try: {install.command('nqbench[ganak]')}")

    def count_with_ganak() -> bytes:
        import pyganak

        if len(encoding.lazy_clauses(problem)) or encoding.breaks_symmetry(problem):
            return b""
        cnf = encoding.clauses(problem)
        variables, free = np.arange(1, cnf.num_main + 1, dtype=np.int32), 0
        if isinstance(problem, Clausal):
            variables, free = split_free(problem, counted_variables(problem))
            check_kept(problem, encoding, cnf, variables)
        counter = pyganak.Counter()
        counter.add_clauses(list(cnf.clauses()))
        counter.set_sampling_set(variables.tolist())
        return str(counter.count() << free).encode()

    ending = isolate.call(count_with_ganak, limits)
    if ending.outcome is not Outcome.FINISHED:
        raise SolverError(f"ganak: {ending.message}")
    if not ending.payload:
        raise InputError(
            f"Ganak cannot count with encoding '{encoding.name}': "
            "its models are not exactly the solutions"
        )
    return int(ending.payload)
