"""Clauses that are loaded from memory: the same search as through a binding, or not used at all."""

import ctypes
import dataclasses
import importlib
import os
import random

import numpy as np
import pytest

from nqbench import isolate
from nqbench.backends import direct
from nqbench.backends.base import Backend
from nqbench.backends.pysat import loaders
from nqbench.clauses.cnf import CNF
from nqbench.common.limits import Limits, PatientLimits
from nqbench.common.vocabulary import Answer, Loading, Outcome
from nqbench.encodings.base import Encoding
from nqbench.problems.queens import Queens

SOLVERS = (*sorted(loaders.CAN_LOAD), "pyeda")


def formula(clauses, variables):
    blocks = [np.array([clause], np.int32).reshape(1, -1) for clause in clauses]
    return CNF(variables, 0, tuple(blocks))


def random_formulas(solver):
    """Formulas with variables in no clause, clauses that repeat literals or are always true, empty
    clauses, and no clauses at all.
    """
    source = random.Random(3)
    if solver != "maplesat":  # which crashes on them
        yield formula([], 0)
        yield formula([], 3)
    yield formula([[]], 2)
    yield formula([[1], [], [-2]], 2)
    for _ in range(12):
        variables = source.randint(1, 9)
        clauses = [
            [source.choice((-1, 1)) * source.randint(1, variables) for _ in range(width)]
            for width in source.choices(range(1, 4), k=source.randint(1, 30))
        ]
        yield formula(clauses, variables + source.randint(0, 2))


def found(name, cnf):
    """The answer, counters and number of models, and how the clauses were loaded."""
    backend = Backend.named(name)
    solver = backend.load(cnf)
    answer = solver.solve()
    if answer is Answer.SAT:
        assert cnf.falsified(solver.model()) is None
    models = backend.load(cnf).models() if backend.capabilities.enumeration else ()
    return answer, dataclasses.astuple(solver.counters()), sum(1 for _ in models), solver.loading


def test_odd_formulas_are_solved_as_through_the_binding():
    """In a process: its last words name a solver that crashes."""

    def compared():
        for solver in SOLVERS:
            os.write(2, f"{solver}\n".encode())
            for cnf in random_formulas(solver):
                *one, loading = found(solver, cnf)
                *other, other_loading = found(f"{solver}:loading=binding", cnf)
                assert (loading, other_loading) == (Loading.DIRECT, Loading.BINDING), solver
                assert one == other, (solver, list(cnf.clauses()))
        return b""

    ending = isolate.call(compared, Limits(time_s=60))
    assert ending.outcome is Outcome.FINISHED, ending.message


def test_without_the_compiled_module_the_binding_is_used(monkeypatch):
    monkeypatch.setattr(direct, "_loops", lambda: None)
    monkeypatch.setattr(direct, "passes", direct.passes.__wrapped__)
    for name in ("minisat22", "cadical195", "pyeda"):
        solver = Backend.named(name).load(Encoding.named("pairwise").encode(Queens(6)))
        assert (solver.solve(), solver.loading) == (Answer.SAT, Loading.BINDING)


def of_another(monkeypatch, space):
    monkeypatch.setattr(direct, "passes", direct.passes.__wrapped__)
    monkeypatch.setitem(loaders._SPACES, "minisat22", space)
    monkeypatch.setattr(loaders, "_minisat", loaders._minisat.__wrapped__)


@pytest.mark.parametrize("space", ["Glucose41", "NoSuchSolver"])
def test_functions_of_another_solver_do_not_pass_the_test_of_themselves(monkeypatch, space):
    """A library that changed: its functions take the solver for something that it is not."""
    of_another(monkeypatch, space)
    assert not loaders.is_trusted("minisat22")
    solver = Backend.named("minisat22").load(Encoding.named("pairwise").encode(Queens(6)))
    assert (solver.solve(), solver.loading) == (Answer.SAT, Loading.BINDING)


def test_a_loader_with_a_flaw_does_not_pass(monkeypatch):
    """What loads the clauses loses one, changes a literal, crashes, or never ends."""
    right, flaw = direct.add_clauses, ""

    def wrong(functions, solver, variables, blocks):
        first, *rest = blocks
        if flaw == "crash":
            ctypes.string_at(8)
        while flaw == "hang":
            pass
        first = first[1:] if flaw == "lost" else -first
        right(functions, solver, variables, [first, *rest])

    monkeypatch.setattr(direct, "passes", direct.passes.__wrapped__)
    assert loaders.is_trusted("minisat22")
    monkeypatch.setattr(direct, "add_clauses", wrong)
    for flaw in ("lost", "other", "crash"):
        assert not loaders.is_trusted("minisat22"), flaw
    flaw = "hang"
    monkeypatch.setattr(direct, "_LIMITS", PatientLimits(time_s=0.1))
    assert not loaders.is_trusted("minisat22")


def test_only_blocks_are_taken():
    loops = importlib.import_module("nqbench.backends._direct")
    for wrong in (
        np.ones((2, 2), np.int64),
        np.ones(4, np.int32),
        np.ones((2, 2), np.float32),
        np.ones((4, 4), np.int32).T[::2],
        b"1234",
    ):
        with pytest.raises((ValueError, BufferError)):
            loops.add_literals(0, 0, wrong)
        with pytest.raises((ValueError, BufferError)):
            loops.add_clauses(0, 0, 0, 0, 0, wrong)
