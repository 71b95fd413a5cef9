"""Solvers that take weights and objectives as they are, and the search for the best model."""

import itertools
import os
import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nqbench.backends.base import Backend
from nqbench.campaign.execution import Execution
from nqbench.campaign.job import Job
from nqbench.campaign.optimum import State, best_model, file_optima
from nqbench.clauses.cnf import no_clauses
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits, PatientLimits
from nqbench.common.vocabulary import Answer, CheckedBy, KOrder, Outcome, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.isolate import Isolation
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.run_judge import RunJudge
from nqbench.measure.search import Search
from nqbench.measure.validation import admitted
from nqbench.measure.worker import WorkerReport, answer
from nqbench.problems.families.cnf import Formula
from nqbench.records.record import Record, Run

SOLVERS = ["clasp", "cp-sat", "exact", "highs", "pumpkin", "rc2", "rc2:strata=on"]
LIMITS = Limits(time_s=60.0)
KNAPSACK = """* #variable= 4 #constraint= 1
max: +7 x1 +5 x2 +4 x3 +9 x4 ;
-4 x1 -3 x2 -2 x3 -6 x4 >= -8 ;
"""


@pytest.fixture(params=SOLVERS)
def solver(request):
    backend = Backend.named(request.param)
    if backend.version is None:
        pytest.skip(f"{request.param} is not installed")
    return backend


def formula_at(folder, text):
    (folder / "a.opb").write_text(text)
    return Formula.at(folder / "a.opb", "a.opb")


def random_opb(rng, n):
    def terms(most):
        signs = (rng.choice(["", "~"]) for _ in range(most))
        return " ".join(f"{rng.randint(-9, 9) or 1:+} {s}x{rng.randint(1, n)}" for s in signs)

    rows = [
        f"{terms(rng.randint(1, n))} >= {rng.randint(-5, 9)} ;" for _ in range(rng.randint(1, 4))
    ]
    rows += [f"{terms(3)} = 2 ;"] * (rng.random() < 0.2)
    head = f"* #variable= {n} #constraint= {len(rows)}\n"
    return f"{head}{rng.choice(['min', 'max'])}: {terms(rng.randint(0, n))} ;\n" + "\n".join(rows)


def encoding_for(backend):
    return Encoding.named("native" if backend.takes_weights else "adder")


def test_first_and_best_models_are_those_of_all_choices(solver, tmp_path):
    rng = random.Random(7)
    answers = set()
    for _ in range(12):
        n = rng.randint(2, 6)
        problem = formula_at(tmp_path, random_opb(rng, n))
        constraints = problem.constraints()
        choices = (np.array(c) for c in itertools.product([False, True], repeat=n))
        values = [constraints.objective.value(c) for c in choices if not constraints.broken_by(c)]
        encoding = encoding_for(solver)
        for objective in (None, constraints.objective):
            instance = encoding.encode(problem)
            search = Search(problem, encoding, solver, instance, objective=objective)
            found = next(search.best(lambda _: None), None)
            answers.add(search.answer)
            assert (found is not None) == bool(values)
            if found is not None:
                model = found.model[:n]
                assert constraints.broken_by(model) is None
                assert objective is None or objective.value(model) == min(values)
    assert answers == {Answer.SAT, Answer.UNSAT}


def test_weights_that_a_solver_would_round_are_refused(solver, tmp_path):
    weights = "+8589934592 x1 +8589934591 x2 +8589934593 x3"  # 2^33, and its neighbours
    text = f"* #variable= 3 #constraint= 1\nmin: {weights} ;\n{weights} >= 8589934592 ;\n"
    problem = formula_at(tmp_path, text)
    encoding = encoding_for(solver)
    instance = encoding.encode(problem)
    objective = problem.constraints().objective
    search = Search(problem, encoding, solver, instance, objective=objective)
    if solver.base_name in {"clasp", "highs", "pumpkin"}:
        with pytest.raises(InputError, match=r"add up to at most [0-9,]+, not 25,769,803,776"):
            search.first()
    else:
        assert search.first().model[:3].tolist() == [True, False, False]


def record_of(problem, encoding, backend):
    """How the record of a run says that its worker ended."""
    run = Run(
        problem=problem, encoding=encoding.name, encoding_version=None, backend=backend.name,
        backend_version=None, limits=LIMITS, seed=0, task=Task.FIRST, repeat=1, machine="",
        harness="",
    )  # fmt: skip
    instance = encoding.encode(problem)
    ending = Isolation().call(
        "a run", lambda: answer(run, encoding, backend, instance, no_clauses()), LIMITS
    )
    ending = admitted(run, ending)
    return replace(Record.of(run, ""), outcome=ending.outcome, message=ending.message)


@pytest.mark.parametrize("name", ["clasp", "highs", "pumpkin"])
def test_a_run_whose_weights_are_too_large_is_invalid(name, tmp_path):
    """And not crashed. It says nothing against the file."""
    backend = Backend.named(name)
    if backend.version is None:
        pytest.skip(f"{name} is not installed")
    weights = "+8589934592 x1 +8589934591 x2 +8589934593 x3"
    text = f"* #variable= 3 #constraint= 1\n{weights} >= 8589934593 ;\n"
    record = record_of(formula_at(tmp_path, text), Encoding.named("native"), backend)
    assert record.outcome is Outcome.INVALID
    assert record.is_refused
    assert re.fullmatch(
        rf"backend '{name}' takes weights that .* at most [\d,]+, not 25,769,803,776: .*",
        record.message,
    )


def test_a_refusal_of_a_plugin_names_the_backend(tmp_path):
    class Refusing(Backend):
        def load(self, formula):
            raise InputError("no more than 3 rows")

    problem = formula_at(tmp_path, KNAPSACK)
    record = record_of(problem, Encoding.named("adder"), Refusing("refusing"))
    assert record.outcome is Outcome.INVALID
    assert record.message == "backend 'refusing': no more than 3 rows"


def test_exact_is_stopped_at_the_time_limit(tmp_path):
    """It catches SIGTERM and SIGXCPU itself, which must not keep it running."""
    backend = Backend.named("exact")
    if backend.version is None:
        pytest.skip("exact is not installed")
    rng = random.Random(3)
    weights = [[rng.randint(1, 10**6) for _ in range(60)] for _ in range(30)]
    lines = [
        " ".join(f"+{w} x{v}" for v, w in enumerate(row, start=1)) + f" = {sum(row) // 2} ;"
        for row in weights
    ]
    problem = formula_at(tmp_path, "\n".join(["* #variable= 60 #constraint= 30", *lines, ""]))
    pids = tmp_path / "pids"

    def solve():
        pids.write_text(str(os.getpid()))
        return str(backend.load(Encoding.named("native").encode(problem)).solve()).encode()

    ending = Isolation().call("exact", solve, PatientLimits(time_s=2.0))
    assert ending.outcome is Outcome.TIMEOUT
    assert not Path(f"/proc/{pids.read_text()}").exists()


@pytest.fixture
def job(tmp_path):
    return Job(
        runs=(), execution=Execution.usual(pin=False), folder=tmp_path / "r", tell=lambda _: None
    )


def test_one_run_shows_an_optimum_from_both_sides(job, tmp_path):
    problem = formula_at(tmp_path, KNAPSACK)
    how = {"encoding": None, "limits": LIMITS}
    (optimum,) = file_optima([problem], job, backend="rc2", **how)
    assert (optimum.best, optimum.excluded, optimum.state) == (13, 14, State.OPTIMAL)
    (record,) = optimum.records
    assert (record.task, record.objective, record.best_k) == (Task.BEST, 13, None)
    with pytest.raises(InputError, match="cadical195 does not optimise: choose"):
        list(file_optima([problem], job, backend="cadical195", order=KOrder.SOLVER, **how))


def test_the_state_says_whose_word_it_is_that_none_is_better(job, tmp_path):
    problem = formula_at(tmp_path, KNAPSACK)
    (shown,) = file_optima([problem], job, encoding=None, backend="rc2", limits=LIMITS)
    best, after = shown.steps
    open_record = replace(
        best.record, verdict=Verdict.UNCHECKED, checked_by=CheckedBy.NONE, message="too large"
    )
    steps = [*best_model(problem, lambda _: open_record)]
    claimed = replace(shown, steps=steps)
    assert (claimed.best, claimed.bound, claimed.state) == (13, 13, State.CLAIMED)
    assert claimed.claim is open_record
    assert claimed.literals == shown.literals == (-1, -2, 3, 4)  # 4 + 9, of weight 8
    stopped = replace(open_record, answer=None, outcome=Outcome.TIMEOUT, task=Task.FIRST)
    model = replace(best, record=replace(best.record, task=Task.FIRST))
    found = replace(shown, steps=[model, replace(after, record=stopped, has_solution=None)])
    assert (found.best, found.state, found.claim) == (13, State.BEST_FOUND, None)
    assert found.bound == shown.ideal == 25
    nothing = replace(shown, steps=[replace(after, record=stopped, has_solution=None)])
    assert (nothing.best, nothing.bound, nothing.state) == (None, None, State.OPEN)


@pytest.mark.parametrize(
    ("chosen", "verdict"),
    [([1, 4], Verdict.REFUTED), ([1, 2], Verdict.REFUTED), ([3, 4], Verdict.VERIFIED)],
)
def test_a_model_that_is_not_the_best_is_refuted(chosen, verdict, tmp_path):
    problem = formula_at(tmp_path, KNAPSACK)
    encoding, backend = Encoding.named("native"), Backend.named("cp-sat")
    model = np.isin(np.arange(1, 5), chosen)
    report = WorkerReport(Answer.SAT, model=np.packbits(model).tobytes(), model_size=4)
    run = LoadedRun(problem, encoding, backend, Task.BEST, LIMITS, backend.name)
    check = RunJudge().check(run, report)
    assert check.verdict is verdict
    assert check.objective == (None if chosen == [1, 4] else {1: 12, 3: 13}[chosen[0]])
