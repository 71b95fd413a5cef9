"""Attacks on the checker of proofs about rows, and programs that hand in wrong ones."""

import itertools
import random
import sys
from dataclasses import replace

import pytest
from row_proofs import broken_invariant, holds, models, random_opb, read, try_mutants

import nqbench
from nqbench.backends.base import Backend, Capabilities
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.checking.normal_rows import normal_rows, rows_with_cliques
from nqbench.checking.proving import Prover
from nqbench.checking.verify import ProofState
from nqbench.common.limits import Limits, ProofLimits
from nqbench.common.vocabulary import CheckedBy, Task, Verdict
from nqbench.isolate import Isolation
from nqbench.measure.best_k import better_model
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.readings import read_twice
from nqbench.measure.run_judge import RunJudge
from nqbench.problems.families.cnf import Formula


def test_no_mutant_of_a_proof_or_a_file_shows_something_wrong():
    """Proofs by Exact; `tools/row_proof_mutants.py` makes as many as you like."""
    pytest.importorskip("exact")
    tried, accepted, wrong = try_mutants(random.Random(0), 800)
    assert not wrong
    assert tried > accepted > 80


def test_each_row_that_is_derived_follows():
    """Whatever lines are accepted, the invariant of the checker holds."""
    draw = random.Random(0)
    for _ in range(400):
        text = random_opb(draw, 4)
        line = broken_invariant(draw, text)
        assert line is None, (text, line)


SOLVER = """
import itertools, re, sys
opb, path = sys.argv[-2:]
rows, costs = [], []
for line in open(opb):
    pairs = re.findall(r"(\\S+) (~?x\\d+)", line)
    terms = [(int(w), l[0] != "~", int(l.strip("~x"))) for w, l in pairs]
    if "#variable" in line:
        n = int(line.split()[2])
    elif line.startswith("min:"):
        costs = terms
    elif line[0] != "*":
        rows.append((terms, line.split()[-3], int(line.split()[-2])))
def total(terms, values):
    return sum(w for w, sign, v in terms if values[v - 1] == sign)
def meets(row, values):
    found = total(row[0], values)
    return found >= row[2] if row[1] == ">=" else found == row[2]
left = [v for v in itertools.product((False, True), repeat=n) if all(meets(r, v) for r in rows)]
best = min(left, key=lambda v: total(costs, v), default=None)
def spell(values):
    return " ".join("~" * (not value) + f"x{v}" for v, value in enumerate(values, 1))
with open(path, "w") as proof:
    print("pseudo-Boolean proof version 2.0\\nf", file=proof)
    if best and costs:
        print("soli", spell(best), file=proof)
    for size in range(n, -1, -1):
        for values in itertools.product((False, True), repeat=size):
            clause = " ".join("1 " + "~" * value + f"x{v}" for v, value in enumerate(values, 1))
            print("rup", clause, ">= 1 ;", file=proof)
"""
"""A program that solves by brute force, and hands in a proof of all cases."""

ANSWER = """
if best is None:
    print("s UNSATISFIABLE")
else:
    print("o", total(costs, best))
    print("s OPTIMUM FOUND" if costs else "s SATISFIABLE")
    print("v", spell(best).replace("~", "-"))
"""
FORGED = """
open(path, "w").write("pseudo-Boolean proof version 2.0\\nf\\nrup >= 0 ;"
    "\\nred 1 ~x1 >= 1 ; ~x1 1\\nrup >= 1 ;\\n")
"""

FILES = {
    "min.opb": ("min: 3 x1 2 x2 2 x3 ;\n1 x1 1 x2 >= 1 ;\n1 x2 1 x3 >= 1 ;\n1 x1 1 x3 >= 1 ;\n", 4),
    "max.opb": ("max: 7 x1 5 x2 4 x3 9 x4 ;\n4 x1 3 x2 2 x3 6 x4 <= 10 ;\n", 16),
    "none.opb": ("min: 1 x1 ;\n1 x1 1 x2 >= 2 ;\n-1 x1 -1 x2 >= -1 ;\n", None),
    "soft.wcnf": ("h 1 2 3 0\n4 -1 0\n3 -2 -3 0\n2 1 -2 0\n5 2 0\n", 2),
}


@pytest.fixture
def problem(tmp_path):
    """Return a file as a problem, and a run of a program on it."""

    def write(name, program):
        (tmp_path / name).write_text(FILES[name][0])
        (tmp_path / "solver.py").write_text(program)
        backend = f"exe:{sys.executable} {tmp_path}/solver.py {{opb}} {{proof}}"
        formula = Formula.at(tmp_path / name, name)
        return LoadedRun.named(formula, "native", backend, Task.BEST, Limits(time_s=60.0))

    return write


@pytest.fixture(params=[True, False])
def with_or_without_exact(request, monkeypatch):
    """The judge asks Exact first, or has no prover for rows."""
    if not request.param:
        monkeypatch.setattr("nqbench.measure.run_judge.ROWS_SOLVER", "there-is-none")


def none_better(run, value):
    """The check that no model is better than one of this value, None if there is said to be no
    model.
    """
    bounded = run.problem if value is None else better_model(run.problem, value)
    return RunJudge().check_unsat(replace(run, problem=bounded))


@pytest.mark.parametrize("name", FILES)
def test_a_proof_that_a_program_hands_in_shows_its_answer(problem, monkeypatch, name):
    """Nobody else is asked."""
    monkeypatch.setattr("nqbench.checking.evidence.Certifier.decide_rows", None)
    check = none_better(problem(name, SOLVER + ANSWER), FILES[name][1])
    assert (check.verdict, check.checked_by) == (Verdict.VERIFIED, CheckedBy.PROOF), check


@pytest.mark.parametrize("name", FILES)
def test_a_forged_proof_shows_nothing(problem, with_or_without_exact, name):
    """A right answer is checked otherwise, and the message says what was wrong with its proof."""
    check = none_better(problem(name, SOLVER + FORGED + ANSWER), FILES[name][1])
    assert check.verdict is Verdict.VERIFIED
    assert check.message.startswith("proof not checked: line 4: '~x1' is not fresh; by ")


@pytest.mark.parametrize("forgery", ["", FORGED])
@pytest.mark.parametrize("name", ["min.opb", "max.opb", "soft.wcnf"])
def test_a_worse_value_is_refuted_whatever_its_proof(problem, with_or_without_exact, name, forgery):
    value = FILES[name][1] + (-1 if name == "max.opb" else 1)
    check = none_better(problem(name, SOLVER + forgery + ANSWER), value)
    assert check.verdict is Verdict.REFUTED, check


@pytest.mark.parametrize("forgery", ["", FORGED])
def test_a_denied_model_is_refuted_whatever_its_proof(problem, with_or_without_exact, forgery):
    """A proof about an optimum, too, if there is said to be none."""
    check = none_better(problem("min.opb", SOLVER + forgery + ANSWER), None)
    assert check.verdict is Verdict.REFUTED, check


@pytest.mark.parametrize("name", FILES)
def test_programs_that_read_opb_are_measured(problem, name):
    run = problem(name, SOLVER + ANSWER)
    runs = Campaign(
        problems=[run.problem],
        encodings=["native"],
        backends=[run.backend.name],
        repeat=1,
        limits=run.limits,
        task=Task.BEST,
    ).runs()
    (record,) = runner.measured(runs)
    assert (record.verdict, record.checked_by) == (Verdict.VERIFIED, CheckedBy.PROOF), record
    assert record.objective == FILES[name][1]


class WithoutObjective:
    """Writes a proof that the empty sum is not below 0."""

    name, capabilities = "forger", Capabilities(row_proofs=True)

    def prove_about_rows(self, opb, proof):
        proof.write(b"f\nsoli\n")


def test_a_bound_shows_nothing_of_rows_without_an_objective():
    """No value is asked for, whatever the `worst` is."""
    rows = read(b"1 x1 >= 1 ;\n")
    for worst in (-1, None):
        proved = Prover(Isolation(), ProofLimits()).proof_about_rows(
            WithoutObjective(), rows, worst, Limits(time_s=60.0)
        )
        assert proved.state is ProofState.NOT_CHECKED, worst


def each_two(literals):
    return list(itertools.combinations(literals, 2))


HOLES = [[9 * p + h for p in range(10)] for h in range(1, 10)]
PIGEONS = [[9 * p + h for h in range(1, 10)] for p in range(10)]
AT_LEAST = [" ".join(f"+1 x{x}" for x in row) + " >= 1 ;" for row in PIGEONS]
CROWDED = {
    "rows.opb": [
        *AT_LEAST,
        *(" ".join(f"-1 x{x}" for x in hole) + " >= -1 ;" for hole in HOLES),
    ],
    "each-two.opb": [
        *AT_LEAST,
        *(f"+1 ~x{x} +1 ~x{y} >= 1 ;" for hole in HOLES for x, y in each_two(hole)),
    ],
    "weights.opb": [
        *AT_LEAST,
        *(f"-3 x{x} -2 x{y} >= -4 ;" for hole in HOLES for x, y in each_two(hole)),
    ],
    "hard.wcnf": [
        *(f"h {' '.join(map(str, pigeon))} 0" for pigeon in PIGEONS),
        *(f"h -{x} -{y} 0" for hole in HOLES for x, y in each_two(hole)),
        "1 1 0",
    ],
}
"""Ten pigeons in nine holes."""


@pytest.mark.parametrize("name", CROWDED)
def test_pigeons_are_refuted_however_a_file_states_them(name, tmp_path):
    """A clause for each two pigeons in a hole says the same as a row, but nobody refutes it."""
    pytest.importorskip("exact")
    path = tmp_path / name
    path.write_text("\n".join(CROWDED[name]) + "\n")
    (formula,) = nqbench.formulas(path)
    proved = Prover(Isolation(), ProofLimits()).proof_about_rows(
        Backend.named("exact"),
        read_twice(formula),
        None,
        Limits(time_s=60.0),
        stating=rows_with_cliques,
    )
    assert proved.state is ProofState.CHECKED, proved.message


@pytest.mark.parametrize("seed", range(15))
def test_cliques_are_met_by_what_the_rows_are_met_by(seed):
    draw = random.Random(seed)
    lines = []
    for _ in range(draw.randint(3, 14)):
        terms = [(draw.randint(-3, 3) or 1, x) for x in draw.sample(range(1, 6), 2)]
        lines.append(" ".join(f"{w:+d} x{x}" for w, x in terms) + f" >= {draw.randint(-4, 2)} ;")
    text = "\n".join([*lines, *random_opb(draw).decode().splitlines()[-1:]]).encode() + b"\n"
    stated, with_cliques = normal_rows(read(text)), rows_with_cliques(read(text))
    assert with_cliques.objective == stated.objective
    for values in models(stated.num_variables):
        meets_all = all(holds(row, values) for row in stated.rows)
        assert meets_all == all(holds(row, values) for row in with_cliques.rows), text
