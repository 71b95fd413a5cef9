"""`unsat` about files with rows: by the judge's own clauses, or by the proof of the instance."""

import sys
from dataclasses import replace

import pytest
from addons import is_here, needs_addon
from library_schemes import COUNTING as LIBRARY_SCHEMES
from places import ROOT

import nqbench
from nqbench.backends.base import Backend
from nqbench.checking import row_clauses
from nqbench.common.errors import TooManyClausesError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import CheckedBy, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.measure.implication.steps import State
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.run_judge import RunJudge
from nqbench.plugins.loading import _entry_points
from nqbench.problems.families.base import Family
from nqbench.problems.families.cnf import Formula
from nqbench.problems.families.queen_domination import QueenDomination

pytestmark = pytest.mark.usefixtures("called_directly")

if is_here("certify"):
    from nqbench.addons.certify.certificate import Result
    from nqbench.addons.certify.examiner import certificates

LIMITS = Limits(time_s=60.0)
COUNTED = {
    "p.knf": "p knf 7 6\nk 4 1 2 3 4 5 6 0\nk 3 -1 -2 -3 -4 -5 -6 0\n1 -2 7 0\nk 2 7 1 0\n"
    "k 4 1 -2 3 -4 5 0\n-7 0\n",
    "p.opb": "* #variable= 6 #constraint= 4\n+1 x1 +1 x2 +1 x3 +1 x4 +1 x5 = 2 ;\n"
    "+2 x1 +2 ~x2 +2 x3 +2 x4 >= 6 ;\n-1 x1 -1 x3 -1 x4 >= -1 ;\n+1 x2 +1 x6 = 2 ;\n",
}
"""Files without a model; some rows leave no choice, some have two bounds."""

FOR_ONE = "p cnf+ 12 7\n" + "".join(
    f"{3 * pigeon + 1} {3 * pigeon + 2} {3 * pigeon + 3} >= 1\n" for pigeon in range(4)
)
FOR_ONE += "".join(f"{hole} {hole + 3} {hole + 6} {hole + 9} <= 1\n" for hole in (1, 2, 3))

LOOSE = "p cnf+ 6 2\n1 2 3 4 5 6 <= 3\n1 2 3 4 5 6 >= 3\n"
"""A file with models, of which a scheme for one literal less allows none."""

COUNTING = (
    "sequential", "totalizer", "cardinality-network", "sorting-network", "parallel-counter",
    "modulo-totalizer", "k-modulo-totalizer", "pairwise", *LIBRARY_SCHEMES,
)  # fmt: skip


@pytest.fixture
def no_proof_about_rows(monkeypatch):
    """Exact, which writes proofs about rows, is not installed."""
    monkeypatch.setattr("nqbench.measure.run_judge.ROWS_SOLVER", "there-is-none")


@pytest.fixture
def no_own_clauses(monkeypatch, no_proof_about_rows):
    """Nor can the judge state the rows, which are too many clauses."""

    def as_clauses(_):
        raise TooManyClausesError("too many clauses")

    monkeypatch.setattr(row_clauses, "as_clauses", as_clauses)


@pytest.fixture
def wall():
    """Install the plugin with the planted faults."""
    folder = ROOT / "tests" / "helpers" / "wall"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("PYTHONPATH", str(folder))
        _entry_points.cache_clear()
        yield
        sys.modules.pop("wall", None)
    _entry_points.cache_clear()


def judged(text, encoding, folder, name="file.knf", backend="cadical195"):
    """The check of `unsat`."""
    path = folder / name
    path.write_text(text)
    problem, scheme = Formula.at(path, name), Encoding.named(encoding)
    assert problem.has_rows
    run = LoadedRun(problem, scheme, Backend.named(backend), Task.FIRST, LIMITS, backend)
    return RunJudge().check_unsat(run)


@pytest.mark.parametrize(
    ("scheme", "name"),
    [*((each, "p.knf") for each in COUNTING), *((each, "p.opb") for each in COUNTING[:3])],
)
def test_the_proof_of_an_instance_decides_its_file(scheme, name, no_own_clauses, tmp_path):
    check = judged(COUNTED[name], scheme, tmp_path, name)
    assert (check.verdict, check.checked_by) == (Verdict.VERIFIED, CheckedBy.PROOF), check
    assert check.message == (
        "by cadical195 on the formula, which allows all that the rows of the file do"
    )


@pytest.mark.parametrize("scheme", ["product", "commander", "bimander", "bitwise", "ladder"])
def test_schemes_for_one_are_shown_too(scheme, no_own_clauses, tmp_path):
    assert judged(FOR_ONE, scheme, tmp_path).verdict is Verdict.VERIFIED


def test_a_solver_without_proofs_is_helped(no_own_clauses, tmp_path):
    check = judged(FOR_ONE, "sequential", tmp_path, backend="minisat22")
    assert check.verdict is Verdict.VERIFIED
    assert check.message.startswith("by cadical195 on the formula")


def test_the_judge_asks_for_a_proof_about_the_rows_first(tmp_path):
    pytest.importorskip("exact")
    check = judged(FOR_ONE, "sequential", tmp_path, backend="minisat22")
    assert (check.verdict, check.message) == (
        Verdict.VERIFIED,
        "by exact on the rows of the file",
    )


def test_the_judge_asks_its_own_clauses_before_the_instance(no_proof_about_rows, tmp_path):
    check = judged(FOR_ONE, "sequential", tmp_path, backend="minisat22")
    assert (check.verdict, check.message) == (
        Verdict.VERIFIED,
        "by cadical195 on the rows of the file",
    )


@pytest.mark.parametrize("encoding", ["wall-strict", "wall-silent", "wall-more"])
def test_an_encoder_that_is_too_strict_is_not_verified(encoding, wall, no_own_clauses, tmp_path):
    reasons = {
        "wall-strict": "forbids that of 6 variables these are true",
        "wall-silent": "line 2 is not stated",
        "wall-more": "the instance has the clause",
    }
    check = judged(LOOSE, encoding, tmp_path)
    assert check.verdict is Verdict.UNCHECKED, check
    assert reasons[encoding] in check.message
    assert "too many clauses" in check.message


def test_a_run_with_such_an_encoder_is_refuted(wall, tmp_path):
    path = tmp_path / "loose.cnf+"
    path.write_text(LOOSE)
    records = nqbench.run(
        nqbench.formulas(path), encodings=["wall-strict", "totalizer"], backends=["cadical195"],
        repeat=1, pin=False, time_limit=60,
    )  # fmt: skip
    verdicts = {(row["encoding"], row["answer"], row["verdict"]) for row in records.to_dicts()}
    assert verdicts == {("wall-strict", "unsat", "refuted"), ("totalizer", "sat", "verified")}


def certified(encoding, text, folder):
    path = folder / "file.knf"
    path.write_text(text)
    (certificate,) = certificates(Encoding.named(encoding), [Formula.at(path, "file.knf")], LIMITS)
    return certificate


@needs_addon("certify")
@pytest.mark.parametrize("scheme", COUNTING)
def test_schemes_are_certified_on_the_rows_of_a_file(scheme, tmp_path):
    certificate = certified(scheme, COUNTED["p.knf"], tmp_path)
    assert certificate.result is Result.CERTIFIED, certificate.messages


@needs_addon("certify")
@pytest.mark.parametrize(
    ("encoding", "result", "part", "message"),
    [
        ("wall-strict", "REFUTED", "every solution", "forbids that of 6 variables"),
        ("wall-loose", "REFUTED", "only solutions", "allows that of 6 variables"),
        ("wall-silent", "REFUTED", "every solution", "forbids a solution: these are true"),
        ("wall-more", "OPEN", "every solution", "the instance has the clause"),
    ],
)
@pytest.mark.usefixtures("wall")
def test_faults_on_the_rows_of_a_file_are_not_certified(encoding, result, part, message, tmp_path):
    certificate = certified(encoding, LOOSE, tmp_path)
    assert certificate.result is Result[result]
    assert message in certificate.messages[part]


def dominated():
    return Family.named("queen-domination:k=4").of_size(7)


@needs_addon("certify")
@pytest.mark.parametrize("encoding", ["totalizer", "sequential", "pysat:seqcounter"])
def test_rules_that_count_are_certified_by_proofs(encoding):
    (certificate,) = certificates(Encoding.named(encoding), [dominated()], LIMITS)
    states = certificate.only_solutions.state, certificate.every_solution.state
    assert states == (State.PROVED, State.PROVED), certificate.messages
    assert certificate.count.found == 86  # OEIS A002564


@needs_addon("certify")
@pytest.mark.parametrize("encoding", ["wall-strict", "wall-loose"])
def test_faults_on_rules_that_count_are_refuted(encoding, wall):
    (certificate,) = certificates(Encoding.named(encoding), [dominated()], LIMITS)
    assert certificate.result is Result.REFUTED
    states = certificate.only_solutions.state, certificate.every_solution.state
    assert State.REFUTED in states


@needs_addon("certify")
@pytest.mark.parametrize(
    ("change", "only", "every"),
    [
        (lambda rows: replace(rows, most=3), State.PROVED, State.OPEN),
        (lambda rows: replace(rows, most=5), State.OPEN, State.PROVED),
        (lambda rows: replace(rows, literals=rows.literals[:, 1:]), State.OPEN, State.OPEN),
    ],
)
def test_constraints_that_count_otherwise_than_the_rules_are_not_certified(
    change, only, every, monkeypatch
):
    """Then encodings are right about the constraints only."""
    right = QueenDomination.constraints

    def wrong(self):
        constraints = right(self)
        return replace(constraints, rows=tuple(map(change, constraints.rows)))

    monkeypatch.setattr(QueenDomination, "constraints", wrong)
    (certificate,) = certificates(Encoding.named("totalizer"), [dominated()], LIMITS)
    assert (certificate.only_solutions.state, certificate.every_solution.state) == (only, every)
    assert certificate.result is not Result.CERTIFIED


@needs_addon("certify")
@pytest.mark.parametrize(
    ("left_out", "part"), [(True, "only solutions"), (False, "every solution")]
)
def test_constraints_with_other_clauses_than_the_rules_are_not_proved(left_out, part, monkeypatch):
    right = QueenDomination.constraints

    def wrong(self):
        constraints = right(self)
        first, *others = constraints.cnf.blocks
        shorter = first[1:] if left_out else first[:, 1:]
        cnf = replace(constraints.cnf, blocks=(shorter, *others))
        return replace(constraints, cnf=cnf)

    monkeypatch.setattr(QueenDomination, "constraints", wrong)
    (certificate,) = certificates(Encoding.named("totalizer"), [dominated()], LIMITS)
    assert "the constraints may" in certificate.messages[part]


@needs_addon("certify")
def test_certify_takes_files_with_rows(nqbench_in, tmp_path):
    call = nqbench_in(tmp_path)
    (tmp_path / "file.knf").write_text(LOOSE)
    shown = call("certify", "totalizer", "--cnf", "file.knf", plugin=False)
    assert (shown.returncode, "certified" in shown.stdout) == (0, True), shown.stderr
    (tmp_path / "clauses.cnf").write_text("p cnf 2 1\n1 2 0\n")
    refused = call("certify", "totalizer", "--cnf", "clauses.cnf", plugin=False)
    assert refused.returncode == 2
    assert "has clauses only" in refused.stderr
