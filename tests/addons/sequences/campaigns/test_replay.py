"""Sequences from end to end: measured, judged, killed, checked later, summarised and drawn."""

import re

import pytest

import nqbench
from nqbench.backends.pysat.solvers import KINDS
from nqbench.records.sources import STORE_NAME
from nqbench.records.store import Store

ASKED = """p icnf
c solver glucose4
i 1 2 0
i -1 3 0
q -2 0
q -3 -2 4 0
i -3 0
q 5 0
q -2 5 0
"""

LIARS = """
import os
import time

from nqbench.plugin import Answer, Backend, Capabilities, Solver


class Held(Solver):
    def __init__(self, formula):
        self.held, self.query = Backend.named("minisat22").load(formula), 0

    def solve(self):
        self.query += 1
        return self.held.solve()

    def __getattr__(self, name):
        return getattr(self.held, name)

    def model(self):
        return self.held.model()

    def add_all(self, clauses):
        self.held.add_all(clauses)

    def assume(self, literals):
        self.held.assume(literals)

    def core(self):
        return self.held.core()


class Honest(Backend):
    capabilities = Capabilities(incremental=True, assumptions=True)
    solver = Held

    def load(self, formula):
        return self.solver(formula)


class WrongModel(Honest):
    class solver(Held):
        def model(self):
            return self.held.model() ^ (self.query == 3)


class ShortCore(Honest):
    class solver(Held):
        def core(self):
            return [v for v in self.held.core() if v != -3]


class EarlyCore(Honest):
    class solver(Held):
        def core(self):
            return [-2]


class Deaf(Honest):
    class solver(Held):
        def assume(self, literals):
            pass


class Slow(Honest):
    class solver(Held):
        def solve(self):
            while self.query == 2:
                time.sleep(0.1)
            return super().solve()


class Crash(Honest):
    class solver(Held):
        def solve(self):
            if self.query == 1:
                os.abort()
            return super().solve()


class OneShot(Honest):
    capabilities = Capabilities(incremental=True)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.icnf").write_text(ASKED)
    (tmp_path / "liars.py").write_text(LIARS)
    return tmp_path


def by_backend(folder):
    with Store(folder / "results" / STORE_NAME, read_only=True) as store:
        frame = store.frame()
        return {row["backend"]: row for row in frame.iter_rows(named=True)}, {
            run_id: store.log(run_id).decode() for run_id in store.logs()
        }


def test_faults_are_named_with_their_query(nqbench, folder):
    names = ["Honest", "WrongModel", "ShortCore", "EarlyCore", "Deaf"]
    backends = ",".join(f"./liars.py:{name}" for name in names)
    ended = nqbench(
        "run", "--cnf", "a.icnf", "--backend", backends, "--repeat", 1, "--no-plots"
    )  # fmt: skip
    records, logs = by_backend(folder)
    early = "query 2 (line 6): 'unsat', but the clauses have a model with its core -2"
    expected = {
        "Honest": "",
        "WrongModel": "query 3 (line 8): its model breaks the assumption 5",
        "ShortCore": early,
        "EarlyCore": early,
        "Deaf": "query 1 (line 5): its model breaks the assumption -2",
    }
    for name, message in expected.items():
        record = records[f"liars.py:{name}"]
        assert record["message"] == message
        assert record["verdict"] == ("refuted" if message else "verified")
        assert (record["outcome"], record["clauses"]) == ("finished", 3)
        assert len(logs[record["run_id"]].splitlines()) == 5
    assert records["liars.py:Honest"]["checked_by"] == "proof"
    printed = " ".join(ended.stdout.split())
    assert "liars.py:Deaf answers query 1 (line 5) of a.icnf wrongly: its model bre" in printed
    assert "The slowest query of a.icnf is " in printed
    assert "A replay asks every solver what the recorded one was asked" in printed
    (row,) = [r for r in records.values() if r["backend"] == "liars.py:Honest"]
    assert [word.partition(":")[0] for word in row["queries"].split()] == [
        "1@5", "2@6", "3@8", "4@9",
    ]  # fmt: skip
    printed = nqbench("output", row["run_id"]).stdout
    assert printed.splitlines()[2].split("\t")[2] == "unsat"
    refused = nqbench("run", "--cnf", "a.icnf", "--backend", "./liars.py:OneShot", "--repeat", 1)
    assert refused.returncode == 2
    assert "takes no assumptions, as a.icnf needs" in refused.stderr


def test_a_killed_run_keeps_what_it_did(nqbench, folder):
    call = ["run", "--cnf", "a.icnf", "--backend", "./liars.py:Slow,./liars.py:Crash"]
    nqbench(*call, "--repeat", 1, "--no-plots", "--time-limit", "5s")
    records, logs = by_backend(folder)
    crashed, record = records["liars.py:Crash"], records["liars.py:Slow"]
    assert crashed["outcome"] == "crashed"
    assert crashed["message"].endswith("no answer to query 2 (line 6) of 4")
    assert record["outcome"] == "timeout"
    assert record["message"].endswith("no answer to query 3 (line 8) of 4")
    assert [word.partition(":")[0] for word in record["queries"].split()] == ["1@5", "2@6"]
    assert len(logs[record["run_id"]].splitlines()) == 3
    shown = nqbench("plot", "time-over-queries", "--format", "svg")
    assert shown.returncode == 0, shown.stderr


def test_a_run_that_a_race_stopped_says_at_which_query(nqbench, folder):
    for number in range(3):
        (folder / f"{number}.icnf").write_text(ASKED + f"i {number + 5} 0\nq 0\n")
    (folder / "a.icnf").unlink()
    call = ["race", "--cnf", ".", "--backend", "minisat22,./liars.py:Slow", "--budget", "60s"]
    nqbench(*call, "--time-limit", "3s")
    with Store(folder / "results" / STORE_NAME, read_only=True) as store:
        capped = store.frame().filter(outcome="capped")["message"].to_list()
    assert capped
    for message in capped:
        assert message.startswith("stopped by a race at "), message
        assert message.endswith("; no answer to query 3 (line 8) of 5"), message


def test_cores_are_checked_later(nqbench, folder):
    call = ["run", "--cnf", "a.icnf", "--repeat", 1, "--no-plots", "--check", "later"]
    nqbench(*call, "--backend", "glucose4,./liars.py:EarlyCore")
    records, _ = by_backend(folder)
    assert {record["message"] for record in records.values()} == {"not checked yet"}
    nqbench("check", "--allow-program", "liars.py:EarlyCore")
    records, _ = by_backend(folder)
    assert records["glucose4"]["verdict"] == "verified"
    assert records["liars.py:EarlyCore"]["message"].startswith("query 2 (line 6): 'unsat', but")


def test_each_solver_with_assumptions_replays_also_in_other_names(folder, monkeypatch):
    monkeypatch.chdir(folder)
    solvers = [name for name, kind in KINDS.items() if kind.capabilities.assumptions]
    assert len(solvers) == 19
    problems = nqbench.formulas("a.icnf")
    done = nqbench.run(problems, backends=solvers, repeat=1, results="plain")
    assert set(done["verdict"]) == {"verified"}
    some = ["minisat22", "cadical195", "lingeling"]
    mixed = nqbench.run(problems, backends=some, repeat=2, shuffle_clauses=1, results="mixed")
    assert set(mixed["verdict"]) == {"verified"}
    assert set(mixed["message"]) == {""}


def test_other_commands_refuse_a_sequence(nqbench, folder):
    for words in (
        ["encode", "--cnf", "a.icnf"],
        ["solve", "--cnf", "a.icnf"],
        ["count", "--cnf", "a.icnf"],
        ["certify", "a.icnf"],
        ["run", "--cnf", "a.icnf", "--encoding", "product"],
        ["run", "--cnf", "a.icnf", "--encoding", "file:shuffle=1"],
        ["run", "--cnf", "a.icnf", "--task", "all"],
        amo := ["run", "--cnf", "a.icnf", "--amo", "product", "--backend", "minisat22"],
    ):
        ended = nqbench(*words)
        assert ended.returncode == 2, (words, ended.stdout, ended.stderr)
        assert ended.stderr.count("\n") <= 2, ended.stderr
        assert "Traceback" not in ended.stderr
    assert "--amo writes clauses anew" in nqbench(*amo).stderr


def test_a_wrong_file_is_invalid_with_its_line(nqbench, folder):
    (folder / "b.icnf").write_text("i 1 0\nq 1 0\ni 2 0\ns SATISFIABLE\n")
    nqbench("run", "--cnf", "b.icnf", "--backend", "minisat22", "--repeat", 1, "--no-plots")
    records, _ = by_backend(folder)
    assert records["minisat22"]["outcome"] == "invalid"
    assert "b.icnf, line 3: a clause within the query of line 2" in records["minisat22"]["message"]


@pytest.mark.parametrize("backends", [[], ["--backend", "all"]])
def test_backends_that_take_no_assumptions_are_left_out_if_nobody_named_them(
    nqbench, folder, backends
):
    planned = nqbench("run", "--cnf", "a.icnf", *backends, "--dry-run")
    assert planned.returncode == 0, planned.stderr
    (used,) = re.findall(r"combinations of encoding and backend \((.*?)\)", planned.stdout)
    assert {"minisat22", "glucose4"} <= {*used.split(", ")}
    assert not {*used.split(", ")} & {"cryptominisat", "kissat404", "pyeda"}
