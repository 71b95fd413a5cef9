"""Every installed backend, run in a separate process as users run it."""

import itertools
import math
import re
import shutil
import sys
from collections import Counter
from functools import partial

import pytest
from measuring import without_notes_on_time
from places import CSPLIB
from programs import needs

from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.backends.permission import complete_backend_names
from nqbench.backends.program.backend import Executable
from nqbench.backends.pysat.solvers import KINDS
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.checking.verify import PROOF_HOLDS
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, CheckedBy, Form, Outcome, Task, Verdict
from nqbench.encodings.base import Encoding, complete_encoding_names
from nqbench.plugins.programs import find
from nqbench.problems import board_files
from nqbench.problems.queens import Queens
from nqbench.testing import check_backend
from nqbench.testing.backends import check_assumptions

SIZES = [3, 8]
BOARDS = [Queens(n) for n in SIZES]
NAMES = complete_backend_names()
BINDINGS = [name for name in NAMES if not isinstance(Backend.named(name), Executable)]
PROGRAMS = [name for name in NAMES if name not in BINDINGS and find(name)]


def measured(encodings, backends, problems=BOARDS, **options):
    campaign = Campaign(
        problems=problems,
        encodings=encodings,
        backends=backends,
        repeat=1,
        limits=Limits(time_s=300),  # on a busy machine
        **options,
    )
    return runner.measured(campaign.runs())


def assert_right(records):
    for record in records:
        what = f"{record.backend} {record.encoding} n={record.n}: {record.outcome} {record.message}"
        capabilities = Backend.named(record.backend).capabilities
        possible = [Answer.SAT] if record.n not in (2, 3) else [Answer.UNSAT]
        if record.n in (2, 3) and not capabilities.complete:
            possible.append(Answer.UNKNOWN)
        assert record.outcome is Outcome.FINISHED, what
        assert record.answer in possible, what
        checked = record.verdict is Verdict.VERIFIED
        assert checked == (record.answer is not Answer.UNKNOWN), what
        assert not record.rejected_models or record.encoding == "level2", what
        if record.answer is Answer.UNSAT:
            assert record.checked_by is CheckedBy.THEOREM, what
            message = without_notes_on_time(record.message)
            assert message == (PROOF_HOLDS if capabilities.proof else ""), what


@pytest.mark.parametrize("names", [BINDINGS, PROGRAMS])
def test_every_available_backend_is_right(names):
    """With an encoding of all rules, and with one whose models may be rejected."""
    encodings = [Encoding.named(name) for name in ("pairwise", "level2")]
    records = measured([encoding.name for encoding in encodings], names)
    assert_right(records)
    ran = Counter(record.backend for record in records)
    for name in names:
        accepted = sum(map(Backend.named(name).accepts, encodings))
        assert ran[name] == len(SIZES) * (accepted or 1), name


def test_every_encoding_is_right_on_three_backends():
    encodings = [
        name
        for name in complete_encoding_names()
        if name != "file" and Encoding.named(name).makes is Form.CNF
    ]
    assert_right(measured(encodings, ["minisat22", "cadical195", "cryptominisat"]))


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize("name", BINDINGS + PROGRAMS)
def test_every_backend_passes_the_conformance_checks(name):
    check_backend(Backend.named(name))


def test_every_backend_that_enumerates_finds_as_many_solutions_as_published(known_values):
    counts = known_values["solutions"]["values"]
    backends = [Backend.named(name) for name in BINDINGS]
    taken = {b.name: b.default_encoding or "pairwise" for b in backends if b.can_do(Task.ALL)}
    assert len(taken) >= 20
    for encoding in set(taken.values()):
        names = [name for name in taken if taken[name] == encoding]
        records = measured([encoding], names, [Queens(n) for n in (2, 6)], task=Task.ALL)
        assert len(records) == 2 * len(names)
        for r in records:
            found = (r.solutions, r.verdict)
            assert found == (counts[r.n], Verdict.VERIFIED), f"{r.backend} n={r.n}: {r.message}"


def test_auxiliary_variables_multiply_no_solution():
    """The backends include one that enumerates every value of auxiliary variables."""
    encodings = ["product", "sorting-network", "order", "log", "level2"]
    backends = ["minisat22", "pyeda", "cryptominisat"]
    records = measured(encodings, backends, [Queens(7)], task=Task.ALL)
    assert len(records) == len(encodings) * len(backends)
    for record in records:
        assert (record.solutions, record.verdict) == (40, Verdict.VERIFIED), record.message


def test_answers_on_the_torus_match_theory():
    """Up to n = 10, with a proof from each solver that can write one."""
    problems = [Queens(n, "torus") for n in range(1, 11)]
    solvers = ["cadical195", "minisat22", "backtracking:forward=on:order=mrv", "cp-sat"]
    knowing = ["construction", "astar"]
    for encodings, backends in (
        (["pairwise", "product"], solvers),
        (["level2"], knowing),
        (["order"], ["glucose4"]),
    ):
        for record in measured(encodings, backends, problems):
            what = f"{record.backend} n={record.n}: {record.outcome} {record.message}"
            expected = Answer.SAT if math.gcd(record.n, 6) == 1 else Answer.UNSAT
            assert (record.answer, record.verdict) == (expected, Verdict.VERIFIED), what
            if record.answer is Answer.UNSAT and record.backend in ("cadical195", "glucose4"):
                assert without_notes_on_time(record.message) == PROOF_HOLDS, what


AGREEING = ["cryptominisat", "minisat22", "pyeda", "cp-sat"]
ON_SMALLER = [*AGREEING, "cadical195", "backtracking:forward=on:order=mrv", "constraint2"]
"""The first two of these also decide all of the instances in test_families."""


@pytest.mark.parametrize(
    ("size", "satisfiable", "backends"),
    [
        (8, {19}, [*ON_SMALLER, "astar", *PROGRAMS]),
        (12, {19}, [*AGREEING, "cadical195", "glucose4"]),
        (16, {2, 8}, AGREEING),
    ],
)
def test_backends_agree_on_the_instances_of_csplib(size, satisfiable, backends):
    """With the first n diagonals. CSPLib states which have a solution."""
    problems, numbers = {}, [1, 2, 8] if size == 16 else [1, 10, 19]
    for number in numbers:
        path = CSPLIB / f"diag-{size}-4-{number}.param"
        listed = int(re.search(r"numdiags = *(\d+)", path.read_text())[1])
        problem = board_files.read(path, min(size, listed))
        problems[problem.instance] = number
        problems[number] = problem
    asked = [problems[number] for number in numbers]
    records = measured(["product"], backends, asked)
    assert len(records) == len(numbers) * len(backends)
    said = {}
    for record in records:
        what = f"{record.backend} {record.instance}: {record.outcome} {record.message}"
        assert record.verdict is Verdict.VERIFIED, what
        said.setdefault(problems[record.instance], set()).add(record.answer)
    assert all(len(answers) == 1 for answers in said.values())
    assert {n for n in numbers if said[n] == {Answer.SAT}} == satisfiable


def test_a_program_that_is_not_there_is_unavailable_and_said_so():
    (record, *_) = measured(["pairwise"], ["exe:/no/such/solver"])
    assert record.outcome is Outcome.UNAVAILABLE
    assert "no program '/no/such/solver'" in record.message


@needs("minisat")
def test_a_program_of_any_name_may_write_its_answer_into_a_file(tmp_path):
    renamed, another = tmp_path / "minisat-2.2", tmp_path / "solver"
    for link in (renamed, another):
        link.symlink_to(shutil.which("minisat"))
    backends = [f"exe:{renamed}", f"exe:{another} -verb=0 {{cnf}} {{result}}"]
    assert_right(measured(["pairwise"], backends))
    (record, *_) = measured(["pairwise"], [f"exe:{another}"])
    assert record.outcome is Outcome.UNAVAILABLE
    assert "if it writes its answer to a file, add {result}" in record.message


@pytest.mark.parametrize(
    ("script", "outcome", "message"),
    [
        ('[ "$1" = --version ] && exec sleep 60; exit 1', Outcome.UNAVAILABLE, "exit status 1"),
        ("yes no", Outcome.UNAVAILABLE, "printed more than"),
        ("kill -SEGV $$", Outcome.UNAVAILABLE, "ended by signal SIGSEGV"),
    ],
)
def test_a_program_that_knows_no_version_or_misbehaves_spoils_no_campaign(
    tmp_path, script, outcome, message
):
    program = tmp_path / "program"
    program.write_text(f"#!/bin/bash\n{script}\n")
    program.chmod(0o755)
    records = measured(["pairwise"], [f"exe:{program}", "minisat22"], [Queens(4)])
    by_backend = {record.backend: record for record in records}
    assert by_backend[f"exe:{program}"].outcome is outcome
    assert message in by_backend[f"exe:{program}"].message
    assert by_backend["minisat22"].verdict is Verdict.VERIFIED


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="PyEDA's own calls crash on Python 3.12 and later"
)
class TestPyEDA:
    """PyEDA's PicoSAT, called directly, compared with PyEDA's own calls."""

    @pytest.mark.parametrize("encoding", ["pairwise", "product", "sequential", "level2"])
    @pytest.mark.parametrize("n", [1, 2, 3, 8, 20])
    def test_the_model_is_the_one_that_pyeda_finds(self, encoding, n):
        from pyeda.boolalg import picosat

        cnf = Encoding.named(encoding).encode(Queens(n))
        expected = picosat.satisfy_one(cnf.num_variables, list(cnf.clauses()))
        solver = Backend.named("pyeda").load(cnf)
        answer = solver.solve()
        assert (answer is Answer.SAT) == (expected is not None)
        if expected is not None:
            assert solver.model().tolist() == [value > 0 for value in expected]

    def test_solutions_come_in_the_order_of_pyeda(self):
        from pyeda.boolalg import picosat

        cnf = Encoding.named("pairwise").encode(Queens(8))
        expected = picosat.satisfy_all(cnf.num_variables, list(cnf.clauses()))
        found = Backend.named("pyeda").load(cnf).models()
        assert [model.tolist() for model in found] == [[v > 0 for v in e] for e in expected]


def test_the_processor_time_of_a_program_is_that_of_its_phase(tmp_path):
    program = tmp_path / "program"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys, time\n"
        "from pysat.formula import CNF\n"
        "from pysat.solvers import Solver\n"
        "solver = Solver('minisat22', bootstrap_with=CNF(from_file=sys.argv[1]))\n"
        "assert solver.solve()\n"
        "while time.process_time() < 0.3:\n"
        "    pass\n"
        "print('s SATISFIABLE')\n"
        "print('v', *solver.get_model(), 0)\n"
        "sys.exit(10)\n"
    )
    program.chmod(0o755)
    (record, *_) = measured(["pairwise"], [f"exe:{program}"], [Queens(4)])
    assert record.verdict is Verdict.VERIFIED, record.message
    assert 0.3 <= record.solve_cpu_s <= record.cpu_s


@pytest.mark.parametrize("name", ["glucose4", "minisat22", "cadical195"])
def test_counters_are_the_same_every_time(name):
    """They count the solver's work, which does not depend on the machine."""
    cnf = Encoding.named("pairwise").encode(Queens(16))

    def counters():
        solver = Backend.named(name).load(cnf)
        solver.solve()
        return solver.counters()

    first = counters()
    assert first == counters()
    assert first.conflicts is not None
    assert first.decisions > 0


def solver_of(name, **options):
    from pysat.solvers import Solver

    return Solver(name=name, bootstrap_with=[[1, 2], [-1, 2], [1, -2]], **options)


def counts(name):
    with solver_of(name) as solver:
        solver.solve()
        return b"yes" if "conflicts" in solver.accum_stats() else b"no"


def takes_clauses_after_an_answer(name):
    from pysat.solvers import Solver

    with Solver(name=name, bootstrap_with=[[1, 2]]) as solver:
        solver.solve()
        for clause in ([-1], [-2]):
            solver.add_clause(clause)
        return b"no" if solver.solve() else b"yes"


def enumerates(name):
    with solver_of(name) as solver:
        return b"yes" if len(list(solver.enum_models())) == 1 else b"no"


def proves(name):
    """Whether a proof ends with the empty clause and uses only the formula's variables."""
    with solver_of(name, with_proof=True) as solver:
        solver.add_clause([-1, -2])
        solver.solve()
        lines = [line.split() for line in solver.get_proof()]
    variables = {abs(int(word)) for line in lines for word in line if word not in ("d", "0")}
    return b"yes" if lines[-1] == ["0"] and variables <= {1, 2} else b"no"


def takes_assumptions(name):
    check_assumptions(Backend.named(name))
    return b"yes"


PROBES = {
    "counters": counts,
    "incremental": takes_clauses_after_an_answer,
    "enumeration": enumerates,
    "proof": proves,
    "assumptions": takes_assumptions,
}


UNCLAIMED = [
    (name, capability)
    for name, capability in itertools.product(KINDS, PROBES)
    if not getattr(KINDS[name].capabilities, capability)
]
"""The others are shown by the conformance checks."""


@pytest.mark.parametrize(("name", "capability"), UNCLAIMED)
def test_a_probe_of_what_a_solver_of_pysat_is_not_said_to_do_fails(name, capability):
    ending = isolate.call(partial(PROBES[capability], name), Limits(time_s=30))
    assert ending.payload != b"yes", ending


def test_the_table_has_every_solver_that_pysat_accepts():
    from pysat.solvers import NoSuchSolverError, Solver, SolverNames

    accepted = set()
    for key, names in vars(SolverNames).items():
        if key.startswith("_"):
            continue
        for name in {key, *names}:
            try:
                Solver(name=name).delete()
            except NoSuchSolverError:
                continue
            accepted.add(next(n for n in [key, "mgh"] if n in KINDS))
    assert accepted == set(KINDS)
