"""Judges one formula against a file of rows: whether both allow the same choices of the file's
variables, which are the first ones of the formula, whoever wrote it.

Proofs show it row by row and part by part: see `weighted_rows`. Where no proof
is found, and few choices meet the rows, each is tried. What refutes it is a choice, which is
checked. If the formula forbids one, an auxiliary variable that several rows share may be why.
"""

import time
from dataclasses import replace
from functools import partial
from typing import Final

import msgspec
import numpy as np

from nqbench.addons.certify.certificate import CHECKER, Result
from nqbench.addons.certify.formula_verdict import FormulaVerdict, Keep
from nqbench.addons.certify.shared_variables import shared_variable
from nqbench.addons.certify.weighted_rows import WeightedDirections, forbids
from nqbench.checking import row_clauses
from nqbench.checking.file_rows import FileRows
from nqbench.checking.proof import NotCheckedError
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import as_clauses
from nqbench.common.errors import InputError, TooManyClausesError
from nqbench.common.limits import Limits
from nqbench.isolate import Isolation
from nqbench.measure.implication.steps import Direction, State, Steps
from nqbench.measure.readings import read_twice
from nqbench.measure.run_judge import certifier
from nqbench.problems.clausal import Clausal
from nqbench.problems.families.described import DescribedFormula

_MOST_TRIED: Final = 2_000
"""So many choices that meet the rows are tried one by one."""

READING: Final = "the judge's reading of the file"


def judge_against_rows(
    described: DescribedFormula, file: Clausal, limits: Limits, *, name: str, caller: Isolation
) -> FormulaVerdict:
    """Judge a formula against the rows of a file. Each step runs in a separate process under the
    limits. Raises `InputError` if one of the two cannot be read, or if they are not compared.
    """
    started = time.monotonic()
    rows = read_twice(file)
    if rows.definitions:
        raise InputError(f"{file.source}: products and soft rows are not compared with clauses")
    try:
        formula = as_clauses(described.formula)
    except TooManyClausesError as error:
        raise InputError(f"{described.source}: {error}") from error
    variables = max(formula.num_variables, rows.num_variables)
    formula = CNF(variables, rows.num_variables, formula.blocks)
    tell = caller.tell
    caller = replace(caller, tell=lambda doing, limit_s: tell(f"{name}: {doing}", limit_s))
    steps = Steps(certifier(caller), caller, limits)
    only, every = compare(formula, rows, steps)
    is_proved = State.PROVED in (only.state, every.state)
    notes = (f"the objective of {file} is not compared with clauses",) * (rows.costs is not None)
    verdict = FormulaVerdict(
        name,
        file,
        Keep.ALL,
        variables,
        formula.num_clauses,
        only,
        every,
        notes=(*described.notes, *notes),
        relied_on=(CHECKER, READING, f"the first {rows.num_variables} variables being its own")
        if is_proved
        else (),
        wall_s=time.monotonic() - started,
    )
    if verdict.result is Result.REFUTED:
        return replace(verdict, hint=shared_variable(formula, rows, every, steps))
    return verdict


def compare(formula: CNF, rows: FileRows, steps: Steps) -> tuple[Direction, Direction]:
    """Whether each model meets the rows, and each choice that meets them extends to a model."""
    directions = WeightedDirections(formula, rows, steps)
    only, every = directions.only_solutions(), directions.every_solution()
    if every.state is State.OPEN:
        every = _try_each(formula, rows, steps, otherwise=every)
    return only, every


def _try_each(formula: CNF, rows: FileRows, steps: Steps, otherwise: Direction) -> Direction:
    """Whether each choice that meets the rows extends to a model, if they are few."""
    try:
        stated = steps.state(lambda: row_clauses.as_clauses(rows), "stating the rows")
        tried = msgspec.msgpack.decode(
            steps.call("trying choices", partial(_try_choices, formula, stated)), type=_Tried
        )
        if tried.forbidden is not None:
            values = np.array(tried.forbidden, np.bool_)
            is_choice = rows.broken_by(values) is None
            return (forbids(formula, values, steps) if is_choice else None) or otherwise
        # That there is no other choice is not believed without a proof.
        others = -np.array(tried.extended, np.int32)
        others = others.reshape(len(tried.extended), rows.num_variables)
        is_all = tried.is_all and steps.has_no_model(stated.with_clauses(others))
    except (NotCheckedError, InputError):
        return otherwise
    return Direction(State.PROVED) if is_all else otherwise


class _Tried(msgspec.Struct):
    """Choices, as literals, that were found to extend to a model, which was checked; and one that
    was not, as values. `is_all`: no other choice was found.
    """

    extended: list[list[int]]
    forbidden: list[bool] | None = None
    is_all: bool = False


def _try_choices(formula: CNF, stated: CNF) -> bytes:
    """What comes of trying each choice, as `_Tried`. `stated` are the rows as clauses."""
    from pysat.solvers import Solver

    n = formula.num_main
    tried = _Tried([])
    with (
        Solver("minisat22", bootstrap_with=stated.clauses()) as choices,
        Solver("minisat22", bootstrap_with=formula.clauses()) as solver,
    ):
        while len(tried.extended) < _MOST_TRIED:
            if not choices.solve():
                tried.is_all = True
                break
            true = set(choices.get_model())
            chosen = [v if v in true else -v for v in range(1, n + 1)]
            is_extended = solver.solve(chosen)
            model = np.isin(np.arange(1, formula.num_variables + 1), solver.get_model() or [])
            agrees = [v for v in chosen if model[abs(v) - 1] == (v > 0)] == chosen
            if not (is_extended and agrees and formula.falsified(model) is None):
                tried.forbidden = [v > 0 for v in chosen]
                break
            tried.extended.append(chosen)
            choices.add_clause([-v for v in chosen])
    return msgspec.msgpack.encode(tried)
