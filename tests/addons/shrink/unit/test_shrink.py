"""Formulas that show a fault become small, and the printed programs show it without nqbench."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from addons import needs_addon
from followed_advice import call
from made_records import RECORD

import nqbench
from nqbench.addons.shrink import command
from nqbench.addons.shrink.kept import Failure, Slowness
from nqbench.addons.shrink.reproducer import Reproducer
from nqbench.addons.shrink.shrinking import Budget, Shrinking
from nqbench.addons.shrink.statement import FIX_FIRST, Line, Statement, drop_queries, fix_variables
from nqbench.backends.base import Backend
from nqbench.clauses import constraint_files
from nqbench.clauses.constraints import as_constraints
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict

FAULTS = Path(__file__).parents[1] / "faults"
PLANTED = FAULTS / "planted_faults.py"
sys.path[:0] = [str(FAULTS)]
import planted_solvers  # noqa: E402


def start(seed, *, is_satisfiable):
    """Clauses of three and two literals of 40 variables, and two that resolve on one."""
    drawn = random.Random(seed)
    model = {v * drawn.choice((1, -1)) for v in range(1, 41)}
    clauses = []
    while len(clauses) < 170:
        length = 3 if len(clauses) < 154 else 2
        clause = [v * drawn.choice((1, -1)) for v in drawn.sample(range(1, 41), length)]
        if not is_satisfiable or model & set(clause):
            clauses.append(clause)
    a, b = clauses[-1]
    kept = next(literal for literal in (a, b) if literal in model or not is_satisfiable)
    return [*clauses, [-(a + b - kept), kept]]


def statement(clauses):
    return Statement(tuple(map(Line.clause, clauses)), is_clauses=True)


def dimacs(clauses, path):
    path.write_text(statement(clauses).text())
    return path


def run_alone(program, folder):
    """Run a program where nqbench cannot be imported."""
    folder.mkdir(exist_ok=True)
    (folder / "nqbench.py").write_text("raise ImportError('there is no nqbench here')\n")
    (folder / "reproduce.py").write_text(program)
    return subprocess.run(
        [sys.executable, "reproduce.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(FAULTS)},
        capture_output=True,
        text=True,
    )


def shown_alone(program, folder):
    """What a program prints that shows a fault without nqbench."""
    done = run_alone(program, folder)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def exit_status_elsewhere(shrunk, folder):
    """That of the program, with its formula, in another folder than that of the solver."""
    shrunk.write(folder)
    command = [sys.executable, folder / "reproduce.py"]
    return subprocess.run(command, cwd=FAULTS, capture_output=True).returncode


def breaks(clauses, model):
    return model is not None and any(not set(clause) & set(model) for clause in clauses)


def is_wrong(name, clauses):
    """Whether a planted solver is wrong about clauses, judged by another solver."""
    found, right = planted_solvers.solve(name, clauses), planted_solvers.usual(clauses)[0]
    return (found is None and right is not None) or breaks(clauses, found)


def shrinking_while(shows, most_runs=2000):
    return Shrinking(shows, Budget(600, most_runs), lambda _: None)


WRONG = (
    *("wrong_unsat_after_conflicts", "wrong_unsat_on_resolvents", "wrong_unsat_by_pure_literal"),
    *("flips_last_variable", "forgets_last_third", "forgets_binary_clauses", "model_is_all_true"),
)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_answers_need_few_clauses_and_few_runs(name):
    for seed in range(3):
        first = statement(start(seed, is_satisfiable=True))
        assert is_wrong(name, first.clauses)
        shrinking = shrinking_while(lambda small: is_wrong(name, small.clauses))
        small = shrinking.shrink(first, FIX_FIRST)
        assert is_wrong(name, small.clauses)
        assert (len(small.lines) <= 10, shrinking.runs <= 200) == (True, True), shrinking.runs
        assert shrinking.is_minimal


def test_no_clause_of_a_small_formula_can_be_left_out():
    first = statement(start(1, is_satisfiable=True))
    name = "wrong_unsat_after_conflicts"
    shrinking = shrinking_while(lambda small: is_wrong(name, small.clauses))
    clauses = shrinking.shrink(first, FIX_FIRST).clauses
    for i in range(len(clauses)):
        assert not is_wrong(name, clauses[:i] + clauses[i + 1 :])


def test_a_budget_keeps_what_is_smallest_so_far():
    first = statement(start(2, is_satisfiable=True))
    asked = []
    shrinking = shrinking_while(
        lambda small: asked.append(small.text()) or is_wrong("model_is_all_true", small.clauses), 5
    )
    small = shrinking.shrink(first, FIX_FIRST)
    assert len(small.lines) < len(first.lines)
    assert (len(asked), shrinking.is_minimal) == (5, False)
    assert is_wrong("model_is_all_true", small.clauses)


def test_ctrl_c_keeps_what_is_smallest_so_far():
    first = statement(start(2, is_satisfiable=True))

    def shows(small):
        if shrinking.runs > 5:
            raise KeyboardInterrupt
        return is_wrong("model_is_all_true", small.clauses)

    shrinking = shrinking_while(shows)
    small = shrinking.shrink(first, FIX_FIRST)
    assert 0 < len(small.lines) < len(first.lines)
    assert (shrinking.is_interrupted, shrinking.is_minimal) == (True, False)
    assert is_wrong("model_is_all_true", small.clauses)


def test_an_interrupted_command_writes_what_is_smallest_so_far(tmp_path):
    path = dimacs(start(1, is_satisfiable=True), tmp_path / "wrong.cnf")
    backend = f"{FAULTS / 'planted_queries.py'}:Sleeps"
    process = subprocess.Popen(
        [sys.executable, "-m", "nqbench", "shrink", path, "--backend", backend, "-o", "small"],
        cwd=tmp_path,
        env={**os.environ, "ASLEEP": str(tmp_path / "asleep")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not (tmp_path / "asleep").exists():
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert "interrupted: planted_queries.py:Sleeps answers 'sat'" in " ".join(printed.split())
    small = (tmp_path / "small" / "small.cnf").read_text().splitlines()[1:]
    assert 0 < len(small) < 171
    assert "It was stopped there." in (tmp_path / "small" / "README.md").read_text()
    assert (tmp_path / "small" / "reproduce.py").exists()


def test_nothing_is_asked_twice():
    asked = []
    first = statement(start(3, is_satisfiable=True))
    shrinking_while(
        lambda small: asked.append(small.text()) or is_wrong("flips_last_variable", small.clauses)
    ).shrink(first, FIX_FIRST)
    assert len(asked) == len(set(asked))


def holds(line, values):
    total = sum(
        w for x, w in zip(line.literals, line.weights, strict=True) if values[abs(x)] == (x > 0)
    )
    return total == line.bound if line.is_exact else total >= line.bound


def test_values_leave_what_the_rows_say_about_the_others():
    """By all values of five variables."""
    drawn = random.Random(5)
    for _ in range(60):
        variables = drawn.sample(range(1, 6), 4)
        line = Line(
            tuple(v * drawn.choice((1, -1)) for v in variables),
            tuple(drawn.randint(1, 5) for _ in variables),
            drawn.randint(1, 9),
            drawn.random() < 0.3,
        )
        fixed = frozenset(v * drawn.choice((1, -1)) for v in variables[:2])
        left = line.with_values(fixed)
        for chosen in product((False, True), repeat=5):
            values = dict(enumerate(chosen, 1))
            if all(values[abs(x)] == (x > 0) for x in fixed):
                assert holds(line, values) == holds(left, values)
                assert not left.always_holds or holds(left, values)


def test_a_file_of_rows_is_read_and_written():
    text = "* #variable= 4 #constraint= 3\n+3 x1 -2 ~x2 +1 x3 >= 2 ;\n+1 x1 +1 x4 = 1 ;\n"
    text += "+1 ~x3 +1 x4 >= 1 ;\n"

    def models(data):
        rows = Statement.of(
            as_constraints(constraint_files.read(data.encode(), "x.opb")), is_clauses=False
        )
        every = (dict(enumerate(v, 1)) for v in product((False, True), repeat=4))
        return rows, [v for v in every if all(holds(line, v) for line in rows.lines)]

    rows, first = models(text)
    again, second = models(rows.text())
    assert first == second
    assert 0 < len(first) < 16
    assert set(again.lines) == set(rows.lines)


def test_a_wrong_solver_from_end_to_end(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(FAULTS))  # of a solver that has to be imported
    path = dimacs(start(1, is_satisfiable=True)[-40:], tmp_path / "wrong.cnf")
    shrunk = nqbench.shrink(path, backends=f"{PLANTED}:ModelIsAllTrue")
    assert shrunk.text == "p cnf 1 1\n-1 0\n"
    assert (shrunk.clauses, shrunk.is_minimal, shrunk.needs_nqbench) == (1, True, False)
    assert str(shrunk).startswith("1 clause, 1 variable, from 40 clauses")
    assert "got:      a model that breaks [[-1]]" in shown_alone(shrunk.program, tmp_path / "alone")
    folder = tmp_path / "out"
    shrunk.write(folder)
    assert sorted(each.name for each in folder.iterdir()) == [
        *("README.md", "reproduce.py", "small.cnf")
    ]
    assert "python-sat" in (folder / "README.md").read_text()
    with pytest.raises(InputError, match="is there already"):
        shrunk.write(folder)


LYING_PROGRAM = """\
#!/bin/sh
if grep -q '^-*[0-9][0-9]* -*[0-9][0-9]* -*[0-9][0-9]* 0' "$1"; then
    echo "s UNSATISFIABLE"
    exit 20
fi
printf 's SATISFIABLE\\nv 1 2 0\\n'
exit 10
"""


def test_a_program_that_lies(tmp_path):
    """It answers the probe, and is wrong about clauses of three literals."""
    (program := tmp_path / "lies").write_text(LYING_PROGRAM)
    program.chmod(0o755)
    path = dimacs(start(1, is_satisfiable=True)[-20:], tmp_path / "wrong.cnf")
    shrunk = nqbench.shrink(path, backends=f"exe:{program}")
    assert (shrunk.clauses, shrunk.needs_nqbench) == (1, False)
    printed = shown_alone(shrunk.program, tmp_path / "alone")
    assert "expected: a model, such as" in printed
    assert "got:      unsatisfiable" in printed


def test_rows_with_weights_for_a_program(tmp_path):
    path = tmp_path / "rows.opb"
    path.write_text("+3 x1 +2 x2 +2 x3 = 4 ;\n+2 x4 +3 x2 >= 3 ;\n+1 x4 +1 x5 >= 1 ;\n")
    backend = f"exe:{FAULTS}/failing_program.py rows {{opb}}"
    shrunk = nqbench.shrink(path, backends=backend, encoding="native")
    assert (shrunk.suffix, shrunk.clauses, shrunk.needs_nqbench) == (".opb", 1, False)
    assert "got:      a model that breaks ['+" in shown_alone(shrunk.program, tmp_path / "alone")


def test_a_fault_of_an_empty_clause(tmp_path):
    path = dimacs([[1, 2], [], [-1, 3]], tmp_path / "empty.cnf")
    shrunk = nqbench.shrink(path, backends=f"exe:{FAULTS}/failing_program.py empty")
    assert shrunk.text == "p cnf 0 1\n0\n"


def test_what_comes_and_goes_is_refused_with_how_often():
    crashed = record_of(outcome=Outcome.CRASHED, signal=11, message="signal SIGSEGV")
    right = record_of(outcome=Outcome.FINISHED, answer=Answer.SAT, verdict=Verdict.VERIFIED)
    for records in ([right, crashed, right], [crashed, right, right]):
        with pytest.raises(InputError, match="only 1 of 3 runs show a fault"):
            Failure.of(records)
    with pytest.raises(InputError, match="shows no fault here"):
        Failure.of([right, right])


def test_what_is_written_when_the_smallest_is_not_shown_once_more(tmp_path):
    """It was shown before, so that the work is not lost, and the line says so."""
    path = dimacs([[1, 2, 3], [-1, 2]], tmp_path / "wrong.cnf")
    count = tmp_path / "count"
    backend = f"exe:{FAULTS}/failing_program.py tires {count}"
    shrunk = nqbench.shrink(path, backends=backend)
    assert not shrunk.is_steady
    assert ", and not each time: " in str(shrunk)


def test_a_folder_that_cannot_be_made_is_said_before_the_work(tmp_path):
    path = dimacs([[1, 2, 3]], tmp_path / "wrong.cnf")
    (tmp_path / "file").write_text("")
    shrink = f"shrink {path} --backend minisat22 -o"
    status, said = call(f"{shrink} {tmp_path}/file/x")
    assert (status, "cannot create the folder" in said) == (2, True), said
    assert "shows no fault here" in call(f"{shrink} {tmp_path}/made")[1]
    assert not (tmp_path / "made").exists()


def test_what_was_written_before_an_error_stays(tmp_path):
    def fail():
        (tmp_path / "made" / "small.cnf").write_text("p cnf 0 0\n")
        raise OSError("disk is full")

    with pytest.raises(OSError, match="disk is full"), command._made(tmp_path / "made"):
        fail()
    assert (tmp_path / "made" / "small.cnf").exists()


def test_a_run_by_its_id(tmp_path, monkeypatch, nqbench_in):
    """With its seeds, from the store; the formula has to be that of the run."""
    monkeypatch.chdir(tmp_path)
    backend = f"{PLANTED}:RaisesOnFrequentLiteral"
    path = dimacs([[1, 2], [1, 3], [1, -2], [-1, 4], [2, 3, 4]], tmp_path / "crash.cnf")
    right = path.read_text()
    records = nqbench.run(path, backends=backend, repeat=1, results="results", progress=False)
    run_id = records["run_id"][0]
    shrunk = nqbench.shrink(run_id[:10], results="results")
    assert shrunk.clauses == 4
    assert run_alone(shrunk.program, tmp_path / "alone").returncode == 1
    dimacs([[1]], path)
    with pytest.raises(InputError, match="not the formula of the run"):
        nqbench.shrink(run_id[:10], results="results")
    with pytest.raises(InputError, match="no run in results begins with 0000"):
        nqbench.shrink("0000", results="results")
    with pytest.raises(InputError, match="a run has its backend"):
        nqbench.shrink(run_id, backends="minisat22", results="results")
    path.write_text(right)
    fresh = nqbench_in(tmp_path)  # a process that does not know where the solver is
    elsewhere = ["shrink", run_id[:10], "--output", "small"]
    done = fresh(*elsewhere)
    assert (done.returncode, "name its path" in done.stderr) == (2, True), done.stderr
    done = fresh(*elsewhere, "--backend", backend)
    assert (done.returncode, done.stdout[:10]) == (0, "4 clauses,"), done.stderr


def test_rows_keep_their_encoding_in_the_loop(tmp_path):
    """The solver is right about the clauses, so the program needs nqbench."""
    path = tmp_path / "rows.opb"
    path.write_text(
        "* #variable= 5 #constraint= 3\n"
        "-1 x1 -1 x2 -1 x3 -1 x4 -1 x5 >= -2 ;\n"
        "+1 x1 >= 1 ;\n+1 x2 +1 x3 +1 x4 >= 2 ;\n"
    )
    encoding = str(FAULTS / "off_by_one.py")
    shrunk = nqbench.shrink(path, backends="minisat22", encoding=encoding)
    assert shrunk.suffix == ".opb"
    assert shrunk.clauses <= 3
    assert shrunk.needs_nqbench
    assert exit_status_elsewhere(shrunk, tmp_path / "elsewhere") == 1


def hard_clauses():
    drawn = random.Random(11)
    return [[v * drawn.choice((1, -1)) for v in drawn.sample(range(1, 41), 3)] for _ in range(180)]


def test_a_slow_formula_stays_slow(tmp_path):
    path = dimacs(hard_clauses(), tmp_path / "slow.cnf")
    shrunk = nqbench.shrink(path, backends="minisat22", by="conflicts", at_least=10, most_runs=15)
    assert not shrunk.is_minimal
    assert shrunk.clauses < 180
    assert shrunk.runs == 15
    assert "expected: less than 10 conflicts" in shown_alone(shrunk.program, tmp_path / "alone")


def record_of(**facts):
    """A record of a run, as far as it is looked at."""
    return replace(RECORD, **facts)


REFUTED = {
    "outcome": Outcome.FINISHED, "answer": Answer.UNSAT, "verdict": Verdict.REFUTED,
    "message": "wrong",
}  # fmt: skip


def test_numbers_of_steps_that_count():
    fast, slow = (
        record_of(outcome=Outcome.FINISHED, answer=Answer.UNSAT, conflicts=conflicts)
        for conflicts in (100, 300)
    )
    assert Slowness("conflicts", 3, 300).shows([slow, fast])
    assert not Slowness("conflicts", 3.1, 300).shows([slow, fast])
    assert not Slowness("conflicts", 3, 301).shows([slow, fast])
    assert not Slowness("conflicts", 3, 300).shows([slow, replace(fast, answer=Answer.SAT)])
    assert not Slowness("conflicts", 3, 300).shows([replace(slow, outcome=Outcome.TIMEOUT), fast])


def test_the_kind_of_a_failure_stays():
    message = "the proof of 'unsat' is wrong: step 3, byte 9: the clause '40' does not follow"
    refuted = record_of(**REFUTED | {"checked_by": CheckedBy.PROOF, "message": message})
    failure = Failure.of([refuted])
    assert failure.is_of_proof
    assert failure.shows([replace(refuted, message=refuted.message.replace("40", "7"))])
    assert not failure.shows([replace(refuted, checked_by=CheckedBy.CLAUSES)])
    crashed = replace(refuted, outcome=Outcome.CRASHED, signal=11, message="signal SIGSEGV")
    assert not failure.shows([crashed])
    assert not Failure.of([crashed]).shows([replace(crashed, signal=6, message="signal SIGABRT")])


def test_the_program_of_a_wrong_proof_is_that_of_docs_faults(tmp_path):
    """MapleSAT's proof has variables one too high, which is known: docs/faults/maplesat_proof.py.
    Glucose's proof of the same is right, and the program says so.
    """
    formula = statement([[1, 2], [1, -2], [-1, 2], [-1, -2]]).text()
    for name, status in (("maplesat", 1), ("glucose4", 0)):
        refuted = record_of(
            backend=name, backend_version="python-sat 1", checked_by=CheckedBy.PROOF, **REFUTED
        )
        reproducer = Reproducer(
            Failure.of([refuted]), [refuted], [Backend.named(name)], formula, "small.cnf", "file"
        )
        done = run_alone(reproducer.program(), tmp_path / name)
        assert done.returncode == status, done.stdout + done.stderr


class Asked:
    """Queries without a file."""

    def __init__(self, *asked):
        self._asked = asked

    def asked(self):
        return self._asked

    def text_of(self, asked):
        return repr([([list(clause) for clause in clauses], list(q)) for clauses, q in asked])


def test_values_remove_queries_that_assume_the_opposite():
    """And clauses that no query asks about."""
    asked = Statement.of_queries(Asked(([[1, 2]], [-2]), ([[-1, 3]], [1, 3]), ([[2, 3]], [-1])))
    assert asked.text() == "[([[1, 2]], [-2]), ([[-1, 3]], [1, 3]), ([[2, 3]], [-1])]"
    assert asked.with_values(frozenset({1})).text() == "[([], [-2]), ([[3]], [3])]"
    assert asked.with_values(frozenset({2, -3})).text() == "[([[-1]], [-1])]"
    assert asked.size() == "3 queries, 3 clauses, 3 variables"
    assert drop_queries(asked, lambda small: len(small.queries) > 1).text() == (
        "[([[1, 2], [-1, 3]], [1, 3]), ([[2, 3]], [-1])]"
    )


def test_values_that_queries_assume_are_tried_first():
    tried = []
    asked = Statement.of_queries(Asked(([[1, 2], [1, 3], [1, -2]], [-1])))
    assert fix_variables(asked, lambda small: bool(tried.append(small.text()))) == asked
    assert tried[0] == "[([[2], [3], [-2]], [])]"


ASKED = "p icnf\ni 1 2 0\ni -1 3 0\nq -2 0\nq -3 -2 4 0\ni -3 0\nq 5 0\nq -2 5 0\n"


@needs_addon("sequences")
@pytest.mark.parametrize(
    ("fault", "size", "shows"),
    [
        ("WrongModel", "3 queries, 1 clause, 1 variable", "its model falsifies the clause 1"),
        ("ShortCore", "1 query, 1 clause, 1 variable", "'unsat', but the clauses have a model"),
        ("Deaf", "1 query, 1 clause, 1 variable", "its model breaks the assumption"),
        ("Crash", "3 queries, 0 clauses, 0 variables", "SIGABRT; no answer to query 3"),
    ],
)
def test_queries_become_few(tmp_path, fault, size, shows):
    (path := tmp_path / "asked.icnf").write_text(ASKED)
    shrunk = nqbench.shrink(path, backends=f"{FAULTS / 'planted_queries.py'}:{fault}")
    assert shrunk.size == size, shrunk.text
    assert shows in shrunk.found
    assert (shrunk.is_minimal, shrunk.needs_nqbench, shrunk.suffix) == (True, True, ".icnf")
    assert shrunk.text.startswith("p icnf\n")
    assert "wrongly" in shrunk.found or fault == "Crash"


@needs_addon("sequences")
def test_a_run_of_queries_by_its_id(tmp_path, monkeypatch):
    """MapleSAT crashes if there is no clause: see docs/faults/maplesat_no_clauses.py."""
    monkeypatch.chdir(tmp_path)
    Path("asked.icnf").write_text("p icnf\nq 0\ni 1 2 0\nq -2 0\n")
    problems = nqbench.formulas("asked.icnf")
    records = nqbench.run(problems, backends="maplesat", repeat=1, progress=False)
    nqbench.run(problems, backends="maplesat", repeat=1, results="results", progress=False)
    shrunk = nqbench.shrink(records["run_id"][0][:10], results="results")
    assert (shrunk.text, shrunk.needs_nqbench) == ("p icnf\nq 0\n", False)
    assert "got:      SIGSEGV" in shown_alone(shrunk.program, tmp_path / "alone")


@needs_addon("sequences")
def test_slow_queries_stay_slow(tmp_path):
    lines = [" ".join(map(str, ["i", *clause, 0])) for clause in hard_clauses()]
    (path := tmp_path / "slow.icnf").write_text("\n".join([*lines, "q 1 0", "q -1 0", ""]))
    shrunk = nqbench.shrink(path, backends="minisat22", by="conflicts", at_least=10, most_runs=15)
    assert shown_alone(shrunk.program, tmp_path / "alone")
    assert shrunk.clauses < 180


PLANTED_IN_PYSAT = """\
import pysat.solvers
{name} = pysat.solvers.Solver.{name}
pysat.solvers.Solver.{name} = lambda self: {instead}
"""


@pytest.mark.parametrize(
    ("name", "instead", "got"),
    [
        ("get_core", "get_core(self)", "right answers"),
        ("get_core", "get_core(self)[1:]", "unsatisfiable with the core [], but it is not"),
        ("get_core", "[9]", "a core with more than the assumptions: [9]"),
        ("get_model", "[-v for v in get_model(self)]", "a model that breaks ["),
    ],
)
def test_the_program_of_queries_checks_models_and_cores(tmp_path, name, instead, got):
    wrong = record_of(backend="glucose4", queries="1@3:0", checked_by=CheckedBy.CLAUSES, **REFUTED)
    asked = "p icnf\ni 1 0\nq 1 0\nq -1 0\n"
    reproducer = Reproducer(
        Failure.of([wrong]), [wrong], [Backend.named("glucose4")], asked, "small.icnf", "file"
    )
    (folder := tmp_path / "alone").mkdir()
    planted = PLANTED_IN_PYSAT.format(name=name, instead=instead)
    (folder / "planted.py").write_text(planted)
    program = reproducer.program().replace("import sys\n", "import sys\nimport planted\n", 1)
    done = run_alone(program, folder)
    assert done.returncode == (0 if got == "right answers" else 1), done.stdout + done.stderr
    assert f"got:      {got}" in done.stdout


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"backends": "minisat22"}, "minisat22 shows no fault here"),
        ({"backends": "minisat22", "by": "conflicts", "at_least": 99}, "does not show at least 99"),
        ({"backends": "minisat22", "by": "solve_s"}, "solve_s"),
        ({"backends": "minisat22", "by": "time"}, "times vary from run to run"),
        ({"backends": "minisat22", "by": "conflicts", "factor": float("nan")}, "above 0"),
        ({"backends": "kissat404", "by": "conflicts"}, "kissat404 says no number of conflicts"),
        ({"backends": "minisat22", "encoding": "product"}, "minisat22 shows no fault here"),
    ],
)
def test_what_cannot_be_shrunk_is_refused_at_once(tmp_path, given, message):
    path = dimacs([[1, 2], [-1, 2]], tmp_path / "right.cnf")
    with pytest.raises(InputError, match=message):
        nqbench.shrink(path, **given)


def test_there_is_no_such_file():
    with pytest.raises(InputError, match="there is no file none"):
        nqbench.shrink("none", backends="minisat22")
