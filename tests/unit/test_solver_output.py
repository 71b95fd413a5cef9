"""Outputs of solvers: accepted and refused ones by hand, and many right ones that are made."""

import random
import tomllib
from collections import Counter
from itertools import product
from textwrap import indent

import numpy as np
import pytest
from places import DATA, ROOT

from nqbench.backends.program import process, solver_output
from nqbench.backends.program.process import ProgramSolver
from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.common.errors import InputError, NqbenchError
from nqbench.common.vocabulary import Answer

OUTPUTS = tomllib.loads((DATA / "solver_outputs.toml").read_text())


def formula(num_variables, clauses):
    builder = CNFBuilder(num_variables)
    for clause in clauses:
        builder.add([clause])
    return builder.build()


FORMULA = formula(3, [[1, -2], [2, 3]])


class Printing(ProgramSolver):
    """A program that has printed this and ended with this status."""

    def __init__(self, cnf, printed, status, errors=b""):
        super().__init__("solver", ["solver"], cnf)
        self.finished = process.Finished(status, printed, errors)

    def _run(self, words):
        return self.finished


def literals(values):
    return [v if value else -v for v, value in enumerate(values.tolist(), start=1)]


def by_about(outputs):
    return pytest.mark.parametrize("each", outputs, ids=[each["about"] for each in outputs])


@by_about(OUTPUTS["accepted"])
def test_an_output_of_the_grammar_is_read(each):
    printed = each["text"].encode()
    solver = Printing(FORMULA, printed, each["status"])
    assert solver.solve() == each["answer"]
    assert len(solver_output.read(printed, "out").models) == each["models"]
    if each["answer"] == "sat":
        assert literals(solver.model()) == each["model"]


@by_about(OUTPUTS["decoded"])
def test_an_output_without_a_status_has_models(each):
    printed = each["text"].encode()
    output = solver_output.read(printed, "out")
    assert literals(output.model.values(FORMULA)) == each["model"]
    assert len(output.models) == each["models"]


@by_about(OUTPUTS["refused"])
def test_anything_else_is_refused_and_said_why(each):
    with pytest.raises(NqbenchError) as error:
        Printing(FORMULA, each["text"].encode(), each["status"]).solve()
    assert each["message"] in str(error.value)


def test_the_page_has_the_grammar_of_the_reader():
    page = (ROOT / "docs" / "reference" / "solver-output.md").read_text()
    grammar = page.partition("```text\n")[2].partition("```")[0]
    assert indent(grammar, "    ") in solver_output.__doc__


def test_text_of_windows_is_read():
    """What `solver formula.cnf > out` writes in PowerShell."""
    printed = "s SATISFIABLE\r\nv 1 -2 3 0\r\n".encode("utf-16")
    assert Printing(FORMULA, printed, 10).solve() is Answer.SAT


def test_a_log_without_its_middle_has_no_whole_model():
    """See `isolate.printed`: it may begin again inside a model, and inside a literal."""
    printed = b"s SATISFIABLE\nv -1\n[nqbench left out 9 bytes]\nv 2 3 0\n"
    output = solver_output.read(printed, "log")
    assert [model.is_ended for model in output.models] == [False, False]
    with pytest.raises(InputError, match="line 2: the model does not end with 0"):
        output.model.values(FORMULA, trusting=True)


def test_a_large_model_is_read_as_one_with_words():
    values = np.random.default_rng(1).integers(0, 2, 200_000).astype(bool)
    words = literals(values)
    lines = [" ".join(map(str, words[at : at + 1000])) for at in range(0, len(words), 1000)]
    printed = "s SATISFIABLE\n" + "".join(f"v {line}\n" for line in lines) + "v 0\n"
    output = solver_output.read(printed.encode(), "out")
    assert (output.model.values(CNF(len(values), len(values), ())) == values).all()


# --- made outputs


def models_of(cnf):
    """All models by brute force, each as a list of literals."""
    clauses = list(cnf.clauses())
    every = product(*((-v, v) for v in range(1, cnf.num_variables + 1)))
    return [list(each) for each in every if all(set(clause) & set(each) for clause in clauses)]


def made_formula(source):
    n = source.randint(1, 4)
    clauses = []
    for _ in range(source.randint(1, 3 * n)):
        chosen = source.sample(range(1, n + 1), min(n, source.randint(1, 3)))
        clauses.append([v if source.random() < 0.5 else -v for v in chosen])
    return formula(n, clauses)


NOISE = [
    "",
    "c comment",
    "c v 1 2 3 0",
    "c s UNSATISFIABLE",
    "12",
    "-1 2 0",
    "1 0",
    "2026-01-01 12:00:00",
    "0.00user 0.01system",
    "verbose 1",
    "solver v1.0",
    "%",
    "o 12",
    "t cnf 1 2 3",
]


def value_lines(source, words):
    """A model in v lines that break anywhere."""
    words, lines = [*map(str, words), "0"], []
    if source.random() < 0.3:
        words = [f"+{word}" if word[0] not in "-0" else word for word in words]
    while words:
        count = source.randint(0, len(words)) if source.random() < 0.7 else len(words)
        lines.append(source.choice(["v ", "v\t", "v  "]) + " ".join(words[:count]))
        words = words[count:]
    return lines


def with_noise(source, lines):
    mixed = []
    for line in lines:
        while source.random() < 0.3:
            mixed.append(source.choice(NOISE))
        mixed.append(line)
    while source.random() < 0.3:
        mixed.append(source.choice(NOISE))
    return mixed


def joined(source, lines):
    end = source.choice(["\n", "\r\n", "\r"])
    return (end.join(lines) + source.choice([end, ""])).encode()


def shuffled_model(source, model):
    model = list(model)
    if source.random() < 0.5:
        source.shuffle(model)
    if source.random() < 0.2:
        model.append(source.choice(model))
    if source.random() < 0.2:
        model.append(source.choice([1, -1]) * 99)
    return model


def right_output(source, models):
    """An output of a right solver, and its exit status."""
    if not models:
        status = source.choice([20, 0, 58])
        return joined(source, with_noise(source, ["s UNSATISFIABLE"])), status
    chosen = source.sample(models, min(len(models), source.choice([1, 1, 2, 3])))
    printed = [value_lines(source, shuffled_model(source, model)) for model in chosen]
    order = source.choice(["status first", "status last", "each", "minisat", "1993"])
    if order == "minisat":
        lines = ["SAT", " ".join(map(str, [*chosen[0], 0]))]
        return joined(source, ["restarts : 1", *lines, "-7 0"]), 10
    if order == "1993":
        lines = [f"s cnf 1 {len(chosen[0])} 1", *(f"v {each}" for each in chosen[0])]
        return joined(source, lines), 0
    lines = [line for each in printed for line in each]
    if order == "each":
        lines = [line for each in printed for line in ("s SATISFIABLE", *each)]
    elif order == "status first":
        lines = ["s SATISFIABLE", *lines]
    else:
        lines = [*lines, "s SATISFIABLE"]
    return joined(source, with_noise(source, lines)), source.choice([10, 10, 0, 1, 30])


def recorded(cnf, printed, status, has_model):
    """What the record would say: verified, wrong, unknown or refused."""
    solver = Printing(cnf, printed, status)
    try:
        answer = solver.solve()
    except NqbenchError:
        return "refused"
    if answer is Answer.UNKNOWN:
        return "unknown"
    if answer is Answer.UNSAT:
        return "wrong" if has_model else "verified"
    return "verified" if cnf.broken_by(solver.model()) is None else "wrong"


def test_no_right_output_is_recorded_as_wrong_even_if_it_is_cut_off():
    source = random.Random(58)
    whole, cut = Counter(), Counter()
    for _ in range(250):
        cnf = made_formula(source)
        models = models_of(cnf)
        printed, status = right_output(source, models)
        whole[recorded(cnf, printed, status, bool(models))] += 1
        for at in {source.randrange(len(printed) + 1) for _ in range(3)}:
            cut[recorded(cnf, printed[:at], status, bool(models))] += 1
    assert whole == {"verified": 250}
    assert cut.keys() <= {"verified", "refused"}


@pytest.mark.parametrize("seed", range(5))
def test_an_output_may_be_cut_off_at_every_byte(seed):
    source = random.Random(seed)
    cnf = formula(12, [[-11, -12], [1, 2], [-1, -2], [12, 11], [3, 10], [-10, -3]])
    models = models_of(cnf)
    printed, status = right_output(source, models)
    for at in range(len(printed)):
        assert recorded(cnf, printed[:at], status, has_model=True) in {"verified", "refused"}
