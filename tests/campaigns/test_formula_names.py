"""Formulas, programs and results under names that are not UTF-8, and --cnf in every command."""

import bz2
import os
import sys

import pytest
from addons import needs_addon

from nqbench.clauses import dimacs
from nqbench.records.store import Store

TEXT = "p cnf 2 2\n1 2 0\n-1 0\n"
SHORT = "p cnf 2 1\n1 2 0\n-1 0\n"
STRANGE = os.fsdecode(b"caf\xe9")

SOLVER = f"""#!{sys.executable}
import sys
from pysat.formula import CNF
from pysat.solvers import Solver
with Solver("minisat22", bootstrap_with=CNF(from_file=sys.argv[-1])) as solver:
    is_sat = solver.solve()
    print("s SATISFIABLE" if is_sat else "s UNSATISFIABLE")
    if is_sat:
        print("v", *solver.get_model(), 0)
sys.exit(10 if is_sat else 20)
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with such a name, and such names in it."""
    folder = tmp_path / STRANGE
    folder.mkdir()
    (folder / f"{STRANGE}.cnf").write_text(TEXT)
    (folder / "ok.cnf").write_text("p cnf 1 1\n1 0\n")
    (folder / f"bad{STRANGE}.cnf").write_text("p cnf 1 1\n1 x 0\n")
    return folder


@needs_addon("bundle", "race")
def test_a_campaign_is_measured_recorded_shown_and_given_away(nqbench, tmp_path, folder):
    done = nqbench("run", "--cnf", folder, "--backend", "minisat22", "--repeat", 1, "--results",
                   STRANGE + "-results")  # fmt: skip
    assert done.returncode == 1
    assert f"bad input: {tmp_path}/caf\\xe9/badcaf\\xe9.cnf, line 2: 'x'" in done.stderr
    results = tmp_path / f"{STRANGE}-results"
    with Store(results / "nqbench.db", read_only=True) as store:
        outcomes = dict(store.frame().select("instance", "outcome").iter_rows())
    good = {"caf\\xe9.cnf": "finished", "ok.cnf": "finished"}
    assert outcomes == good | {"badcaf\\xe9.cnf": "invalid"}
    assert (results / "report.html").exists()
    for words in (
        ["summary", "--results", results],
        ["export", "--results", results, "--format", "jsonl"],
        ["bundle", "b.zip", "--results", results, "--cnf", folder, "--no-plots"],
        ["replay", "b.zip", "--results", "again"],
        ["solve", "--cnf", folder / f"{STRANGE}.cnf"],
        ["race", "--cnf", folder / "ok.cnf", "--backend", "minisat22,cadical195", "-q",
         "--no-plots", "--results", f"{STRANGE}-race"],
    ):  # fmt: skip
        done = nqbench(*words)
        assert done.returncode == 0, (words, done.stderr)


def test_a_program_in_such_a_folder_is_measured_and_one_so_called_is_refused(nqbench_in, folder):
    program = folder / "mine"
    program.write_text(SOLVER)
    program.chmod(0o755)
    words = ["--backend", "exe:./mine,minisat22", "--repeat", 1, "--no-plots", "-q"]
    done = nqbench_in(folder)("run", "--cnf", f"{STRANGE}.cnf", *words)
    assert done.returncode == 0, done.stderr
    (folder / STRANGE).write_text(SOLVER)
    named = nqbench_in(folder)("run", "--cnf", "ok.cnf", "--backend", f"exe:./{STRANGE}")
    assert named.returncode == 2
    assert "'exe:./caf\\xe9' has a name that is not UTF-8: rename it, or link to it" in named.stderr
    assert len(named.stderr.splitlines()) == 1


def test_every_command_names_a_formula_in_the_same_way(nqbench, tmp_path):
    (tmp_path / "a.cnf").write_text(TEXT)
    (tmp_path / "short.cnf").write_text(SHORT)
    for words in (["solve"], ["count", "--models"], ["encode"], ["reencode", "--list"]):
        assert nqbench(*words, "--cnf", "a.cnf").returncode == 0, words
        refused = nqbench(*words, "--cnf", "short.cnf")
        assert refused.returncode in (1, 2), words
        assert "the header says 1: correct it, or add --lenient" in refused.stderr, words
        read = nqbench(*words, "--cnf", "short.cnf", "--lenient")
        assert read.returncode == 0, (words, read.stderr)
        assert "short.cnf: the file holds 2 clauses, but the header says 1" in read.stderr, words
    assert nqbench("solve", "--cnf", "a.cnf").stdout == "satisfiable\n"
    assert nqbench("encode", "--cnf", "short.cnf", "--lenient").stdout == TEXT
    usual = ["--backend", "minisat22", "--dry-run"]
    for words in (["run", "a.cnf"], ["run", "--formula", "a.cnf"], ["run", "--formulas=a.cnf"]):
        assert nqbench(*words, *usual).returncode == 0, words
    assert "--n does not apply" in nqbench("solve", "--cnf", "a.cnf", "--n", 4).stderr
    assert "add --cnf FILE" in nqbench("solve", "--n", 4, "--lenient").stderr
    assert nqbench("count", "--cnf", "a.cnf").stdout == "1\n"


def test_a_file_holds_what_its_name_says(nqbench, tmp_path):
    assert nqbench("encode", "--n", 8, "-o", "q.cnf").returncode == 0
    text = (tmp_path / "q.cnf").read_bytes()
    assert nqbench("encode", "--n", 8, "-o", "q.cnf.bz2").returncode == 0
    assert bz2.decompress((tmp_path / "q.cnf.bz2").read_bytes()) == text
    shown = text.replace(b"\n", b"\nc p show 1 2 0\nc ind 3 0\n", 1)
    (tmp_path / "q.cnf").write_bytes(shown)
    done = nqbench("reencode", "q.cnf", "--amo", "product", "-o", "p.cnf")
    assert "2 lines for model counters kept" in done.stderr
    assert (tmp_path / "p.cnf").read_bytes().splitlines()[:2] == [b"c p show 1 2 0", b"c ind 3 0"]
    assert dimacs.read((tmp_path / "p.cnf").read_bytes(), "p").num_variables > 64
    for words, what in (
        (["encode", "--n", 4, "-o", "q.zip"], "cannot write q.zip: pack it as .gz"),
        (["encode", "--n", 4, "-o", "q.pdf"], "name the file for instance q.cnf"),
        (["report", "-o", "page.pdf"], "the report is an HTML page, so name it page.html"),
    ):
        done = nqbench(*words)
        assert (done.returncode, what in done.stderr) == (2, True), done.stderr
        assert not (tmp_path / words[-1]).exists()
