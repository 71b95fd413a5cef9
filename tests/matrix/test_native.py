"""The encoding `native`, and the solvers that take its constraints. For k > 1: test_native_k.py."""

import itertools
import json
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measuring import HOPELESS
from probes import probed_once
from strategies import any_covers

import nqbench
from nqbench import isolate
from nqbench.backends import cp_sat_formula
from nqbench.backends.base import Backend
from nqbench.campaign import runner
from nqbench.campaign.combinations import able_backends
from nqbench.campaign.grid import Campaign
from nqbench.checking import exhaustive
from nqbench.checking.verify import PROOF_HOLDS
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Constraints, Rows
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, Form, Outcome, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.measure.search import Search
from nqbench.measure.shuffle import shuffled
from nqbench.plugins import availability, backend_names
from nqbench.problems import instances as base
from nqbench.problems.families.base import Family
from nqbench.problems.queens import Queens

NATIVE = Encoding.named("native")
NAMES = [name for name in backend_names() if Backend.named(name).accepts(NATIVE)]
# HiGHS takes milliseconds for each solution, of which there are thousands.
INSTALLED = [name for name in NAMES if name != "clasp" or shutil.which("clasp")]
INSTALLED = [name for name in INSTALLED if Backend.named(name).version and name != "highs"]
PROVING = [name for name in NAMES if Backend.named(name).capabilities.proof]
PUBLISHED = {
    ("queens", 6): 4,
    ("torus", 5): 10,
    ("latin", 3): 12,
    ("langford", 4): 1,
    ("pigeonhole", 3): 0,
}
"""OEIS A000170, A007705, A002860, A014552."""


def rows_of(formula):
    """The literals of each row."""
    return [row for rows in formula.rows for row in rows.literals.tolist()]


def block(*rows):
    return np.array(rows, dtype=np.int32)


@st.composite
def formulas(draw):
    n = draw(st.integers(3, 6))
    literal = st.integers(1, n).flatmap(lambda v: st.sampled_from([v, -v]))
    clauses = draw(st.lists(st.lists(literal, min_size=1, max_size=3), max_size=5))
    row = st.lists(literal, min_size=3, max_size=n, unique_by=abs)
    limits = draw(st.lists(st.tuples(row, st.integers(0, n)), max_size=4))
    cnf = CNF(n, n, tuple(block(clause) for clause in clauses))
    return (
        clauses,
        limits,
        Constraints(cnf, tuple(Rows.at_most(block(row), most) for row, most in limits)),
    )


def is_true(literal, values):
    return values[abs(literal) - 1] == (literal > 0)


def holds(clauses, limits, values):
    return all(any(is_true(v, values) for v in clause) for clause in clauses) and all(
        sum(is_true(v, values) for v in row) <= most for row, most in limits
    )


def test_these_backends_take_it():
    assert set(NAMES) == {
        "minicard", "gluecard3", "gluecard4", "cadical195", "cadical300", "ergo", "minisatep",
        "cp-sat", "clasp", "exact", "highs", "pumpkin",
    }  # fmt: skip


def test_every_backend_finds_as_many_solutions_as_published():
    records = nqbench.run(
        [Family.named(family).of_size(n) for family, n in PUBLISHED],
        encodings=["native"],
        backends=INSTALLED,
        task="all",
        repeat=1,
        time_limit=300,  # on a busy machine
    )
    assert set(records["encoding"]) == {"native"}
    assert set(records["outcome"]) == {"finished"}, records["message"].to_list()
    assert set(records["verdict"]) == {"verified"}, records["message"].to_list()
    found = set(records.select("backend", "family", "n", "solutions").iter_rows())
    assert found == {(name, *of, PUBLISHED[of]) for name in INSTALLED for of in PUBLISHED}


# CaDiCaL 1.9.5 is left out: the propagator of PySAT fails in some of its runs.
@pytest.mark.parametrize("name", ["minicard", "gluecard4", "cadical300", "ergo", "cp-sat"])
@settings(max_examples=30)
@given(problem=any_covers())
def test_any_cover_has_the_solutions_found_by_exhaustion(name, problem):
    search = Search(problem, NATIVE, Backend.named(name), NATIVE.encode(problem))
    found = sorted(sorted(number + 1 for (number,) in each.solution) for each in search.all())
    assert found == sorted(map(sorted, exhaustive.solutions(problem)))


@pytest.mark.parametrize("name", ["minicard", "gluecard3", "cadical300", "ergo", "cp-sat"])
@settings(max_examples=30)
@given(formula=formulas())
def test_literals_of_constraints_may_be_negative(name, formula):
    clauses, limits, plus = formula
    solver = Backend.named(name).load(plus)
    every = itertools.product([False, True], repeat=plus.num_variables)
    satisfiable = any(holds(clauses, limits, values) for values in every)
    assert solver.solve() is (Answer.SAT if satisfiable else Answer.UNSAT)
    assert not satisfiable or holds(clauses, limits, solver.model())


@settings(max_examples=50)
@given(formula=formulas())
def test_exactly_the_models_break_nothing(formula):
    clauses, limits, plus = formula
    plus.check()
    cnf = plus.as_clauses()
    for values in itertools.product([False, True], repeat=plus.num_variables):
        broken = base.broken_by(plus, np.array(values))
        assert (broken is None) == holds(clauses, limits, values)
        assert (cnf.falsified(np.array(values)) is None) == (broken is None)


def test_a_broken_constraint_is_named():
    plus = Constraints(
        CNF(3, 3, ()), (Rows.at_most(block([-1, 2, 3]), 2), Rows.at_most(block([1, -2, 3]), 1))
    )
    assert plus.broken_by(np.array([True, False, False])) == (
        "of 1 -2 3, the model has 2 true, not at most 1"
    )


@settings(max_examples=30)
@given(formula=formulas())
def test_packing_keeps_everything(formula):
    _, _, plus = formula
    packed = memoryview(b"".join(plus.pack()))
    again = Constraints.unpack(packed)
    assert constraint_files.text(again, ".cnf+") == constraint_files.text(plus, ".cnf+")
    assert (again.num_main, again.digest()) == (plus.num_main, plus.digest())
    for cut in (8, len(packed) // 2):
        with pytest.raises(ValueError, match=r".*"):
            Constraints.unpack(packed[:cut]).check()


def test_bytes_of_something_else_are_not_unpacked():
    with pytest.raises(ValueError, match="no packed constraints"):
        Constraints.unpack(memoryview(b"".join(CNF(1, 1, ()).pack())))


@pytest.mark.parametrize(
    ("row", "most", "message"),
    [
        ([1, 2, 4], 1, "beyond the 3 variables"),
        ([1, 2, -1], 1, "has a variable twice"),
        ([1, 2, 3], -1, "has the bounds 0 and -1"),
    ],
)
def test_a_malformed_constraint_is_found(row, most, message):
    with pytest.raises(ValueError, match=message):
        base.check_instance(Constraints(CNF(3, 3, ()), (Rows.at_most(block(row), most),)))


@pytest.mark.parametrize("n", [3, 8, 20])
def test_the_size_is_that_of_the_board(n):
    """Each square is in a row and a column, which need a queen, and in four lines that have at most
    one. Two corners of each direction are alone, and lines of two squares are a clause.
    """
    size = base.instance_size(NATIVE.encode(Queens(n)))
    assert (size.variables, size.literals) == (n * n, 2 * n * n + 4 * n * n - 4)
    assert (size.clauses, size.constraints) == (2 * n + 4, 6 * n - 10)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_written_out_it_is_pairwise(n):
    def clauses(cnf):
        return {frozenset(clause) for clause in cnf.clauses()}

    pairwise = Encoding.named("pairwise").clauses(Queens(n))
    assert clauses(NATIVE.encode(Queens(n)).as_clauses()) == clauses(pairwise)


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n not in {"clasp", "cp-sat", "exact", "highs", "pumpkin"}]
)
def test_a_solver_of_pysat_gets_the_constraints_and_no_clauses_for_them(name):
    """Counted where PySAT hands them to the solver."""

    def check():
        from pysat.solvers import Solver

        added = []
        add_atmost = Solver.add_atmost
        Solver.add_atmost = lambda self, lits, k: (
            added.append((lits, k)),
            add_atmost(self, lits, k),
        )
        oracle = Backend.named(name)._oracle(NATIVE.encode(Queens(8)))
        return json.dumps([len(added), {k for _, k in added} == {1}, oracle.nof_clauses()]).encode()

    ending = isolate.call(check, Limits(time_s=60))
    assert ending.outcome is Outcome.FINISHED, ending.message
    constraints, all_one, clauses = json.loads(ending.payload)
    assert (constraints, all_one) == (38, True)
    assert clauses <= 20 + 38  # MiniCard counts constraints as clauses


def test_cp_sat_gets_an_at_most_one_for_each_constraint():
    model, _ = cp_sat_formula.model(NATIVE.encode(Queens(8)))
    kinds = [str(constraint).split()[0] for constraint in model.proto.constraints]
    assert kinds.count("at_most_one") == 38
    assert kinds.count("bool_or") == 20


def measured(backends, problem):
    """The records of one run with each backend, in the order of their names."""
    records = nqbench.run(
        [problem], encodings=["native"], backends=backends, repeat=1, time_limit=60
    )
    assert sorted(records["backend"]) == sorted(backends)
    return records.sort("backend").to_dicts()


def test_unsat_is_proved_where_the_solver_writes_proofs():
    for record in measured(INSTALLED, HOPELESS):
        assert (record["answer"], record["verdict"]) == ("unsat", "verified"), record["message"]
        assert record["checked_by"] == "oracle"
        assert record["message"] == (PROOF_HOLDS if record["backend"] in PROVING else "")
        assert record["constraints"] == base.instance_size(NATIVE.encode(HOPELESS)).constraints


@pytest.mark.parametrize(("family", "n"), [("torus", 6), ("torus", 8), ("pigeonhole", 6)])
def test_proofs_hold_for_the_clauses_that_constraints_stand_for(family, n):
    # Ergo is left out: it takes a minute for the torus.
    proving = [name for name in PROVING if name != "ergo"]
    for record in measured(proving, Family.named(family).of_size(n)):
        assert (record["answer"], record["checked_by"]) == ("unsat", "theorem"), record["message"]
        assert record["message"] == PROOF_HOLDS


@pytest.mark.usefixtures("faulty_plugin")
@pytest.mark.parametrize(
    ("backend", "problem", "checked_by", "message"),
    [
        ("faulty-unconstrained", Queens(6), "board", "true, not at most 1"),
        ("faulty-native-proof-cut", HOPELESS, "proof", "the proof of 'unsat' is wrong"),
        ("faulty-native-proof-cut", Queens(6), "theorem", "queens n=6 has a solution"),
    ],
)
def test_a_lying_solver_is_refuted(backend, problem, checked_by, message):
    (record,) = measured([backend], problem)
    assert (record["outcome"], record["verdict"]) == ("finished", "refuted"), record["message"]
    assert record["checked_by"] == checked_by
    assert message in record["message"]


def test_a_shuffled_formula_has_the_same_constraints_but_for_names_and_order():
    plus = NATIVE.encode(Queens(8))
    other = shuffled(plus, 7)
    other.formula.check()
    renamed = [other.renamed(row) for row in rows_of(plus)]
    assert sorted(map(sorted, rows_of(other.formula))) == sorted(map(sorted, renamed))
    assert rows_of(other.formula) != rows_of(plus)
    assert shuffled(plus, 7).formula.digest() == other.formula.digest()


def test_shuffled_runs_are_verified():
    campaign = Campaign(
        problems=[Queens(12)], encodings=["native"], backends=["minicard"], repeat=3, shuffle=5
    )
    records = runner.measured(campaign.runs())
    assert {(r.shuffle, r.verdict) for r in records} == {(5, Verdict.VERIFIED)}
    assert len({r.conflicts for r in records}) > 1


def test_one_campaign_compares_it_with_clauses():
    records = nqbench.run(
        [Queens(8)],
        encodings=["pairwise", "product", "native"],
        backends=["minicard", "cadical195", "minisat22"],
        repeat=1,
    )
    assert records.height == 8
    assert set(records["verdict"]) == {"verified"}
    rows = records.filter(encoding="native").select("backend", "clauses", "constraints").rows()
    assert set(rows) == {("minicard", 20, 38), ("cadical195", 20, 38)}


@pytest.mark.usefixtures("called_directly")
def test_cp_sat_is_in_all_backends_and_takes_rows_where_it_has_no_own_model(monkeypatch, tmp_path):
    monkeypatch.setattr(availability, "_probed", probed_once)
    files = {"rows.opb": "+1 x1 +2 x2 +3 x3 >= 4 ;\n", "clauses.cnf": "p cnf 2 1\n1 -2 0\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    formulas = nqbench.formulas(tmp_path)
    latin = Family.named("latin").of_size(3)
    used = {"none": [Queens(4)], "native": [latin, *formulas]}
    for encoding, problems in used.items():
        for problem in problems:
            assert able_backends(Task.FIRST, [problem])["cp-sat"] is None, problem
            (run,) = Campaign(problems=[problem], backends=["cp-sat"], repeat=1).runs()
            assert run.encoding == encoding
    mixed = Campaign(problems=[Queens(4), latin], backends=["cp-sat"], repeat=1)
    assert {run.encoding for run in mixed.runs()} == {"native"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["run", "--n", "4", "--encoding", "native", "--backend", "minisat22"],
            "'minisat22' takes a cnf: none of the encodings native makes one that it can use",
        ),
        (
            ["solve", "--n", "4", "--encoding", "native", "--backend", "glucose4"],
            "backend 'glucose4' cannot solve instances of encoding 'native' (cnf+)",
        ),
        (
            ["clauses", "--n", "4", "--square", "0,0", "--encoding", "native"],
            "encoding 'native' makes a cnf+, not clauses only: choose another encoding",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(nqbench, arguments, message):
    refused = nqbench(*arguments)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert message in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_it_is_written_listed_and_read_back(nqbench, tmp_path):
    written = nqbench("encode", "--n", 4, "--encoding", "native").stdout
    assert "p cnf+ 16 26" in written.splitlines()
    assert written.splitlines()[-1] == "8 11 14 <= 1"
    listed = json.loads(nqbench("list", "encodings", "--n", 3, "--json").stdout)
    (entry,) = [entry for entry in listed if entry["name"] == "native"]
    assert (entry["clauses"], entry["constraints"]) == (10, 8)
    (tmp_path / "q4.out").write_text("s SATISFIABLE\nv 2 8 9 15 0\n")
    drawn = nqbench("decode", "--n", 4, "--encoding", "native", "q4.out")
    assert drawn.returncode == 0, drawn.stderr
    assert NATIVE.makes is Form.CNF_PLUS
