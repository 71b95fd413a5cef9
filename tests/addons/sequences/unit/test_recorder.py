"""Recorders: what applications ask is in the file before the solver gets it, and replays."""

import os
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest
from pysat.examples.hitman import Hitman
from pysat.formula import CNFPlus
from pysat.solvers import Solver

import nqbench
from nqbench.addons import sequences
from nqbench.addons.sequences.sequence import read_sequence
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Answer

C_RECORDER = Path(sequences.__file__).with_name("ipasir_record.c")


def recorded(folder):
    return [read_sequence(file.read_bytes(), file.name) for file in sorted(folder.iterdir())]


def test_pysat_is_recorded(tmp_path):
    plain = vars(Solver).copy()
    with nqbench.record(tmp_path):
        with Solver("glucose4", bootstrap_with=iter([[1, 2], [-1, 3]])) as solver:
            assert solver.solve(assumptions=[-2])
            assert solver.get_model() == [1, -2, 3]
            solver.append_formula(iter([[-3, 4], [-4]]))
            solver.add_clause(clause for clause in (-2, 5))
            assert not solver.solve_limited([1, 6])
            assert solver.get_core() == [1]
        other = Solver("minisat22")  # which nobody deletes
        other.solve()
        before = (tmp_path / "0002.icnf").read_text()  # written at once
    assert before == "p icnf\nc solver minisat22\nq 0\ns SATISFIABLE\n"
    assert vars(Solver) == plain
    other.add_clause([1])
    first, second = recorded(tmp_path)
    assert first.recorded_with == "glucose4"
    assert list(first.clauses().clauses()) == [[1, 2], [-1, 3], [-3, 4], [-4], [-2, 5]]
    assert [(q.assumptions, q.said) for q in first.queries] == [
        ((-2,), Answer.SAT), ((1, 6), Answer.UNSAT),
    ]  # fmt: skip
    assert (first.queries[0].model, first.queries[1].core) == ((1, -2, 3), (1,))
    assert second.queries[0].said is Answer.SAT
    with pytest.raises(InputError, match="has recordings"), nqbench.record(tmp_path):
        pass


def test_an_application_of_pysat_finds_the_same(tmp_path):
    """Hitman imports the name `Solver`, as all of them do."""

    def smallest():
        sets = [[1, 2, 3], [3, 4], [4, 5, 1], [2, 5]]
        with Hitman(bootstrap_with=sets, solver="glucose4", htype="sorted") as search:
            return [search.get() for _ in range(4)]

    without = smallest()
    with nqbench.record(tmp_path):
        assert smallest() == without
    assert max(len(sequence.queries) for sequence in recorded(tmp_path)) >= 4


def test_what_is_lost_is_written_and_refused(tmp_path):
    rows = CNFPlus()
    rows.append([[1, 2, 3], 1], is_atmost=True)
    with nqbench.record(tmp_path):
        with Solver("minicard", bootstrap_with=[[1, 2]]) as solver:
            solver.add_atmost([1, 2, 3], 1)
            solver.solve()
        with Solver("minicard", bootstrap_with=rows) as solver:
            assert solver.solve()
        with Solver("minicard") as solver:
            solver.append_formula([[1, 2], [[1, 2, 3], 1]])
            solver.solve()
        with Solver("minisat22") as solver:
            with pytest.raises(ValueError, match="non-zero"):
                solver.append_formula([[1, 2], [3, 0]])
            solver.solve()
    lost = ["an at-most-k constraint"] * 3 + ["a call of append_formula that failed"]
    for file, what in zip(sorted(tmp_path.iterdir()), lost, strict=True):
        with pytest.raises(InputError, match=f"the recording lacks .*{what}"):
            read_sequence(file.read_bytes(), file.name)


def test_what_a_solver_refuses_is_not_asked(tmp_path):
    """The application goes on without it."""
    with nqbench.record(tmp_path), Solver("glucose4", bootstrap_with=[[1, 2]]) as solver:
        for refused in ([3, 0, 4], ["x"]):
            with pytest.raises((TypeError, ValueError)):
                solver.add_clause(refused)
            with pytest.raises((TypeError, ValueError)):
                solver.solve(refused)
        with pytest.raises(NotImplementedError):
            solver.add_atmost([1, 2], 1)
        assert solver.propagate([-1]) == (True, [-1, 2])
        assert solver.solve([True])
    text = (tmp_path / "0001.icnf").read_text()
    assert text == "p icnf\nc solver glucose4\ni 1 2 0\nq 1 0\ns SATISFIABLE\n"


def test_a_solver_that_is_made_anew_has_another_file(tmp_path):
    with nqbench.record(tmp_path):
        solver = Solver("minisat22")
        solver.delete()
        assert solver.solve() is None
        solver.new("glucose4", bootstrap_with=[[1, 2]])
        assert solver.solve([-1])
    (sequence,) = recorded(tmp_path)  # the first one was asked nothing
    assert (sequence.recorded_with, sequence.queries[0].num_added) == ("glucose4", 1)


def test_models_that_are_enumerated_are_queries(tmp_path):
    with nqbench.record(tmp_path), Solver("minisat22", bootstrap_with=[[1, 2]]) as solver:
        assert len(list(solver.enum_models([-1]))) == 1
        assert len(next(solver.enum_models(projection=[2]))) == 1
    (sequence,) = recorded(tmp_path)
    assert [(q.assumptions, q.said, q.model) for q in sequence.queries] == [
        ((-1,), Answer.SAT, (-1, 2)), ((-1,), Answer.UNSAT, None), ((), Answer.SAT, None),
    ]  # fmt: skip
    assert list(sequence.clauses().clauses()) == [[1, 2], [1, -2]]


def test_blocks_end_what_they_record(tmp_path):
    with nqbench.record(tmp_path / "one"):
        solver = Solver("minisat22", bootstrap_with=[[1, 2]])
        assert solver.solve([1])
        with pytest.raises(InputError, match="another block"), nqbench.record(tmp_path / "in"):
            pass
    with nqbench.record(tmp_path / "two"):
        assert solver.solve([-1])
        assert Solver("minisat22").solve()
    assert [len(one.queries) for one in recorded(tmp_path / "one")] == [1]
    assert len(recorded(tmp_path / "two")) == 1
    place = tmp_path / "one/0001.icnf"
    with pytest.raises(InputError, match="File exists"), nqbench.record(place):
        pass


def run_recorded(folder, program):
    program = f"""
import os, nqbench
from pysat.solvers import Solver
with nqbench.record({str(folder)!r}):
    solver = Solver("minisat22", bootstrap_with=[[1, 2]])
{textwrap.indent(program, "    ")}
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=120)


def test_a_query_that_kills_the_process_is_in_the_file(tmp_path):
    ended = run_recorded(
        tmp_path,
        "type(solver.solver).solve = lambda self, assumptions: os.abort()\nsolver.solve([-1])",
    )
    assert ended.returncode == -6, ended.stderr
    (sequence,) = recorded(tmp_path)
    assert [query.assumptions for query in sequence.queries] == [(-1,)]


def test_processes_that_are_forked_have_their_own_files(tmp_path):
    """And thousands of solvers do not take a file each that is open."""
    ended = run_recorded(
        tmp_path,
        """\
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
if not (child := os.fork()):
    solver.solve([-1])
    Solver("minisat22", bootstrap_with=[[5]]).solve()
    raise SystemExit
os.waitpid(child, 0)
solver.solve([-2])
made = [Solver("minisat22", bootstrap_with=[[6 + at]]) for at in range(100)]
for each in made:
    each.solve()""",
    )
    assert ended.returncode == 0, ended.stderr
    first, *others = recorded(tmp_path)
    assert [query.assumptions for query in first.queries] == [(-2,)]
    clauses = [list(other.clauses().clauses()) for other in others]
    assert sorted(clauses) == [[[at]] for at in range(5, 106)]


LIBRARY = """
#include <stdlib.h>
int asked;
const char *ipasir_signature(void) { return "fake-1"; }
void *ipasir_init(void) { return &asked; }
void ipasir_release(void *s) {}
void ipasir_add(void *s, int v) {}
void ipasir_assume(void *s, int v) {}
int ipasir_solve(void *s) { if (++asked == 3) abort(); return 10 * asked; }
int ipasir_val(void *s, int v) { return -v; }
int ipasir_failed(void *s, int v) { return v == 7; }
void ipasir_set_terminate(void *s, void *state, int (*stop)(void *)) {}
void ipasir_set_learn(void *s, void *state, int most, void (*learn)(void *, int *)) {}
"""
APPLICATION = """
#include <assert.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void *ipasir_init(void);
void ipasir_release(void *), ipasir_add(void *, int), ipasir_assume(void *, int);
void ipasir_set_terminate(void *, void *, int (*)(void *));
int ipasir_solve(void *), ipasir_val(void *, int), ipasir_failed(void *, int);
int main(void)
{
    void *one = ipasir_init(), *other = ipasir_init();
    ipasir_set_terminate(one, 0, 0);
    ipasir_add(one, 1), ipasir_add(one, -2), ipasir_add(one, 0), ipasir_add(other, 0);
    ipasir_assume(one, 3);
    assert(ipasir_solve(one) == 10 && ipasir_val(one, 5) == -5);
    ipasir_add(one, 7), ipasir_add(one, 0);
    if (!fork()) {
        ipasir_solve(one);
        exit(0);
    }
    wait(NULL);
    ipasir_assume(one, 7), ipasir_assume(one, -4), ipasir_add(other, 5);
    assert(ipasir_solve(one) == 20 && ipasir_failed(one, 7) && !ipasir_failed(one, -4));
    ipasir_release(other);
    ipasir_solve(one);
}
"""


def test_ipasir_is_recorded_and_passed_on(tmp_path):
    """Up to the call that ends the process."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    flags = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fPIC"]
    (tmp_path / "library.c").write_text(LIBRARY)
    (tmp_path / "app.c").write_text(APPLICATION)

    def compile_(*words):
        subprocess.run([compiler, *flags, *words], check=True, timeout=120, cwd=tmp_path)

    compile_("-shared", "-o", "libfake.so", "library.c")
    compile_("-shared", "-o", "libnqrecord.so", str(C_RECORDER), "-ldl")
    compile_("-o", "app", "app.c", "./libnqrecord.so")

    def stderr(**paths):
        env = os.environ | {f"NQBENCH_{name}": path for name, path in paths.items()}
        ended = subprocess.run(["./app"], cwd=tmp_path, env=env, capture_output=True, timeout=120)
        assert ended.returncode == -6, ended.stderr  # abort
        return ended.stderr.decode()

    for _ in range(2):  # which overwrites nothing
        assert stderr(IPASIR="./libfake.so", RECORD="rec") == ""
    lines = ["p icnf", "c solver fake-1", "i 1 -2 0", "q 3 0", "s SATISFIABLE", "i 7 0"]
    lines += ["q 7 -4 0", "s UNSATISFIABLE", "q 0"]
    files = sorted(tmp_path.glob("rec-*"))  # none of a solver that was asked nothing
    assert [file.name for file in files] == ["rec-1.icnf", "rec-2.icnf"]
    assert [file.read_text().splitlines() for file in files] == [lines, lines]
    assert stderr() == "libnqrecord: NQBENCH_IPASIR: not set\n"
    assert "name the library that solves" in stderr(IPASIR="./libnqrecord.so")
    assert stderr(IPASIR="./libfake.so", RECORD="no/rec").endswith(
        "no/rec-1.icnf: No such file or directory\n"
    )
